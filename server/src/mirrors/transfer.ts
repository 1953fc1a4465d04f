/** Takes over the state of mirrors of another data directory, of which a backup contains the text. */
import { ServiceError } from "#base/error";
import type { MirrorState } from "./state";
import { parseState } from "./stateFormat";

/**
 * Adds the mirrors and connections that `state` does not have, and writes it. Returns how many mirrors it added. They are
 * cloned again, because a backup does not contain them, and their connections are listed at once.
 *
 * Throws INVALID_REQUEST_BODY for a damaged text, and STORAGE_FAILED for one of a newer version.
 */
export function addMirrors(state: MirrorState, text: string): number {
  const content = parseState(text, "The list of mirrors in the backup");
  if (content === undefined)
    throw new ServiceError("INVALID_REQUEST_BODY", "The list of mirrors in the backup is damaged.");
  const added = content.mirrors.filter((mirror) => state.of(mirror, mirror.repository.hostId).length === 0);
  // Paths of mirrors that were removed contain their numbers, which therefore stay the same in an empty state.
  for (const { number, ...mirror } of [...added].sort((left, right) => left.number - right.number))
    state.add({ ...mirror, fetches: { nextAt: 0, failures: 0 } }, number);
  for (const [name, connection] of Object.entries(content.connections)) {
    if (state.connection(name).listedAt !== undefined) continue;
    state.putConnection(name, { ...connection, nextListAt: 0, failures: 0, problems: [] });
  }
  state.flush();
  return added.length;
}
