/** The repositories that are searched: a writable copy of the corpus, and many small ones generated from a seed. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { deflateSync } from "node:zlib";
import { projectRoot } from "#test/support/house";

export function git(folder: string, ...words: string[]): string {
  const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"];
  const { status, stdout, stderr } = spawnSync("git", ["-C", folder, ...identity, ...words], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`git ${words[0]} failed: ${stderr}`);
  return stdout.trim();
}

/** Returns a repository with the corpus as its only commit, cached in `folder` between runs. Never writes to `source`. */
export function corpusCopy(source: string, folder: string): string {
  const copy = join(folder, cacheName(source));
  if (existsSync(join(copy, ".git", "bench-ready"))) return copy;
  console.log(`Copying ${source} ...\n`);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(source, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => basename(path) !== ".git",
  });
  git(folder, "init", "-q", "-b", "main", copy);
  git(copy, "add", "-A", "-f");
  git(copy, "commit", "-q", "-m", "Corpus");
  git(copy, "repack", "-a", "-d", "-q");
  writeFileSync(join(copy, ".git", "bench-ready"), "");
  return copy;
}

/** Returns a name for what is cached of a corpus, which differs from that of any other corpus. */
export function cacheName(source: string): string {
  return `${basename(source)}-${createHash("sha1").update(source).digest("hex").slice(0, 8)}`;
}

/** Returns a clone of this project, cached in `folder` between runs. */
export function projectCopy(folder: string): string {
  const copy = join(folder, "project");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(copy)) git(folder, "clone", "-q", `file://${projectRoot()}`, copy);
  return copy;
}

/** Generates the text of a file. */
export function textOf(seed: number): string {
  const words = [
    "retry",
    "handler",
    "token",
    "config",
    "stream",
    "buffer",
    "parse",
    "request",
    "value",
    "error",
  ];
  const lines: string[] = [];
  let state = seed + 1;
  for (let n = 0; n < 60; n++) {
    const picked = Array.from({ length: 8 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return words[(state >>> 16) % words.length] ?? "";
    });
    lines.push(`${picked.slice(0, 4).join("_")}(${picked.slice(4).join(", ")}); // ${seed}.${n}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Writes a bare repository with one commit on `main` without running git, which would take minutes for thousands. */
export function writeRepository(folder: string, files: ReadonlyMap<string, string>): void {
  const object = (kind: string, content: Buffer): Buffer => {
    const bytes = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
    const hash = createHash("sha1").update(bytes).digest();
    const name = hash.toString("hex");
    mkdirSync(join(folder, "objects", name.slice(0, 2)), { recursive: true });
    writeFileSync(join(folder, "objects", name.slice(0, 2), name.slice(2)), deflateSync(bytes, { level: 1 }));
    return hash;
  };
  const entries = [...files]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) =>
      Buffer.concat([Buffer.from(`100644 ${name}\0`), object("blob", Buffer.from(text))]),
    );
  const tree = object("tree", Buffer.concat(entries)).toString("hex");
  const author = "Bench <bench@localhost> 1700000000 +0000";
  const commit = object(
    "commit",
    Buffer.from(`tree ${tree}\nauthor ${author}\ncommitter ${author}\n\nFiles\n`),
  );
  mkdirSync(join(folder, "refs/heads"), { recursive: true });
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(folder, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n");
  writeFileSync(join(folder, "refs/heads/main"), `${commit.toString("hex")}\n`);
}
