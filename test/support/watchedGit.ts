/** Shadows git on the PATH with a script that logs each call and can change its behavior. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { temporaryFolder } from "#test/support/repo";

const tools = temporaryFolder();
const log = join(tools, "log");
const realPath = process.env["PATH"] ?? "";

/** Logs each call of git from now on, then runs the script; `real` is the real git. */
export function replaceGit(script: string): void {
  const real = `PATH=${JSON.stringify(realPath)} exec git "$@"`;
  // One write per line, because processes that run at once append to the same file.
  const note = `printf '%s\\n' "$$ $*" >> ${log}`;
  writeFileSync(join(tools, "git"), `#!/bin/sh\n${note}\n${script.replace("real", real)}\n`);
  chmodSync(join(tools, "git"), 0o755);
  writeFileSync(log, "");
  process.env["PATH"] = tools + delimiter + realPath;
}

export function restoreGit(): void {
  process.env["PATH"] = realPath;
}

/** Returns the calls since git was replaced, each with its process id and arguments. */
export function calls(): { readonly pid: number; readonly line: string }[] {
  const lines = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => ({ pid: Number.parseInt(line, 10), line }));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
