/**
 * Refs, read from their files: no process for a repository that has not changed.
 *
 * `packed-refs` holds most of them, one file each the others, and a file beats its packed twin. Repositories that keep
 * refs in another form (reftable) are asked through git.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import type { GitConfig } from "./config";
import { configValue } from "./config";
import { runGit } from "./git";
import { type GitPlace, readConfig, readText } from "./place";

export interface Ref {
  readonly hash: string;
  /** What an annotated tag leads to, and `hash` itself for what is no tag; absent where only git can tell. */
  readonly peeled?: string;
}

export type Head =
  | { readonly kind: "branch"; readonly name: string }
  | { readonly kind: "detached"; readonly hash: string }
  | { readonly kind: "unreadable" };

export interface Refs {
  readonly head: Head;
  /** Branches and tags, and branches of remotes where they were asked for, by full name, in order of their names. */
  readonly refs: ReadonlyMap<string, Ref>;
}

/** `withRemotes`: also what was fetched from others. */
export async function readRefs(place: GitPlace, signal?: AbortSignal, withRemotes = false): Promise<Refs> {
  const folders = withRemotes ? [...refFolders, remoteFolder] : refFolders;
  return readRefFiles(place, undefined, folders) ?? (await askRefs(place, signal, folders));
}

/** `undefined` where refs are not kept in files. */
export function readRefFiles(
  place: GitPlace,
  config: GitConfig = readConfig(place.commonDir),
  folders: readonly string[] = refFolders,
): Refs | undefined {
  const storage = configValue(config, "extensions.refstorage");
  if (storage !== undefined && storage !== "files") return undefined;
  const found = new Map<string, Ref | string>(
    parsePackedRefs(readText(join(place.commonDir, "packed-refs")) ?? "", folders),
  );
  for (const folder of folders) collectLoose(place.commonDir, folder, found, 0);
  const refs = new Map<string, Ref>();
  for (const name of [...found.keys()].sort()) {
    const ref = followed(name, found);
    if (ref) refs.set(name, ref);
  }
  return { head: readHead(place.gitDir), refs };
}

/** What HEAD says, from its file. */
export function lookUpHead(place: GitPlace): Head {
  return readHead(place.gitDir);
}

/** The hash of one branch or tag by its full name, from its file; `undefined` also where only git can tell. */
export function lookUpRef(place: GitPlace, name: string): string | undefined {
  let at = name;
  for (let step = 0; step <= maxSymbolicSteps; step++) {
    if (!isWanted(at) || at.split("/").some((part) => part === "" || part.startsWith("."))) return undefined;
    const content = readText(join(place.commonDir, at))?.trim() ?? packedHash(place, at) ?? "";
    if (hashPattern.test(content)) return content;
    const target = /^ref:\s*(.+)$/.exec(content)?.[1];
    if (target === undefined) return undefined;
    at = target;
  }
  return undefined;
}

/** The line of one ref in `packed-refs`, without making anything of the others. */
function packedHash(place: GitPlace, name: string): string | undefined {
  const text = readText(join(place.commonDir, "packed-refs")) ?? "";
  const end = text.indexOf(` ${name}\n`);
  return end < 0 ? undefined : text.slice(text.lastIndexOf("\n", end) + 1, end);
}

/** One line that changes whenever a ref does, an annotated tag's peeled value aside. */
export function refLines({ head, refs }: Refs): string[] {
  const headLine = head.kind === "branch" ? head.name : head.kind === "detached" ? head.hash : "";
  return [`HEAD ${headLine}`, ...[...refs].map(([name, { hash }]) => `${name} ${hash}`)];
}

const refFolders: readonly string[] = ["refs/heads", "refs/tags"];
const remoteFolder = "refs/remotes";
const hashPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** Git itself stops at five. */
const maxSymbolicSteps = 5;
const maxFolderDepth = 64;

/**
 * The format of `packed-refs`: `<hash> SP <name>`, and behind an annotated tag `^<hash it leads to>`. The head line
 * says `fully-peeled` where the absence of such a line means that there is nothing to peel.
 */
export function parsePackedRefs(text: string, folders: readonly string[] = refFolders): Map<string, Ref> {
  const refs = new Map<string, Ref>();
  let fullyPeeled = false;
  let last = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) fullyPeeled ||= / fully-peeled\b/.test(line);
    else if (line.startsWith("^")) {
      const known = refs.get(last);
      const peeled = line.slice(1).trimEnd();
      if (known && hashPattern.test(peeled)) refs.set(last, { hash: known.hash, peeled });
    } else {
      const space = line.indexOf(" ");
      const hash = line.slice(0, space);
      last = line.slice(space + 1).trimEnd();
      if (!hashPattern.test(hash) || !isWanted(last, folders)) last = "";
      else refs.set(last, fullyPeeled || !last.startsWith("refs/tags/") ? { hash, peeled: hash } : { hash });
    }
  }
  return refs;
}

function isWanted(name: string, folders = refFolders): boolean {
  return folders.some((folder) => name.startsWith(`${folder}/`));
}

/** Adds the refs below a folder: a hash, or the name that a symbolic ref leads to. Files may vanish meanwhile. */
function collectLoose(
  commonDir: string,
  folder: string,
  found: Map<string, Ref | string>,
  depth: number,
): void {
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(join(commonDir, folder), { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (depth < maxFolderDepth) collectLoose(commonDir, name, found, depth + 1);
      continue;
    }
    if (name.endsWith(".lock")) continue;
    const content = readText(join(commonDir, name))?.trim();
    if (content === undefined) continue;
    const symbolic = /^ref:\s*(.+)$/.exec(content)?.[1];
    if (symbolic !== undefined) found.set(name, symbolic);
    else if (hashPattern.test(content)) {
      found.set(
        name,
        folder.startsWith("refs/tags")
          ? looseTag(content, found.get(name))
          : { hash: content, peeled: content },
      );
    }
  }
}

/** A packed twin with the same hash knows where it leads. */
function looseTag(hash: string, packed: Ref | string | undefined): Ref {
  return typeof packed === "object" && packed.hash === hash ? packed : { hash };
}

function followed(name: string, found: ReadonlyMap<string, Ref | string>): Ref | undefined {
  let ref = found.get(name);
  for (let step = 0; step < maxSymbolicSteps && typeof ref === "string"; step++) ref = found.get(ref);
  return typeof ref === "object" ? ref : undefined;
}

function readHead(gitDir: string): Head {
  const path = join(gitDir, "HEAD");
  const content = (readText(path) ?? linkTarget(path))?.trim() ?? "";
  const name = /^ref:\s*(.+)$/.exec(content)?.[1];
  if (name !== undefined) return { kind: "branch", name };
  return hashPattern.test(content) ? { kind: "detached", hash: content } : { kind: "unreadable" };
}

/** Very old repositories have a symbolic link to a branch that may not exist yet. */
function linkTarget(path: string): string | undefined {
  try {
    const target = fs.readlinkSync(path);
    return target.startsWith("refs/") ? `ref: ${target}` : undefined;
  } catch {
    return undefined;
  }
}

async function askRefs(
  place: GitPlace,
  signal: AbortSignal | undefined,
  folders: readonly string[],
): Promise<Refs> {
  const output = await runGit(
    place,
    ["for-each-ref", "--format=%(objectname) %(*objectname) %(refname)", ...folders],
    { signal },
  );
  const symbolic = await runGit(place, ["symbolic-ref", "-q", "HEAD"], { signal, acceptedExitCode: 1 });
  const name = symbolic.toString("utf8").trim();
  if (name !== "") return { head: { kind: "branch", name }, refs: parseRefList(output.toString("utf8")) };
  const resolved = await runGit(place, ["rev-parse", "-q", "--verify", "HEAD"], {
    signal,
    acceptedExitCode: 1,
  });
  const hash = resolved.toString("utf8").trim();
  return {
    head: hash === "" ? { kind: "unreadable" } : { kind: "detached", hash },
    refs: parseRefList(output.toString("utf8")),
  };
}

/** `<hash> SP <hash that a tag leads to, or nothing> SP <name>`, a line each. A tag of a tag is left for later. */
export function parseRefList(text: string): Map<string, Ref> {
  const refs = new Map<string, Ref>();
  for (const line of text.split("\n")) {
    const match = /^([0-9a-f]+) ([0-9a-f]*) (.+)$/.exec(line);
    if (!match) continue;
    const [, hash = "", peeled = "", name = ""] = match;
    refs.set(name, peeled === "" ? { hash, peeled: hash } : { hash });
  }
  return refs;
}
