/**
 * Kills processes of the product at random moments, then restarts them or lets another process take over: leaders that
 * index, write symbol files and merge shards; their git processes; leaders and followers while keys are created and
 * revoked. After each kill, results must match git's for one commit, never one older than was seen before, and keys
 * must have the state that was last reported.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ResponseError } from "vscode-languageserver/node";
import type { ErrorObject } from "#contract/error";
import type { CreatedKey } from "#contract/organization";
import type { RepositoryItem } from "#contract/repositories";
import type { SearchResult } from "#contract/search";
import type { Page } from "#contract/service";
import { Random } from "#test/support/corpus";
import { type Editor, openEditor } from "#test/support/editor";
import { eventually } from "#test/support/eventually";
import { isComplete, type Moment, type SearchApi, World } from "#test/support/killWorld";
import { serve } from "#test/support/served";
import { announced } from "#test/support/trawl";
import type { Campaign } from "./campaign";

/** Mostly SIGKILL, which leaves no time to clean up. */
const signals = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGSTOP", "git"] as const;
/** A takeover takes 2 s on an idle machine. */
const takeoverLimitMs = 60_000;

export const kills: Campaign = {
  summary: "kills processes at random moments and checks every result afterwards; a case is a kill",
  fullCount: 1000,
  shortCount: 60,
  async run({ count, seed }) {
    const failures: string[] = [];
    const share = Math.ceil(count / 4);
    const takeovers = new Takeovers(seed + 3);
    const indexing = [
      { name: "first indexing", world: await firstIndexing(seed), round: firstRound },
      { name: "deltas", world: await deltas(seed + 1), round: deltaRound },
      { name: "merges", world: await merges(seed + 2), round: mergeRound },
    ];
    await Promise.all([
      ...indexing.map(async ({ name, world, round }) => {
        while (world.kills < share) {
          await guarded(failures, `${name}, seed ${seed}, kill ${world.kills}`, async () => round(world));
          if (failures.length > 0) return;
        }
        await guarded(failures, `${name}, seed ${seed}, at the end`, () => endClean(world));
      }),
      guarded(failures, `takeovers, seed ${seed}`, () => takeovers.run(count - 3 * share)),
    ]);
    const worlds = indexing.map(({ world }) => world);
    const sum = (value: (world: World) => number) => worlds.reduce((total, each) => total + value(each), 0);
    return {
      figures: [
        ["kills while indexing", String(sum(({ kills: each }) => each))],
        ["of these, while writing a shard", String(sum(({ killsDuringWrites }) => killsDuringWrites))],
        ["git processes killed too", String(sum(({ gitKills }) => gitKills))],
        ["kills of leaders with followers", String(takeovers.leaderKills)],
        ["kills of followers", String(takeovers.followerKills)],
        ["slowest takeover in ms", takeovers.slowestMs.toFixed(0)],
        ["keys created and revoked", `${takeovers.created} and ${takeovers.revoked}`],
        ["rejected requests without a key", String(takeovers.rejections)],
      ],
      failures,
    };
  },
};

async function guarded(failures: string[], what: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    failures.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

async function firstIndexing(seed: number): Promise<World> {
  const world = new World(seed);
  await world.add("medium", 200, 20);
  for (let each = 0; each < 8; each++) await world.add(`small${each}`, 4, 6, each % 4 !== 0);
  return world;
}

async function firstRound(world: World): Promise<void> {
  const { random } = world;
  const since = random.pick(["start", "listening"] as const);
  const how = random.pick(signals);
  const byTime: Moment = { since, changes: 0, ms: random.between(0, 600), how };
  const byChange: Moment = { since, changes: random.between(1, 60), ms: random.between(0, 5), how };
  const isDone = await world.round(random.chance(0.2) ? byTime : byChange);
  if (isDone) world.reset();
}

async function deltas(seed: number): Promise<World> {
  const world = new World(seed);
  await world.add("medium", 100, 20);
  for (let each = 0; each < 12; each++) await world.add(`small${each}`, 4, 6, each % 3 !== 0);
  await world.round({ since: "ready", changes: 0, ms: 0 });
  return world;
}

async function deltaRound(world: World): Promise<void> {
  const { random } = world;
  for (let each = 0; each < 3; each++) await random.pick(world.repositories).commit(random.between(1, 4));
  const changes = random.between(1, 15);
  const ms = random.between(0, 10);
  const how = random.pick(signals);
  if (random.chance(0.25))
    await world.round({ since: "listening", changes: 0, ms: random.between(0, 600), how });
  else if (random.chance(0.5)) await world.round({ since: "start", changes, ms, how });
  else {
    // Other repositories' working trees must not change while results are compared.
    const bare = world.repositories.filter((each) => each.isBare);
    await world.round({ since: "ready", changes, ms, how }, () => random.pick(bare).commit(2));
  }
}

async function merges(seed: number): Promise<World> {
  const world = new World(seed);
  await world.add("medium", 50, 20);
  for (let each = 0; each < 20; each++) await world.add(`small${each}`, 4, 6);
  await world.round({ since: "ready", changes: 0, ms: 0 });
  return world;
}

/** Commits so much that deltas are merged into base shards, and small shards into compound ones. */
async function mergeRound(world: World): Promise<void> {
  const { random, repositories } = world;
  const changed = random.chance(0.3) ? repositories : repositories.slice(0, 4);
  for (const repository of changed) await repository.commit(4);
  const how = random.pick(signals);
  await world.round({ since: "ready", changes: random.between(1, 15), ms: random.between(0, 8), how });
}

async function endClean(world: World): Promise<void> {
  // Leaves something to clean up: a lock, drafts, and an incomplete index.
  if (!existsSync(join(world.dataDir, "owner.lock")))
    await world.round({ since: "ready", changes: 0, ms: 0 });
  await world.checkClean();
}

/** Three windows on one data directory, killed one at a time, and a port that rejects requests without a key. */
class Takeovers {
  readonly #random: Random;
  readonly #world: World;
  /** The reported state of each key. */
  readonly #keys = new Map<string, "valid" | "revoked" | "unsure">();
  #windows: Editor[] = [];
  #url = "";
  #named = 0;
  leaderKills = 0;
  followerKills = 0;
  slowestMs = 0;
  created = 0;
  revoked = 0;
  rejections = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#world = new World(seed);
  }

  async run(count: number): Promise<void> {
    const { dataDir, folder } = this.#world;
    await this.#world.add("medium", 60, 10);
    for (let each = 0; each < 3; each++) await this.#world.add(`small${each}`, 4, 6);
    const first = await serve(dataDir, [folder], { flags: ["--anonymous", "off"] });
    this.#url = first.url;
    await first.ready();
    for (let each = 0; each < 3; each++) this.#windows.push(await openEditor(dataDir));
    await first.kill();
    this.leaderKills++;
    await this.#settled();
    try {
      while (this.leaderKills + this.followerKills < count) await this.#round();
      const [last] = this.#windows;
      assert(last !== undefined);
      await eventually(() => isComplete(apiOf(last)), takeoverLimitMs);
      await this.#world.check(apiOf(last), "newest");
      await this.#checkKeys();
    } finally {
      for (const each of this.#windows) await each.kill();
    }
  }

  async #round(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.5)) await random.pick(this.#world.repositories).commit(random.between(1, 4));
    const leader = this.#windows.find(({ pid }) => pid === announced(this.#world.dataDir).pid);
    const others = this.#windows.filter((each) => each !== leader);
    const victim = leader !== undefined && random.chance(0.7) ? leader : random.pick(others);
    const survivors = this.#windows.filter((each) => each !== victim);
    let isDone = false;
    const work = [
      ...survivors.map(async (each) => {
        while (!isDone) await unlessUnavailable(this.#world.check(apiOf(each)));
      }),
      (async () => {
        while (!isDone) await this.#changeKeys(random.pick(survivors));
      })(),
      (async () => {
        while (!isDone) await this.#checkClosed();
      })(),
    ];
    const worked = Promise.all(work);
    try {
      await Promise.race([worked, sleep(random.between(0, 600))]);
      await this.#kill(victim);
      if (victim === leader) this.leaderKills++;
      else this.followerKills++;
      this.#windows = survivors;
      this.slowestMs = Math.max(this.slowestMs, await this.#settled());
    } finally {
      isDone = true;
      await worked;
    }
    for (const each of survivors) await this.#world.check(apiOf(each));
    await this.#checkKeys();
    this.#windows.push(await openEditor(this.#world.dataDir));
  }

  async #kill(victim: Editor): Promise<void> {
    const how = this.#random.pick(["SIGKILL", "SIGKILL", "SIGTERM", "SIGSTOP"] as const);
    victim.server.process.kill(how);
    if (how === "SIGSTOP") {
      await sleep(this.#random.between(0, 100));
      victim.server.process.kill("SIGKILL");
    }
    await victim.server.ended;
  }

  /** Waits until one of the windows leads and the port answers; returns the milliseconds. */
  async #settled(): Promise<number> {
    const began = performance.now();
    await eventually(async () => {
      const { pid, url } = announced(this.#world.dataDir);
      if (!this.#windows.some((each) => each.pid === pid)) return false;
      return url === this.#url && (await this.#status()) === 401;
    }, takeoverLimitMs);
    return performance.now() - began;
  }

  async #changeKeys(editor: Editor): Promise<void> {
    const created = await unlessUnavailable(
      editor.call<CreatedKey>("createKey", { name: `key ${++this.#named}` }),
    );
    if (created === undefined) return;
    this.#keys.set(created.key, "valid");
    this.created++;
    if (!this.#random.chance(0.5)) return;
    this.#keys.set(created.key, "unsure");
    if ((await unlessUnavailable(editor.call("revokeKey", { keyId: created.id }))) === undefined) return;
    this.#keys.set(created.key, "revoked");
    this.revoked++;
  }

  async #checkClosed(): Promise<void> {
    const status = await this.#status();
    // 0: no process listens; 503: there is no leader.
    assert([0, 401, 503].includes(status), `${status} without a key`);
    if (status === 401) this.rejections++;
  }

  async #checkKeys(): Promise<void> {
    const recent = [...this.#keys].slice(-6);
    for (const [key, state] of recent) {
      const status = await this.#status(key);
      if (state === "valid") assert.equal(status, 200, "a key that was created is rejected");
      else if (state === "revoked") assert.equal(status, 401, "a key that was revoked is accepted");
    }
  }

  async #status(key?: string): Promise<number> {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await fetch(`${this.#url}/api/repos`, { headers }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    return response?.status ?? 0;
  }
}

function apiOf(editor: Editor): SearchApi {
  return {
    search: (request) => editor.call<SearchResult>("search", asRequest(request)),
    async repositories() {
      return (await editor.call<Page<RepositoryItem>>("repos", { perPage: 100 })).items;
    },
  };
}

function asRequest(request: Readonly<Record<string, unknown>> | string): object {
  return typeof request === "string" ? { query: request } : request;
}

/** Returns undefined if no process could respond, which is not a failure. */
async function unlessUnavailable<Result>(result: Promise<Result>): Promise<Result | undefined> {
  try {
    return await result;
  } catch (error) {
    const code =
      error instanceof ResponseError ? (error.data as ErrorObject | undefined)?.errorCode : undefined;
    if (error instanceof assert.AssertionError || (code !== undefined && code !== "ENGINE_UNAVAILABLE"))
      throw error;
    return undefined;
  }
}
