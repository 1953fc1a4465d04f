/** Runs `trawl serve` from the built bundle and sends it requests over HTTP. */
import type { RepositoryItem } from "#contract/repositories";
import type { SearchResult } from "#contract/search";
import { type Ended, type RunningTrawl, startTrawl, type TrawlOptions } from "#test/support/trawl";

export interface Served extends RunningTrawl {
  readonly url: string;
  /** Returns the line that reports that indexing is complete; rejects if the process exits before it. */
  ready(): Promise<string>;
  /** Returns the response to `POST /api/search`; throws for any status except 200. */
  search(request: Readonly<Record<string, unknown>> | string): Promise<SearchResult>;
  repositories(): Promise<readonly RepositoryItem[]>;
  /** Kills it, as a crash would. */
  kill(): Promise<void>;
  /** Shuts it down cleanly and returns its output. */
  stop(): Promise<Ended>;
}

/** Resolves as soon as it listens. */
export async function serve(
  dataDir: string,
  paths: readonly string[] = [],
  options: TrawlOptions & { readonly flags?: readonly string[] } = {},
): Promise<Served> {
  const flags = ["--port", "0", "--data-dir", dataDir, ...(options.flags ?? [])];
  return listening(startTrawl(["serve", ...flags, ...paths], undefined, options));
}

/** Waits until a process that was started with `serve` listens. */
export async function listening(running: RunningTrawl): Promise<Served> {
  const url = (await running.line(/^Listening on /)).slice("Listening on ".length);
  const end = async (signal: NodeJS.Signals) => {
    running.process.kill(signal);
    return running.ended;
  };
  return {
    ...running,
    url,
    ready: () => running.line(/^Ready/),
    search: (request) =>
      post(`${url}/api/search`, typeof request === "string" ? { query: request } : request),
    async repositories() {
      const found: RepositoryItem[] = [];
      for (let page = 1; ; page++) {
        const items = await resultOf<RepositoryItem[]>(
          await fetch(`${url}/api/repos?perPage=100&page=${page}`),
        );
        found.push(...items);
        if (items.length < 100) return found;
      }
    },
    async kill() {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}

async function post<Result>(url: string, body: unknown): Promise<Result> {
  const headers = { "content-type": "application/json" };
  return resultOf(await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function resultOf<Result>(response: Response): Promise<Result> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.url} returned status ${response.status}: ${text}`);
  return JSON.parse(text) as Result;
}
