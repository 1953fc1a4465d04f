/** What comes first in the results. Pure: knows no VS Code. */
import type { FileMatch } from "#contract/search";
import { matchCountOf } from "./resultSet";

export const sortOrders = ["relevance", "repository", "path", "matchCount"] as const;
export type SortOrder = (typeof sortOrders)[number];

/** What a file owes its rank to, best first, in the service's words; its `weight` multiplies the others. */
export interface Rank {
  readonly score: number;
  readonly signals: readonly { readonly name: string; readonly worth: number }[];
  readonly weight: number;
}

/** Reads `FileMatch.explanation`: "edges 500, name 0, ..., weight 0.6". Without one all files rank alike. */
export function rankOf({ explanation = "" }: Pick<FileMatch, "explanation">): Rank {
  const terms = [...explanation.matchAll(/([a-z]+) (-?\d+(?:\.\d+)?)(?:,|$)/g)].map(
    ([, name = "", worth = ""]) => ({ name, worth: Number(worth) }),
  );
  const weight = terms.find(({ name }) => name === "weight")?.worth ?? 1;
  const signals = terms
    .filter(({ name, worth }) => name !== "weight" && worth !== 0)
    .sort((one, other) => other.worth - one.worth);
  return { score: weight * signals.reduce((sum, { worth }) => sum + worth, 0), signals, weight };
}

const scores = new WeakMap<FileMatch, number>();

/** A streamed answer comes shard by shard, so that its rank is read from each file. */
export function scoreOf(file: FileMatch): number {
  const known = scores.get(file);
  if (known !== undefined) return known;
  const { score } = rankOf(file);
  scores.set(file, score);
  return score;
}

/** Files of one repository; equal ones stay as they came. */
export function compareFiles(order: SortOrder): (one: FileMatch, other: FileMatch) => number {
  switch (order) {
    case "relevance":
    case "repository":
      return (one, other) => scoreOf(other) - scoreOf(one);
    case "path":
      return (one, other) => compareText(one.fileName.text, other.fileName.text);
    case "matchCount":
      return (one, other) => matchCountOf(other) - matchCountOf(one);
  }
}

export interface RankedRepository {
  readonly name: string;
  readonly matchCount: number;
  readonly bestScore: number;
}

/** Equal ones by name: which of them was indexed first is nothing that a person can see. */
export function compareRepositories(
  order: SortOrder,
): (one: RankedRepository, other: RankedRepository) => number {
  switch (order) {
    case "relevance":
      return (one, other) => other.bestScore - one.bestScore || compareText(one.name, other.name);
    case "repository":
    case "path":
      return (one, other) => compareText(one.name, other.name);
    case "matchCount":
      return (one, other) => other.matchCount - one.matchCount || compareText(one.name, other.name);
  }
}

/** The same on every computer, whatever its language. */
function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
