import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseTeamFile } from "#client/saved/teamFile";

function check(
  name: string,
  text: string,
  expected: readonly string[],
  problems: readonly string[] = [],
): void {
  test(name, () => {
    const file = parseTeamFile(text);
    assert.deepEqual(
      file.searches.map(({ name, state }) => {
        const flags = [
          state.caseSensitivity,
          ...(state.isRegex ? ["regex"] : []),
          ...(state.isWholeWord ? ["word"] : []),
        ];
        return `${name}: ${state.query} (${flags.join(" ")})`;
      }),
      expected,
    );
    assert.deepEqual(
      file.problems.map(({ message }) => message),
      problems,
    );
  });
}

check(
  "comments and trailing commas are allowed",
  `// Ours.
  { "searches": [
    { "name": "Todo", "query": "TODO -file:test" }, // always
    { "query": "eval\\\\(", "regex": true, "wholeWord": true, "case": "sensitive", },
  ] }`,
  ["Todo: TODO -file:test (smart)", "eval\\(: eval\\( (sensitive regex word)"],
);
check(
  "an invalid entry is skipped, and the others count",
  '{"searches":[3, {"name":"x"}, {"query":"  "}, {"query":"ok"}]}',
  ["ok: ok (smart)"],
  ["A search must be an object.", 'A search needs a "query".', 'A search needs a "query".'],
);
check(
  '"case" is one of three',
  '{"searches":[{"query":"a","case":"no"}]}',
  [],
  ['"case" must be "smart", "insensitive" or "sensitive".'],
);
check(
  "a wrong type is reported, and the rest counts",
  '{"searches":[{"query":"a","regex":"yes"}]}',
  ["a: a (smart)"],
  ['"regex" must be a boolean.'],
);
check("another document is rejected", "[1]", [], ['The file must be an object with an array "searches".']);
check("an empty file is no problem", "", [], []);
check(
  "the readable part of a truncated file is read",
  '{"searches":[{"query":"a"},',
  ["a: a (smart)"],
  ["This is not valid JSON."],
);

test("offsets point to the searches", () => {
  const text = '{"searches":[ {"query":"a"} , {"query":"b"}]}';
  assert.deepEqual(
    parseTeamFile(text).searches.map(({ offset }) => text.slice(offset, offset + 12)),
    ['{"query":"a"', '{"query":"b"'],
  );
});

test("any text can be parsed", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const { offset, length } of parseTeamFile(text).problems) {
        assert.ok(offset >= 0 && length >= 0 && offset <= text.length);
      }
    }),
  );
});
