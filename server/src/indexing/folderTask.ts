/** Builds the shards of a plain folder on a worker. */
import { throwIfAborted } from "#base/error";
import { textOf } from "#git/bytePath";
import type { FolderFile } from "#git/workTree/folderFiles";
import { WorkingFiles } from "#git/workTree/workingFile";
import type { AttributesOf } from "#languages/attributes";
import type { SkipReason } from "#model/document";
import type { Draft } from "#shard/directory/directory";
import { targetShardBytes } from "#shard/format/shard";
import type { ShardWriter } from "#shard/format/writer";
import { addDocument, categoryRank, progressStep, type ShardBuild, writeShards } from "./buildTask";
import { type PlannedDocument, sortByRank } from "./plan";

/** A folder has a single revision, without a name. */
const folderSlot = 0;

/** Returns the documents of a folder, best first. */
export function planFolder(found: readonly FolderFile[], attributesOf: AttributesOf): PlannedDocument[] {
  const slots = [folderSlot];
  return sortByRank(
    found.map(({ path }) => ({ path, hash: "", slots })),
    categoryRank(attributesOf),
  );
}

/** Writes shards of the files as they are now. Skips files that have been deleted since they were listed. */
export async function buildFromDisk(
  root: string,
  documents: readonly PlannedDocument[],
  build: ShardBuild,
): Promise<Draft[]> {
  const files = new WorkingFiles(root);
  let next = 0;
  return writeShards(
    build,
    () => next < documents.length,
    (writer) => {
      let reported = next;
      while (next < documents.length && writer.contentBytes < targetShardBytes) {
        throwIfAborted(build.signal);
        const document = documents[next++];
        if (document !== undefined) addFile(writer, files, document, build);
        if (next - reported < progressStep) continue;
        build.onDocuments(next - reported);
        reported = next;
      }
      build.onDocuments(next - reported);
    },
  );
}

/** Adds one file as it is now; nothing if it has been deleted. */
export function addFile(
  writer: ShardWriter,
  files: WorkingFiles,
  document: PlannedDocument,
  build: Pick<ShardBuild, "attributesOf" | "contentFilter">,
): void {
  const add = (content?: Uint8Array, skip?: SkipReason, size?: number) =>
    addDocument(writer, document, build, content, skip, size);
  if (build.contentFilter.excludes(textOf(document.path))) {
    const stat = files.stat(document.path);
    // The size later shows whether the file has changed.
    if (stat !== undefined) add(undefined, "excluded", stat.size);
    return;
  }
  const file = files.read(document.path, build.contentFilter.maxBytes);
  if (file.kind === "content") add(file.bytes);
  else if (file.kind === "tooLarge") add(undefined, "tooLarge", file.size);
  else if (file.kind === "unreadable") add(undefined, "unreadable");
}
