/** Makes files inaccessible to this process. */
import { chmodSync } from "node:fs";
import { dirname } from "node:path";

/** An unprivileged user (`nobody`), present on every system that has a root user. */
const nobody = 65_534;

/** Runs without permission to open a file, even when tests run as root. */
export async function withoutPermission<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
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
