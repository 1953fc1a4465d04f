/** Counts matches with ripgrep; `zoekt.ts` has the other peer. */
import { spawn, spawnSync } from "node:child_process";
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
