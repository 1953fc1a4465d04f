/** Sorts results. Pure: does not use VS Code. */

import { matchCountOf } from "#client/search/resultSet";
import type { FileMatch } from "#contract/search";

export const sortOrders = ["relevance", "repository", "path", "matchCount"] as const;
export type SortOrder = (typeof sortOrders)[number];

/** A file's score and its signals, strongest first, as named by the service. `weight` multiplies their sum. */
export interface Rank {
  readonly score: number;
  readonly signals: readonly { readonly name: string; readonly value: number }[];
  readonly weight: number;
}

/** Parses `FileMatch.explanation`: "edges 500, name 0, ..., weight 0.6". Without one, all files rank equally. */
export function rankOf({ explanation = "" }: Pick<FileMatch, "explanation">): Rank {
  const terms = [...explanation.matchAll(/([a-z]+) (-?\d+(?:\.\d+)?)(?:,|$)/g)].map(
    ([, name = "", value = ""]) => ({ name, value: Number(value) }),
  );
  const weight = terms.find(({ name }) => name === "weight")?.value ?? 1;
  const signals = terms
    .filter(({ name, value }) => name !== "weight" && value !== 0)
    .sort((one, other) => other.value - one.value);
  return { score: weight * signals.reduce((sum, { value }) => sum + value, 0), signals, weight };
}

const scores = new WeakMap<FileMatch, number>();

/** Returns a file's score. It is read from each file, because streamed results arrive shard by shard, unsorted. */
export function scoreOf(file: FileMatch): number {
  const cached = scores.get(file);
  if (cached !== undefined) return cached;
  const { score } = rankOf(file);
  scores.set(file, score);
  return score;
}

/** Compares files of one repository; equal files keep their order. */
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

/** Compares repositories; ties are broken by name, because users cannot see in which order they were indexed. */
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

/** Compares by code units, independent of the locale. */
function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
