/** Parses `pnpm-lock.yaml`, which pnpm writes with one key per line. */
import type { PackageVersion } from "./package";

/** See `LockParser`. */
export function* parsePnpmLock(text: string): Generator<PackageVersion> {
  let isPackages = false;
  for (const line of text.split("\n")) {
    if (/^\S/.test(line)) isPackages = /^(?:packages|snapshots):/.test(line);
    else if (isPackages && /^ {2}\S/.test(line)) {
      const found = packageOf(keyOf(line.trim()));
      if (found !== undefined) yield found;
    }
  }
}

/** Returns the key of `key:` or `'key':`, without quotes. */
function keyOf(line: string): string {
  const key = line.slice(0, Math.max(line.lastIndexOf(":"), 0));
  return /^(['"]).*\1$/.test(key) ? key.slice(1, -1) : key;
}

/**
 * Parses `name@version`, `/name@version` or the older `/name/version`, followed by the peers that it is installed with:
 * `(react@18.0.0)` or the older `_react@18.0.0`.
 */
function packageOf(key: string): PackageVersion | undefined {
  const [whole = ""] = key.replace(/^\//, "").split("(", 1);
  const at = whole.indexOf("@", 1);
  const slash = whole.indexOf("/", whole.startsWith("@") ? whole.indexOf("/") + 1 : 0);
  const isOlder = slash > 0 && (at < 0 || slash < at);
  const separator = isOlder ? slash : at;
  if (separator <= 0) return undefined;
  const [version = ""] = whole.slice(separator + 1).split("_", 1);
  return { name: whole.slice(0, separator), version };
}
