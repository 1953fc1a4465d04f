import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ServiceError } from "#base/error";

/** Bytes at positions: a file, or memory. */
export interface ByteSource {
  readonly length: number;
  /** Fills `target[offset … offset + length)` from `position`; throws where the source ends before. */
  read(position: number, target: Uint8Array, offset: number, length: number): void;
  close(): void;
}

/**
 * Reads through the page cache; synchronous, because a read of a few kilobytes takes 2 µs and a callback 20. Throws as
 * `opening` does.
 */
export function fileSource(path: string): ByteSource {
  const descriptor = opening(() => openSync(path, "r"));
  const length = fstatSync(descriptor).size;
  return {
    length,
    read(position, target, offset, byteCount) {
      for (let done = 0; done < byteCount; ) {
        const read = readSync(descriptor, target, offset + done, byteCount - done, position + done);
        if (read === 0) throw new RangeError(`${path} ends before byte ${position + byteCount}`);
        done += read;
      }
    },
    close() {
      closeSync(descriptor);
    },
  };
}

/** Of a system that lacks something at the moment, or does not allow it. */
const passingCodes = new Set(["EACCES", "EAGAIN", "EBUSY", "EMFILE", "ENFILE", "ENOMEM", "EPERM"]);

/**
 * What `open` gives. Throws `STORAGE_FAILED` where a file does not open for a reason that says nothing of what it holds,
 * and may later; else what the system throws.
 */
export function opening<Opened>(open: () => Opened): Opened {
  try {
    return open();
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    if (!passingCodes.has(code)) throw cause;
    throw new ServiceError("STORAGE_FAILED", `A file cannot be opened: ${message}`, { cause });
  }
}

export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    length: bytes.length,
    read(position, target, offset, byteCount) {
      if (position + byteCount > bytes.length)
        throw new RangeError(`No byte ${position + byteCount} in memory`);
      target.set(bytes.subarray(position, position + byteCount), offset);
    },
    close() {},
  };
}
