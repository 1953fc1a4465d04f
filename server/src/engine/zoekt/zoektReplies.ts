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
});

export interface ZoektFile extends Omit<z.output<typeof ZoektFile>, "Content"> {
  /** In shared memory. */
  readonly content: Buffer;
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

/** Returns undefined for anything else than a search result. Without `hasTexts`, all texts are empty. */
export function parseSearchReply(body: Uint8Array, hasTexts = true): ZoektSearchResult | undefined {
  const { json, texts } = withoutTexts(bufferOf(body));
  const result = parse(json, ZoektSearchReply)?.Result;
  if (result === undefined) return undefined;
  const { Files: files, ...rest } = result;
  const decoded = hasTexts ? texts.map(decodeText) : [];
  return {
    ...rest,
    files: (files ?? []).map(({ Content: index, ...file }) => ({
      ...file,
      content: decoded[index ?? -1] ?? noText,
    })),
  };
}

const noText = Buffer.alloc(0);
const textField = '"Content":"';
const rangesField = '"Ranges":[';

/**
 * Replaces each text by its index, and removes the positions of matches. These are almost all of a response, and parsing
 * JSON takes longer than everything else that is done with them. Texts are in base64, so they contain no quotes; positions
 * are numbers, so they contain no brackets; and no other string of JSON contains the name of a field with quotes that are
 * not escaped.
 */
function withoutTexts(body: Buffer): { readonly json: string; readonly texts: readonly string[] } {
  const whole = body.toString("latin1");
  const pieces: string[] = [];
  const texts: string[] = [];
  let from = 0;
  for (let at = whole.indexOf(textField); at >= 0; at = whole.indexOf(textField, from)) {
    const start = at + textField.length;
    const end = whole.indexOf('"', start);
    if (end < 0) break;
    pieces.push(whole.slice(from, start - 1), String(texts.length));
    texts.push(whole.slice(start, end));
    from = end + 1;
    // The positions of a chunk follow its text.
    if (!whole.startsWith(rangesField, from + 1)) continue;
    const positions = from + 1 + rangesField.length;
    const last = whole.indexOf("]", positions);
    if (last < 0) break;
    pieces.push(whole.slice(from, positions));
    from = last;
  }
  pieces.push(whole.slice(from));
  const json = pieces.join("");
  return { json: isAscii(body) ? json : Buffer.from(json, "latin1").toString("utf8"), texts };
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
