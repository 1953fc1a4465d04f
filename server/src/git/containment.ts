/** Which branches and tags contain a commit. */
import { askGit, type Question } from "./question";

export interface Containment {
  /** Short names, local ones first. */
  readonly branches: string[];
  /** Short name of the oldest one, or empty. */
  readonly tag: string;
}

/** Throws what `askGit` throws; in a long history with many refs that may be TIMED_OUT. */
export async function refsThatContain(question: Question, commit: string): Promise<Containment> {
  const list = ["for-each-ref", `--contains=${commit}`];
  const branches = await askGit(question, [
    ...list,
    "--format=%(refname)%00%(symref)",
    "refs/heads",
    "refs/remotes",
  ]);
  const tags = await askGit(question, [
    ...list,
    "--format=%(refname)",
    "--sort=creatordate",
    "--count=1",
    "refs/tags",
  ]);
  return {
    branches: parseBranches(branches),
    tag: tags.toString("utf8").trimEnd().replace("refs/tags/", ""),
  };
}

/** `<full name> NUL <name that it stands for, or nothing>`, a line each; what stands for another is left out. */
function parseBranches(output: Buffer): string[] {
  return output
    .toString("utf8")
    .split("\n")
    .filter((line) => line.endsWith("\0"))
    .map((line) => line.slice(0, -1).replace(/^refs\/(?:heads|remotes)\//, ""));
}
