/** Parses lock files that consist of `[[package]]` tables: `Cargo.lock`, `uv.lock` and `poetry.lock`. */
import type { PackageVersion } from "./package";

/** A package and, as written, where it comes from. */
export interface LockedPackage extends PackageVersion {
  readonly source: string;
}

/** See `LockParser`. */
export function* parseTomlLock(text: string): Generator<LockedPackage> {
  let fields: Record<string, string> | undefined;
  for (const line of [...text.split("\n"), "[]"]) {
    if (line.startsWith("[")) {
      const { name, version, source = "" } = fields ?? {};
      if (name !== undefined && version !== undefined) yield { name, version, source };
      fields = line.startsWith("[[package]]") ? {} : undefined;
    }
    const [, key, quoted, other = ""] = /^(\w+) = (?:"([^"]*)"|(.*))/.exec(line) ?? [];
    if (fields !== undefined && key !== undefined) fields[key] = quoted ?? other;
  }
}
