/** Repositories, and processes that are killed while they index them. Every search result is checked against git. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FileMatch } from "#contract/search";
import { ShardDirectory } from "#shard/directory/directory";
import type { Manifest } from "#shard/directory/manifest";
import { Random } from "#test/support/corpus";
import { everywhere, GrowingRepository, someWord } from "#test/support/growing";
import { temporaryFolder } from "#test/support/repo";
import { listening, type Served, serve } from "#test/support/served";
import { type RunningTrawl, startTrawl } from "#test/support/trawl";
import { eventually } from "./eventually";

/** When to kill a process: `ms` milliseconds after `changes` changes in `shards`, counted from one of its steps. */
export interface Moment {
  readonly since: "start" | "listening" | "ready";
  readonly changes: number;
  readonly ms: number;
  /** `SIGSTOP`: paused briefly, then killed. `git`: its git processes are killed first. `SIGKILL` by default. */
  readonly how?: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "git";
}

/** A running server, over HTTP, or an editor's server, over LSP. */
export type SearchApi = Pick<Served, "search" | "repositories">;

/** The delay between stopping a process, or killing its git processes, and killing it. */
const pauseMs = 100;

/** More than the repositories ever contain; each commit adds files. */
const maxMatches = 100_000;

/** The longest wait for changes after the process has reached the step. */
const longestMs = 1200;

/** The id of a repository, which never changes, and its oldest commit that may still be found. */
interface Seen {
  readonly id: number;
  oldest: number | undefined;
}

/** The files of one repository in a result, and what is expected of them. */
interface Found {
  readonly repository: GrowingRepository;
  readonly word: string;
  readonly files: readonly FileMatch[];
  readonly wanted: "newest" | "consistent";
  readonly mayBeMissing: boolean;
  /** Whether the search ended before it had found everything. */
  readonly isTruncated: boolean;
  readonly oldest: number | undefined;
  /** How complete the response claims to be, for messages. */
  readonly outcome: string;
}

/** A data directory, the repositories indexed in it, and what results have shown of them so far. */
export class World {
  readonly folder = temporaryFolder();
  readonly dataDir = join(temporaryFolder(), "data");
  readonly random: Random;
  readonly repositories: GrowingRepository[] = [];
  readonly #seen = new Map<string, Seen>();
  kills = 0;
  /** Kills that interrupted a write, and so left a draft. */
  killsDuringWrites = 0;
  gitKills = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  async add(name: string, files: number, linesEach: number, bare = true): Promise<void> {
    const path = join(this.folder, name);
    const options = { path, files, linesEach, bare, random: this.random };
    this.repositories.push(await GrowingRepository.create(options));
  }

  /** Starts a server, checks its responses until it is killed, and returns whether everything was indexed by then. */
  async round(moment: Moment, whenReady: () => Promise<void> = async () => undefined): Promise<boolean> {
    // Once all repositories were seen, no path is passed: the server must remember them.
    const paths = this.#seen.size === this.repositories.length ? [] : [this.folder];
    const running = startTrawl(["serve", "--port", "0", "--data-dir", this.dataDir, ...paths]);
    let isKilled = false;
    const { how = "SIGKILL" } = moment;
    const killed = this.#momentIn(running, moment).then(async () => {
      if (how === "git") {
        this.gitKills += killGitOf(running.process.pid ?? 0);
        await sleep(pauseMs);
      }
      isKilled = true;
      if (how === "SIGSTOP") {
        running.process.kill("SIGSTOP");
        await sleep(pauseMs);
      }
      running.process.kill(how === "SIGTERM" ? how : "SIGKILL");
      return running.ended;
    });
    let isReady = false;
    try {
      const served = await listening(running);
      await this.check(served);
      await served.ready();
      // A run whose git was killed is retried later, and the index is incomplete until then.
      await this.check(served, how === "git" ? "consistent" : "newest");
      isReady = true;
      await whenReady();
      for (; !isKilled; await sleep(250)) await this.check(served);
    } catch (error) {
      // The kill interrupts requests, which is fine; a wrong response is still a failure.
      if (error instanceof assert.AssertionError || !isKilled) throw error;
    }
    const { stderr } = await killed;
    assert.doesNotMatch(stderr, how === "git" ? /defect|damaged/i : /defect|damaged|error/i);
    this.kills++;
    if (this.#shardNames().some((name) => name.endsWith(".draft"))) this.killsDuringWrites++;
    return isReady;
  }

  async #momentIn(running: RunningTrawl, { since, changes, ms }: Moment): Promise<void> {
    if (since === "listening") await running.line(/^Listening/);
    if (since === "ready") await running.line(/^Ready/);
    const shards = join(this.dataDir, "shards");
    mkdirSync(shards, { recursive: true, mode: 0o700 });
    if (changes > 0) await changesIn(shards, changes, running.line(/^Listening/));
    await sleep(ms);
  }

  /** Checks that every response is correct now. */
  async check(served: SearchApi, wanted: "newest" | "consistent" = "consistent"): Promise<void> {
    const items = await served.repositories();
    for (const { repoName, repoId } of items) {
      const seen = this.#seen.get(repoName) ?? { id: repoId, oldest: undefined };
      this.#seen.set(repoName, seen);
      assert.equal(repoId, seen.id, `the id of ${repoName}`);
    }
    const names = items.map(({ repoName }) => repoName).sort();
    assert.deepEqual(names, [...this.#seen.keys()].sort(), "a repository was lost");
    for (const word of [everywhere, someWord(this.random)]) {
      // Checks run concurrently: ignore what another one has seen since.
      const oldest = new Map([...this.#seen].map(([name, seen]) => [name, seen.oldest]));
      const request = { query: word, matches: maxMatches, isCaseSensitivityEnabled: true };
      const { files, stats, isSearchExhaustive } = await served.search(request);
      assert.equal(stats.crashes, 0);
      const reasons = isSearchExhaustive ? ["NONE"] : ["INDEXING", "TIME_LIMIT"];
      assert(reasons.includes(stats.flushReason), `${stats.flushReason}, exhaustive: ${isSearchExhaustive}`);
      // On a busy machine a search may end early, and says so.
      const isTruncated = stats.flushReason === "TIME_LIMIT";
      for (const repository of this.repositories) {
        const own = files.filter((file) => file.repository === repository.name);
        const mayBeMissing = wanted === "consistent" && !isSearchExhaustive;
        this.#explain({
          repository,
          word,
          files: own,
          wanted,
          mayBeMissing,
          isTruncated,
          oldest: oldest.get(repository.name),
          outcome: `${stats.flushReason}, exhaustive: ${isSearchExhaustive}, missing: ${stats.filesMissing}`,
        });
      }
    }
  }

  #explain({
    repository,
    word,
    files,
    wanted,
    mayBeMissing,
    isTruncated,
    oldest: known,
    outcome,
  }: Found): void {
    const seen = this.#seen.get(repository.name);
    const { commits, name } = repository;
    const found = files.flatMap(linesOf).sort();
    if (found.length === 0 && known === undefined && mayBeMissing) return;
    const oldest = wanted === "newest" ? commits.length - 1 : (known ?? 0);
    const claimed = new Set(files.map(({ commit }) => commit));
    const right = commits.findIndex(
      (commit, at) =>
        at >= oldest &&
        // With a working tree overlay, lines are newer than the commit that the result names.
        (!repository.isBare || claimed.size === 0 || claimed.has(commit)) &&
        (isTruncated ? isPart : sameLines)(found, repository.linesWith(word, commit)),
    );
    if (right < 0) {
      const expected = repository.linesWith(word, commits.at(-1) ?? "");
      assert.deepEqual(
        found,
        expected,
        `"${word}" in ${name} matches no commit from ${oldest} to ${commits.length - 1} (${outcome}); compared with the last`,
      );
    }
    assert(
      right >= 0 && claimed.size <= 1,
      `"${word}" in ${name} has results of several commits: ${[...claimed].join(", ")}`,
    );
    if (seen !== undefined && found.length > 0 && !isTruncated)
      seen.oldest = Math.max(seen.oldest ?? 0, right);
  }

  /** Checks that a restart restores the newest state and leaves no other files on disk. */
  async checkClean(): Promise<void> {
    this.#leaveStrays();
    const served = await serve(this.dataDir);
    await served.ready();
    await this.check(served, "newest");
    await eventually(() => isComplete(served));
    await this.#settled();
    await this.check(served, "newest");
    const { code, stderr } = await served.stop();
    assert.equal(code, 0, stderr);
    assert.deepEqual(readdirSync(this.dataDir).sort(), ["catalogue.json", "format", "shards"]);
    const files = this.#shardNames();
    const { manifests } = await openShards(this.dataDir);
    assert.deepEqual([...manifests.keys()].sort(), [...this.#seen.values()].map(({ id }) => id).sort());
    const named = [...manifests.values()].flatMap(({ segments }) => segments.map(({ file }) => file));
    const symbolFileName = /^\d+\.of(\d+)\.v\d+\.symbols$/;
    const others = files.filter((file) => !named.includes(file) && !/\.manifests?$/.test(file));
    const owners = others.map((file) => `${symbolFileName.exec(file)?.[1]}.shard`);
    assert.deepEqual(
      owners.filter((shard, at) => !named.includes(shard) || owners.indexOf(shard) !== at),
      [],
      `${others} are not at most one symbol file per shard`,
    );
    assert.deepEqual(this.#shardNames(), files, "opening removed files");
  }

  /** Creates the leftovers of kills between two steps, which random moments rarely hit. */
  #leaveStrays(): void {
    const dead = JSON.stringify({ id: "dead", pid: 2 ** 22 + 1, startTime: "1", host: this.#lockHost() });
    for (const [name, text] of [
      ["owner.lock.7ab4b3a5-1d0c-4bfb-a0b7-4a7e2c4f9a10", dead],
      ["catalogue.json.draft", "{"],
      ["endpoint.json.draft", "{"],
      ["format.draft", ""],
      ["shards/900000.draft", "half"],
      ["shards/900001.shard", "complete, but not referenced"],
      ["shards/1.manifest.draft", "half"],
    ] as const) {
      writeFileSync(join(this.dataDir, name), text);
    }
  }

  #lockHost(): string {
    const lock = join(this.dataDir, "owner.lock");
    return JSON.parse(readFileSync(lock, "utf8")).host;
  }

  /** Waits until shards are no longer rewritten. */
  async #settled(): Promise<void> {
    let before: string[] = [];
    await eventually(async () => {
      await sleep(800);
      const names = this.#shardNames();
      const isSame = sameLines(names, before);
      before = names;
      return isSame;
    });
  }

  #shardNames(): string[] {
    const folder = join(this.dataDir, "shards");
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  }

  /** Starts over without an index. */
  reset(): void {
    rmSync(this.dataDir, { recursive: true });
    this.#seen.clear();
  }
}

/** Whether a search covers everything. */
export async function isComplete(served: SearchApi): Promise<boolean> {
  return (await served.search({ query: everywhere, matches: maxMatches })).isSearchExhaustive;
}

/** Waits for `count` changes, but at most `longestMs` after `begun` resolves. */
async function changesIn(folder: string, count: number, begun: Promise<unknown>): Promise<void> {
  const quiet = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  begun.then(
    () => {
      timer = setTimeout(() => quiet.abort(), longestMs);
    },
    // The process was killed before that.
    () => undefined,
  );
  let left = count;
  try {
    for await (const _ of watch(folder, { signal: quiet.signal })) if (--left === 0) return;
  } catch (error) {
    if (!quiet.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Formats lines as `GrowingRepository.linesWith` does. */
function linesOf({ fileName, chunks }: FileMatch): string[] {
  const lines = new Set<string>();
  for (const { content, contentStart, matchRanges } of chunks) {
    const text = content.split("\n");
    for (const { start } of matchRanges) {
      const line = text[start.lineNumber - contentStart.lineNumber];
      lines.add(`${fileName.text}:${start.lineNumber}:${line}`);
    }
  }
  return [...lines];
}

async function openShards(dataDir: string): Promise<{ manifests: ReadonlyMap<number, Manifest> }> {
  const directory = await ShardDirectory.open(join(dataDir, "shards"));
  assert.deepEqual(directory.damagedManifests, []);
  return { manifests: directory.manifests() };
}

function isPart(some: readonly string[], all: readonly string[]): boolean {
  const lines = new Set(all);
  return some.every((line) => lines.has(line));
}

function sameLines(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, at) => line === right[at]);
}

/** Kills the git processes that a process has started; returns how many. */
function killGitOf(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readTextOf(`/proc/${pid}/task/${thread}/children`).split(" "),
  );
  let kills = 0;
  for (const child of children.filter((each) => each !== "")) {
    if (readTextOf(`/proc/${child}/comm`).trim() !== "git") continue;
    try {
      process.kill(Number(child), "SIGKILL");
      kills++;
    } catch {
      // It has exited by itself.
    }
  }
  return kills;
}

function readTextOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
