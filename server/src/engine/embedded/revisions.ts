import picomatch from "picomatch";
import type { KnownRepository } from "./shardSet";

const prefixes = ["refs/heads/", "refs/tags/", "refs/remotes/"];
const minAbbreviation = 7;

/** Slots of the indexed revisions that any of the names tells: `*`, `HEAD`, a ref name or its end, a glob, a SHA. */
export function selectSlots(repository: KnownRepository, names: readonly string[]): Set<number> {
  const selected = new Set<number>();
  const { revisions, isFolder } = repository.shards;
  for (const name of names) {
    if (name === "*" && isFolder) selected.add(0);
    if (name === "HEAD" && repository.defaultSlot !== undefined) selected.add(repository.defaultSlot);
    const matches = matcherOf(name);
    for (const revision of revisions)
      if (matches(revision.name, revision.commit)) selected.add(revision.slot);
  }
  return selected;
}

function matcherOf(name: string): (ref: string, commit: string) => boolean {
  if (name === "*") return () => true;
  if (/[*?[]/.test(name)) {
    const glob = picomatch(name, { dot: true });
    return (ref) => glob(ref) || glob(shortName(ref));
  }
  const isSha = name.length >= minAbbreviation && /^[0-9a-f]+$/.test(name);
  return (ref, commit) => ref === name || shortName(ref) === name || (isSha && commit.startsWith(name));
}

export function shortName(ref: string): string {
  const prefix = prefixes.find((each) => ref.startsWith(each));
  return prefix === undefined ? ref : ref.slice(prefix.length);
}
