import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withoutBodies } from "#symbols/bodies";
import { definitionsIn } from "#symbols/definitions";
import { DocumentParser } from "#symbols/documentParser";
import { grammarOf } from "#symbols/grammars";
import { definitionQueries } from "#symbols/queries";
import { Runtime } from "#symbols/runtime";
import { decodeSource } from "#symbols/sourceText";
import { projectRoot } from "#test/support/house";
import { grammarFolder } from "#test/support/symbols";

const starting = Runtime.start(grammarFolder);

/** By language: a text, and what of it is parsed. */
const rows: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Go: {
    "func f() { return g(\"}\", `}`, '}') }": "func f() {}",
    "func f() { /* } */ a() // }\n}": "func f() {}",
    "func f() { switch x.(type) { case int: } }": "func f() {}",
    "func f() { type local struct { a int } }": "func f() { type local struct { a int } }",
    "func f() { if x { aaaaaaaaa() }; type t int }": "func f() { if x {}; type t int }",
    "func f() { rows := []struct{ name string }{{a: 1}} }": "func f() {}",
    "var rows = []struct{ name string }{{name: 1234567}}": "var rows = []struct{ name string }{}",
    "func f() { var x interface{ Close() error } }": "func f() { var x interface{ Close() error } }",
    "func f(x interface{}) { var y interface{} = x }": "func f(x interface{}) {}",
    "func f(func()) int\nvar x = T{f: []struct{ a int }{}}":
      "func f(func()) int\nvar x = T{f: []struct{ a int }{}}",
    "func f() { a('x) }": "func f() { a('x) }",
    "func f() { if x { y(1234567) }": "func f() { if x { y(1234567) }",
  },
  TypeScript: {
    "function f() { return /[/}]/.test(a) / 2; }": "function f() {}",
    "function f() { if (x) /}/.exec(y); return 1 }": "function f() {}",
    "function f() { return `${{ a: `}` }} }`; }": "function f() {}",
    "function f() { return a! / 2 + b++ / 2 + '}'; }": "function f() {}",
    "function f() { g(() => 1, (a) => { b(); }); }": "function f() {}",
    "function f() { g(function () { b(); }, c); }": "function f() {}",
    "function f() { const g = () => 1; }": "function f() { const g = () => 1; }",
    "function f() { const g = (a): number[] => []; }": "function f() { const g = (a): number[] => []; }",
    "function f() { function inner() { b(12345); } }": "function f() { function inner() {} }",
    "function f() { return { a() { b(123456); } }; }": "function f() { return { a() {} }; }",
    "function f() { return { a(): void { b(1234); } }; }": "function f() { return { a(): void {} }; }",
    "function f() { class A { b = 1234567; } }": "function f() { class A { b = 1234567; } }",
    "function f() { require('./one'); }": "function f() { require('./one'); }",
    "class A { f(): { a: string } { return 1234; } }": "class A { f(): {} {} }",
    "class A<T extends { a: string }> extends B<{ c: string }> { d = 1; }":
      "class A<T extends { a: string }> extends B<{ c: string }> { d = 1; }",
    "class A extends mixin({ a: 1234567 }) { b = 1; }": "class A extends mixin({}) { b = 1; }",
    "interface A extends B<{ c: string }> { d: number }":
      "interface A extends B<{ c: string }> { d: number }",
    "type A<T = { b: string }> = { c: number; d: { e: number } }":
      "type A<T = { b: string }> = { c: number; d: {} }",
    "export const { a, b: bbbbb } = { c: 1234567 };": "export const { a, b: bbbbb } = {};",
    "enum A { First, Second }": "enum A { First, Second }",
    "\ufeffinterface A { b: string }": "\ufeffinterface A { b: string }",
    "\ufeff#!/bin/x {\nfunction f() { a(12345678); }": "\ufeff#!/bin/x {\nfunction f() {}",
    "export\u00a0interface A { bcdefghi: string }": "export\u00a0interface A { bcdefghi: string }",
    "const größe = { a: 12345678 }": "const größe = {}",
    'const t = { function: { name: "x" } };\nexport const h = { run(args) { return 1; } };':
      "const t = {};\nexport const h = { run(args) {} };",
    "const p = { catch(a) { return a(1); } };": "const p = { catch(a) {} };",
    "const p = { a: 1, if(a) { return a(1); } };": "const p = { a: 1, if(a) {} };",
    "const p = { for(a) { return a(1); } };": "const p = { for(a) {} };",
    "function f() { if (a) { try { b(); } catch (c) { d(); } } }": "function f() {}",
    "function f() {\n  return\n  function inner() { b(12345); }\n}":
      "function f() {\n  return\n  function inner() {}\n}",
    "class A extends mix(class { x = 1 }) { field = 12345; }":
      "class A extends mix(class { x = 1 }) { field = 12345; }",
    "function f() { const b = (): new () => C => { d(123456); }; }":
      "function f() { const b = (): new () => C => {}; }",
    "function f() { return new (function () { b(123); })(); }": "function f() {}",
    "const a = { class: 1234, type: 1 };": "const a = {};",
    "function f() { return 1; } /}/.exec(1); {": "function f() { return 1; } /}/.exec(1); {",
  },
  JavaScript: {
    "class A { constructor() { this.a = 1; } b() { return 1; } }":
      "class A { constructor() { this.a = 1; } b() {} }",
    "function f() { return [...require('./one')]; }": "function f() { return [...require('./one')]; }",
    "function f() { return <p>don't</p>; }": "function f() { return <p>don't</p>; }",
  },
};

for (const [language, texts] of Object.entries(rows)) {
  for (const [text, parsed] of Object.entries(texts)) {
    test(`${language}: ${text}`, async () => {
      const content = Buffer.from(text);
      const short = withoutBodies(language, content)?.content ?? content;
      assert.equal(Buffer.from(short).toString(), parsed);
      await assertSame(language, content, text);
    });
  }
}

test("in real texts the same is found whether bodies are left out or not", async () => {
  let shortened = 0;
  for (const folder of ["server/src", "test", "scripts", "node_modules/kysely/dist/cjs"]) {
    for (const name of readdirSync(join(projectRoot(), folder), { recursive: true, encoding: "utf8" })) {
      const language = name.endsWith(".ts") ? "TypeScript" : /\.m?js$/.test(name) ? "JavaScript" : undefined;
      if (language === undefined) continue;
      const content = readFileSync(join(projectRoot(), folder, name));
      if (await assertSame(language, content, name)) shortened++;
    }
  }
  assert.ok(shortened > 500, `${shortened}`);
});

/** Where the grammar knows all of the text. Says whether something was left out. */
async function assertSame(language: string, content: Uint8Array, name: string): Promise<boolean> {
  const runtime = await starting;
  const grammar = grammarOf(language) ?? "";
  const source = decodeSource(content);
  const tree = runtime.parse(grammar, source.text);
  try {
    if (tree.rootNode.hasError) return false;
    const query = definitionQueries[grammar] ?? "";
    const expected = definitionsIn(runtime.matches(grammar, "definitions", query, tree.rootNode), source);
    assert.deepEqual(new DocumentParser(runtime).symbols(language, content), expected, name);
  } finally {
    tree.delete();
  }
  return withoutBodies(language, content) !== undefined;
}
