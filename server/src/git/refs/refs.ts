/**
 * Reads refs from their files, so that checking an unchanged repository takes no process.
 *
 * A loose ref file takes precedence over the same ref in `packed-refs`. Repositories with another ref storage
 * (reftable) are read with git.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import type { GitConfig } from "#git/config";
import { configValue } from "#git/config";
import { runGit } from "#git/git";
import { type GitRepository, readConfig, readText } from "#git/repository";

export interface Ref {
  readonly hash: string;
  /** The peeled hash of an annotated tag, or `hash` for other refs; absent if only git can determine it. */
  readonly peeled?: string;
}

export type Head =
  | { readonly kind: "branch"; readonly name: string }
  | { readonly kind: "detached"; readonly hash: string }
  | { readonly kind: "unreadable" };

export interface Refs {
  readonly head: Head;
  /** Branches and tags, and remote branches if requested, by full name, in order of their names. */
  readonly refs: ReadonlyMap<string, Ref>;
}

/** Reads branches and tags, and remote branches if `withRemotes`. */
export async function readRefs(
  repository: GitRepository,
  signal?: AbortSignal,
  withRemotes = false,
): Promise<Refs> {
  const folders = withRemotes ? [...refFolders, remoteFolder] : refFolders;
  return readRefFiles(repository, undefined, folders) ?? (await listRefsWithGit(repository, signal, folders));
}

/** Returns `undefined` if refs are not stored in files. */
export function readRefFiles(
  repository: GitRepository,
  config: GitConfig = readConfig(repository.commonDir),
  folders: readonly string[] = refFolders,
): Refs | undefined {
  const storage = configValue(config, "extensions.refstorage");
  if (storage !== undefined && storage !== "files") return undefined;
  const found = new Map<string, Ref | string>(
    parsePackedRefs(readText(join(repository.commonDir, "packed-refs")) ?? "", folders),
  );
  for (const folder of folders) collectLoose(repository.commonDir, folder, found, 0);
  const refs = new Map<string, Ref>();
  for (const name of [...found.keys()].sort()) {
    const ref = resolveSymbolic(name, found);
    if (ref) refs.set(name, ref);
  }
  return { head: readHead(repository.gitDir), refs };
}

/** Reads HEAD from its file. */
export function readHeadFile(repository: GitRepository): Head {
  return readHead(repository.gitDir);
}

/**
 * Reads the hash of a branch or tag, by full name. Returns `undefined` if it does not exist, or only git can read it.
 */
export function readRefFile(repository: GitRepository, name: string): string | undefined {
  let at = name;
  for (let step = 0; step <= maxSymbolicSteps; step++) {
    if (!isWanted(at) || at.split("/").some((part) => part === "" || part.startsWith("."))) return undefined;
    const content = readText(join(repository.commonDir, at))?.trim() ?? packedHash(repository, at) ?? "";
    if (hashPattern.test(content)) return content;
    const target = /^ref:\s*(.+)$/.exec(content)?.[1];
    if (target === undefined) return undefined;
    at = target;
  }
  return undefined;
}

/** Finds one ref in `packed-refs` without parsing the others. */
export function packedHash(repository: GitRepository, name: string): string | undefined {
  const text = readText(join(repository.commonDir, "packed-refs")) ?? "";
  const end = text.indexOf(` ${name}\n`);
  return end < 0 ? undefined : text.slice(text.lastIndexOf("\n", end) + 1, end);
}

/** Returns lines that identify the state of HEAD and all refs. */
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
 * Parses `packed-refs`: `<hash> SP <name>` lines, each annotated tag followed by `^<peeled hash>`. With `fully-peeled`
 * in the header, a ref without such a line does not need peeling.
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

/** Adds the refs below a folder: a hash, or the target of a symbolic ref. Files may be deleted at any time. */
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
    // Reading anything else may never end.
    const isReadable = entry.isFile() || entry.isSymbolicLink();
    if (!isReadable || name.endsWith(".lock")) continue;
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

/** Takes the peeled hash from the same tag in `packed-refs`, if its hash is unchanged. */
function looseTag(hash: string, packed: Ref | string | undefined): Ref {
  return typeof packed === "object" && packed.hash === hash ? packed : { hash };
}

function resolveSymbolic(name: string, found: ReadonlyMap<string, Ref | string>): Ref | undefined {
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

/** In very old repositories HEAD is a symbolic link to a branch, which may not exist yet. */
function linkTarget(path: string): string | undefined {
  try {
    const target = fs.readlinkSync(path);
    return target.startsWith("refs/") ? `ref: ${target}` : undefined;
  } catch {
    return undefined;
  }
}

async function listRefsWithGit(
  repository: GitRepository,
  signal: AbortSignal | undefined,
  folders: readonly string[],
): Promise<Refs> {
  const output = await runGit(
    repository,
    ["for-each-ref", "--format=%(objectname) %(*objectname) %(refname)", ...folders],
    { signal },
  );
  const symbolic = await runGit(repository, ["symbolic-ref", "-q", "HEAD"], { signal, acceptedExitCode: 1 });
  const name = symbolic.toString("utf8").trim();
  if (name !== "") return { head: { kind: "branch", name }, refs: parseRefList(output.toString("utf8")) };
  const resolved = await runGit(repository, ["rev-parse", "-q", "--verify", "HEAD"], {
    signal,
    acceptedExitCode: 1,
  });
  const hash = resolved.toString("utf8").trim();
  return {
    head: hash === "" ? { kind: "unreadable" } : { kind: "detached", hash },
    refs: parseRefList(output.toString("utf8")),
  };
}

/** Parses `<hash> SP <peeled hash, or nothing> SP <name>` lines. Annotated tags get no `peeled` hash here. */
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
