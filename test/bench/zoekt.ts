/** A real Zoekt to compare with: its programs index the corpus and serve HTTP. */
import type { ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "#test/support/freePort";
import { runProgram, startProgram, zoektIndexer, zoektServer } from "#test/support/zoektPrograms";
import { cpuSecondsOfEnded } from "./processes";
import { postJson } from "./product";
import type { BenchQuery } from "./queries";

/** No limit that a corpus reaches. */
const unlimited = 1e8;

export interface ZoektBuild {
  readonly seconds: number;
  readonly cpuSeconds: number | undefined;
  readonly bytes: number;
}

export class Zoekt {
  readonly url: string;
  /** Absent if another process started it. */
  readonly pid: number | undefined;
  readonly build: ZoektBuild | undefined;
  readonly #child: ChildProcess | undefined;

  private constructor(url: string, build?: ZoektBuild, child?: ChildProcess) {
    this.url = url;
    this.build = build;
    this.pid = child?.pid;
    this.#child = child;
  }

  /** Returns the one that serves at `where`; for `auto`, indexes `corpus` into `folder` and serves it. */
  static async open(where: string, corpus: string, folder: string): Promise<Zoekt> {
    if (where !== "auto") return new Zoekt(where);
    const build = await indexOnce(corpus, folder);
    const address = `127.0.0.1:${await freePort()}`;
    const child = startProgram(zoektServer, ["-index", folder, "-rpc", "-listen", address]);
    const zoekt = new Zoekt(`http://${address}`, build, child);
    await zoekt.#isListening();
    return zoekt;
  }

  stop(): void {
    this.#child?.kill("SIGKILL");
  }

  async #isListening(): Promise<void> {
    for (let tries = 600; ; tries--) {
      const isUp = await postJson(`${this.url}/api/search`, { Q: "a" }).then(
        () => true,
        () => false,
      );
      if (isUp) return;
      if (tries === 0 || this.#child?.exitCode !== null) throw new Error(`${zoektServer} does not answer.`);
      await sleep(100);
    }
  }
}

/** A request for the first 50 documents, as its pages show, or for everything; both with text. */
export function zoektRequest(query: BenchQuery, isAll: boolean): unknown {
  const pattern = query.isRegex ? query.pattern : query.pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const all = { ShardMaxMatchCount: unlimited, TotalMaxMatchCount: unlimited, MaxDocDisplayCount: unlimited };
  return {
    Q: `case:${query.caseSensitive ? "yes" : "no"} content:${JSON.stringify(pattern)}`,
    Opts: { ...(isAll ? all : { MaxDocDisplayCount: 50 }), ChunkMatches: true },
  };
}

/** Returns the number of matches in a response. */
export function zoektMatches(response: unknown): number {
  return (response as { readonly Result: { readonly MatchCount: number } }).Result.MatchCount;
}

async function indexOnce(corpus: string, folder: string): Promise<ZoektBuild> {
  mkdirSync(folder, { recursive: true });
  const cpuBefore = cpuSecondsOfEnded();
  const began = performance.now();
  await runProgram(zoektIndexer, ["-disable_ctags", "-index", folder, corpus]);
  const cpuAfter = cpuSecondsOfEnded();
  return {
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore,
    bytes: readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
  };
}
