/** Finds the branches and tags that contain a commit. */
import { type GitRequest, runGitRequest } from "#git/gitRequest";

export interface ContainingRefs {
  /** Short names, local branches first. */
  readonly branches: string[];
  /** Short name of the oldest tag, or empty. */
  readonly tag: string;
}

/** Finds refs that contain a commit. Throws what `runGitRequest` throws, such as TIMED_OUT for many refs. */
export async function findContainingRefs(request: GitRequest, commit: string): Promise<ContainingRefs> {
  const list = ["for-each-ref", `--contains=${commit}`];
  const branches = await runGitRequest(request, [
    ...list,
    "--format=%(refname)%00%(symref)",
    "refs/heads",
    "refs/remotes",
  ]);
  const tags = await runGitRequest(request, [
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

/** Parses `<refname> NUL <target of a symbolic ref>` lines, skipping symbolic refs. */
function parseBranches(output: Buffer): string[] {
  return output
    .toString("utf8")
    .split("\n")
    .filter((line) => line.endsWith("\0"))
    .map((line) => line.slice(0, -1).replace(/^refs\/(?:heads|remotes)\//, ""));
}
