/** The command line as users run it: the built bundle in a separate process. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";

export const trawlBundle = join(projectRoot(), "dist/server/trawl.js");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningTrawl {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Waits for the first matching line on either stream, including earlier ones; rejects if the process exits first. */
  line(pattern: RegExp): Promise<string>;
}

export interface TrawlOptions {
  /** Added to the environment of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another user, for both user and group; only root can choose one. */
  readonly user?: number;
  /** Command-line flags of Node. */
  readonly nodeFlags?: readonly string[];
  /** The built bundle of another version. */
  readonly bundle?: string;
}

/** Returns what the leader of a data directory has published; empty if there is no leader. */
export function announced(dataDir: string): { readonly url?: string; readonly pid?: number } {
  try {
    return JSON.parse(readFileSync(join(dataDir, "endpoint.json"), "utf8"));
  } catch {
    return {};
  }
}

/** Runs until exit. A hanging process fails the test instead of blocking it. */
export async function trawl(
  args: readonly string[],
  cwd = temporaryFolder(),
  options: TrawlOptions = {},
): Promise<Ended> {
  const running = startTrawl(args, cwd, options);
  running.process.stdin.end();
  const timer = setTimeout(() => running.process.kill("SIGKILL"), 60_000);
  const ended = await running.ended;
  clearTimeout(timer);
  return ended;
}

/** Starts a process that ends with this one at the latest. */
export function startTrawl(
  args: readonly string[],
  cwd = temporaryFolder(),
  options: TrawlOptions = {},
): RunningTrawl {
  // Isolated from the user's settings and index, and from the configuration files of agents.
  const folders = { XDG_CONFIG_HOME: "", CLAUDE_CONFIG_DIR: "", CODEX_HOME: "" };
  const { NO_COLOR: _, ...env } = process.env;
  const bundle = options.bundle ?? trawlBundle;
  const child = spawn(process.execPath, [...(options.nodeFlags ?? []), bundle, ...args], {
    cwd,
    env: { ...env, ...folders, XDG_DATA_HOME: cwd, HOME: cwd, ...options.env },
    ...(options.user === undefined ? {} : { uid: options.user, gid: options.user }),
  });
  const killed = () => child.kill("SIGKILL");
  process.on("exit", killed);
  const text = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (part: string) => {
      text[name] += part;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => {
      process.off("exit", killed);
      resolve({ code, ...text });
      for (const listener of listeners) listener();
    });
  });
  return {
    process: child,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          // A last line without a newline may still be incomplete.
          const lines = [text.stdout, text.stderr].flatMap((each) => each.split("\n").slice(0, -1));
          const found = lines.find((line) => pattern.test(line));
          if (found === undefined && child.exitCode === null && child.signalCode === null) return;
          listeners.delete(check);
          if (found !== undefined) resolve(found);
          else
            reject(
              new Error(
                `trawl exited without a line that matches ${pattern}:\n${text.stdout}\n${text.stderr}`,
              ),
            );
        };
        listeners.add(check);
        check();
      }),
  };
}
