import { isAscii } from "node:buffer";
import { ByteCache } from "#base/byteCache";
import { categorize } from "#languages/categorize";
import type { DocumentCategory, SkipReason } from "#model/document";
import { blobHash, skipReasonOf } from "./documentContent";
import { parseSearchReply, type ZoektFile } from "./zoektReplies";

/** What a result contains of a text that is not loaded, or depends on. */
export interface TextFacts {
  readonly blob: string;
  readonly skip: SkipReason | undefined;
  readonly isAscii: boolean;
  readonly category: DocumentCategory;
}

/** What an entry takes in addition to its text. */
const overheadBytes = 500;
/** How much of the cache is for what is known of texts. */
const factShare = 0.2;

/** The texts of one thread's documents, because similar queries tend to follow. They differ by Zoekt's checksum. */
export class CachedTexts {
  readonly #maxBytes: number;
  readonly #texts: ByteCache<Buffer>;
  readonly #facts: ByteCache<TextFacts>;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes * (1 - factShare);
    this.#texts = new ByteCache(this.#maxBytes);
    this.#facts = new ByteCache(maxBytes * factShare);
  }

  factsOf(file: ZoektFile): TextFacts | undefined {
    return file.Checksum === undefined ? undefined : this.#facts.get(keyOf(file));
  }

  /** Remembers what is known of a text for longer than the text. */
  learn(file: ZoektFile, content: Buffer): void {
    if (file.Checksum === undefined) return;
    const key = keyOf(file);
    if (this.#facts.get(key) !== undefined) return;
    const facts = {
      blob: blobHash(content),
      skip: skipReasonOf(content),
      isAscii: isAscii(content),
      category: categorize(file.FileName),
    };
    this.#facts.set(key, facts, 2 * key.length + overheadBytes);
  }

  get(file: ZoektFile): Buffer | undefined {
    return file.Checksum === undefined ? undefined : this.#texts.get(keyOf(file));
  }

  /** Caches the text of a file. A response of `replyBytes` that would replace most of the cache is not cached. */
  set(file: ZoektFile, replyBytes: number): void {
    if (file.Checksum === undefined || replyBytes > this.#maxBytes / 2) return;
    this.#texts.set(keyOf(file), file.content, file.content.length + overheadBytes);
  }

  /** Learns about the texts of responses. */
  learnAll(bodies: readonly Uint8Array[]): void {
    for (const body of bodies)
      for (const file of parseSearchReply(body)?.files ?? []) this.learn(file, file.content);
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
