/** Repositories that grow from a seed, with git's own results for each commit. Nothing here blocks the thread. */
import { spawn } from "node:child_process";
import { basename } from "node:path";
import type { Random } from "#test/support/corpus";
import { repo } from "#test/support/repo";

export interface GrowingOptions {
  readonly path: string;
  readonly files: number;
  readonly linesEach: number;
  readonly bare: boolean;
  readonly random: Random;
}

/** No word is part of another word or of a file name. */
const words =
  "alder birch cedar dogwood elm fir gorse hazel ivy juniper kapok larch maple nutmeg oak pine quince rowan".split(
    " ",
  );
/** A word that occurs once in each file, in its first line. */
export const everywhere = "everywhere";

export function someWord(random: Random): string {
  return random.pick([...words, everywhere]);
}

export class GrowingRepository {
  readonly path: string;
  /** Also the repository's name, because it has no remote. */
  readonly name: string;
  readonly isBare: boolean;
  /** Commits of its branch, oldest first. */
  readonly commits: string[] = [];
  readonly #options: GrowingOptions;
  /** Lines `path:number:text` of each commit, from git. */
  readonly #lines = new Map<string, readonly string[]>();
  #nextFile = 0;
  #files: string[] = [];

  private constructor(options: GrowingOptions) {
    this.#options = options;
    this.path = repo("", { path: options.path, bare: options.bare }).path;
    this.name = basename(options.path);
    this.isBare = options.bare;
  }

  /** Creates a repository with one commit. */
  static async create(options: GrowingOptions): Promise<GrowingRepository> {
    const repository = new GrowingRepository(options);
    await repository.commit(options.files);
    return repository;
  }

  /** Writes this many files, one in four of them new, and occasionally removes one. */
  async commit(changes: number): Promise<void> {
    const { random } = this.#options;
    const written = new Set<string>();
    const parts: string[] = [];
    for (let change = 0; change < changes; change++) {
      const isNew = this.#files.length < changes || random.chance(0.25);
      const file = isNew ? `src/${this.#nextFile++}.txt` : random.pick(this.#files);
      if (written.has(file)) continue;
      if (isNew) this.#files.push(file);
      written.add(file);
      parts.push(`M 100644 inline ${file}\n${data(this.#text())}`);
    }
    const gone = random.chance(0.3) ? this.#files.find((file) => !written.has(file)) : undefined;
    if (gone !== undefined) {
      this.#files = this.#files.filter((file) => file !== gone);
      parts.push(`D ${gone}\n`);
    }
    const parent = this.commits.at(-1);
    const head = `commit refs/heads/main\nmark :1\ncommitter A <a@b> ${1.6e9 + this.commits.length} +0000\n`;
    const from = parent === undefined ? "" : `from ${parent}\n`;
    const stream = `${head}${data("")}${from}${parts.join("")}get-mark :1\n`;
    const commit = (await git(this.path, ["fast-import", "--quiet"], stream)).trim();
    if (!this.isBare) await git(this.path, ["reset", "-q", "--hard"]);
    // With a NUL after commit, path and number, the output is unambiguous.
    const printed = await git(this.path, ["grep", "-z", "-n", "-F", "-e", "", commit]);
    const lines = printed.split("\n").filter((line) => line !== "");
    this.#lines.set(
      commit,
      lines.map((line) => line.slice(commit.length + 1).replaceAll("\0", ":")),
    );
    this.commits.push(commit);
  }

  /** Returns the lines of a commit that contain a word as `path:number:text`, sorted. */
  linesWith(word: string, commit: string): string[] {
    return (this.#lines.get(commit) ?? []).filter((line) => line.includes(word)).sort();
  }

  #text(): string {
    const { random, linesEach } = this.#options;
    const line = () => Array.from({ length: random.between(3, 9) }, () => random.pick(words)).join(" ");
    const lines = Array.from({ length: random.between(1, 2 * linesEach) }, line);
    return [everywhere, ...lines, ""].join("\n");
  }
}

function data(text: string): string {
  return `data ${text.length}\n${text}\n`;
}

function git(cwd: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      printed += part;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`git ${args.join(" ")} ended with ${code}`));
    });
    // A git process that reads no input may have exited already; only its exit code matters.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
