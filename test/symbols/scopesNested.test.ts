import assert from "node:assert/strict";
import { after, test } from "node:test";
import { symbolParsers } from "#symbols/parsing/parsers";
import { symbolWorker } from "#test/support/symbols";

const parsers = symbolParsers(symbolWorker, 1);
after(() => parsers.close());

const depth = 5000;

/** Repeated before and after `name`. */
const nests: Readonly<Record<string, readonly [head: string, open: string, close: string]>> = {
  Lua: ["", "f(function(x) local y = x ", " end)"],
  Elixir: ["", "f(fn x -> y = x; ", " end)"],
  Haskell: ["f = ", "(\\x -> let y = x in ", ")"],
  OCaml: ["let f = ", "(fun x -> let y = x in ", ")"],
  Zig: ["const f = ", "if (x) |y| { const z = y; ", "}"],
  Shell: ["", "( local x=$y; ", ")"],
  PowerShell: ["", "{ param($x) $y = $x; ", "}"],
  Julia: ["", "f(x -> (y = x; ", "))"],
  R: ["", "f(function(x) { y <- x; ", "})"],
  "C#": ["class A { void F() { ", "f(x => { var y = x; ", "}); "],
  Swift: ["func f() { ", "f { x in let y = x\n", "}"],
  Dart: ["void f() { ", "f((x) { var y = x; ", "});"],
  PHP: ["<?php ", "f(function ($x) { $y = $x; ", "});"],
  Ruby: ["", "f { |x| y = x; ", "}\n"],
};

test(`${depth} nested scopes finish in time`, async () => {
  const deep = Object.entries(nests).map(([language, [head, open, close]]) => ({
    language,
    content: Buffer.from(`${head}${open.repeat(depth)} name ${close.repeat(depth)}\n`),
  }));
  const plain = { language: "Lua", content: Buffer.from("local name = 1") };
  const answers = await parsers.occurrences([...deep, plain], "name");
  const outcomes = answers.map((each) =>
    each.kind === "parsed" ? `${each.occurrences.length} found` : each.reason,
  );
  for (const [index, outcome] of outcomes.slice(0, -1).entries())
    assert.ok(["1 found", "tooSlow"].includes(outcome), `${deep[index]?.language}: ${outcome}`);
  assert.equal(outcomes.at(-1), "1 found");
});
