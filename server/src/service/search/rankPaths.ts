/** Orders the files of a search by path: by how closely their names match, then their folders. */
import { closenessOfText } from "#base/nameCloseness";
import { wordsOfPath } from "./pathQuery";

/** How many characters times letters are compared. Paths after that, of hostile repositories, keep their order at the end. */
const maxSteps = 500_000;
/** More than a path without a match in its last name can have. */
const nameBonus = 1_000_000;

/** Returns the paths with the closest first; among equally close ones, the shortest. */
export function rankPaths(paths: readonly string[], text: string): readonly string[] {
  const words = wordsOfPath(text);
  let steps = maxSteps;
  const closeness = (path: string, word: string): number => {
    const name = lastNames(path, word.split("/").length);
    steps -= name.length * word.length;
    if (steps < 0) return 0;
    const inName = closenessOfText(name, word);
    if (inName !== undefined) return nameBonus + inName;
    steps -= path.length * word.length;
    return steps < 0 ? 0 : (closenessOfText(path, word) ?? 0);
  };
  return paths
    .map((path) => ({ path, score: words.reduce((sum, word) => sum + closeness(path, word), 0) }))
    .sort((one, other) => other.score - one.score || one.path.length - other.path.length)
    .map(({ path }) => path);
}

/** Returns the last `count` names of a path. */
function lastNames(path: string, count: number): string {
  let start = path.length;
  for (let left = count; left > 0 && start >= 0; left--) start = path.lastIndexOf("/", start - 1);
  return path.slice(start + 1);
}
