import assert from "node:assert/strict";
import { test } from "node:test";
import { boxReading, type ReadingOptions } from "#client/search/reading";
import { pauseAfterTypingMs, waitsFor } from "#client/search/typing";
import { type WelcomeFacts, welcomeOf } from "#client/search/welcome";
import type { QueryReading } from "#contract/queries";
import { readQuery } from "#query/read";
import { english } from "#test/support/english";

/** As the service reads it. */
function reading(query: string, isRegexEnabled = false): QueryReading {
  const { filters, problems, ...rest } = readQuery(query, {
    isRegexEnabled,
    isCaseSensitivityEnabled: false,
  });
  return {
    ...rest,
    filters: [...filters],
    problems: problems.map((problem) => ({ ...problem, fixes: [...problem.fixes] })),
  };
}

function box(query: string, narrowed: readonly string[] = [], options: Partial<ReadingOptions> = {}) {
  const conditions = narrowed.map((text) => reading(text));
  const all = { narrowed: conditions, isTyping: false, ...options };
  return boxReading({ query, narrowed }, reading(query), all, english);
}

test("each filter is a chip, free text is none", () => {
  const { query, chips } = box('retry lang:go -file:_test r:web NOT repo:"a b"', ["TODO"]);
  assert.equal(query, 'retry lang:go -file:_test r:web NOT repo:"a b"');
  assert.deepEqual(
    chips.map(({ text, title, isNegated, remove }) => [text, title, isNegated, remove.title]),
    [
      ["lang: go", "", false, "Remove lang: go"],
      ["not file: _test", "", true, "Remove not file: _test"],
      ["repo: web", "read as repo:", false, "Remove repo: web"],
      ["not repo: a b", "read as -repo:", true, "Remove not repo: a b"],
      ["narrowed: TODO", "", false, "Remove narrowed: TODO"],
    ],
  );
  assert.deepEqual(
    chips.map(({ remove }) => remove.change),
    [
      { query: 'retry -file:_test r:web NOT repo:"a b"' },
      { query: 'retry lang:go r:web NOT repo:"a b"' },
      { query: 'retry lang:go -file:_test NOT repo:"a b"' },
      { query: "retry lang:go -file:_test r:web" },
      { narrowed: [] },
    ],
  );
});

test("problems have their place, and ways out that change the box", () => {
  const { problems } = box("serch lnag:go type:fil");
  assert.deepEqual(
    problems.map(({ severity, place, fixes }) => [severity, place, fixes.length > 0]),
    [
      ["error", { offset: 19, length: 3 }, true],
      ["hint", { offset: 6, length: 5 }, false],
    ],
  );
  assert.deepEqual(problems[0]?.fixes[0], {
    title: 'Use "file"',
    change: { query: "serch lnag:go type:file" },
  });
});

test("a regular expression that is none may become plain text", () => {
  const { problems } = boxReading(
    { query: "f(", narrowed: [] },
    reading("f(", true),
    { narrowed: [], isTyping: false },
    english,
  );
  assert.deepEqual(problems[0]?.fixes[0], {
    title: "Treat as literal",
    change: { query: "f(", isRegex: false },
  });
});

test("what is missing at the end is no error while somebody writes", () => {
  assert.equal(box("retry lang:").problems.length, 1);
  assert.deepEqual(box("retry lang: ", [], { isTyping: true }).problems, []);
  assert.equal(box("retry lang:nope", [], { isTyping: true }).problems.length, 1);
});

test("an error of a further condition is told without a place, and the condition can go", () => {
  const [problem] = box("a", ["b", "lang:nope"]).problems;
  assert.match(problem?.message ?? "", /^narrowed: lang:nope: Unknown language "nope"/);
  assert.equal(problem?.place, undefined);
  assert.deepEqual(problem?.fixes, [{ title: "Remove it", change: { narrowed: ["b"] } }]);
});

const waits: readonly [query: string, isOnType: boolean, expected: ReturnType<typeof waitsFor>][] = [
  ["", true, undefined],
  ["retry", true, undefined],
  ["ret", true, undefined],
  ["re", true, "short"],
  ["  re  ", true, "short"],
  ["retry", false, "enter"],
  ["lang:go", true, "enter"],
  ["ab lang:go", true, "costly"],
  ["retry lang:", true, "mend"],
  ["retry lang:", false, "mend"],
];
for (const [query, isOnType, expected] of waits) {
  test(`"${query}" waits for ${expected}${isOnType ? "" : " where typing alone runs nothing"}`, () => {
    assert.equal(waitsFor({ query, narrowed: [] }, reading(query), isOnType), expected);
  });
}

test("expressions get a longer pause", () => {
  assert.deepEqual(
    [false, true].map((isRegex) => pauseAfterTypingMs({ isRegex })),
    [100, 150],
  );
});

const facts: WelcomeFacts = {
  names: ["orders-api"],
  siblings: [],
  examples: [],
  isFirst: true,
  sizeText: (bytes) => `${bytes} bytes`,
};
const siblings = [
  { path: "/src/a", name: "a", sizeBytes: 1000 },
  { path: "/src/b", name: "b", sizeBytes: 24 },
];

/** Lines as a person reads them. */
function welcome(change: Partial<WelcomeFacts>): string[] | null {
  const told = welcomeOf({ ...facts, ...change }, english);
  if (told === null) return null;
  const { text, actions, more, examples } = told;
  const line = (words: string, ways: readonly { readonly title: string }[]) =>
    [words, ...ways.map(({ title }) => `[${title}]`)].join(" ");
  return [
    line(text, actions),
    ...(more === undefined ? [] : [line(more.text, more.actions)]),
    ...examples.map(({ query, detail }) => `${query}: ${detail}`),
  ];
}

test("an empty box says what it searches, what else there is, and what to begin with", () => {
  assert.equal(welcome({ names: undefined }), null);
  assert.deepEqual(welcome({}), ["Searching 1 repository: orders-api."]);
  assert.deepEqual(welcome({ names: [] }), ["No repositories yet. [Add Folder…]"]);
  assert.deepEqual(welcome({ siblings }), [
    "Searching 1 repository: orders-api.",
    "2 more found next to it (1024 bytes, index about 342 bytes). [Index Them] [Choose…]",
  ]);
  assert.equal(
    welcome({ siblings: siblings.slice(1) })?.[1],
    "1 more found next to it (24 bytes, index about 8 bytes). [Index It] [Choose…]",
  );
  assert.deepEqual(
    welcome({
      names: ["a", "b", "c", "d", "e"],
      examples: [{ query: "retryWithBackoff", repositories: 3, matches: 9 }],
    }),
    ["Searching 5 repositories: a, b, c and 2 more.", "retryWithBackoff: in 3 repositories"],
  );
});

test("whoever has searched before is told what is searched, and no more", () => {
  const examples = [{ query: "x", repositories: 2, matches: 2 }];
  assert.deepEqual(welcome({ siblings, examples, isFirst: false }), ["Searching 1 repository: orders-api."]);
});
