/**
 * Killed at any moment, and started again: a hundred times, in a first indexing, in deltas, and while shards are
 * written anew. What a search then finds is what git says of one commit, and never of an older one than was seen before.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { FileMatch } from "#contract/search";
import { type Manifest, ShardDirectory } from "#shard/directory";
import { Random } from "#test/support/corpus";
import { everywhere, GrowingRepository, someWord } from "#test/support/growing";
import { temporaryFolder } from "#test/support/repo";
import { listening, type Served, serve, until } from "#test/support/served";
import { type RunningTrawl, startTrawl } from "#test/support/trawl";

/** A process is killed so many milliseconds after so many changes in `shards`, counted from one of its steps on. */
interface Moment {
  readonly since: "start" | "listening" | "ready";
  readonly changes: number;
  readonly ms: number;
}

/** Where less changes, a kill comes this long after the process listens. */
const longestMs = 1200;

/** Of a repository that was seen: its id for good, and the first of its commits that may still be found. */
interface Seen {
  readonly id: number;
  oldest: number | undefined;
}

/** A data folder, the repositories indexed in it, and what was ever seen of them. */
class World {
  readonly folder = temporaryFolder();
  readonly dataDir = join(temporaryFolder(), "data");
  readonly random: Random;
  readonly repositories: GrowingRepository[] = [];
  readonly #seen = new Map<string, Seen>();
  kills = 0;
  /** Kills that left a draft behind: in the midst of writing, that is. */
  killsInWriting = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  async add(name: string, files: number, linesEach: number, bare = true): Promise<void> {
    const path = join(this.folder, name);
    const options = { path, files, linesEach, bare, random: this.random };
    this.repositories.push(await GrowingRepository.create(options));
  }

  /** Starts, looks at the answers as far as it comes, and is killed. Gives whether all was indexed by then. */
  async round(moment: Moment, whenReady: () => Promise<void> = async () => undefined): Promise<boolean> {
    // Once all were seen no PATH is given any more: they must be remembered.
    const paths = this.#seen.size === this.repositories.length ? [] : [this.folder];
    const running = startTrawl(["serve", "--port", "0", "--data-dir", this.dataDir, ...paths]);
    let isKilled = false;
    const killed = this.#momentIn(running, moment).then(async () => {
      isKilled = true;
      running.process.kill("SIGKILL");
      return running.ended;
    });
    let isReady = false;
    try {
      const served = await listening(running);
      await this.check(served);
      await served.ready();
      await this.check(served, "newest");
      isReady = true;
      await whenReady();
      for (; !isKilled; await sleep(250)) await this.check(served);
    } catch (error) {
      // The kill cuts off whatever goes on; an answer that is wrong is wrong all the same.
      if (error instanceof assert.AssertionError || !isKilled) throw error;
    }
    const { stderr } = await killed;
    assert.doesNotMatch(stderr, /defect|damaged|error/i);
    this.kills++;
    if (this.#shardNames().some((name) => name.endsWith(".draft"))) this.killsInWriting++;
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

  /** Whether every answer is right, now. */
  async check(served: Served, wanted: "newest" | "consistent" = "consistent"): Promise<void> {
    const items = await served.repositories();
    for (const { repoName, repoId } of items) {
      const seen = this.#seen.get(repoName) ?? { id: repoId, oldest: undefined };
      this.#seen.set(repoName, seen);
      assert.equal(repoId, seen.id, `the id of ${repoName}`);
    }
    const present = items.map(({ repoName }) => repoName).sort();
    assert.deepEqual(present, [...this.#seen.keys()].sort(), "a repository was lost");
    for (const word of [everywhere, someWord(this.random)]) {
      const request = { query: word, matches: 100_000, isCaseSensitivityEnabled: true };
      const { files, stats, isSearchExhaustive } = await served.search(request);
      assert.equal(stats.crashes, 0);
      assert.equal(stats.flushReason, isSearchExhaustive ? "NONE" : "INDEXING");
      for (const repository of this.repositories) {
        const own = files.filter((file) => file.repository === repository.name);
        const mayBeMissing = wanted === "consistent" && !isSearchExhaustive;
        this.#explain(repository, word, own, wanted, mayBeMissing);
      }
    }
  }

  #explain(
    repository: GrowingRepository,
    word: string,
    files: readonly FileMatch[],
    wanted: "newest" | "consistent",
    mayBeMissing: boolean,
  ): void {
    const seen = this.#seen.get(repository.name);
    const { commits, name } = repository;
    const found = files.flatMap(linesOf).sort();
    if (found.length === 0 && seen?.oldest === undefined && mayBeMissing) return;
    const oldest = wanted === "newest" ? commits.length - 1 : (seen?.oldest ?? 0);
    const claimed = new Set(files.map(({ commit }) => commit));
    const right = commits.findIndex(
      (commit, at) =>
        at >= oldest &&
        // Where a working tree lies over the index, lines are newer than the commit that they are said to be over.
        (!repository.isBare || claimed.size === 0 || claimed.has(commit)) &&
        sameLines(found, repository.linesWith(word, commit)),
    );
    if (right < 0) {
      const expected = repository.linesWith(word, commits.at(-1) ?? "");
      assert.deepEqual(
        found,
        expected,
        `"${word}" in ${name} is of no commit from ${oldest} to ${commits.length - 1}; compared with the last`,
      );
    }
    assert(right >= 0 && claimed.size <= 1, `"${word}" in ${name} is of ${[...claimed].join(" and ")}`);
    if (seen !== undefined && found.length > 0) seen.oldest = right;
  }

  /** Everything must be there again, the newest, and nothing else on the disk. */
  async checkClean(): Promise<void> {
    this.#leaveStrays();
    const served = await serve(this.dataDir);
    await served.ready();
    await this.check(served, "newest");
    await until("everything indexed", async () => (await served.search(everywhere)).isSearchExhaustive);
    await this.#settled();
    await this.check(served, "newest");
    const { code, stderr } = await served.stop();
    assert.equal(code, 0, stderr);
    assert.deepEqual(readdirSync(this.dataDir).sort(), ["catalogue.json", "format", "shards"]);
    const files = this.#shardNames();
    const { manifests } = await openShards(this.dataDir);
    assert.deepEqual([...manifests.keys()].sort(), [...this.#seen.values()].map(({ id }) => id).sort());
    const named = [...manifests.values()].flatMap(({ segments }) => segments.map(({ file }) => file));
    const companionOf = /^\d+\.of(\d+)\.v\d+\.symbols$/;
    const others = files.filter((file) => !named.includes(file) && !/\.manifests?$/.test(file));
    const owners = others.map((file) => `${companionOf.exec(file)?.[1]}.shard`);
    assert.deepEqual(
      owners.filter((shard, at) => !named.includes(shard) || owners.indexOf(shard) !== at),
      [],
      `${others} are not one companion of each shard at most`,
    );
    assert.deepEqual(this.#shardNames(), files, "opening swept something");
  }

  /** What kills between two steps would leave; most random moments miss them. */
  #leaveStrays(): void {
    const dead = JSON.stringify({ id: "dead", pid: 2 ** 22 + 1, startTime: "1", host: this.#lockHost() });
    for (const [name, text] of [
      ["owner.lock.7ab4b3a5-1d0c-4bfb-a0b7-4a7e2c4f9a10", dead],
      ["catalogue.json.draft", "{"],
      ["endpoint.json.draft", "{"],
      ["format.draft", ""],
      ["shards/900000.draft", "half"],
      ["shards/900001.shard", "whole, but named by nobody"],
      ["shards/1.manifest.draft", "half"],
    ] as const) {
      writeFileSync(join(this.dataDir, name), text);
    }
  }

  #lockHost(): string {
    const lock = join(this.dataDir, "owner.lock");
    return JSON.parse(readFileSync(lock, "utf8")).host;
  }

  /** Waits until shards are no longer written anew. */
  async #settled(): Promise<void> {
    let before: string[] = [];
    await until("shards at rest", async () => {
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

  /** Begins again without an index. */
  forget(): void {
    rmSync(this.dataDir, { recursive: true });
    this.#seen.clear();
  }

  tell(t: TestContext): void {
    t.diagnostic(`${this.kills} kills, ${this.killsInWriting} of them left a shard half written`);
  }
}

/** Waits for so many changes, but for `longestMs` at most once the process has begun. */
async function changesIn(folder: string, count: number, begun: Promise<unknown>): Promise<void> {
  const quiet = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  begun.then(
    () => {
      timer = setTimeout(() => quiet.abort(), longestMs);
    },
    // It was killed before.
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

/** As `GrowingRepository.linesWith` has them. */
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

function sameLines(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, at) => line === right[at]);
}

/** Side by side, because each spends most of its time waiting. */
test("killed a hundred times", { concurrency: true }, async (t) => {
  await Promise.all([
    t.test("killed while indexing for the first time", async (t) => {
      const world = new World(1);
      await world.add("medium", 200, 20);
      for (let each = 0; each < 8; each++) await world.add(`small${each}`, 4, 6, each % 4 !== 0);
      const { random } = world;
      while (world.kills < 35) {
        const since = random.pick(["start", "listening"] as const);
        const byTime = { since, changes: 0, ms: random.between(0, 600) };
        const byChange = { since, changes: random.between(1, 60), ms: random.between(0, 5) };
        const isDone = await world.round(random.chance(0.2) ? byTime : byChange);
        if (isDone) world.forget();
      }
      if (!existsSync(join(world.dataDir, "owner.lock")))
        await world.round({ since: "ready", changes: 0, ms: 0 });
      await world.checkClean();
      world.tell(t);
    }),

    t.test("killed while commits are added to the index", async (t) => {
      const world = new World(2);
      await world.add("medium", 100, 20);
      for (let each = 0; each < 6; each++) await world.add(`small${each}`, 4, 6, each % 3 !== 0);
      const { random } = world;
      await world.round({ since: "ready", changes: 0, ms: 0 });
      while (world.kills < 40) {
        for (let each = 0; each < 3; each++)
          await random.pick(world.repositories).commit(random.between(1, 4));
        const changes = random.between(1, 12);
        const ms = random.between(0, 10);
        if (random.chance(0.25))
          await world.round({ since: "listening", changes: 0, ms: random.between(0, 600) });
        else if (random.chance(0.5)) await world.round({ since: "start", changes, ms });
        else {
          // The working trees of others must not change while answers are compared.
          const bare = world.repositories.filter((each) => each.isBare);
          await world.round({ since: "ready", changes, ms }, () => random.pick(bare).commit(2));
        }
      }
      await world.checkClean();
      world.tell(t);
    }),

    t.test("killed while shards are written anew", async (t) => {
      const world = new World(3);
      await world.add("medium", 50, 20);
      for (let each = 0; each < 20; each++) await world.add(`small${each}`, 4, 6);
      const { random } = world;
      await world.round({ since: "ready", changes: 0, ms: 0 });
      while (world.kills < 25) {
        // So much is merged into the base at once, and small ones that were merged are put together.
        const changed = random.chance(0.3) ? world.repositories : world.repositories.slice(0, 4);
        for (const repository of changed) await repository.commit(4);
        await world.round({ since: "ready", changes: random.between(1, 15), ms: random.between(0, 8) });
      }
      await world.checkClean();
      world.tell(t);
    }),
  ]);
});
