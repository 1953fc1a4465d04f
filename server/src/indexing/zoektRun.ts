/** Runs an unmodified `zoekt-git-index`, and knows the names of its files. */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import type { Files } from "#platform/files";
import { runProcess } from "#platform/process";
import { killProcessesOf } from "#platform/strayProcesses";
import type { CopiedRef } from "./shallowCopy";

export interface ZoektRun {
  /** The program: a path, or a name on the PATH. */
  readonly program: string;
  readonly indexFolder: string;
  readonly copy: TemporaryCopy;
  readonly repository: { readonly id: number; readonly name: string };
  /** The default one first: it is Zoekt's `HEAD`. */
  readonly revisions: readonly CopiedRef[];
  readonly maxFileBytes: number;
  readonly files: Files;
}

/** Where a repository is copied to while it is indexed. */
export interface TemporaryCopy {
  /** Removed after the run. */
  readonly root: string;
  /** A bare repository, below `root`. */
  readonly gitDir: string;
}

export const indexTimeoutMs = 3_600_000;
/** Zoekt's default of 20,000 excludes large documents that Trawl's own index contains. */
const maxTrigrams = 1_000_000;

/** Marks the processes that write to an index folder. */
const folderVariable = "TRAWL_INDEX_FOLDER";

/** Ends the processes that still write to an index folder after the process that started them was killed. */
export function endStrayIndexers(indexFolder: string): void {
  killProcessesOf(folderVariable, indexFolder);
}

/** Throws UNEXPECTED_ERROR for a name that cannot be a path. */
export function temporaryCopy(folder: string, id: number, name: string): TemporaryCopy {
  const root = join(folder, String(id));
  // The program takes the name from the path below its cache folder.
  return { root, gitDir: `${join(root, ...segmentsOf(name))}.git` };
}

/**
 * Indexes the copy of a repository into the folder of a node. Throws UNEXPECTED_ERROR with the message of the program;
 * the old shards then remain.
 */
export async function runZoektIndex(run: ZoektRun, signal: AbortSignal): Promise<void> {
  const { program, indexFolder, repository, files } = run;
  const kept = join(indexFolder, `.${shardPrefix(repository.id)}`);
  files.removeFolder(kept);
  try {
    const old = keepShards(run, kept);
    await runProgram(run, signal);
    const incomplete = shardsOf(indexFolder, repository.id).find(
      (name) => name.endsWith(".zoekt") && !isComplete(join(indexFolder, name)),
    );
    if (incomplete === undefined) return;
    removeShards(indexFolder, repository.id, files);
    for (const name of old) files.rename(join(kept, name), join(indexFolder, name));
    throw new ServiceError(
      "UNEXPECTED_ERROR",
      `${program} wrote an incomplete shard for ${repository.name}: there may be no space left in ${indexFolder}.`,
    );
  } finally {
    files.removeFolder(kept);
  }
}

/** Keeps the shards of a repository in a folder, without a copy. Returns their names: none if the file system has no links. */
function keepShards({ indexFolder, repository, files }: ZoektRun, kept: string): readonly string[] {
  const names = shardsOf(indexFolder, repository.id);
  try {
    if (names.length > 0) files.mkdir(kept);
    for (const name of names) files.link(join(indexFolder, name), join(kept, name));
    return names;
  } catch (error) {
    if (["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return [];
  }
}

async function runProgram(
  { program, indexFolder, copy, repository, revisions, maxFileBytes }: ZoektRun,
  signal: AbortSignal,
): Promise<void> {
  const { exitCode, stderr } = await runProcess(
    program,
    [
      ...["-index", indexFolder],
      ...["-shard_prefix_override", shardPrefix(repository.id)],
      ...["-repo_cache", copy.root],
      ...["-branches", revisions.map((revision) => revision.name).join(",")],
      ...["-file_limit", String(maxFileBytes), "-max_trigram_count", String(maxTrigrams)],
      ...["-submodules=false", "-disable_ctags", "-parallelism", "1"],
      ...["--", copy.gitDir],
    ],
    { signal, timeoutMs: indexTimeoutMs, killsGroup: true, env: { [folderVariable]: indexFolder } },
  );
  if (exitCode === 0) return;
  throw new ServiceError("UNEXPECTED_ERROR", `${program} failed for ${repository.name}: ${lastLine(stderr)}`);
}

/**
 * Whether a shard ends with the position and the length of its table of contents, which precedes them. The program
 * ignores errors when it writes the end of a shard, and succeeds on a full disk.
 */
function isComplete(shard: string): boolean {
  const descriptor = openSync(shard, "r");
  try {
    const { size } = fstatSync(descriptor);
    const end = Buffer.alloc(8);
    if (size < end.length || readSync(descriptor, end, 0, end.length, size - end.length) < end.length)
      return false;
    return end.readUInt32BE(0) + end.readUInt32BE(4) === size - end.length;
  } finally {
    closeSync(descriptor);
  }
}

/** Returns git's configuration of a copy. The program ignores the id of a repository that has no name. */
export function copyConfiguration(id: number, name: string): string {
  const quoted = `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
  return `[core]\n\trepositoryformatversion = 0\n\tbare = true\n[zoekt]\n\tname = ${quoted}\n\trepoid = ${id}\n`;
}

/** Returns the ids of the repositories that have shards in the folder of a node. */
export function indexedIds(indexFolder: string): ReadonlySet<number> {
  const names = readdirSync(indexFolder).filter((name) => name.endsWith(".zoekt"));
  const ids = names.map((name) => new RegExp(`^${shardPrefix("(\\d+)")}_v`).exec(name)?.[1]);
  return new Set(ids.flatMap((id) => (id === undefined ? [] : Number(id))));
}

/** Removes the shards of a repository from the folder of a node, if there are any. */
export function removeShards(indexFolder: string, id: number, files: Files): void {
  if (!existsSync(indexFolder)) return;
  for (const name of shardsOf(indexFolder, id)) files.remove(join(indexFolder, name));
}

/** Returns the names of the files of a repository's shards. */
function shardsOf(indexFolder: string, id: number): readonly string[] {
  return readdirSync(indexFolder).filter((name) => name.startsWith(`${shardPrefix(id)}_v`));
}

function shardPrefix(id: number | string): string {
  return `trawl-${id}`;
}

/** Splits the name of a repository into names of folders, none of which leads elsewhere. */
function segmentsOf(name: string): string[] {
  const segments = name.split("/");
  if (segments.every((segment) => !["", ".", ".."].includes(segment) && !/[\\\p{Cc}]/u.test(segment)))
    return segments;
  throw new ServiceError("UNEXPECTED_ERROR", `A repository named ${name} cannot be indexed by Zoekt.`);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
