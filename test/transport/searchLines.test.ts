import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Chunk } from "#contract/search";
import { toWellFormed } from "#contract/snapshotUri";
import { plain } from "#test/support/page";
import { escapeText } from "#transport/pages/html";
import { LineRenderer, linesOf, markSpans } from "#transport/pages/searchLines";

/** Creates a chunk at line 5 of a file. Matches are pairs of offsets in code points. */
function chunkOf(content: string, matches: readonly (readonly [start: number, end: number])[]): Chunk {
  const characters = [...content];
  const positionAt = (offset: number) => {
    const before = characters.slice(0, offset).join("");
    const lineStart = before.lastIndexOf("\n") + 1;
    return {
      byteOffset: Buffer.byteLength(before),
      lineNumber: 5 + before.split("\n").length - 1,
      column: [...before.slice(lineStart)].length + 1,
    };
  };
  return {
    content,
    contentStart: { byteOffset: 0, lineNumber: 5, column: 1 },
    matchRanges: matches.map(([start, end]) => ({ start: positionAt(start), end: positionAt(end) })),
    symbols: [],
  };
}

async function markupOf(chunk: Chunk, language = ""): Promise<string[]> {
  const [lines = []] = await new LineRenderer(10_000).render([linesOf(chunk, 100)], language);
  return lines.map(({ text }) => text);
}

function marksOf(markup: string): string {
  return [...markup.matchAll(/<mark>(.*?)<\/mark>/gs)].map(([, mark = ""]) => plain(mark)).join("");
}

test("marks are exactly the matches, in any text and with highlighting", async () => {
  const text = fc
    .array(
      fc.constantFrom("a", "é", "🙂", "<", "&", '"', "\t", "\n", "\u0001", "// ", "/*", "'", "if ", "\u202e"),
      {
        maxLength: 60,
      },
    )
    .map((all) => all.join(""));
  const sizes = fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 8 })), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(text, sizes, fc.constantFrom("", "TypeScript"), async (content, gaps, language) => {
      const characters = [...content];
      const matches: [number, number][] = [];
      let at = 0;
      for (const [gap, length] of gaps) {
        const start = at + gap;
        const end = start + length;
        if (end > characters.length) break;
        matches.push([start, end]);
        at = end;
      }
      const markup = await markupOf(chunkOf(content, matches), language);
      const expected = content.replace(/\n$/, "").split("\n");
      assert.deepEqual(
        markup.map(plain),
        content === "" ? [] : expected.map((line) => plain(escapeText(line))),
      );
      const marked = matches.map(([start, end]) => characters.slice(start, end).join("")).join("");
      assert.equal(markup.map(marksOf).join(""), plain(escapeText(marked.replaceAll("\n", ""))));
      for (const line of markup)
        assert.doesNotMatch(line.replace(/<span class="[\w -]*">|<\/span>|<\/?mark>/g, ""), /[<>]/);
    }),
    { numRuns: 300 },
  );
});

test("a long line is cut around its first match", () => {
  for (const odd of ["", "a"]) {
    const content = `${odd}${"🙂".repeat(1000)}needle${odd}${"🙂".repeat(1000)}\n`;
    const at = odd.length + 1000;
    const [line] = linesOf(chunkOf(content, [[at, at + 6]]), 10);
    assert.ok(line !== undefined && line.text.length <= 303);
    assert.equal(line.text, toWellFormed(line.text));
    assert.equal(marksOf(markSpans(escapeText(line.text), line.spans).text), "needle");
  }
});

test("at most the given number of lines is returned", () => {
  const lines = linesOf(chunkOf("a\nb\nc\nd\n", [[2, 3]]), 3);
  assert.deepEqual(
    lines.map(({ number, text, isMatch }) => [number, text, isMatch]),
    [
      [5, "a", false],
      [6, "b", true],
      [7, "c", false],
    ],
  );
});
