/** Runs an unmodified `zoekt-git-index`, and knows the names of its files. */
import { existsSync, readdirSync } from "node:fs";
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

/** Indexes the copy of a repository into the folder of a node. Throws UNEXPECTED_ERROR with the message of the program. */
export async function runZoektIndex(
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
  for (const name of readdirSync(indexFolder))
    if (name.startsWith(`${shardPrefix(id)}_v`)) files.remove(join(indexFolder, name));
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
