/** The JSON of packed files, which is copied from their bytes only when it is read. */
import { intern } from "#base/intern";
import { Uint32List } from "#base/uint32List";
import { type PackedFile, PackedList } from "#model/packedFile";

/** At most about this many bytes are copied at once. */
const maxPartBytes = 256 * 1024;
/** Fewer bytes are copied faster in a loop than by a call. */
const maxLoopLength = 48;

const startOfFirst = Buffer.from('[{"fileName":{"text":"');
const startOfNext = Buffer.from(',{"fileName":{"text":"');
const endOfFile = Buffer.from('"}');

interface FrameParts<Text> {
  readonly hasWebUrl: boolean;
  readonly hasExternalUrl: boolean;
  /** From the file's name to the path in its URL. */
  readonly afterName: Text;
  /** From the end of the URL to the chunks. */
  readonly beforeChunks: Text;
  /** From the chunks to the path in the external URL. */
  readonly afterChunks: Text;
  /** From the end of that URL to the blob's hash. */
  readonly beforeHash: Text;
  /** The length of the external URL without the path. */
  readonly externalUrlLength: number;
}

/** The JSON that all packed files from one source and in one language share. */
export interface PackedFrame extends FrameParts<Buffer> {
  /** How often the JSON of a file contains its path. */
  readonly pathCount: number;
  /** The length of a file's JSON without its path, hash and chunks, and with a separator. */
  readonly length: number;
}

export function packedFrame(parts: FrameParts<string>): PackedFrame {
  const afterName = Buffer.from(parts.afterName);
  const beforeChunks = Buffer.from(parts.beforeChunks);
  const afterChunks = Buffer.from(parts.afterChunks);
  const beforeHash = Buffer.from(parts.beforeHash);
  const all = [startOfNext, afterName, beforeChunks, afterChunks, beforeHash, endOfFile];
  const { hasWebUrl, hasExternalUrl, externalUrlLength } = parts;
  // Spread syntax would give each frame a hidden class of its own.
  return {
    hasWebUrl,
    hasExternalUrl,
    externalUrlLength,
    afterName,
    beforeChunks,
    afterChunks,
    beforeHash,
    pathCount: 1 + Number(hasWebUrl) + Number(hasExternalUrl),
    length: all.reduce((sum, { length }) => sum + length, 0),
  };
}

/** The parts of a JSON array of files: bytes, and packed files, each with a separator before it. */
export class PartList {
  /** Bytes, or the number of consecutive packed files. */
  readonly #parts: (Uint8Array | number)[] = [];
  readonly #files = new PackedList();
  /** The index of each packed file's frame. */
  readonly #frameOf = new Uint32List();
  readonly #frames: PackedFrame[] = [];
  readonly #frameIndexes = new Map<PackedFrame, number>();
  #length = 0;
  #packedLength = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  push(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  pushPacked(file: PackedFile, frame: PackedFrame): void {
    const length = lengthOf(file, frame);
    const last = this.#parts.at(-1);
    if (typeof last === "number") this.#parts[this.#parts.length - 1] = last + 1;
    else this.#parts.push(1);
    this.#files.push(file);
    const frameIndex = intern(this.#frameIndexes, frame);
    this.#frames[frameIndex] = frame;
    this.#frameOf.push(frameIndex);
    this.#length += length;
    this.#packedLength += length;
  }

  /** Copies packed files to memory that `allocate` returns. Each part is finished before the next is requested. */
  *read(allocate: (byteCount: number) => Buffer): Generator<Uint8Array> {
    const startsPacked = typeof this.#parts[0] === "number";
    let left = this.#packedLength;
    let next = 0;
    let buffer: Buffer = Buffer.alloc(0);
    for (const part of this.#parts) {
      if (typeof part !== "number") {
        yield part;
        continue;
      }
      let end = 0;
      for (const stop = next + part; next < stop; next++) {
        const file = this.#files.at(next);
        const frame = this.#frames[this.#frameOf.at(next)];
        if (file === undefined || frame === undefined) continue;
        const length = lengthOf(file, frame);
        if (end + length > buffer.length) {
          if (end > 0) yield buffer.subarray(0, end);
          buffer = buffer.subarray(end);
          end = 0;
          if (length > buffer.length) buffer = allocate(Math.max(length, Math.min(left, maxPartBytes)));
        }
        writeFile(buffer, end, startsPacked && next === 0 ? startOfFirst : startOfNext, file, frame);
        end += length;
        left -= length;
      }
      yield buffer.subarray(0, end);
      buffer = buffer.subarray(end);
    }
  }
}

function lengthOf(file: PackedFile, { length, pathCount }: PackedFrame): number {
  return length + pathCount * file.pathLength + file.hashLength + file.chunksLength;
}

function writeFile(
  output: Uint8Array,
  start: number,
  startOfFile: Buffer,
  file: PackedFile,
  frame: PackedFrame,
): void {
  const { bytes } = file.files;
  const path = file.start;
  const pathEnd = path + file.pathLength;
  const hashEnd = pathEnd + file.hashLength;
  let at = append(output, start, startOfFile);
  at = copy(output, at, bytes, path, pathEnd);
  at = append(output, at, frame.afterName);
  if (frame.hasWebUrl) at = copy(output, at, bytes, path, pathEnd);
  at = append(output, at, frame.beforeChunks);
  at = copy(output, at, bytes, hashEnd, hashEnd + file.chunksLength);
  at = append(output, at, frame.afterChunks);
  if (frame.hasExternalUrl) at = copy(output, at, bytes, path, pathEnd);
  at = append(output, at, frame.beforeHash);
  at = copy(output, at, bytes, pathEnd, hashEnd);
  append(output, at, endOfFile);
}

function append(output: Uint8Array, at: number, bytes: Uint8Array): number {
  return copy(output, at, bytes, 0, bytes.length);
}

/** Copies `bytes[from … to)`, and returns where the copy ends. */
function copy(output: Uint8Array, start: number, bytes: Uint8Array, from: number, to: number): number {
  const isWhole = to - from === bytes.length;
  if (to - from > maxLoopLength) output.set(isWhole ? bytes : bytes.subarray(from, to), start);
  else for (let at = from; at < to; at++) output[start + at - from] = bytes[at] ?? 0;
  return start + to - from;
}
