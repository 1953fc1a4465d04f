/** Clones that left objects behind to be fetched later. We fetch nothing, so we must know what is not there. */
import { configValue } from "./config";
import { runGit } from "./git";
import { type GitPlace, readConfig } from "./place";

/**
 * Hashes that the trees name and the repository does not have; only a partial clone is asked.
 *
 * Asking `cat-file` for one of them would end it, because git fails to fetch; `rev-list` only tells.
 */
export async function findMissing(
  place: GitPlace,
  trees: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  if (!isPartialClone(place)) return missing;
  const output = await runGit(place, ["rev-list", "--objects", "--missing=print", "--no-walk", "--stdin"], {
    input: trees.map((tree) => `${tree}\n`).join(""),
    signal,
  });
  for (const [, hash = ""] of output.toString("latin1").matchAll(/^\?([0-9a-f]+)$/gm)) missing.add(hash);
  return missing;
}

function isPartialClone(place: GitPlace): boolean {
  const config = readConfig(place.commonDir);
  if (configValue(config, "extensions.partialclone") !== undefined) return true;
  return [...config.keys()].some(
    (key) => /^remote\..*\.promisor$/s.test(key) && configValue(config, key) !== "false",
  );
}
