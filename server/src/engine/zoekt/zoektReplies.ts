/** The responses of Zoekt's JSON interface, as far as they are used. Other fields are ignored. */
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
  /** Base64. Absent if empty. */
  Content: z.string().nullish(),
});

export type ZoektFile = z.output<typeof ZoektFile>;

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

export type ZoektSearchResult = z.output<typeof ZoektSearchReply>["Result"];

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

/** Returns undefined for anything else than a search result. */
export function parseSearchReply(body: Uint8Array): ZoektSearchResult | undefined {
  return parse(body, ZoektSearchReply)?.Result;
}

/** Returns undefined for anything else than a list of repositories. */
export function parseListReply(body: Uint8Array): ZoektList | undefined {
  return parse(body, ZoektListReply)?.List;
}

function parse<Schema extends z.ZodType>(body: Uint8Array, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(
      JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8")),
    ).data;
  } catch {
    return undefined;
  }
}
