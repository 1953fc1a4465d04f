/** The tools that Trawl is compared with: always ripgrep, and Zoekt if its URL is given. */
import { spawn, spawnSync } from "node:child_process";
import { postJson } from "./product";
import type { BenchQuery } from "./queries";

export interface Measured {
  readonly ms: number;
  readonly matches: number;
}

/** Finds ripgrep on the PATH, else among the packages; `undefined` if neither runs here. */
export async function findRipgrep(): Promise<string | undefined> {
  const { rgPath } = await import("@vscode/ripgrep-universal");
  return ["rg", rgPath].find((program) => spawnSync(program, ["--version"]).status === 0);
}

/** Counts matches in the whole tree on two threads, in hidden and ignored files too, but not in files that Trawl skips. */
export function ripgrep(program: string, folder: string, query: BenchQuery): Promise<Measured> {
  const options = ["-uu", "--no-config", "--count-matches", "--no-filename", "--threads=2"];
  const left = ["--max-filesize=2M", "--glob=!.git", "--encoding=none"];
  const how = [
    ...(query.isRegex ? [] : ["--fixed-strings"]),
    query.caseSensitive ? "--case-sensitive" : "--ignore-case",
  ];
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(program, [...options, ...left, ...how, "-e", query.pattern, folder], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    child.stdout.on("data", (bytes: Buffer) => {
      text += bytes.toString();
    });
    child.on("error", reject);
    child.on("close", () => {
      const matches = text.split("\n").reduce((sum, line) => sum + Number(line), 0);
      resolve({ ms: performance.now() - began, matches });
    });
  });
}

/** Measures Zoekt's own reported time. `documents` limits its results, as its pages do. */
export async function zoekt(
  url: string,
  query: BenchQuery,
  documents: number | undefined,
): Promise<Measured> {
  const pattern = query.isRegex ? query.pattern : query.pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const all = { ShardMaxMatchCount: 1e8, TotalMaxMatchCount: 1e8, MaxDocDisplayCount: 50 };
  const response = (await postJson(`${url}/api/search`, {
    Q: `case:${query.caseSensitive ? "yes" : "no"} content:${JSON.stringify(pattern)}`,
    Opts: { ...(documents === undefined ? all : { MaxDocDisplayCount: documents }), ChunkMatches: true },
  })) as { readonly Result: { readonly Duration: number; readonly MatchCount: number } };
  const { Duration, MatchCount } = response.Result;
  return { ms: Duration / 1e6, matches: MatchCount };
}
