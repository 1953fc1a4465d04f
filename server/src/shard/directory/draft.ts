import { ServiceError } from "#base/error";
import { diskFiles, type Files } from "#platform/files";
import type { Checksum } from "#shard/format/checksum";
import { diskFormatVersion } from "#shard/format/frames";
import type { ByteSink } from "#shard/format/sections";
import { ShardWriter } from "#shard/format/writer";
import type { SymbolSummary } from "#shard/symbolFile/symbolFile";
import { SymbolWriter } from "#shard/symbolFile/symbolWriter";
import type { Draft } from "./directory";
import { removeStrayFile } from "./stray";
import type { SymbolDraft } from "./symbolFiles";

const onDisk = { formatVersion: diskFormatVersion() };

/** Writes a shard to `path` and makes it durable. Removes the draft if anything fails. Throws `STORAGE_FAILED`. */
export async function writeDraft(
  path: string,
  checksum: Checksum,
  fill: (writer: ShardWriter) => Promise<void> | void,
  files: Files = diskFiles,
): Promise<Draft> {
  return writeDurably(path, files, async (sink) => {
    const writer = new ShardWriter(sink, checksum, onDisk);
    await fill(writer);
    return { path, summary: writer.finish(), parts: writer.parts };
  });
}

/** Like `writeDraft`, for a symbol file. */
export async function writeSymbolDraft(
  path: string,
  checksum: Checksum,
  fill: (writer: SymbolWriter) => Promise<SymbolSummary> | SymbolSummary,
  files: Files = diskFiles,
): Promise<SymbolDraft> {
  return writeDurably(path, files, async (sink) => {
    const summary = await fill(new SymbolWriter(sink, checksum, onDisk));
    return { path, summary };
  });
}

async function writeDurably<Result>(
  path: string,
  files: Files,
  write: (sink: ByteSink) => Promise<Result>,
): Promise<Result> {
  let descriptor: number | undefined;
  try {
    const opened = withStorageErrors(path, () => files.create(path));
    descriptor = opened;
    const result = await write({
      write: (bytes) => withStorageErrors(path, () => files.write(opened, bytes)),
    });
    withStorageErrors(path, () => files.fsync(opened));
    descriptor = undefined;
    withStorageErrors(path, () => files.close(opened));
    return result;
  } catch (error) {
    if (descriptor !== undefined) closeAnyway(files, descriptor);
    removeStrayFile(files, path);
    throw error;
  }
}

/** Closes a file after an error. Ignores a failure to close it, because the first error matters more. */
function closeAnyway(files: Files, descriptor: number): void {
  try {
    files.close(descriptor);
  } catch {
    // The caller reports the first error.
  }
}

function withStorageErrors<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError("STORAGE_FAILED", `Cannot write the index to ${path}: ${reason}`, { cause });
  }
}
