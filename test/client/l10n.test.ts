/**
 * Checks that every text shown to users can be translated: texts of the manifest by key, messages of the code by their
 * English text.
 *
 * `UPDATE_GOLDEN=1` writes `l10n/bundle.l10n.json`, the template for translators.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clientSources, isDeclaration, manifestTexts, readProjectFile } from "#test/support/client";
import { projectRoot } from "#test/support/house";

const bundlePath = "l10n/bundle.l10n.json";

interface Use {
  readonly path: string;
  readonly message: string;
  /** Number of values that the call passes. */
  readonly values: number;
}

/** Returns the argument lists of calls of `l10n.t`, or of `t` destructured from it. */
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

/** Counts the values after the message, by commas outside of brackets. */
function countValues(rest: string): number {
  let depth = 0;
  let values = 0;
  for (const character of rest.replace(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "x").replace(/,\s*$/, "")) {
    if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (character === "," && depth === 0) values++;
  }
  return values;
}

// Texts of the manifest are translated by key.
const files = clientSources().filter(({ path }) => path.startsWith("src/") && !isDeclaration(path));
const calls = files.flatMap(({ path, text }) => callsOf(text).map((call) => ({ path, call })));
const literal = /^"(?:[^"\\]|\\.)*"|^'(?:[^'\\]|\\.)*'/;

const uses: readonly Use[] = calls.flatMap(({ path, call }) => {
  const found = literal.exec(call)?.[0];
  if (found === undefined) return [];
  const message: string = found.startsWith("'") ? found.slice(1, -1) : JSON.parse(found);
  return [{ path, message, values: countValues(call.slice(found.length)) }];
});

test("the parser of calls finds messages and values", () => {
  const [call = ""] = callsOf(`x(l10n.t("a (b) {0}", f("c, d", [1, 2]), e));`);
  assert.equal(call, `"a (b) {0}", f("c, d", [1, 2]), e`);
  assert.equal(countValues(call.slice(literal.exec(call)?.[0].length)), 2);
});

test("messages are literals", () => {
  const computed = calls.filter(({ call }) => !literal.test(call));
  assert.deepEqual(computed, []);
});

test("messages have as many placeholders as values", () => {
  for (const { path, message, values } of uses) {
    const placeholders = new Set([...message.matchAll(/\{(\d+)\}/g)].map((match) => match[1]));
    assert.equal(placeholders.size, values, `${path}: ${message}`);
  }
});

test("the bundle contains exactly the messages in use", () => {
  const messages = [...new Set(uses.map(({ message }) => message))].sort();
  const expected = `${JSON.stringify(Object.fromEntries(messages.map((message) => [message, message])), null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(projectRoot(), bundlePath), expected);
  assert.equal(readProjectFile(bundlePath), expected, "run with UPDATE_GOLDEN=1, and review the diff");
});

test("texts shown to users are messages", () => {
  const displayedLiteral =
    /\.show(?:Information|Warning|Error)Message\(\s*["'`]|\b(?:placeHolder|placeholder|title|openLabel|tooltip|detail): "(?!Trawl")[A-Z]/;
  const wrong = files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        displayedLiteral.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  assert.deepEqual(wrong, []);
});

test("every text of the manifest is used, and every used text exists", () => {
  const used = [...readProjectFile("package.json").matchAll(/"%([^"%]+)%"/g)].map((match) => match[1]);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(manifestTexts()).sort());
});
