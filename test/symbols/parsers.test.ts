import assert from "node:assert/strict";
import { after, test } from "node:test";
import { symbolParsers } from "#symbols/parsing/parsers";
import { maxParsedBytes, type ParsedSymbols, type SourceText } from "#symbols/symbols";
import { symbolWorker } from "#test/support/symbols";

const parsers = symbolParsers(symbolWorker, 2);
after(() => parsers.close());

const text = (language: string, content: string | Uint8Array): SourceText => ({
  language,
  content: Buffer.from(content as string),
});
const plain = text("Go", "package p\nfunc f() {}\n");

/** The number of definitions, or the reason why the text was not parsed. */
function outcome(parsed: ParsedSymbols | undefined): string | number {
  return parsed === undefined ? "lost" : parsed.kind === "parsed" ? parsed.definitions.length : parsed.reason;
}

/** Generates bytes from a fixed seed, so that failures are reproducible. */
function noise(length: number): Uint8Array {
  let state = 42;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

const statement = "function f(a){return a+1}var x=[1,2,{k:f(3)}];";
const hostile: Readonly<Record<string, SourceText>> = {
  "a line of 1 MB": text("JavaScript", statement.repeat(1_000_000 / statement.length)),
  "100,000 nested brackets": text("JavaScript", `${"[".repeat(100_000)}${"]".repeat(100_000)}`),
  "100,000 open brackets": text("C", `int x = ${"(".repeat(100_000)}`),
  "80,000 nested blocks with definitions": text("C++", "{ struct a { int b; };".repeat(80_000)),
  "50,000 names in one declaration": text(
    "C",
    `int ${Array.from({ length: 50_000 }, (_, n) => `a${n}`).join()};`,
  ),
  "random bytes": text("Python", noise(200_000)),
  "random bytes as C++": text("C++", noise(200_000)),
  "unclosed elements": text("HTML", "<div>".repeat(50_000)),
  "unclosed macros": text("C", "static A_B ( C_D /* ".repeat(50_000)),
  "one long identifier": text("C", "A".repeat(1_000_000)),
  "nested type arguments that exhaust memory": text("Java", `class A { int x = ${"a<".repeat(20_000)} }`),
};

test("a text that crashes its parser does not affect the others", async () => {
  const texts = Object.values(hostile).flatMap((each) => [plain, each]);
  const parsed = await parsers.symbols([...texts, plain]);
  assert.equal(parsed.length, texts.length + 1);
  for (const [index, name] of [
    "plain",
    ...Object.keys(hostile).flatMap((each) => [each, "plain"]),
  ].entries()) {
    const found = outcome(parsed[index]);
    if (name === "plain") assert.equal(found, 2, `before ${texts[index + 1]?.language}`);
    else assert.ok(typeof found === "number" || ["tooSlow", "crashed"].includes(found), `${name}: ${found}`);
  }
  assert.equal(typeof outcome(parsed.at(-2)), "string");
});

test("complete definitions of a truncated file are found", async () => {
  const whole = "package p\nfunc first() { if x { y() } }\ntype T struct { a int }\nfunc last() { call(";
  for (const end of [whole.length, whole.length - 5, whole.indexOf("func last") + 4]) {
    const [parsed] = await parsers.symbols([text("Go", whole.slice(0, end))]);
    assert.ok(parsed?.kind === "parsed");
    const names = parsed.definitions.map(({ name }) => name);
    for (const name of ["p", "first", "T", "a"]) assert.ok(names.includes(name), `${name} of ${names}`);
  }
});

test("an unparsed text has a reason", async () => {
  const large = text("Go", Buffer.alloc(maxParsedBytes + 1, 0x20));
  const parsed = await parsers.symbols([text("", "x"), text("Klingon", "x"), large, text("Go", "")]);
  assert.deepEqual(parsed.map(outcome), ["noGrammar", "noGrammar", "tooLarge", 0]);
});

test("each request has a result for each text, in order", async () => {
  const second = text("Go", "package q\nfunc g() { f(); f() }\n");
  const occurrences = await parsers.occurrences([plain, second, text("", "f")], "f");
  assert.deepEqual(
    occurrences.map((each) => (each.kind === "parsed" ? each.occurrences.length : each.reason)),
    [1, 2, "noGrammar"],
  );
  const offset = Buffer.from(plain.content).indexOf("f()");
  const found = await parsers.identifierAt(plain, offset);
  assert.ok(found.kind === "parsed" && found.identifier?.role === "definition");
  const signature = await parsers.signature(plain, offset);
  assert.ok(signature.kind === "parsed");
  assert.deepEqual(signature.signature, { signature: "func f()", documentation: "" });
});

test("a canceled call rejects, and the next one succeeds", async () => {
  const controller = new AbortController();
  const canceled = parsers.symbols(
    Array.from({ length: 500 }, () => plain),
    controller.signal,
  );
  controller.abort();
  await assert.rejects(canceled, { code: "CANCELLED" });
  assert.deepEqual((await parsers.symbols([plain])).map(outcome), [2]);
});

test("closed parsers reject", async () => {
  const closing = symbolParsers(symbolWorker, 1);
  const pending = closing.symbols(Array.from({ length: 500 }, () => plain));
  const rejected = assert.rejects(pending, { code: "ENGINE_UNAVAILABLE" });
  await closing.close();
  await rejected;
});
