/** Writes files so that a reader, or another build that runs at the same time, never sees a part of one. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes `bytes` to a draft next to `path` and renames it. Creates the folder if it does not exist. */
export function writeAtomically(path, bytes) {
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, bytes);
  renameSync(draft, path);
}
