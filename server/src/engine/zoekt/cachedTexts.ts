import { ByteCache } from "#base/byteCache";
import { parseSearchReply, type ZoektFile } from "./zoektReplies";

/** What an entry takes in addition to its text. */
const overheadBytes = 500;

/** The texts of one thread's documents, because similar queries tend to follow. They differ by Zoekt's checksum. */
export class CachedTexts {
  readonly #maxBytes: number;
  readonly #texts: ByteCache<Buffer>;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#texts = new ByteCache(maxBytes);
  }

  get(file: ZoektFile): Buffer | undefined {
    return file.Checksum === undefined ? undefined : this.#texts.get(keyOf(file));
  }

  /** Caches the text of a file. A response of `replyBytes` that would replace most of the cache is not cached. */
  set(file: ZoektFile, replyBytes: number): void {
    if (file.Checksum === undefined || replyBytes > this.#maxBytes / 2) return;
    this.#texts.set(keyOf(file), file.content, file.content.length + overheadBytes);
  }

  /** Reads and caches the texts of responses. */
  read(bodies: readonly Uint8Array[]): { get(file: ZoektFile): Buffer | undefined } {
    const texts = new Map<string, Buffer>();
    for (const body of bodies) {
      for (const file of parseSearchReply(body)?.files ?? []) {
        if (file.Checksum !== undefined) texts.set(keyOf(file), file.content);
        this.set(file, body.length);
      }
    }
    return { get: (file) => texts.get(keyOf(file)) };
  }
}

function keyOf({ Repository: repository, FileName: path, Checksum: checksum }: ZoektFile): string {
  return `${repository}\0${path}\0${checksum}`;
}
