/** The first lines of a commit object: its tree and its parents. */
import type { StoredObject } from "./objectDatabase";

/** Larger commits are left to git. */
export const maxCommitBytes = 64 * 1024;

/** Returns the root tree of a commit object, and `undefined` for any other object. */
export function treeOfCommit({ type, bytes }: StoredObject): string | undefined {
  if (type !== "commit") return undefined;
  return /^tree ([0-9a-f]{40,64})\n/.exec(bytes.toString("latin1", 0, 128))?.[1];
}

/** Returns the parents of a commit object, and `undefined` for any other object. */
export function parentsOfCommit({ type, bytes }: StoredObject): readonly string[] | undefined {
  if (type !== "commit") return undefined;
  const [, lines] = /^tree [0-9a-f]+\n((?:parent [0-9a-f]+\n)*)/.exec(bytes.toString("latin1")) ?? [];
  return lines?.match(/[0-9a-f]{40,64}/g) ?? [];
}
