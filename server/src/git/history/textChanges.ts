/** Finds the commits that add or remove a text, as `git log -S` does. */
import { gitFailure } from "#git/git";
import { type GitRequest, streamGitRequest } from "#git/gitRequest";

export interface TextChangeSearch {
  /** Literal and case-sensitive. Must be neither empty nor contain NUL. */
  readonly text: string;
  /** Names of files and folders; without any, all files are searched. */
  readonly paths: readonly string[];
}

/**
 * Checks commits in the order of `hashes`, and passes to `onChecked` whether each one changes how often a file contains
 * the text. Merges do not.
 *
 * Throws what `streamGitRequest` throws. The commits that were passed to `onChecked` before that are checked.
 */
export async function findTextChanges(
  request: GitRequest,
  hashes: readonly string[],
  { text, paths }: TextChangeSearch,
  onChecked: (hasChange: boolean) => void,
): Promise<void> {
  let checked = 0;
  const reader = new TextChangeReader((hasChange) => {
    checked++;
    onChecked(hasChange);
  });
  const input = `${hashes.join("\n")}\n`;
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
  if (checked === hashes.length) return;
  throw gitFailure(request.gitRepository, args, `${checked} of ${hashes.length} commits in its output`);
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
  readonly #onChecked: (hasChange: boolean) => void;
  /** Whether the last commit so far has a change. Absent before the first commit. */
  #hasChange: boolean | undefined;
  #rest = "";
  #namesLeft = 0;

  constructor(onChecked: (hasChange: boolean) => void) {
    this.#onChecked = onChecked;
  }

  push(chunk: Buffer): void {
    const fields = `${this.#rest}${chunk.toString("latin1")}`.split("\0");
    this.#rest = fields.pop() ?? "";
    for (const field of fields) {
      if (this.#namesLeft > 0) this.#namesLeft--;
      else if (field.length >= 40) {
        this.end();
        this.#hasChange = false;
      } else {
        this.#hasChange = true;
        this.#namesLeft = /^[RC]/.test(field) ? 2 : 1;
      }
    }
  }

  /** Reports the last commit. Git prints nothing more about it. */
  end(): void {
    if (this.#hasChange !== undefined) this.#onChecked(this.#hasChange);
  }
}
