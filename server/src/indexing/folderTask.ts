/** The worker's side of a plain folder: its files are its documents. */
import { throwIfAborted } from "#base/error";
import { textOf } from "#git/bytePath";
import type { FolderFile } from "#git/folderFiles";
import { WorkingFiles } from "#git/workingFile";
import type { AttributesOf } from "#languages/attributes";
import type { SkipReason } from "#model/document";
import type { Draft } from "#shard/directory";
import { targetShardBytes } from "#shard/shard";
import type { ShardWriter } from "#shard/writer";
import { addDocument, categoryRank, progressStep, type ShardBuilding, writeShards } from "./buildTask";
import { type PlannedDocument, sortByRank } from "./plan";

/** A folder is one revision, without a name. */
const folderSlot = 0;

/** Documents of a folder, best first. */
export function planFolder(found: readonly FolderFile[], attributesOf: AttributesOf): PlannedDocument[] {
  const slots = [folderSlot];
  return sortByRank(
    found.map(({ path }) => ({ path, hash: "", slots })),
    categoryRank(attributesOf),
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
        addFile(writer, files, documents[next++], building);
        if (next - reported < progressStep) continue;
        building.onDocuments(next - reported);
        reported = next;
      }
      building.onDocuments(next - reported);
    },
  );
}

function addFile(
  writer: ShardWriter,
  files: WorkingFiles,
  document: PlannedDocument | undefined,
  building: ShardBuilding,
): void {
  if (document === undefined) return;
  const add = (content?: Uint8Array, skip?: SkipReason, size?: number) =>
    addDocument(writer, document, building, content, skip, size);
  if (building.admission.excludes(textOf(document.path))) {
    const stat = files.stat(document.path);
    // The size tells later whether the file is still the same.
    if (stat !== undefined) add(undefined, "excluded", Number(stat.size));
    return;
  }
  const file = files.read(document.path, building.admission.maxBytes);
  if (file.kind === "content") add(file.bytes);
  else if (file.kind === "tooLarge") add(undefined, "tooLarge", file.size);
  else if (file.kind === "unreadable") add(undefined, "unreadable");
}
