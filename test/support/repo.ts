/**
 * Git repositories written as text.
 *
 *     const repository = repo(`
 *       = main: First
 *       README.md
 *       | # Title
 *       src/run.sh [executable]
 *       | echo hi
 *       latest -> src/run.sh
 *       = feature from main: Try something
 *       - README.md
 *       = main: Second
 *       data.bin [hex]
 *       | 00 ff 00
 *       = main merge feature: Merge
 *       tag v1
 *       tag v2: An annotated tag
 *     `);
 *
 * `= BRANCH[ from COMMIT][ merge COMMIT]: MESSAGE` begins a commit on that branch; COMMIT is a branch, a tag, or a mark
 * `:N` (the N-th commit of the text, from 1). The lines below it name files; lines after `| ` are their content.
 *
 * - `[executable]`, `[no newline]` (the last line has none), `[crlf]`, `[hex]` (content as hexadecimal bytes)
 * - `NAME -> TARGET` is a symbolic link, `NAME => HASH` a submodule, `- NAME` removes
 * - a name in double quotes is quoted as git does it: `"caf\\303\\251"`, `"a\\nb"`
 *
 * `tag NAME` and `tag NAME: MESSAGE` tag the last commit. The indentation of the first line is removed from all lines.
 * Dates begin at 2020-01-01 00:00 UTC and advance an hour with each commit, so that hashes are the same everywhere.
 *
 * HEAD is the branch of the first commit. Everything is in the system's temporary folder and is removed when the
 * process exits.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findGitRepository, type GitRepository } from "#git/repository";

export interface TestRepository {
  readonly path: string;
  /** Runs git in it and returns its output without the final newline; throws if git fails. */
  git(...args: string[]): string;
  /** Adds commits, tags and branches, in the same syntax, and updates the working tree. */
  more(text: string): void;
  /** Writes a file in the working tree. */
  write(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
}

export interface RepoOptions {
  readonly bare?: boolean;
  /** Where to create it; a new temporary folder by default. */
  readonly path?: string;
  /** URL of the remote `origin`. */
  readonly origin?: string;
}

export function repo(text = "", options: RepoOptions = {}): TestRepository {
  const path = options.path ?? temporaryFolder();
  mkdirSync(path, { recursive: true });
  const branch = /^\s*= (\S+?)(?::| from| merge)/m.exec(text)?.[1] ?? "main";
  runGit(path, ["init", "-q", "-b", branch, ...(options.bare ? ["--bare"] : [])]);
  if (options.origin !== undefined) runGit(path, ["config", "remote.origin.url", options.origin]);
  let commits = 0;
  const repository: TestRepository = {
    path: realpathSync(path),
    git: (...args) => runGit(path, args).toString("utf8").replace(/\n$/, ""),
    more(moreText) {
      const known = runGit(path, ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"]);
      const stream = fastImport(moreText, commits, new Set(known.toString("utf8").split("\n")));
      commits = stream.commits;
      if (stream.bytes.length === 0) return;
      runGit(path, ["fast-import", "--quiet", "--force"], stream.bytes);
      if (!options.bare) runGit(path, ["reset", "-q", "--hard"]);
    },
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    },
    remove: (name) => rmSync(join(path, name), { recursive: true, force: true }),
  };
  repository.more(text);
  return repository;
}

const folders: string[] = [];

/** Locates the repository in a folder, as the server does. */
export function gitRepositoryOf({ path }: { readonly path: string }): GitRepository {
  const found = findGitRepository(path);
  if (found === undefined) throw new Error(`There is no repository in ${path}.`);
  return found;
}

/** Creates a folder that is removed with its contents when the process exits. */
export function temporaryFolder(): string {
  if (folders.length === 0) {
    process.on("exit", () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "trawl-test-")));
  folders.push(folder);
  return folder;
}

/** Runs git without user or system configuration. */
export function runGit(cwd: string, args: readonly string[], input?: Uint8Array): Buffer {
  const { status, stdout, stderr, error } = spawnSync("git", args, {
    cwd,
    input: input ?? "",
    maxBuffer: 256 * 1024 * 1024,
    env: {
      PATH: process.env["PATH"],
      HOME: tmpdir(),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "Ann Author",
      GIT_AUTHOR_EMAIL: "ann@example.com",
      GIT_AUTHOR_DATE: "2021-01-01T00:00:00Z",
      GIT_COMMITTER_NAME: "Ann Author",
      GIT_COMMITTER_EMAIL: "ann@example.com",
      GIT_COMMITTER_DATE: "2021-01-01T00:00:00Z",
      GIT_ALLOW_PROTOCOL: "file:http",
      GIT_TERMINAL_PROMPT: "0",
    },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString("utf8")}`);
  return stdout;
}

const firstDate = Date.UTC(2020, 0, 1) / 1000;
const person = "Ann Author <ann@example.com>";

/** Converts the text to input of `git fast-import`; `commits` is the count of earlier commits. */
function fastImport(
  text: string,
  commitsBefore: number,
  knownBranches: ReadonlySet<string>,
): { bytes: Buffer; commits: number } {
  const parts: (string | Uint8Array)[] = [];
  const lines = text.split("\n");
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const indent = first.length - first.trimStart().length;
  let commits = commitsBefore;
  let branch = "main";
  const marks = new Map<string, number>();
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").slice(indent);
    if (line.trim() === "") continue;
    const commit = /^= (\S+?)(?: from (\S+?))?(?: merge (\S+?))?: ?(.*)$/.exec(line);
    if (commit) {
      const [, name = "", from, merge, message = ""] = commit;
      branch = name;
      const continues = !marks.has(branch) && knownBranches.has(branch);
      const date = firstDate + 3600 * commits++;
      marks.set(branch, commits);
      parts.push(`commit refs/heads/${branch}\nmark :${commits}\n`);
      parts.push(`author ${person} ${date} +0000\ncommitter ${person} ${date} +0000\n`, ...blob(message));
      if (from !== undefined) parts.push(`from ${named(from, marks)}\n`);
      else if (continues) parts.push(`from refs/heads/${branch}^0\n`);
      if (merge !== undefined) parts.push(`merge ${named(merge, marks)}\n`);
      continue;
    }
    const tag = /^tag (\S+?)(?:: ?(.*))?$/.exec(line);
    if (tag) {
      const [, name = "", message] = tag;
      const target = marks.has(branch) ? `:${marks.get(branch)}` : `refs/heads/${branch}^0`;
      if (message === undefined) parts.push(`reset refs/tags/${name}\nfrom ${target}\n\n`);
      else
        parts.push(
          `tag ${name}\nfrom ${target}\ntagger ${person} ${firstDate + 3600 * commits} +0000\n`,
          ...blob(message),
        );
      continue;
    }
    if (line.startsWith("- ")) parts.push(`D ${line.slice(2)}\n`);
    else {
      const content: string[] = [];
      while (/^\|( |$)/.test((lines[at + 1] ?? "").slice(indent)))
        content.push((lines[++at] ?? "").slice(indent + 2));
      parts.push(...file(line, content));
    }
  }
  return {
    bytes: Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part))),
    commits,
  };
}

function named(name: string, marks: ReadonlyMap<string, number>): string {
  if (name.startsWith(":")) return name;
  const mark = marks.get(name);
  return mark === undefined ? `${name}^0` : `:${mark}`;
}

function file(line: string, lines: readonly string[]): (string | Uint8Array)[] {
  const link = /^(.+?) (->|=>) (.+)$/.exec(line);
  if (link?.[2] === "->") return [`M 120000 inline ${link[1]}\n`, ...blob(link[3] ?? "")];
  if (link) return [`M 160000 ${link[3]} ${link[1]}\n`];
  const match = /^(.+?)((?: \[[a-z ]+\])*)$/.exec(line);
  const [, name = line, flags = ""] = match ?? [];
  const has = (flag: string) => flags.includes(`[${flag}]`);
  const end = has("crlf") ? "\r\n" : "\n";
  const text = lines.join(end) + (has("no newline") || lines.length === 0 ? "" : end);
  const content = has("hex") ? Buffer.from(lines.join("").replaceAll(/\s/g, ""), "hex") : text;
  return [`M ${has("executable") ? "100755" : "100644"} inline ${name}\n`, ...blob(content)];
}

function blob(content: string | Uint8Array): (string | Uint8Array)[] {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return [`data ${bytes.length}\n`, bytes, "\n"];
}
