/** Compares history requests with the equivalent git commands, in the same run. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { repo, runGit } from "#test/support/repo";
import { callerOf, openListener, repository, viewOf } from "#test/support/service";
import { heading, median, ms, printTable, ratio } from "./report";

const commitCount = 20_000;
const fileCount = 400;
const rounds = 15;

interface Row {
  readonly address: string;
  /** The git commands that produce the same result, run in sequence. */
  readonly commands: readonly (readonly string[])[];
  /** The repository to query; a clone by default. */
  readonly of?: "bare";
}

const all = ["log", "-z", "--format=%H%x00%aI%x00%s%x00%D%x00%b%x00%aN%x00%aE"];
const page = [...all, "--max-count=50"];
const count = ["rev-list", "--count"];
const file = "folder3/file203.txt";

const rows: Readonly<Record<string, Row>> = {
  "a page of commits": {
    address: "commits?ref=REF",
    commands: [
      [...page, "main"],
      [...count, "main"],
    ],
  },
  "a page of commits, bare": {
    address: "commits?ref=REF",
    commands: [
      [...page, "main"],
      [...count, "main"],
    ],
    of: "bare",
  },
  "commits a branch is ahead": {
    address: "commits?ref=REF&notIn=old",
    commands: [
      [...page, "old..main"],
      [...count, "old..main"],
    ],
  },
  "commits by message": {
    address: "commits?ref=REF&query=number%20.*77",
    commands: [
      [...page, "-i", "--grep=number .*77", "main"],
      [...count, "-i", "--grep=number .*77", "main"],
    ],
  },
  "commits by author": {
    address: "commits?ref=REF&author=person7",
    commands: [
      [...page, "-i", "--author=person7", "main"],
      ["log", "--format=%H", "-i", "--author=person7", "main"],
    ],
  },
  "commits of a folder": {
    address: "commits?ref=REF&path=folder3",
    commands: [
      [...page, "main", "--", "folder3"],
      [...count, "main", "--", "folder3"],
    ],
  },
  "commits of a file": {
    address: `commits?ref=REF&path=${file}`,
    commands: [[...all, "--follow", "main", "--", file]],
  },
  authors: { address: "commits/authors?ref=REF", commands: [["shortlog", "-sne", "main"]] },
  "a commit": { address: "commit?ref=REF", commands: [["show", "-s", "main"]] },
  "a difference": {
    address: "diff?base=old&head=REF",
    commands: [["diff", "old", "main"]],
  },
  blame: { address: `blame?ref=REF&path=${file}`, commands: [["blame", "--porcelain", "main", "--", file]] },
};

export async function benchHistory(folder: string): Promise<void> {
  const { path, head } = makeHistory(folder);
  const bare = join(folder, "bare.git");
  runGit(folder, ["clone", "-q", "--bare", path, bare]);
  heading("History");
  console.log(
    `${commitCount.toLocaleString("en")} commits, medians of ${rounds} over HTTP, and the ratio of the best of each; "again" is answered from the cache.\n`,
  );
  const repositories = viewOf([
    repository(1, "clone", { path, revisions: [] }),
    repository(2, "bare", { path: bare, kind: "bare", revisions: [] }),
  ]);
  const table: string[][] = [];
  for (const [name, { address, commands, of = "clone" }] of Object.entries(rows)) {
    const times = { git: [] as number[], first: [] as number[], again: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      // A new service starts with an empty cache.
      const listener = await openListener(callerOf({ repositories }));
      const url = `${listener.url}/api/${address.replace("REF", head)}&repo=${of}`;
      const ask = async () => {
        const response = await fetch(url);
        if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
        await response.arrayBuffer();
      };
      await fetch(`${listener.url}/api/health`).then((response) => response.arrayBuffer());
      times.git.push(
        await timed(async () => {
          for (const args of commands) await git(of === "bare" ? bare : path, args);
        }),
      );
      times.first.push(await timed(ask));
      times.again.push(await timed(ask));
      await listener.close();
    }
    const [own, first, again] = [median(times.git), median(times.first), median(times.again)];
    const best = ratio(Math.min(...times.first), Math.min(...times.git));
    table.push([name, ms(own), ms(first), ratio(first, own), best, ms(again)]);
  }
  printTable(["", "git, ms", "first, ms", "to git", "at best", "again, ms"], table);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
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
function makeHistory(folder: string): { path: string; head: string } {
  const path = join(folder, "history");
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
  runGit(path, ["branch", "old", "main~2000"]);
  runGit(path, ["gc", "-q"]);
  return { path, head: runGit(path, ["rev-parse", "main"]).toString().trim() };
}
