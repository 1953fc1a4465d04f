/** The worker's side of a plain folder: its files are its documents. */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { throwIfAborted } from "#base/error";
import { type BytePath, joined, onDisk } from "#git/bytePath";
import { WorkingFiles } from "#git/workingFile";
import { readFolder } from "#git/workingTree";
import type { Draft } from "#shard/directory";
import { maxDocumentBytes, targetShardBytes } from "#shard/shard";
import type { ShardWriter } from "#shard/writer";
import { addDocument, categoryRank, progressStep, type ShardBuilding, writeShards } from "./buildTask";
import { type PlannedDocument, sortByRank } from "./plan";

export interface FolderFile {
  readonly path: BytePath;
  readonly size: number;
  /** Nanoseconds since 1970. */
  readonly mtimeNs: bigint;
}

/** Folders of other version control systems hold what nobody wrote. */
const neverRead = new Set([".git", ".hg", ".svn"]);
/** A folder is one revision, without a name. */
const folderSlot = 0;

/** Files and symbolic links (which are not followed) below `root`, folder by folder. What cannot be read is left out. */
export function* walkFolder(root: string): Generator<FolderFile> {
  const waiting: BytePath[] = ["" as BytePath];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, isFolder, isFile, isLink } of readFolder(root, folder)) {
      const path = joined(folder, name);
      if (isFolder && !neverRead.has(name)) waiting.push(path);
      const stat = isFile || isLink ? lstat(root, path) : undefined;
      if (stat) yield { path, size: Number(stat.size), mtimeNs: stat.mtimeNs };
    }
  }
}

function lstat(root: string, path: BytePath): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(onDisk(root, path), { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** Changes whenever a file of the folder appears, goes, or is written. */
export function digestFolder(files: Iterable<FolderFile>): string {
  const lines = [...files].map(({ path, size, mtimeNs }) => `${path}\0${size} ${mtimeNs}\n`).sort();
  const hash = createHash("sha256");
  for (const line of lines) hash.update(line, "latin1");
  return hash.digest("hex");
}

/** Documents of a folder, best first. */
export function planFolder(found: readonly FolderFile[]): PlannedDocument[] {
  const slots = [folderSlot];
  return sortByRank(
    found.map(({ path }) => ({ path, hash: "", slots })),
    categoryRank,
  );
}

/** Writes the shards of files as they are now. Those that vanish meanwhile are left out. */
export async function buildFromDisk(
  root: string,
  documents: readonly PlannedDocument[],
  building: ShardBuilding,
): Promise<Draft[]> {
  const files = new WorkingFiles(root);
  let next = 0;
  return writeShards(
    building,
    () => next < documents.length,
    (writer) => {
      let reported = next;
      while (next < documents.length && writer.contentBytes < targetShardBytes) {
        throwIfAborted(building.signal);
        addFile(writer, files, documents[next++]);
        if (next - reported < progressStep) continue;
        building.onDocuments(next - reported);
        reported = next;
      }
      building.onDocuments(next - reported);
    },
  );
}

function addFile(writer: ShardWriter, files: WorkingFiles, document: PlannedDocument | undefined): void {
  if (document === undefined) return;
  const file = files.read(document.path, maxDocumentBytes);
  if (file.kind === "content") addDocument(writer, document, file.bytes);
  else if (file.kind === "tooLarge") addDocument(writer, document, undefined, "tooLarge", file.size);
  else if (file.kind === "unreadable") addDocument(writer, document, undefined, "unreadable");
}
