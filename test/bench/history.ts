/** Compares requests about history with the equivalent git commands: processor time of all processes, in the same run. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { repo, runGit } from "#test/support/repo";
import type { Figures } from "./figures";
import { cpuSecondsOfEnded, cpuSecondsOfTree, untilQuiet } from "./processes";
import { Product } from "./product";
import { heading, median, ms, printTable, ratio } from "./report";

const commitCount = 20_000;
const fileCount = 400;
const rounds = 20;
/** Each row is asked about for this long, or this often, before it is measured: V8 compiles what runs often. */
const warmUpMs = 1000;
const maxWarmUps = 200;
/** Commits between the revisions of two requests, so that no answer is cached. */
const revisionStep = 3;

/** What is asked about a clone. */
interface Subject {
  readonly path: string;
  readonly file: string;
  readonly message: string;
  readonly author: string;
}

interface Row {
  /** Of a request; `REF` stands for the revision. */
  readonly address: string;
  /** The git command that produces the same first page. */
  readonly command: readonly string[];
}

const all = ["log", "-z", "--format=%H%x00%P%x00%aI%x00%cI%x00%aN%x00%aE%x00%cN%x00%cE%x00%D%x00%s%x00%b"];

function rowsOf({ file, message, author }: Subject): Readonly<Record<string, Row>> {
  const folder = dirname(file);
  const words = { file, folder, message, author };
  const of = Object.fromEntries(
    Object.entries(words).map(([name, text]) => [name, encodeURIComponent(text)] as const),
  );
  return {
    "a page of commits": { address: "commits?ref=REF", command: [...all, "--max-count=50", "REF"] },
    "commits ahead": {
      address: "commits?ref=REF&notIn=REF~200",
      command: [...all, "--max-count=50", "REF~200..REF"],
    },
    "commits by message": {
      address: `commits?ref=REF&query=${of["message"]}`,
      command: [...all, "-i", `--grep=${message}`, "REF"],
    },
    "commits by author": {
      address: `commits?ref=REF&author=${of["author"]}`,
      command: [...all, "-i", `--author=${author}`, "REF"],
    },
    "commits of a folder": {
      address: `commits?ref=REF&path=${of["folder"]}`,
      command: [...all, "REF", "--", folder],
    },
    "commits of a file": {
      address: `commits?ref=REF&path=${of["file"]}`,
      command: [...all, "--follow", "REF", "--", file],
    },
    authors: { address: "commits/authors?ref=REF", command: ["shortlog", "-sne", "REF"] },
    "a commit": { address: "commit?ref=REF", command: ["show", "-s", "REF"] },
    "a difference": { address: "diff?base=REF~200&head=REF", command: ["diff", "REF~200", "REF"] },
    blame: {
      address: `blame?ref=REF&path=${of["file"]}`,
      command: ["blame", "--porcelain", "REF", "--", file],
    },
  };
}

/** Measures a generated history, and `clone` if there is one. Writes only to `folder`. */
export async function benchHistory(
  folder: string,
  clone: string | undefined,
  figures: Figures,
): Promise<void> {
  const generated = makeHistory(folder);
  await benchSubject(folder, generated, figures);
  if (clone !== undefined) await benchSubject(folder, subjectOf(clone), figures);
}

async function benchSubject(folder: string, subject: Subject, figures: Figures): Promise<void> {
  const { path } = subject;
  const name = basename(path);
  const rows = Object.entries(rowsOf(subject));
  const list = runGit(path, ["rev-list", "--first-parent", "HEAD"]);
  const revisions = list.toString().trim().split("\n");
  const product = await Product.start(join(folder, `data-${name}`), [path]);
  try {
    await product.ready;
    await untilQuiet(product.pid);
    heading(`History of ${name}`);
    console.log(
      `Means of ${rounds} requests over HTTP, each at another revision, so that nothing is cached. Processor ` +
        `milliseconds of all processes, and medians of milliseconds.\n`,
    );
    let next = 0;
    const revision = () => {
      const found = revisions[next];
      if (found === undefined) throw new Error(`${name} has too few commits to ask about each only once.`);
      next += revisionStep;
      return found;
    };
    const ask = async (address: string, ref: string) => {
      const url = `${product.url}/api/${address.replaceAll("REF", ref)}&repo=${encodeURIComponent(name)}`;
      const response = await fetch(url);
      if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
      await response.arrayBuffer();
    };
    const first = await measure(1, cpuOf(product.pid), () => ask("commits?ref=REF", revision()));
    for (const [, { address }] of rows) {
      const end = performance.now() + warmUpMs;
      for (let count = 0; count < maxWarmUps && performance.now() < end; count++)
        await ask(address, revision());
    }
    await untilQuiet(product.pid);
    const table: string[][] = [];
    for (const [title, { address, command }] of rows) {
      const refs = Array.from({ length: rounds }, revision);
      const own = await measure(rounds, cpuOf(product.pid), (round) => ask(address, refs[round] ?? ""));
      const peer = await measure(rounds, cpuSecondsOfEnded, (round) =>
        git(
          path,
          command.map((word) => word.replaceAll("REF", refs[round] ?? "")),
        ),
      );
      figures.add(`history of ${name}, ${title}, cpu`, own.cpuMs, peer.cpuMs);
      const times = [ms(peer.cpuMs), ms(own.cpuMs), ratio(own.cpuMs, peer.cpuMs)];
      table.push([title, ...times, ms(peer.ms), ms(own.ms), ratio(own.ms, peer.ms)]);
    }
    printTable(["", "git, cpu", "cpu", "to git", "git, ms", "ms", "to git"], table);
    console.log(`The first page of all: ${ms(first.cpuMs)} ms of the processors, ${ms(first.ms)} ms.\n`);
  } finally {
    await product.stop();
  }
}

/** Asks about the file that most of the last commits have changed. */
function subjectOf(path: string): Subject {
  const names = runGit(path, ["log", "--max-count=1000", "--name-only", "--format=", "HEAD"]).toString();
  const counts = new Map<string, number>();
  for (const name of names.split("\n")) {
    if (name.includes("/")) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [[file] = ["README.md"]] = [...counts].toSorted((one, other) => other[1] - one[1]);
  const author = runGit(path, ["log", "-1", "--format=%ae", "HEAD~100"]).toString().trim();
  return { path, file, message: "fix", author };
}

function cpuOf(pid: number): () => number | undefined {
  return () => cpuSecondsOfTree(pid);
}

async function measure(
  count: number,
  cpuSeconds: () => number | undefined,
  run: (round: number) => Promise<void>,
): Promise<{ readonly ms: number; readonly cpuMs: number | undefined }> {
  const times: number[] = [];
  const before = cpuSeconds();
  for (let round = 0; round < count; round++) {
    const startedAt = performance.now();
    await run(round);
    times.push(performance.now() - startedAt);
  }
  const after = cpuSeconds();
  const cpuMs = before === undefined || after === undefined ? undefined : ((after - before) * 1000) / count;
  return { ms: median(times), cpuMs };
}

function git(cwd: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["--no-pager", ...args], { cwd, stdio: ["ignore", "pipe", "ignore"] });
    child.stdout.resume();
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`git ${args.join(" ")}: ${code}`)),
    );
  });
}

/** Generates a history in which each commit changes a line of one file and every file is renamed once. */
function makeHistory(folder: string): Subject {
  const path = join(folder, "generated");
  mkdirSync(path, { recursive: true });
  repo("", { path });
  const lines = Array.from({ length: fileCount }, () => Array.from({ length: 200 }, (_, at) => `line ${at}`));
  const nameOf = (index: number, isNew: boolean) =>
    `folder${index % 20}/${isNew ? "file" : "old"}${index}.txt`;
  const parts: string[] = [];
  for (let at = 0; at < commitCount; at++) {
    const index = (at * 7) % fileCount;
    const own = lines[index] ?? [];
    own[(at * 13) % own.length] = `line changed by ${at}`;
    const person = `Person ${at % 40} <person${at % 40}@example.com> ${1_500_000_000 + 600 * at} +0000`;
    const text = Buffer.from(`${own.join("\n")}\n`);
    const isNew = at >= commitCount / 2;
    const before = at - fileCount;
    const isRename = isNew && before < commitCount / 2;
    parts.push(`commit refs/heads/main\nauthor ${person}\ncommitter ${person}\n`);
    const message = `Change number ${at}\n\nBecause of ${at % 997}, and so that more is said about it.\n`;
    parts.push(`data ${Buffer.byteLength(message)}\n${message}`);
    if (isRename) parts.push(`R "${nameOf(index, false)}" "${nameOf(index, true)}"\n`);
    parts.push(`M 100644 inline ${nameOf(index, isNew)}\ndata ${text.length}\n${text}\n`);
  }
  runGit(path, ["fast-import", "--quiet"], Buffer.from(parts.join("")));
  // No garbage collection, which would write a commit-graph: a fresh clone has none.
  runGit(path, ["repack", "-adq"]);
  runGit(path, ["reset", "-q", "--hard"]);
  return { path, file: "folder3/file203.txt", message: "number .*77", author: "person7" };
}
