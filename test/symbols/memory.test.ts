import assert from "node:assert/strict";
import { test } from "node:test";
import { Runtime } from "#symbols/grammars/runtime";
import { DocumentParser } from "#symbols/parsing/documentParser";
import { grammarFolder } from "#test/support/symbols";

test("a parser does not leak memory over thousands of texts", async () => {
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
  assert.equal(runtime.mustBeReplaced, false);
});
