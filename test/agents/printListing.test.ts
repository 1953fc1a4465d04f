import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { clip } from "#agents/cleanText";
import { estimateTokens, printListing } from "#agents/printListing";
import type { Listing } from "#agents/tool";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 2000 }),
  fc.constantFrom("", "\u001b[31m", "\u202e", "語".repeat(900), "x".repeat(100_000), "a\nb", "\ud800"),
);
const listings: fc.Arbitrary<Listing> = fc.record({
  summary: anyText,
  narrow: fc.constant("use a longer pattern, or add repo, path or lang"),
  notes: fc.array(anyText, { maxLength: 4 }),
  lines: fc.array(
    fc.record({
      text: anyText,
      headings: fc.array(anyText, { maxLength: 3 }),
      file: fc.option(fc.record({ path: anyText }), { nil: undefined }),
      item: fc.record({ line: fc.nat(), text: anyText }),
    }),
    { maxLength: 40 },
  ),
});
const deceptive = /[\p{Cc}\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

test("no page exceeds its budget, contains control characters, or shows nothing of what is left", () => {
  fc.assert(
    fc.property(
      listings,
      fc.integer({ min: 200, max: 3000 }),
      fc.boolean(),
      (listing, maxTokens, isStructured) => {
        let offset = 0;
        while (offset < listing.lines.length) {
          const cursorAt = (next: number) => `${next}.abcdefgh`;
          const { text, shown, structured } = printListing(
            listing,
            maxTokens,
            offset,
            cursorAt,
            isStructured,
          );
          assert.ok(estimateTokens(text) <= maxTokens);
          assert.doesNotMatch(text.replace(/[\n\t]/g, ""), deceptive);
          assert.equal(structured !== undefined, isStructured);
          if (structured !== undefined) {
            const json = JSON.stringify(structured);
            assert.ok(estimateTokens(json) <= maxTokens, json);
            assert.doesNotMatch(json.replace(/\\n|\t/g, ""), deceptive);
          }
          assert.ok(shown > 0);
          offset += shown;
          assert.equal(text.includes(`cursor "${offset}.`), offset < listing.lines.length);
        }
      },
    ),
    { numRuns: 500 },
  );
});

const clipped: readonly (readonly [text: string, maxBytes: number, expected: string])[] = [
  ["abc", 3, "abc"],
  ["abcd", 3, "…"],
  ["abcdef", 5, "ab…"],
  ["語語語", 6, "語…"],
  ["abc", 2, ""],
];
for (const [text, maxBytes, expected] of clipped) {
  test(`clip ${text} to ${maxBytes} bytes`, () => {
    assert.equal(clip(text, maxBytes), expected);
  });
}
