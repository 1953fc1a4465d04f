/** Tests what is read around calls to tell which definitions they refer to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentParser } from "#test/support/symbols";

async function callsIn(language: string, source: string) {
  const parser = await documentParser();
  return parser.calls(language, Buffer.from(source)).calls;
}

test("markup before a declaration takes no time", async () => {
  // Loads the grammar.
  await callsIn("TypeScript", "");
  for (const tags of ["<li><a></a></li>".repeat(19), "<".repeat(300), ">".repeat(300), "<a,".repeat(100)]) {
    const started = performance.now();
    const calls = await callsIn("TypeScript", `const html = \`${tags}\`, box = makeBox();\nbox.open();\n`);
    const ms = performance.now() - started;
    const open = calls.find(({ name }) => name === "open");
    assert.ok(open?.typeWords.includes("makeBox"), `${open?.typeWords}`);
    assert.ok(ms < 1000, `${ms} ms`);
  }
});

test("a dollar is part of a name, except where it is a sigil", async () => {
  const names = async (language: string, source: string) =>
    (await callsIn(language, source)).map(({ name }) => name);
  const source = "function box() {}\n$box();\nbox$();\nbox();\n$make().open();\n";
  for (const language of ["TypeScript", "TSX", "JavaScript"]) {
    assert.deepEqual(await names(language, source), ["$box", "box$", "box", "$make", "open"]);
    const open = (await callsIn(language, `class make {}\n${source}`)).at(-1);
    assert.deepEqual(open?.typeWords, ["$make"]);
  }
  assert.deepEqual(await names("Java", "class A { void f() { $box(); box(); } }"), ["$box", "box"]);
  assert.deepEqual(await names("Svelte", "<script>\n$box();\n</script>\n"), ["box"]);
  const sigils = [
    ["Svelte", "<script>\n$make().open();\n</script>\n"],
    ["PHP", "<?php\n$make()->open();\n"],
  ] as const;
  for (const [language, called] of sigils) {
    const open = (await callsIn(language, called)).find(({ name }) => name === "open");
    assert.deepEqual(open?.typeWords, ["make"], language);
  }
});

test("commas in type arguments do not end a type", async () => {
  const calls = await callsIn("Java", "class A { void f(int n, Map<Key, Item> box) { box.open(); } }");
  assert.deepEqual(calls[0]?.typeWords, ["Map", "Key", "Item"]);
});

test("names with metacharacters of regular expressions are literal", async () => {
  const source = `import { real as box$ } from "./a";\nbox$();\n`;
  assert.deepEqual(
    (await callsIn("TypeScript", source)).map(({ name }) => name),
    ["real"],
  );
  const ruby = "require_relative 'save'\nsave?(1)\nsave!(2)\n";
  assert.deepEqual((await callsIn("Ruby", ruby)).map(({ name }) => name).sort(), [
    "require_relative",
    "save!",
    "save?",
  ]);
});

test("a very long import takes no time", async () => {
  const started = performance.now();
  const calls = await callsIn("Rust", `use a::{${"c".repeat(200_000)}, a as b};\nfn f() { b(); }\n`);
  assert.deepEqual(
    calls.map(({ name }) => name),
    ["a"],
  );
  const ms = performance.now() - started;
  assert.ok(ms < 2000, `${ms} ms`);
});
