import { ServiceError } from "#base/error";
import { diskFiles, type Files } from "#platform/files";
import type { Checksum } from "./checksum";
import type { Draft } from "./directory";
import { removeStray } from "./stray";
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
  let descriptor: number | undefined;
  try {
    const opened = storing(path, () => files.create(path));
    descriptor = opened;
    const writer = new ShardWriter(
      { write: (bytes) => storing(path, () => files.write(opened, bytes)) },
      checksum,
    );
    await fill(writer);
    const summary = writer.finish();
    storing(path, () => files.fsync(opened));
    descriptor = undefined;
    storing(path, () => files.close(opened));
    return { path, summary, parts: writer.parts };
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
