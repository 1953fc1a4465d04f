/** In which groups repositories are listed, and what their rows are called. Pure: knows no VS Code. */
import type { RepositoryItem } from "#contract/repositories";

export interface RepositoryGroup {
  /** Empty for those with a clone on this computer, else host and owner as in `github.com/acme`. */
  readonly place: string;
  readonly ids: readonly number[];
}

/** Local clones first, then by place; within a group in the given order. */
export function groupsOf(
  items: Iterable<RepositoryItem>,
  hasClone: (id: number) => boolean,
): readonly RepositoryGroup[] {
  const groups = new Map<string, number[]>();
  for (const { repoId, repoName } of items) {
    const place = hasClone(repoId) ? "" : repoName.split("/").slice(0, -1).slice(0, 2).join("/");
    const ids = groups.get(place);
    if (ids === undefined) groups.set(place, [repoId]);
    else ids.push(repoId);
  }
  return [...groups]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([place, ids]) => ({ place, ids }));
}

/** The shortest end of each name, in whole segments, that no other of the names has. */
export function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const ends = (name: string) => name.split("/").map((_, from, segments) => segments.slice(from).join("/"));
  const holders = new Map<string, number>();
  for (const name of names) for (const end of ends(name)) holders.set(end, (holders.get(end) ?? 0) + 1);
  return new Map(
    names.map((name) => [
      name,
      ends(name)
        .reverse()
        .find((end) => holders.get(end) === 1) ?? name,
    ]),
  );
}

/** The command that an error of git's proposes, at the end of its message. */
export function mendingCommand(error: string): string | undefined {
  return / (git config --global .+)$/.exec(error)?.[1];
}
