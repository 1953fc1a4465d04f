/** What is in the box, as the service understands it. */
import type { ServiceClient } from "#client/serviceClient";
import type { QueryReading } from "#contract/queries";
import type { SearchState } from "./searchState";

export interface Understood {
  readonly state: SearchState;
  readonly reading: QueryReading;
  /** Of each further condition. */
  readonly narrowed: readonly QueryReading[];
}

const nothing: QueryReading = { filters: [], problems: [], hasText: false, isCheap: false };

/** Of a state that nobody has read yet. */
export function unread(state: SearchState): Understood {
  return { state, reading: nothing, narrowed: [] };
}

/** Rejects where the service does not answer. */
export async function understand(
  service: Pick<ServiceClient, "call">,
  state: SearchState,
): Promise<Understood> {
  const flags = {
    isRegexEnabled: state.isRegex,
    isCaseSensitivityEnabled: state.caseSensitivity === "sensitive",
  };
  const read = async (query: string) =>
    query.trim() === "" ? nothing : service.call("readQuery", { ...flags, query });
  const [reading, narrowed] = await Promise.all([read(state.query), Promise.all(state.narrowed.map(read))]);
  return { state, reading, narrowed };
}
