import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentParser } from "#symbols/documentParser";
import { Runtime } from "#symbols/runtime";
import { grammarFolder } from "#test/support/symbols";

test("a parser needs no more memory after thousands of texts than after hundreds", async () => {
  const runtime = await Runtime.start(grammarFolder);
  const parser = new DocumentParser(runtime);
  const body = "export function f(a: number) { return [a, { b: a }].map((x) => x); }\n";
  const parse = (count: number) => {
    for (let round = 0; round < count; round++) {
      const content = Buffer.from(body.repeat(1 + (round % 60)));
      assert.equal(parser.symbols("TypeScript", content).definitions.length, 1 + (round % 60));
      parser.occurrences("TypeScript", content, "a");
    }
  };
  parse(120);
  const before = runtime.memoryBytes;
  parse(1200);
  assert.ok(runtime.memoryBytes <= before + 1024 * 1024, `${before} -> ${runtime.memoryBytes}`);
  assert.equal(runtime.isWorn, false);
});
