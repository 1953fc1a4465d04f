/** The responses of Zoekt's JSON interface, as far as they are used. Other fields are ignored. */
import { isAscii } from "node:buffer";
import * as z from "zod";

const count = z.number().min(0);
/** Go encodes an empty list as null. */
const names = z.array(z.string()).nullish();

const ZoektFile = z.object({
  FileName: z.string(),
  Repository: z.string(),
  Language: z.string().optional(),
  Branches: names,
  Version: z.string().optional(),
  /** Of the text. */
  Checksum: z.string().optional(),
  /** The index of the text, which `withoutTexts` has removed. Absent if the text is empty. */
  Content: z.number().nullish(),
  /** Only if texts are not requested: indexes of the chunks that `withoutTexts` has removed. */
  ChunkMatches: z.array(z.unknown()).nullish(),
});

export interface ZoektFile extends Omit<z.output<typeof ZoektFile>, "Content" | "ChunkMatches"> {
  /** In shared memory. */
  readonly content: Buffer;
  /** Only if lines are wanted and all chunks could be read. Not in order. */
  readonly chunks?: readonly ZoektChunk[] | undefined;
}

/** Whole lines with matches, and where they start in the text. */
export interface ZoektChunk {
  /** From 0. */
  readonly byteOffset: number;
  /** From 1. */
  readonly lineNumber: number;
  /** The lines in base64. */
  readonly text: string;
}

const ZoektSearchReply = z.object({
  Result: z.object({
    Files: z.array(ZoektFile).nullish(),
    FileCount: count,
    FilesSkipped: count,
    ShardsSkipped: count,
    Crashes: count,
    FilesLoaded: count,
    ContentBytesLoaded: count,
    IndexBytesLoaded: count,
  }),
});

export interface ZoektSearchResult extends Omit<z.output<typeof ZoektSearchReply>["Result"], "Files"> {
  readonly files: readonly ZoektFile[];
}

const ZoektListReply = z.object({
  List: z.object({
    Repos: z
      .array(
        z.object({
          Repository: z.object({
            ID: count.optional(),
            Name: z.string(),
            Branches: z.array(z.object({ Name: z.string(), Version: z.string() })).nullish(),
          }),
          Stats: z.object({
            Documents: count.optional(),
            ContentBytes: count.optional(),
            IndexBytes: count.optional(),
          }),
        }),
      )
      .nullish(),
    Crashes: count,
  }),
});

export type ZoektList = z.output<typeof ZoektListReply>["List"];

/** Returns undefined for anything else than a search result. Texts and lines are empty unless they are `wanted`. */
export function parseSearchReply(
  body: Uint8Array,
  wanted: "texts" | "lines" | "names" = "texts",
): ZoektSearchResult | undefined {
  const { json, texts, chunks } = withoutTexts(bufferOf(body));
  const result = parse(json, ZoektSearchReply)?.Result;
  if (result === undefined) return undefined;
  const { Files: files, ...rest } = result;
  const decoded = wanted === "texts" ? texts.map(decodeText) : [];
  return {
    ...rest,
    files: (files ?? []).map(({ Content: index, ChunkMatches: indexes, ...file }) => {
      const content = decoded[index ?? -1] ?? noText;
      const found = wanted === "lines" && indexes ? chunksOf(indexes, chunks) : undefined;
      return found === undefined ? { ...file, content } : { ...file, content, chunks: found };
    }),
  };
}

/** Returns undefined unless each chunk has been removed from the JSON. */
function chunksOf(
  indexes: readonly unknown[],
  chunks: readonly RemovedChunk[],
): readonly ZoektChunk[] | undefined {
  const found: ZoektChunk[] = [];
  for (const index of indexes) {
    const chunk = typeof index === "number" ? chunks[index] : undefined;
    if (chunk === undefined) return undefined;
    if (!chunk.isInName) found.push(chunk);
  }
  return found;
}

interface RemovedChunk extends ZoektChunk {
  /** Whether it is the path, which has no lines. */
  readonly isInName: boolean;
}

const noText = Buffer.alloc(0);
const textField = '"Content":"';
const rangesField = '"Ranges":[';

/** Around the text and the positions of a chunk. */
const chunkHead = '{"DebugScore":"",';
const chunkTail =
  /\],"SymbolInfo":null,"FileName":(true|false),"ContentStart":\{"ByteOffset":(\d+),"LineNumber":(\d+),"Column":\d+\},"Score":[\d.e+-]+,"BestLineMatch":\d+\}/y;

/**
 * Replaces each text by its index and each chunk of lines by its own, and removes the positions of matches. These are
 * almost all of a response, and parsing JSON takes longer than everything else that is done with them. Texts are in base64,
 * so they contain no quotes; positions are numbers, so they contain no brackets; and no other string of JSON contains the
 * name of a field with quotes that are not escaped. Chunks whose fields are different, or in another order, remain.
 */
function withoutTexts(body: Buffer): {
  readonly json: string;
  readonly texts: readonly string[];
  readonly chunks: readonly RemovedChunk[];
} {
  const whole = body.toString("latin1");
  const pieces: string[] = [];
  const texts: string[] = [];
  const chunks: RemovedChunk[] = [];
  let from = 0;
  for (let at = whole.indexOf(textField); at >= 0; at = whole.indexOf(textField, from)) {
    const start = at + textField.length;
    const end = whole.indexOf('"', start);
    if (end < 0) break;
    // The positions of a chunk follow its text.
    const positions = whole.startsWith(rangesField, end + 2) ? end + 2 + rangesField.length : -1;
    const last = positions < 0 ? -1 : whole.indexOf("]", positions);
    const text = whole.slice(start, end);
    const head = at - chunkHead.length;
    chunkTail.lastIndex = last;
    const tail = last >= 0 && head >= from && whole.startsWith(chunkHead, head) && chunkTail.exec(whole);
    if (tail) {
      pieces.push(whole.slice(from, head), String(chunks.length));
      const [byteOffset, lineNumber] = [Number(tail[2]), Number(tail[3])];
      chunks.push({ byteOffset, lineNumber, text, isInName: tail[1] === "true" });
      from = chunkTail.lastIndex;
      continue;
    }
    pieces.push(whole.slice(from, start - 1), String(texts.length));
    texts.push(text);
    from = end + 1;
    if (positions < 0) continue;
    if (last < 0) break;
    pieces.push(whole.slice(from, positions));
    from = last;
  }
  pieces.push(whole.slice(from));
  const json = pieces.join("");
  return { json: isAscii(body) ? json : Buffer.from(json, "latin1").toString("utf8"), texts, chunks };
}

/** Decodes into shared memory, so that other threads get the text without copying it. */
function decodeText(text: string): Buffer {
  const target = Buffer.from(new SharedArrayBuffer(Buffer.byteLength(text, "base64")));
  return target.subarray(0, target.write(text, "base64"));
}

/** Returns undefined for anything else than a list of repositories. */
export function parseListReply(body: Uint8Array): ZoektList | undefined {
  return parse(bufferOf(body).toString("utf8"), ZoektListReply)?.List;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function parse<Schema extends z.ZodType>(json: string, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
