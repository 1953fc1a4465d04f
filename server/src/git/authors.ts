/** Who wrote the commits that lead to one. */
import { isServiceError } from "#base/error";
import { isText, textOf } from "./bytePath";
import { askOfPath, type HistoryPath } from "./log";
import { askGit, type Question } from "./question";

export interface Author {
  readonly name: string;
  readonly email: string;
  readonly commitCount: number;
}

/**
 * By name and e-mail as `.mailmap` has them, merges counted, most commits first, then by name.
 *
 * With a `path` only those of the commits that changed it; renames of a file are followed. Throws what `askGit` throws.
 */
export async function listAuthors(
  question: Question,
  commit: string,
  path: HistoryPath | undefined,
): Promise<readonly Author[]> {
  if (path === undefined || (path.isFolder && isText(path.name))) {
    const where = path === undefined ? [] : [textOf(path.name)];
    return parseShortlog(await askShortlog(question, [commit, "--", ...where]));
  }
  // `shortlog` follows no renames, and reads no names.
  const format = ["--format=%aN <%aE>", "--encoding=UTF-8", "--no-notes", "-s"];
  const args = ["log", ...format, path.isFolder ? "--no-follow" : "--follow"];
  const output = await askOfPath(question, args, commit, path.name);
  return countAuthors(output.toString("utf8").split("\n").slice(0, -1));
}

async function askShortlog(question: Question, history: readonly string[]): Promise<Buffer> {
  const args = ["shortlog", "-s", "-n", "-e", "--group=author", "--encoding=UTF-8", ...history];
  try {
    return await askGit(question, args);
  } catch (error) {
    // Where git does not trust the repository, `shortlog` goes on as if there were none; other commands say so.
    if (isServiceError(error, "GIT_FAILED")) await askGit(question, ["rev-parse", "--git-dir"]);
    throw error;
  }
}

/** Lines `<count> TAB <name> <<email>>`. Lines that are none are passed over. */
export function parseShortlog(output: Buffer): readonly Author[] {
  return output
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const match = /^ *(\d+)\t(.*)$/s.exec(line);
      return match ? [author(match[2] ?? "", Number(match[1]))] : [];
    });
}

/** Each line is an author of a commit; equal ones become one. */
export function countAuthors(lines: readonly string[]): readonly Author[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts]
    .sort(([left, leftCount], [right, rightCount]) => rightCount - leftCount || byBytes(left, right))
    .map(([line, count]) => author(line, count));
}

/** `<name> <<email>>`: a name may hold anything but a line's end, an e-mail no `<`. */
function author(line: string, commitCount: number): Author {
  const at = line.lastIndexOf("<");
  if (at < 0) return { name: line, email: "", commitCount };
  return {
    name: line.slice(0, at).replace(/ $/, ""),
    email: line.slice(at + 1).replace(/>$/, ""),
    commitCount,
  };
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
