/**
 * Everything a person reads in the editor can be translated: the manifest's texts by key, the code's by their English.
 *
 * `UPDATE_GOLDEN=1` writes `l10n/bundle.l10n.json`, from which translators begin.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clientSources, manifestTexts, readProjectFile } from "#test/support/client";
import { projectRoot } from "#test/support/house";

const bundlePath = "l10n/bundle.l10n.json";

interface Use {
  readonly path: string;
  readonly message: string;
  /** Places for values that the call fills. */
  readonly values: number;
}

/** Calls of `l10n.t`, or of `t` as it is taken from there, with what stands between their parentheses. */
function callsOf(text: string): string[] {
  return [...text.matchAll(/(?:\bl10n\.|(?<![\w.$]))t\((?!message: )/g)].map(({ index }) => {
    const start = text.indexOf("(", index) + 1;
    let depth = 1;
    let end = start;
    for (let quote = ""; depth > 0 && end < text.length; end++) {
      const character = text[end] ?? "";
      if (quote !== "") {
        if (character === "\\") end++;
        else if (character === quote) quote = "";
      } else if (`"'\``.includes(character)) quote = character;
      else if ("([{".includes(character)) depth++;
      else if (")]}".includes(character)) depth--;
    }
    return text.slice(start, end - 1).trim();
  });
}

/** Values behind the message, by commas that stand in no bracket. */
function valuesIn(rest: string): number {
  let depth = 0;
  let values = 0;
  for (const character of rest.replace(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "x").replace(/,\s*$/, "")) {
    if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (character === "," && depth === 0) values++;
  }
  return values;
}

const files = clientSources().filter(({ path }) => path.startsWith("src/"));
const calls = files.flatMap(({ path, text }) => callsOf(text).map((call) => ({ path, call })));
const literal = /^"(?:[^"\\]|\\.)*"|^'(?:[^'\\]|\\.)*'/;

const uses: readonly Use[] = calls.flatMap(({ path, call }) => {
  const found = literal.exec(call)?.[0];
  if (found === undefined) return [];
  const message: string = found.startsWith("'") ? found.slice(1, -1) : JSON.parse(found);
  return [{ path, message, values: valuesIn(call.slice(found.length)) }];
});

test("the reader of calls sees messages and values", () => {
  const [call = ""] = callsOf(`x(l10n.t("a (b) {0}", f("c, d", [1, 2]), e));`);
  assert.equal(call, `"a (b) {0}", f("c, d", [1, 2]), e`);
  assert.equal(valuesIn(call.slice(literal.exec(call)?.[0].length)), 2);
});

test("messages are written out where they are used", () => {
  const computed = calls.filter(({ call }) => !literal.test(call));
  assert.deepEqual(computed, []);
});

test("messages have as many places as values", () => {
  for (const { path, message, values } of uses) {
    const places = new Set([...message.matchAll(/\{(\d+)\}/g)].map((match) => match[1]));
    assert.equal(places.size, values, `${path}: ${message}`);
  }
});

test("the bundle has every message, and no other", () => {
  const messages = [...new Set(uses.map(({ message }) => message))].sort();
  const wanted = `${JSON.stringify(Object.fromEntries(messages.map((message) => [message, message])), null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(projectRoot(), bundlePath), wanted);
  assert.equal(readProjectFile(bundlePath), wanted, "run with UPDATE_GOLDEN=1, and read what changed");
});

test("what a person is shown is a message", () => {
  const shown =
    /\.show(?:Information|Warning|Error)Message\(\s*["'`]|\b(?:placeHolder|placeholder|title|openLabel|tooltip|detail): "(?!Trawl")[A-Z]/;
  const wrong = files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) => (shown.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
  assert.deepEqual(wrong, []);
});

test("every text of the manifest is used, and every one used is there", () => {
  const used = [...readProjectFile("package.json").matchAll(/"%([^"%]+)%"/g)].map((match) => match[1]);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(manifestTexts()).sort());
});
