/** Scores a ranking of files by the files that answer a question. */
import { createHash } from "node:crypto";

/** The ranks that NDCG and recall look at. */
const depth = 10;

export interface Score {
  readonly ndcg: number;
  /** The share of the targets among the first ten files. */
  readonly recall: number;
  /** 1 / rank of the first target, at any rank; 0 if no target was found. */
  readonly reciprocalRank: number;
}

/** `ranked` has distinct paths, best first. A target may be a path or its last parts, and each has the gain 1. */
export function scoreRanking(ranked: readonly string[], targets: readonly string[]): Score {
  const first = ranked.slice(0, depth);
  const isHit = (path: string) => targets.some((target) => isSamePath(path, target));
  const gain = first.reduce((sum, path, index) => sum + (isHit(path) ? discount(index + 1) : 0), 0);
  let ideal = 0;
  for (let rank = 1; rank <= Math.min(depth, targets.length); rank++) ideal += discount(rank);
  const found = targets.filter((target) => first.some((path) => isSamePath(path, target)));
  const rank = ranked.findIndex(isHit) + 1;
  return {
    ndcg: gain / ideal,
    recall: found.length / targets.length,
    reciprocalRank: rank === 0 ? 0 : 1 / rank,
  };
}

function discount(rank: number): number {
  return 1 / Math.log2(rank + 1);
}

/** Reports whether one path is the other, or its last parts. */
export function isSamePath(path: string, target: string): boolean {
  return path === target || path.endsWith(`/${target}`) || target.endsWith(`/${path}`);
}

/** The mean of each figure; `NaN` without scores. */
export function meanScore(scores: readonly Score[]): Score {
  const mean = (of: (score: Score) => number) =>
    scores.reduce((sum, score) => sum + of(score), 0) / scores.length;
  return {
    ndcg: mean(({ ndcg }) => ndcg),
    recall: mean(({ recall }) => recall),
    reciprocalRank: mean(({ reciprocalRank }) => reciprocalRank),
  };
}

export type Half = "tune" | "test";

/** Assigns a question to a half by its text alone, so that it stays there when other questions are added or moved. */
export function halfOf(question: string): Half {
  const [byte = 0] = createHash("sha256").update(question).digest();
  return byte % 2 === 0 ? "tune" : "test";
}

/** English words that say nothing about code. */
const functionWords = new Set(
  (
    "a about after all an and any are as at be because been before being between but by can could did do does doing " +
    "done for from get gets had has have how i if in into is it its itself may me more must my no not of off on once " +
    "one only or other our out over own per should so some such than that the their them then there these they this " +
    "those through to under until up use used uses using via was we were what when where whether which while who why " +
    "will with within without would you your"
  ).split(" "),
);

/** Returns the distinct words of a question that can occur in code; all of its words if there is no such word. */
export function contentWords(question: string): readonly string[] {
  const words = [...new Set(question.match(/[\p{L}\p{N}_]+/gu))];
  const rest = words.filter((word) => !functionWords.has(word.toLowerCase()));
  return rest.length > 0 ? rest : words;
}
