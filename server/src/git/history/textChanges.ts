/** Finds the commits that add or remove a text, as `git log -S` does. */
import { type BytePath, textOf } from "#git/bytePath";
import { gitFailure } from "#git/git";
import { type GitRequest, streamGitRequest } from "#git/gitRequest";
import type { ListedCommit } from "./log";

export interface TextChangeSearch {
  /** Literal and case-sensitive. Must be neither empty nor contain NUL. */
  readonly text: string;
  /** Names of files and folders; without any, all files are searched. */
  readonly paths: readonly string[];
}

/**
 * Checks commits in their order, and passes to `onChecked` whether each one changes how often a file contains the text:
 * its own file, if it has a path. Merges do not.
 *
 * Throws what `streamGitRequest` throws. The commits that were passed to `onChecked` before that are checked.
 */
export async function findTextChanges(
  request: GitRequest,
  commits: readonly ListedCommit[],
  { text, paths }: TextChangeSearch,
  onChecked: (hasChange: boolean) => void,
): Promise<void> {
  const reader = new TextChangeReader(commits, onChecked);
  const input = commits.map(({ hash }) => `${hash}\n`).join("");
  const args = [...diffTree, `-S${text}`, "--", ...paths];
  await streamGitRequest(
    request,
    args,
    (chunk) => {
      reader.push(chunk);
      return false;
    },
    { input },
  );
  reader.end();
  const { checked } = reader;
  if (checked === commits.length) return;
  throw gitFailure(request.gitRepository, args, `${checked} of ${commits.length} commits in its output`);
}

/** `--always` prints all commits, which shows how far git has come. */
const diffTree: readonly string[] = [
  "diff-tree",
  "--stdin",
  "--always",
  "--root",
  "-r",
  "-M",
  "--name-status",
  "-z",
  "--no-textconv",
  "--no-ext-diff",
  "--ignore-submodules=none",
];

/**
 * Reads `<hash> NUL { <status> NUL <name> NUL [ <new name> NUL ] }` for each commit, with two names for `R` and `C`,
 * however it is split into chunks.
 */
class TextChangeReader {
  readonly #commits: readonly ListedCommit[];
  readonly #onChecked: (hasChange: boolean) => void;
  /** Number of commits that were passed to `onChecked`. The last commit so far follows them. */
  #checked = 0;
  /** Whether the last commit so far has a change. Absent before the first commit. */
  #hasChange: boolean | undefined;
  #rest = "";
  #namesLeft = 0;

  constructor(commits: readonly ListedCommit[], onChecked: (hasChange: boolean) => void) {
    this.#commits = commits;
    this.#onChecked = onChecked;
  }

  get checked(): number {
    return this.#checked;
  }

  push(chunk: Buffer): void {
    const fields = `${this.#rest}${chunk.toString("latin1")}`.split("\0");
    this.#rest = fields.pop() ?? "";
    for (const field of fields) {
      if (this.#namesLeft > 0) {
        this.#namesLeft--;
        if (this.#namesLeft === 0 && this.#isWanted(field)) this.#hasChange = true;
      } else if (field.length >= 40) {
        this.end();
        this.#hasChange = false;
      } else {
        this.#namesLeft = /^[RC]/.test(field) ? 2 : 1;
      }
    }
  }

  /** Reports the last commit. Git prints nothing more about it. */
  end(): void {
    if (this.#hasChange === undefined) return;
    this.#checked++;
    this.#onChecked(this.#hasChange);
  }

  /** Whether a file, by its name after the change, is one that the last commit so far is searched for. */
  #isWanted(name: string): boolean {
    const path = this.#commits[this.#checked]?.path;
    return path === undefined || path === textOf(name as BytePath);
  }
}
