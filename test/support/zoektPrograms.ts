/** Zoekt's programs, if they are on this computer: in `ZOEKT_BIN` or on the PATH. */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { freePort } from "./freePort";

export const zoektIndexer = "zoekt-git-index";
export const zoektServer = "zoekt-webserver";

/** Returns undefined if a program is nowhere. */
export function findProgram(name: string): string | undefined {
  const folders = [process.env["ZOEKT_BIN"] ?? "", ...(process.env["PATH"] ?? "").split(delimiter)];
  return folders
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Throws if a program is nowhere. */
function programPath(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is neither in ZOEKT_BIN nor on the PATH.`);
  return path;
}

export const hasZoekt = findProgram(zoektIndexer) !== undefined && findProgram(zoektServer) !== undefined;
/** For the names of tests that need Zoekt. */
export const withoutZoekt = hasZoekt ? "" : " (not run: no Zoekt in ZOEKT_BIN or on the PATH)";

/** Starts a program that ends with this process. */
export function startProgram(name: string, args: readonly string[]): ChildProcess {
  const child = spawn(programPath(name), args, { stdio: "ignore" });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  child.on("close", () => process.off("exit", kill));
  return child;
}

/** Runs a program until it ends. Throws if it fails. */
export async function runProgram(name: string, args: readonly string[]): Promise<void> {
  const child = startProgram(name, args);
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`${name} exited with ${code}.`);
}

export interface RunningZoekt {
  readonly url: string;
  readonly child: ChildProcess;
  /** Kills it, and resolves when it has ended. */
  stop(): Promise<void>;
}

/** Serves an index folder, on a port of its own by default. Resolves when it is ready. */
export async function serveZoekt(folder: string, port?: number): Promise<RunningZoekt> {
  const address = `127.0.0.1:${port ?? (await freePort())}`;
  const child = startProgram(zoektServer, ["-index", folder, "-rpc", "-listen", address]);
  const url = `http://${address}`;
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  for (let tries = 600; ; tries--) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady) break;
    if (tries === 0 || child.exitCode !== null) throw new Error(`${zoektServer} does not respond.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    child,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
