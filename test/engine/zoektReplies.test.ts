/** Responses of Zoekt whose names and texts look like parts of the response itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseSearchReply } from "#engine/zoekt/zoektReplies";

const text = fc
  .array(fc.constantFrom('"Content":"', '"Ranges":[', "]", "[", '"', "\\", ",", "{", "}", "é", "\0", "a"), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));
const encoded = text.map((each) => Buffer.from(each).toString("base64"));
const location = fc.record({ ByteOffset: fc.nat(), LineNumber: fc.nat(), Column: fc.nat() });
const chunk = fc.record({
  Content: encoded,
  Ranges: fc.option(fc.array(fc.record({ Start: location, End: location }), { maxLength: 3 })),
  DebugScore: text,
});
/** As Zoekt encodes it. */
const lines = fc.record({
  DebugScore: fc.constant(""),
  Content: encoded,
  Ranges: fc.array(fc.record({ Start: location, End: location }), { maxLength: 3 }),
  SymbolInfo: fc.constant(null),
  FileName: fc.boolean(),
  ContentStart: location,
  Score: fc.constantFrom(0, 501.5, 5e21),
  BestLineMatch: fc.nat(),
});
const file = fc.record({
  FileName: encoded,
  Repository: text,
  Language: text,
  Branches: fc.option(fc.array(text, { maxLength: 3 })),
  Version: text,
  Content: encoded,
  Checksum: encoded,
  ChunkMatches: fc.option(fc.array(fc.oneof(chunk, lines), { maxLength: 3 })),
});
const counts = {
  ...{ FileCount: 1, FilesSkipped: 0, ShardsSkipped: 0, Crashes: 0 },
  ...{ FilesLoaded: 1, ContentBytesLoaded: 1, IndexBytesLoaded: 1 },
};

test("names, texts and lines are what they were, whatever they contain, and truncated responses are refused", () => {
  fc.assert(
    fc.property(fc.array(file, { maxLength: 4 }), fc.nat(), (files, cut) => {
      const body = Buffer.from(JSON.stringify({ Result: { Files: files, ...counts } }));
      const parsed = parseSearchReply(body)?.files;
      assert.deepEqual(
        parsed?.map(({ content, ...each }) => ({ ...each, Content: content.toString("base64") })),
        files.map(({ ChunkMatches: _, ...each }) => each),
      );
      assert.deepEqual(
        parseSearchReply(body, "lines")?.files.map(({ chunks }) =>
          chunks?.map(({ byteOffset, lineNumber, text: line }) => [byteOffset, lineNumber, line]),
        ),
        files.map(({ ChunkMatches: chunks }) =>
          chunks?.every((each) => "ContentStart" in each)
            ? chunks
                .filter(({ FileName: isInName }) => !isInName)
                .map(({ ContentStart: at, Content: line }) => [at.ByteOffset, at.LineNumber, line])
            : undefined,
        ),
      );
      assert.equal(parseSearchReply(body.subarray(0, cut % body.length)), undefined);
    }),
    { numRuns: 500 },
  );
});
