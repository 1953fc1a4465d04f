import { ServiceError } from "#base/error";
import { diskFiles, type Files } from "#platform/files";
import type { Checksum } from "./checksum";
import type { Draft } from "./directory";
import type { ByteSink } from "./sections";
import { removeStray } from "./stray";
import type { SymbolDraft } from "./symbolFiles";
import type { SymbolSummary } from "./symbols";
import { SymbolWriter } from "./symbolWriter";
import { ShardWriter } from "./writer";

/**
 * Writes a shard to `path` and makes it durable. Where anything fails the draft is removed; a write that fails
 * (a full disk) is `STORAGE_FAILED`.
 */
export async function writeDraft(
  path: string,
  checksum: Checksum,
  fill: (writer: ShardWriter) => Promise<void> | void,
  files: Files = diskFiles,
): Promise<Draft> {
  return writeDurably(path, files, async (sink) => {
    const writer = new ShardWriter(sink, checksum);
    await fill(writer);
    return { path, summary: writer.finish(), parts: writer.parts };
  });
}

/** The same for a companion. */
export async function writeSymbolDraft(
  path: string,
  checksum: Checksum,
  fill: (writer: SymbolWriter) => Promise<SymbolSummary> | SymbolSummary,
  files: Files = diskFiles,
): Promise<SymbolDraft> {
  return writeDurably(path, files, async (sink) => {
    const summary = await fill(new SymbolWriter(sink, checksum));
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
    const opened = storing(path, () => files.create(path));
    descriptor = opened;
    const result = await write({ write: (bytes) => storing(path, () => files.write(opened, bytes)) });
    storing(path, () => files.fsync(opened));
    descriptor = undefined;
    storing(path, () => files.close(opened));
    return result;
  } catch (error) {
    if (descriptor !== undefined) closeAnyway(files, descriptor);
    removeStray(files, path);
    throw error;
  }
}

/** Of a file that will not be used; why it will not is what counts. */
function closeAnyway(files: Files, descriptor: number): void {
  try {
    files.close(descriptor);
  } catch {
    // It was written to in vain already.
  }
}

function storing<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError("STORAGE_FAILED", `The index cannot be written to ${path}: ${reason}`, { cause });
  }
}
