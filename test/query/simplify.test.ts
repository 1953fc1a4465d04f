import assert from "node:assert/strict";
import { test } from "node:test";
import { simplifyQuery } from "#query/analysis/simplify";
import { parseQuery } from "#query/parser/parse";
import { printQuery } from "#query/print";

const cases: Record<string, string> = {
  "a (b c)": '(and "a" "b" "c")',
  "a or (b or c)": '(or "a" "b" "c")',
  "a (b or c) a": '(and "a" (or "b" "c"))',
  "a () b": '(and "a" "()" "b")',
  '-("") a': "false",
  'a or -("")': '"a"',
  '""': "true",
  '"" a': '"a"',
  '"" or a': "true",
  "NOT NOT a": '"a"',
  "-(-file:a)": "name:/a/",
  '-(a or -(""))': '(not "a")',
  'type:file -("")': "false",
  "type:repo (a (b c))": '(type:repo (and "a" "b" "c"))',
  "rev:a (rev:b c)": '(and "c" revision:b revision:a)',
};

for (const [text, tree] of Object.entries(cases)) {
  test(text, () => {
    const { query } = parseQuery(text, { isRegexEnabled: false, isCaseSensitivityEnabled: false });
    const simple = simplifyQuery(query);
    assert.equal(printQuery(simple), tree);
    assert.deepEqual(simplifyQuery(simple), simple);
  });
}
