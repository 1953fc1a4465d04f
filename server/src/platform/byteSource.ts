import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Bytes at positions: a file, or memory. */
export interface ByteSource {
  readonly length: number;
  /** Fills `target[offset … offset + length)` from `position`; throws where the source ends before. */
  read(position: number, target: Uint8Array, offset: number, length: number): void;
  close(): void;
}

/** Reads through the page cache; synchronous, because a read of a few kilobytes takes 2 µs and a callback 20. */
export function fileSource(path: string): ByteSource {
  const descriptor = openSync(path, "r");
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
