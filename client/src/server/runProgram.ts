/** Runs a program of the extension on the editor's own Node. */
import { fork } from "node:child_process";
import * as vscode from "vscode";

export interface ProgramOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects if the program cannot be started, and ends it and rejects if it runs longer than `timeLimitMs`. */
export function runProgram(
  path: string,
  args: readonly string[],
  timeLimitMs?: number,
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: "1" };
    const child = fork(path, [...args], { env, execArgv: [], silent: true });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const stop = () => {
      child.kill("SIGKILL");
      const seconds = (timeLimitMs ?? 0) / 1000;
      reject(
        new Error(
          vscode.l10n.t(
            "{0} did not finish within {1} s. Check trawl.server.path, then try again.",
            path,
            seconds,
          ),
        ),
      );
    };
    const timer = timeLimitMs === undefined ? undefined : setTimeout(stop, timeLimitMs);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout: stdout.trim(), stderr: stderr.trim() });
    });
  });
}
