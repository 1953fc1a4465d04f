/** Runs the command line on the data directory of a window, as an operator would in a terminal. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { CodeServer } from "#e2e/driver/codeServer";
import { projectFolder, target } from "#e2e/driver/target";
import { eventually } from "#test/support/eventually";

const program = join(projectFolder, "dist/server/trawl.js");
const execute = promisify(execFile);

function environment({ root }: CodeServer): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(target().vsCode.node)}:${process.env["PATH"]}`,
    HOME: root,
    LANG: "C.UTF-8",
    TMPDIR: join(root, "t"),
    XDG_RUNTIME_DIR: join(root, "t"),
    XDG_DATA_HOME: join(root, "share"),
  };
}

/** Runs a command and returns its output. Rejects if the command fails. */
export async function runTrawl(server: CodeServer, words: readonly string[]): Promise<string> {
  const { stdout } = await execute(target().vsCode.node, [program, ...words], { env: environment(server) });
  return stdout;
}

export interface RunningTrawl {
  /** URL of its REST interface. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server with a configuration, as an operator would. Windows opened later connect to it. */
export async function startTrawl(server: CodeServer, configuration: object): Promise<RunningTrawl> {
  const config = join(server.root, "trawl.json");
  writeFileSync(config, JSON.stringify(configuration), { mode: 0o600 });
  const words = [program, "serve", "--config", config, "--port", "0"];
  const child = spawn(target().vsCode.node, words, { env: environment(server), stdio: "ignore" });
  const url = await eventually(() => {
    if (child.exitCode !== null) throw new Error(`trawl serve ended with ${child.exitCode}.`);
    return urlOf(server, child);
  });
  return { url, stop: () => stopChild(child) };
}

function urlOf({ dataDirectory }: CodeServer, child: ChildProcess): string | undefined {
  const path = join(dataDirectory, "endpoint.json");
  if (!existsSync(path)) return undefined;
  const { pid, url }: { pid?: number; url?: string } = JSON.parse(readFileSync(path, "utf8"));
  return pid === child.pid ? url : undefined;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** Sets the git identity of the local user, who is the first owner of the organization. */
export function setGitUser({ root }: CodeServer, name: string, email: string): void {
  writeFileSync(join(root, ".gitconfig"), `[user]\n\tname = ${name}\n\temail = ${email}\n`);
}
