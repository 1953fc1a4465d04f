/** Files that this process may not open. */
import { chmodSync } from "node:fs";
import { dirname } from "node:path";

/** A user with few rights, on every system that has a root. */
const nobody = 65_534;

/** Runs without the right to open a file; tests may run as root, to whom all are open. */
export async function withoutRightTo<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  chmodSync(dirname(path), 0o755);
  chmodSync(path, 0);
  if (isRoot) process.seteuid?.(nobody);
  try {
    return await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(path, 0o600);
    chmodSync(dirname(path), 0o700);
  }
}
