import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeSource } from "#symbols/sourceText";
import { documentParser } from "#test/support/symbols";

/** Describes the identifier at the cursor, which `|` marks, as `name: role[ local]`. */
async function identifierAt(language: string, marked: string): Promise<string> {
  const parser = await documentParser();
  const offset = Buffer.from(marked.slice(0, marked.indexOf("|"))).length;
  const found = parser.identifierAt(language, Buffer.from(marked.replace("|", "")), offset);
  return found === undefined ? "" : `${found.name}: ${found.role}${found.isLocal ? " local" : ""}`;
}

const cursors: readonly (readonly [language: string, marked: string, identifier: string])[] = [
  ["Go", "package p\nfunc |add(a int) {}", "add: definition"],
  ["Go", "package p\nfunc add|(a int) {}", "add: definition"],
  ["Go", "package p\nfunc a|dd(a int) {}", "add: definition"],
  ["Go", "package p\nfu|nc add(a int) {}", ""],
  ["Go", "package p // ad|d\n", ""],
  ["Go", 'package p\nvar s = "ad|d"', ""],
  ["Go", "package p\nfunc f(a int) { g(|a) }", "a: reference local"],
  ["Ruby", "def save!; end\nsav|e!", "save!: reference"],
  ["TypeScript", 'const größe = "ä"; größ|e;', "größe: reference"],
  ["TypeScript", "const x = 1; // 😀\n|x;", "x: reference"],
  ["C", "#define M(a) add|(a)\n", "add: reference"],
  ["C", "static int __in|it f(void) { return 0; }", "__init: reference"],
  ["Vue", "<p>{{ a }}</p>\n<script>const a = 1; |a;</script>", "a: reference"],
  ["Vue", "<p>{{ |a }}</p>\n<script>const a = 1; a;</script>", "a: reference"],
  ["TypeScript", "interface |$Def {}", "$Def: definition"],
  ["TypeScript", "interface $D|ef {}", "$Def: definition"],
  ["TypeScript", "const $ = 1; f(|$);", "$: reference"],
  ["JavaScript", "const _$a$ = 1; f(_$|a$);", "_$a$: reference"],
  ["PHP", "<?php function f($|a) { return g($a); }", "a: local local"],
  ["PowerShell", "$a = $|a", "a: reference"],
  ["Shell", 'a=1; echo "$|a"', "a: reference"],
  ["Ruby", "def f; @|a; end", "a: reference"],
  ["Svelte", "<script>import { a } from './a'; $|a;</script>", "a: reference"],
  ["Dart", "void f(a) { print('$|a'); _$aB(); }", "a: reference local"],
  ["Dart", "void f(a) { _$|aB(); }", "_$aB: reference"],
  ["Kotlin", 'fun f(a: Int) = print("b$|a")', "a: reference local"],
  ["Kotlin", 'fun f(a: Int) = print("\\$|a")', ""],
  ["Kotlin", 'fun f(a: Int) = print("b |a")', ""],
  ["Kotlin", 'fun f(a: Int) = print("""$|a""")', "a: reference local"],
  ["C#", "#region |a\nclass B {}\n#endregion a", ""],
  ["Python", "", ""],
];
for (const [language, marked, expected] of cursors) {
  test(`${language}: ${marked}`, async () => assert.equal(await identifierAt(language, marked), expected));
}

const signatures: readonly (readonly [
  language: string,
  name: string,
  source: string,
  signature: string,
  documentation: string,
])[] = [
  [
    "Go",
    "Add",
    "package p\n\n// Add adds.\n// Twice.\nfunc Add(a int) int {\n\treturn a\n}\n",
    "func Add(a int) int",
    "Add adds.\nTwice.",
  ],
  ["Go", "Add", "package p\n\n// Not of it.\n\nfunc Add() {}\n", "func Add()", ""],
  [
    "TypeScript",
    "add",
    "/**\n * Adds.\n *\n * @param a one\n */\nexport const add = (a: number): number => {\n  return a;\n};\n",
    "export const add = (a: number): number",
    "Adds.\n\n@param a one",
  ],
  [
    "TypeScript",
    "limit",
    "const other = 1; // of other\nexport const limit = 5;",
    "export const limit = 5",
    "",
  ],
  [
    "Python",
    "add",
    'class A:\n    @property\n    def add(self,\n            b: int) -> int:\n        """Adds.\n\n        More.\n        """\n        return b\n',
    "def add(self,\n        b: int) -> int",
    "Adds.\n\nMore.",
  ],
  [
    "Java",
    "add",
    "class A {\n    /** Adds. */\n    @Override\n    public int add(int a) { return a; }\n}\n",
    "@Override\npublic int add(int a)",
    "Adds.",
  ],
  [
    "Rust",
    "Point",
    "/// A point.\n#[derive(Debug)]\npub struct Point { x: u32 }\n",
    "pub struct Point",
    "A point.",
  ],
  ["C", "LIMIT", "/* At most. */\n#define LIMIT 10\n", "#define LIMIT 10", "At most."],
  [
    "C",
    "f",
    "/* Does. */\nstatic int __init f(void)\n{\n\treturn 0;\n}\n",
    "static int __init f(void)",
    "Does.",
  ],
  [
    "C++",
    "Box",
    "// Holds.\ntemplate <typename T>\nclass API_EXPORT Box : Base {\n int x;\n};\n",
    "class API_EXPORT Box : Base",
    "Holds.",
  ],
  ["Rust", "A", "/// One.\n///\n/// Two.\nstruct A;\n", "struct A;", "One.\n\nTwo."],
  [
    "Go",
    "F",
    `package p\n// First.\n${"// more\n".repeat(200)}func F() {}\n`,
    "func F()",
    `First.${"\nmore".repeat(200)}`,
  ],
  ["Python", "f", "def f(a):  # noqa\n    # inside\n    return a\n", "def f(a)", ""],
  ["Ruby", "f", "# Does.\ndef f(a)\n  # inside\n  a\nend\n", "def f(a)", "Does."],
  ["Ruby", "M", "module M\n  # inside\nend\n", "module M", ""],
  ["Go", "StatusOK", "package p\nconst (\n\tStatusOK = 200 // RFC\n)\n", "StatusOK = 200", "RFC"],
  ["Go", "f", "package p\nvar f = func() int {\n\treturn 1\n}\n", "var f = func() int", ""],
  ["OCaml", "limit", "(** At most. *)\nlet limit = 300\n", "let limit = 300", "At most."],
  ["OCaml", "add", "let add a b =\n  a + b\n", "let add a b", ""],
  ["OCaml", "b", "type t = {\n  a : int; (** of a *)\n  b : int;\n  (** of b *)\n}\n", "b : int", "of b"],
  ["OCaml", "b", "type t = {\n  a : int;\n  (** of a *)\n  b : int;\n}\n", "b : int", ""],
  [
    "Haskell",
    "add",
    "-- | Adds.\n-- Twice.\nadd :: Int -> Int\nadd x = x\n",
    "add :: Int -> Int",
    "Adds.\nTwice.",
  ],
  ["Haskell", "add", "add x y = case x of\n  1 -> y\n", "add x y", ""],
  ["Swift", "area", "struct P {\n  var area: Int {\n    return 1\n  }\n}\n", "var area: Int", ""],
  ["Swift", "native", "enum E {\n  case native(X)\n}\n", "case native(X)", ""],
  [
    "TypeScript",
    "a",
    "class A {\n  constructor(private a: typeof B, c: D) {}\n}\n",
    "private a: typeof B",
    "",
  ],
  [
    "R",
    "area",
    "#' Area\n#'\n#' @param x y\narea <- function(x) { 1 }\n",
    "area <- function(x)",
    "Area\n\n@param x y",
  ],
  ["Elixir", "A", 'defmodule A do\n  @moduledoc """\n  Holds.\n  """\nend\n', "defmodule A", "Holds."],
  [
    "Elixir",
    "f",
    'defmodule A do\n  @doc "Does."\n  @spec f(integer) :: integer\n  def f(x) do\n    x\n  end\nend\n',
    "def f(x)",
    "Does.",
  ],
  ["C", "a", "struct s {\n\tint a; /**< of a */\n\tint b; /* of b */\n};\n", "int a;", "of a"],
  ["C", "b", "struct s {\n\tint a; /* of a */\n\tint b;\n};\n", "int b;", ""],
  ["C", "LIMIT", "#define LIMIT 10 /* at most */\n", "#define LIMIT 10", "at most"],
  ["Ruby", "area", "# How large.\ndef area(x)\n  x\nend\n", "def area(x)", "How large."],
];
for (const [language, name, source, signature, documentation] of signatures) {
  test(`${language}: signature of ${name} in ${JSON.stringify(source)}`, async () => {
    const parser = await documentParser();
    const content = Buffer.from(source);
    const { definitions } = parser.symbols(language, content);
    const nameStart = definitions.find((definition) => definition.name === name)?.nameStart ?? -1;
    assert.deepEqual(parser.signature(language, content, nameStart), { signature, documentation });
  });
}

test("offsets count bytes, even in invalid UTF-8", async () => {
  const parser = await documentParser();
  const parts = ["# é 😀 ", Buffer.from([0xff, 0xc3, 0xe2, 0x82]), "\ndef größe(): pass\nclass B: pass\n"];
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const { definitions } = parser.symbols("Python", content);
  assert.deepEqual(
    definitions.map(({ name, nameStart, nameEnd }) => [
      name,
      content.subarray(nameStart, nameEnd).toString(),
    ]),
    [
      ["größe", "größe"],
      ["B", "B"],
    ],
  );
});

test("a decoded text maps back to each byte", () => {
  const content = Buffer.concat([Buffer.from("a€😀"), Buffer.from([0xf0, 0x9f, 0x41, 0xed, 0xa0, 0x80])]);
  const { text, byteAt, indexAt } = decodeSource(content);
  assert.equal(text, "a€😀\ufffd\ufffdA\ufffd\ufffd\ufffd");
  assert.deepEqual([...Array(text.length + 1).keys()].map(byteAt), [0, 1, 4, 4, 8, 9, 10, 11, 12, 13, 14]);
  assert.deepEqual([0, 1, 2, 4, 7, 8, 10].map(indexAt), [0, 1, 1, 2, 2, 4, 6]);
});
