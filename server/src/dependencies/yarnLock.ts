/** Parses `yarn.lock` of Yarn 1 and of later versions, which Yarn writes with one key per line. */
import type { PackageVersion } from "./package";

/** See `LockParser`. */
export function* parseYarnLock(text: string): Generator<PackageVersion> {
  let name: string | undefined;
  for (const line of text.split("\n")) {
    if (/^[^\s#]/.test(line)) name = nameOf(line);
    const version = name === undefined ? undefined : /^ {2}version:? "?([^\s"]+)"?\s*$/.exec(line)?.[1];
    if (name === undefined || version === undefined) continue;
    yield { name, version };
    name = undefined;
  }
}

/** Returns the name of the first of several descriptors: `"name@npm:^1.0.0, name@npm:^1.1.0":`. */
function nameOf(line: string): string | undefined {
  const [descriptor = ""] = line.replace(/^"/, "").split(/[",]/, 1);
  const at = descriptor.indexOf("@", 1);
  if (at < 0) return undefined;
  // An alias is installed under another name: `alias@npm:name@^1.0.0`.
  const alias = /^npm:(@?[^@]+)@/.exec(descriptor.slice(at + 1))?.[1];
  return alias ?? descriptor.slice(0, at);
}
