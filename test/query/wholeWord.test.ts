import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyWholeWords } from "#query/analysis/wholeWord";
import { parseQuery } from "#query/parser/parse";
import { printQuery } from "#query/print";

function check(query: string, expected: string, isRegexEnabled = false): void {
  test(`${query}${isRegexEnabled ? " as an expression" : ""}`, () => {
    const parsed = parseQuery(query, {
      isRegexEnabled,
      isCaseSensitivityEnabled: true,
      contexts: new Set(),
    });
    assert.equal(printQuery(onlyWholeWords(parsed.query)), expected);
  });
}

check("do", "/\\bdo\\b/c");
check("do(", "/\\bdo\\(/c");
check("(x", "/\\(x\\b/c");
check("->", '"->"c');
check("file:do lang:go do", "(and name:/do/c language:Go /\\bdo\\b/c)");
check("a|b", "/\\b(?:a|b)\\b/c", true);
check("-content:do or (do done)", "(or (not content:/\\bdo\\b/c) (and /\\bdo\\b/c /\\bdone\\b/c))");
