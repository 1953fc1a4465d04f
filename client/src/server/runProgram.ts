/** Runs a program of the extension on the editor's own Node. */
import { fork } from "node:child_process";

export interface ProgramOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects if the program cannot be started. */
export function runProgram(path: string, args: readonly string[]): Promise<ProgramOutput> {
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
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout: stdout.trim(), stderr: stderr.trim() }));
  });
}
