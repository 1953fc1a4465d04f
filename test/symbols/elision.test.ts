import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Tree } from "web-tree-sitter";
import { EnclosingDefinitions } from "#model/enclosing";
import type { DocumentSymbols } from "#model/symbol";
import { definitionsIn } from "#symbols/definitions/definitions";
import { elideAroundName, elideBodies } from "#symbols/elision/elision";
import { grammarOf, nameRulesOf } from "#symbols/grammars/grammars";
import { definitionQueries, scopeQueries } from "#symbols/grammars/queries";
import { Runtime } from "#symbols/grammars/runtime";
import { DocumentParser } from "#symbols/parsing/documentParser";
import { Trees } from "#symbols/recovery/recovery";
import { Declarations } from "#symbols/scopes/declarations";
import { occurrencesOf } from "#symbols/scopes/occurrences";
import { type DecodedText, decodeSource } from "#symbols/sourceText";
import { projectRoot } from "#test/support/house";
import { grammarFolder } from "#test/support/symbols";

const starting = Runtime.start(grammarFolder);

/** By language: texts, and what remains of them after elision. */
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
  C: {
    "int f(void) { return 1234567; }": "int f(void) {}",
    "int f(a)\n int a;\n{ return 1234567; }": "int f(a)\n int a;\n{ return 1234567; }",
    "struct a *f(struct b *c) { return c->d; }": "struct a *f(struct b *c) {}",
    "struct a { int b; int c; };": "struct a { int b; int c; };",
    "struct __attribute__((packed)) { int a; } b;": "struct __attribute__((packed)) { int a; } b;",
    "struct __attribute__((packed)) a { int b; };": "struct __attribute__((packed)) a { int b; };",
    "int a[] = { 1, 2, 3, 4, 5 };": "int a[] = {};",
    "struct a b = { .c = { 12345 }, .d = f };": "struct a b = {};",
    "int f(void) { struct a b = { 12345678 }; g(&b); }": "int f(void) {}",
    "int f(void) { struct a { int b; } c; g(&c); }": "int f(void) { struct a { int b; } c; g(&c); }",
    "int f(void) { enum { A, B }; if (a) { g(12345); } }": "int f(void) { enum { A, B }; if (a) {} }",
    "int f(void) { struct __attribute__((packed)) { int b; } c; }":
      "int f(void) { struct __attribute__((packed)) { int b; } c; }",
    "int f(void) { int g(int a) { return a; } return g(1); }": "int f(void) { int g(int a) {} return g(1); }",
    "int f(void) { typedef int a; return (a)1; }": "int f(void) { typedef int a; return (a)1; }",
    "int f(void) {\n#define A 1\n return A; }": "int f(void) {\n#define A 1\n return A; }",
    "int f(void) { do { g(1); } while (a); if (b) { g(2); } else { g(3); } }": "int f(void) {}",
    "int f(void) { switch (a) { case 1: g(1); } for (;;) { g(2); } }": "int f(void) {}",
  },
  "C++": { "int f() { return 1234567; }": "int f() { return 1234567; }" },
  Java: {
    "class A { int b() { return 1234567; } }": "class A { int b() {} }",
    "class A { A() { b(1234567); } }": "class A { A() { b(1234567); } }",
    "class A { public A() { b(1234567); } }": "class A { public A() {} }",
    "class A { void b() throws C, D { e(12345); } }": "class A { void b() throws C, D {} }",
    "class A<B> extends C<B> { D<E> f() { g(1234); } }": "class A<B> extends C<B> { D<E> f() {} }",
    "class A { static { b(1234567); } }": "class A { static {} }",
    "class A { int[] b = { 1, 2, 3, 4 }; int[] c = new int[] { 1, 2, 3, 4 }; }":
      "class A { int[] b = {}; int[] c = new int[] {}; }",
    "class A { Object b = new C() { int d() { return 12345; } }; }":
      "class A { Object b = new C() { int d() {} }; }",
    "class A { void b() { c(new D() { int e() { return 12345; } }); } }":
      "class A { void b() { c(new D() { int e() {} }); } }",
    "class A { void b() { class C { int d; } e(new C()); } }":
      "class A { void b() { class C { int d; } e(new C()); } }",
    "class A { void b() { if (c) { d(1); } else { d(2); } try (e) { d(3); } finally { d(4); } } }":
      "class A { void b() {} }",
    "class A { void b() { c(d -> { e(1234567); }); } }": "class A { void b() {} }",
    "enum A { B(1) { int c() { return 1234567; } }, D }": "enum A { B(1) { int c() {} }, D }",
    "record A(int b) { int c() { return 1234567; } }": "record A(int b) { int c() {} }",
    "interface A { default int b() { return 12345; } }": "interface A { default int b() {} }",
  },
  Rust: {
    "fn f() -> [u8; 4] { [1, 2, 3, 4] }": "fn f() -> [u8; 4] {}",
    "fn f<'static_>(a: &'static str) { b(12345); }": "fn f<'static_>(a: &'static str) {}",
    "fn f() { const A: u8 = 1; if b { c(12345); } }": "fn f() { const A: u8 = 1; if b {} }",
    "fn f() { struct A { b: u8, c: u8 } }": "fn f() { struct A { b: u8, c: u8 } }",
    "fn f() { fn g() { h(1234567); } }": "fn f() { fn g() {} }",
    "trait A { fn b(); }\nimpl A for C { fn b() { d(12345); } }":
      "trait A { fn b(); }\nimpl A for C { fn b() {} }",
    "struct A { b: fn(u8), c: u8 }": "struct A { b: fn(u8), c: u8 }",
    "enum A { B { c: u8 }, D { e: u8 } }": "enum A { B { c: u8 }, D { e: u8 } }",
    "fn f() { match a { B => c(1), _ => d(2) } }": "fn f() {}",
  },
};

for (const [language, texts] of Object.entries(rows)) {
  for (const [text, parsed] of Object.entries(texts)) {
    test(`${language}: ${text}`, async () => {
      const content = Buffer.from(text);
      const short = elideBodies(language, content)?.content ?? content;
      assert.equal(Buffer.from(short).toString(), parsed);
      await assertSame(language, content, text);
    });
  }
}

/** By language: texts with the name `it`, and what remains of them when only that name is needed. */
const rowsOfNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  C: {
    "int f(void) { return 1234567; }\nint g(void) { return it; }":
      "int f(void) {}\nint g(void) { return it; }",
    "int g(void) { if (a) { b(1234567); } return it; }": "int g(void) { if (a) {} return it; }",
    "int it(int a) { return a + 1234567; }": "int it(int a) {}",
    "int f(void) { return its + bit + it_is; }": "int f(void) {}",
    "int f(void) { /* because of it */ return 1; }": "int f(void) {}",
    'int f(void) { return g("it " /* " */ "\\"it"); }\nint it;': "int f(void) {}\nint it;",
    'int f(void) { return g("its" it); }': 'int f(void) { return g("its" it); }',
    'char *f(void) { return "}" "\\"{" "12345"; }\nint it;': "char *f(void) {}\nint it;",
    "int f(void) { int c = '}'; return c == '\\''; }\nint it;": "int f(void) {}\nint it;",
    "int f(void) { // }\n /* } */ return 1; }\nint it;": "int f(void) {}\nint it;",
    "int f(void) {\n#define A it\n return 1; }": "int f(void) {\n#define A it\n return 1; }",
    "#define A { \\\n it\nint f(void) { return 1; }": "#define A { \\\n it\nint f(void) {}",
    "#define A /* {\n it */ 1\nint f(void) { return 1; }": "#define A /* {\n it */ 1\nint f(void) {}",
    "int f(void) {\n# include <it.h>\n return 1234567; }":
      "int f(void) {\n# include <it.h>\n return 1234567; }",
    "int f(void) {\n#include <a.h>\n return 1234567; }\nint it;":
      "int f(void) {\n#include <a.h>\n return 1234567; }\nint it;",
    "int f(void) {\n#if A\n a(1);\n#else\n a(2);\n#endif\n }\nint it;": "int f(void) {}\nint it;",
    "#if A\nint f(int a) {\n#else\nint f(void) {\n#endif\n return 1; }\nint it;":
      "#if A\nint f(int a) {\n#else\nint f(void) {\n#endif\n return 1; }\nint it;",
    "#if 0\ndon't\n#endif\nint f(void) { return 1; }\nint it;":
      "#if 0\ndon't\n#endif\nint f(void) { return 1; }\nint it;",
    "#ifdef A\nint f(void) { return 1; }\nint it;": "#ifdef A\nint f(void) { return 1; }\nint it;",
    "int f(void) { return 1; }\n#endif\nint it;": "int f(void) { return 1; }\n#endif\nint it;",
    "struct a { int b; int c; };\nstruct d { int it; };": "struct a {};\nstruct d { int it; };",
    "enum a { First, Second };\nint it[] = { 1, 2, 3, 4, 5 };": "enum a {};\nint it[] = {};",
    "int f(void) { return 1; } }\nint it;": "int f(void) { return 1; } }\nint it;",
    "int x = 1'000; char *s = \"'//\"; int b = it(1); int f(void) { return 1; }":
      "int x = 1'000; char *s = \"'//\"; int b = it(1); int f(void) {}",
    "int f(void) { // it\n return it; // it\n }": "int f(void) { // it\n return it; // it\n }",
    "int f(void) { return 1234567; // it \\\n it }": "int f(void) { return 1234567; // it \\\n it }",
  },
  "C++": {
    'auto a = R"x({ it )" }x";\nint f() { return 1; }': 'auto a = R"x({ it )" }x";\nint f() { return 1; }',
    'int f() { return g(R"x( " it )x"); }\nint it;': "int f() {}\nint it;",
    'auto a = R"x({ )" )x";\nint f() { return it; }\nint g() { return 1; }':
      'auto a = R"x({ )" )x";\nint f() { return it; }\nint g() {}',
    "int f() { return 1'000'000; }\nint it;": "int f() {}\nint it;",
    'auto s = STR"("; auto t = STR(x)"/*"; int b = it(1); /* c */ int f() { return 1; }':
      'auto s = STR"("; auto t = STR(x)"/*"; int b = it(1); /* c */ int f() {}',
    "class A { int b() { return 12345; } int it() { return 1; } };": "class A { int b() {} int it() {} };",
    "namespace a { int b() { return 1; } }\nnamespace c { int it; }":
      "namespace a {}\nnamespace c { int it; }",
  },
  Java: {
    'class A { String b() { return """\n } " \\""" """; } int it; }': "class A { String b() {} int it; }",
    'class A { String b() { return """\n it " it """; } int it; }': "class A { String b() {} int it; }",
    "class A { char b() { return '\\''; } char c = '{'; int it; }":
      "class A { char b() {} char c = '{'; int it; }",
  },
  Rust: {
    "fn f<'a>(b: &'a str) -> char { a(12345); '}' }\nfn it() {}":
      "fn f<'a>(b: &'a str) -> char {}\nfn it() {}",
    "fn f() -> char { let a = '\\''; 'é' }\nfn it() {}": "fn f() -> char {}\nfn it() {}",
    'fn f() { a(r#"}"{"#, br"\\", "\\"}\n}"); }\nfn it() {}': "fn f() {}\nfn it() {}",
    "fn f() { /* /* } */ } */ a(1); }\nfn it() {}": "fn f() {}\nfn it() {}",
    'fn f() { a(r#"it " it"#, "\nit"); }\nfn it() {}': "fn f() {}\nfn it() {}",
    "use a::{b, c::{d, e}};\nfn f() { a(12345); }\nfn it() {}":
      "use a::{b, c::{d, e}};\nfn f() {}\nfn it() {}",
    "fn f() { use a::b; c(); }\nfn it() {}": "fn f() { use a::b; c(); }\nfn it() {}",
  },
  Go: {
    "func f() { type t int }\nfunc g() { return it }": "func f() {}\nfunc g() { return it }",
    "func f() { if a { b(12345) }; it() }": "func f() { if a {}; it() }",
    "func f() { if a { b() /* it */ }; it() }": "func f() { if a {}; it() }",
    'func f() { if a { b("it", `"\nit`) }; it() }': "func f() { if a {}; it() }",
  },
  TypeScript: {
    "function f() { const g = () => 1; }\nit();": "function f() {}\nit();",
    "debugger\n/\\/*/;\nit(1);\n/** a */": "debugger\n/\\/*/;\nit(1);\n/** a */",
    "// a\rit(1);": "// a\rit(1);",
    "function f() { return import('./one'); }\nit();": "function f() { return import('./one'); }\nit();",
    "class A { b() { return 1; } it() { if (c) { d(12345); } } }": "class A { b() {} it() {} }",
  },
  Python: {
    "def f():\n    return 1234567\nit()": "\nit()",
    "class A:\n    def b(self):\n        return 1\n    def it(self):\n        return 2\n":
      "class A:\n\n    def it(self):\n        return 2\n",
    "@a\n@b(c)\ndef f():\n    pass\nit()": "\nit()",
    "if a:\n    bcdefgh()\nelse:\n    it()": "if a:\n    bcdefgh()\nelse:\n    it()",
    "class it:\n    def f(self):\n        return 1": "class it:\n    def f(self):\n        return 1",
    "class A:\n    # it\n    def f(self):\n        return 1":
      "class A:\n    # it\n    def f(self):\n        return 1",
    'x = f"{d["#"]}" + it(1)\ny = 12345678\n': 'x = f"{d["#"]}" + it(1)\n\n',
    "def f():\n    import os\n    return 1\nit()": "def f():\n    import os\n\nit()",
    'x = """\ndef it\n"""\ny = [\n1,\n2]\nit()': 'x = """\ndef it\n"""\n\nit()',
    "a = b + \\\r\n    c1234567\nit()": "\nit()",
    "\ufeffimport a\nbcdefghi = 1\nit()": "\ufeffimport a\n\nit()",
    "a = '''\n\nit()": "a = '''\n\nit()",
  },
  Ruby: { "def f\n  1234567\nend\nit()": "def f\n  1234567\nend\nit()" },
};

for (const [language, texts] of Object.entries(rowsOfNames)) {
  for (const [text, parsed] of Object.entries(texts)) {
    test(`${language}: it in ${text}`, async () => {
      const content = Buffer.from(text);
      const short = elideAroundName(language, content, "it")?.content ?? content;
      assert.equal(Buffer.from(short).toString(), parsed);
      await assertSameOccurrences(language, content, "it", text);
    });
  }
}

test("offsets are mapped to the elided text and back", () => {
  const text = "int f(void) { return 1234567; }\nint g(void) { if (a) { b(1234567); } return it; }\nint it;";
  const short = elideAroundName("C", Buffer.from(text), "it");
  assert.ok(short);
  for (const found of text.matchAll(/\bit\b|\bg\b/g)) {
    const at: number = short.toElided(found.index) ?? -1;
    assert.equal(Buffer.from(short.content).toString("latin1", at, at + found[0].length), found[0]);
    assert.equal(short.toOriginal(at), found.index);
  }
});

test("a text is not parsed for a name that only comments and strings contain", async () => {
  const parser = new DocumentParser(await starting);
  for (const text of ['int f(void) { /* it */ return "it"; } // it', "extern char a[]; // it"]) {
    const content = Buffer.from(text);
    assert.equal(elideAroundName("C", content, "it")?.hasName, false);
    assert.deepEqual(parser.occurrences("C", content, "it"), { occurrences: [], imports: [] });
    for (const found of text.matchAll(/it/g))
      assert.equal(parser.identifierAt("C", content, found.index), undefined);
  }
});

test("eliding bodies changes no result in real code", async () => {
  let shortened = 0;
  let seen = 0;
  for (const folder of ["server/src", "test", "scripts", "node_modules/kysely/dist/cjs"]) {
    for (const name of readdirSync(join(projectRoot(), folder), { recursive: true, encoding: "utf8" })) {
      const language = name.endsWith(".ts") ? "TypeScript" : /\.m?js$/.test(name) ? "JavaScript" : undefined;
      // The project grows, but its texts are alike.
      if (language === undefined || seen++ % 3 !== 0) continue;
      const content = readFileSync(join(projectRoot(), folder, name));
      if (await assertSame(language, content, name)) shortened++;
      const words = content.toString().match(/[a-z]\w{3,}/gi) ?? [];
      await assertSameOccurrences(language, content, words[words.length >> 1] ?? "", name);
    }
  }
  assert.ok(shortened > 150, `${shortened}`);
});

/** Checks that elision does not change the occurrences of a name. Skips texts with syntax errors. */
async function assertSameOccurrences(
  language: string,
  content: Uint8Array,
  name: string,
  text: string,
): Promise<void> {
  const runtime = await starting;
  await withTree(language, content, ({ tree, source, symbols }) => {
    const grammar = grammarOf(language) ?? "";
    const declarations = () => {
      const scopes = runtime.matches(grammar, "scopes", scopeQueries[grammar] ?? "", tree.rootNode);
      return new Declarations(symbols.definitions, scopes, source, nameRulesOf(language));
    };
    const reading = {
      source,
      trees: new Trees(tree),
      parsed: source.text,
      rules: nameRulesOf(language),
    };
    const occurrences = occurrencesOf(name, reading, {
      definitions: () => symbols.definitions,
      declarations,
    });
    const definitions = new EnclosingDefinitions(symbols.definitions);
    const expected = occurrences.map((occurrence) => {
      const enclosing = definitions.at(occurrence.start);
      if (enclosing === undefined) return occurrence;
      return { ...occurrence, enclosing: { name: enclosing.name, kind: enclosing.kind } };
    });
    const found = new DocumentParser(runtime).occurrences(language, content, name);
    const imports = expected.length > 0 ? symbols.imports : [];
    assert.deepEqual(found, { occurrences: expected, imports }, `${name} in ${text}`);
    const parser = new DocumentParser(runtime);
    for (const occurrence of occurrences) {
      const identifier = parser.identifierAt(language, content, occurrence.start);
      assert.deepEqual(identifier, { name, ...occurrence }, `${name} in ${text}`);
    }
  });
}

/** Checks that elision does not change the symbols. Skips texts with syntax errors. Returns whether something was elided. */
async function assertSame(language: string, content: Uint8Array, name: string): Promise<boolean> {
  const runtime = await starting;
  const isKnown = await withTree(language, content, ({ symbols }) => {
    assert.deepEqual(new DocumentParser(runtime).symbols(language, content), symbols, name);
  });
  return isKnown && elideBodies(language, content) !== undefined;
}

interface Whole {
  readonly tree: Tree;
  readonly source: DecodedText;
  readonly symbols: DocumentSymbols;
}

/** Parses a whole text and passes the result to `check`. Returns false if the text has syntax errors. */
async function withTree(
  language: string,
  content: Uint8Array,
  check: (whole: Whole) => void,
): Promise<boolean> {
  const runtime = await starting;
  const grammar = grammarOf(language) ?? "";
  const source = decodeSource(content);
  const tree = runtime.parse(grammar, source.text);
  try {
    if (tree.rootNode.hasError) return false;
    const query = definitionQueries[grammar] ?? "";
    const symbols = definitionsIn(
      runtime.matches(grammar, "definitions", query, tree.rootNode),
      source,
      grammar,
    );
    check({ tree, source, symbols });
  } finally {
    tree.delete();
  }
  return true;
}
