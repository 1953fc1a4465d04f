import assert from "node:assert/strict";
import { test } from "node:test";
import { boxInterpretation, type InterpretationOptions } from "#client/box/interpretation";
import { pauseAfterTypingMs, waitReasonFor } from "#client/box/typing";
import { siblingsOffer, type WelcomeInput, welcomeOf } from "#client/box/welcome";
import { checkQuery } from "#client/search/queryAnalysis";
import type { QueryExplanation } from "#contract/queries";
import { explainQuery } from "#query/parser/explain";
import { english } from "#test/support/english";
import type { BoxAction } from "#webview/messages";

/** Explains a query as the service does. */
function interpretation(query: string, isRegexEnabled = false): QueryExplanation {
  const { filters, problems, ...rest } = explainQuery(query, {
    isRegexEnabled,
    isCaseSensitivityEnabled: false,
  });
  return {
    ...rest,
    filters: [...filters],
    problems: problems.map((problem) => ({ ...problem, fixes: [...problem.fixes] })),
  };
}

function box(query: string, narrowed: readonly string[] = [], options: Partial<InterpretationOptions> = {}) {
  const conditions = narrowed.map((text) => interpretation(text));
  const all = { narrowed: conditions, isTyping: false, ...options };
  return boxInterpretation({ query, narrowed }, interpretation(query), all, english);
}

test("each filter is a chip, but free text is not", () => {
  const { query, chips } = box('retry lang:go -file:_test r:web NOT repo:"a b"', ["TODO"]);
  assert.equal(query, 'retry lang:go -file:_test r:web NOT repo:"a b"');
  assert.deepEqual(
    chips.map(({ text, title, isNegated, isFileFilter, remove }) => [
      text,
      title,
      isNegated,
      isFileFilter,
      remove.title,
    ]),
    [
      ["lang: go", "", false, false, "Remove lang: go"],
      ["not file: _test", "", true, true, "Remove not file: _test"],
      ["repo: web", "interpreted as repo:", false, false, "Remove repo: web"],
      ["not repo: a b", "interpreted as -repo:", true, false, "Remove not repo: a b"],
      ["narrowed: TODO", "", false, false, "Remove narrowed: TODO"],
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

test("problems have a location, and fixes that change the box", () => {
  const { problems } = box("serch lnag:go type:fil");
  assert.deepEqual(
    problems.map(({ severity, range, fixes }) => [severity, range, fixes.length > 0]),
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

test("a query is checked as written, without what the request adds", async () => {
  const service = {
    call: (_: string, { query }: { query: string }) => Promise.resolve(interpretation(query)),
  } as never;
  const state = { caseSensitivity: "smart", isWholeWord: false, isRegex: false } as const;
  const check = (query: string, narrowed: readonly string[] = []) =>
    checkQuery(service, { ...state, query, narrowed });
  await check("timeout", ["(a or b)"]);
  const expected = { errorCode: "FAILED_TO_PARSE_QUERY" };
  await assert.rejects(check("(timeout or"), { ...expected, message: 'Expected a term after "or".' });
  await assert.rejects(check("lang:go or"), { ...expected, message: 'Expected a term after "or".' });
  await assert.rejects(check("sym:"), { ...expected, message: 'Expected a value after "sym:".' });
  await assert.rejects(check("timeout", ["sym:"]), expected);
});

test("an invalid regular expression can be treated as plain text", () => {
  const { problems } = boxInterpretation(
    { query: "f(", narrowed: [] },
    interpretation("f(", true),
    { narrowed: [], isTyping: false },
    english,
  );
  assert.deepEqual(problems[0]?.fixes[0], {
    title: "Treat as literal",
    change: { query: "f(", isRegex: false },
  });
});

test("an incomplete last term is not an error while the user is typing", () => {
  assert.equal(box("retry lang:").problems.length, 1);
  assert.deepEqual(box("retry lang: ", [], { isTyping: true }).problems, []);
  assert.equal(box("retry lang:nope", [], { isTyping: true }).problems.length, 1);
});

test("an error in a narrowing condition has no location, and the condition can be removed", () => {
  const [problem] = box("a", ["b", "lang:nope"]).problems;
  assert.match(problem?.message ?? "", /^narrowed: lang:nope: Unknown language "nope"/);
  assert.equal(problem?.range, undefined);
  assert.deepEqual(problem?.fixes, [{ title: "Remove it", change: { narrowed: ["b"] } }]);
});

const waits: readonly [query: string, isOnType: boolean, expected: ReturnType<typeof waitReasonFor>][] = [
  ["", true, undefined],
  ["retry", true, undefined],
  ["ret", true, undefined],
  ["re", true, "short"],
  ["  re  ", true, "short"],
  ["retry", false, "enter"],
  ["lang:go", true, "enter"],
  ["ab lang:go", true, "costly"],
  ["retry lang:", true, "invalid"],
  ["retry lang:", false, "invalid"],
];
for (const [query, isOnType, expected] of waits) {
  test(`"${query}" waits for ${expected}${isOnType ? "" : " if typing runs no search"}`, () => {
    assert.equal(waitReasonFor({ query, narrowed: [] }, interpretation(query), isOnType), expected);
  });
}

test("regular expressions get a longer pause", () => {
  assert.deepEqual(
    [false, true].map((isRegex) => pauseAfterTypingMs({ isRegex })),
    [100, 150],
  );
});

const input: WelcomeInput = {
  names: ["orders-api"],
  indexedCount: 1,
  offer: undefined,
  examples: [],
  isFirstUse: true,
};
const siblings = [
  { path: "/src/a", name: "a", sizeBytes: 1000 },
  { path: "/src/b", name: "b", sizeBytes: 24 },
];
const offerFor = (some: typeof siblings) => siblingsOffer(some, (bytes) => `${bytes} bytes`, english);

/** Formats the welcome text as lines, with actions in brackets. `null` if there is none. */
function welcomeLines(change: Partial<WelcomeInput>): string[] | null {
  const view = welcomeOf({ ...input, ...change }, english);
  if (view === null) return null;
  const { text, actions, offer, examples } = view;
  const line = (words: string, actionList: readonly BoxAction[]) =>
    [words, ...actionList.map(({ title, isPrimary }) => (isPrimary ? `[[${title}]]` : `[${title}]`))].join(
      " ",
    );
  return [
    line(text, actions),
    ...(offer === undefined ? [] : [line(offer.text, offer.actions)]),
    ...examples.map(({ query, detail }) => `${query}: ${detail}`),
  ];
}

test("an empty box shows indexed repositories, their siblings, and examples", () => {
  assert.equal(welcomeLines({ names: undefined }), null);
  assert.deepEqual(welcomeLines({}), ["1 repository indexed: orders-api."]);
  assert.deepEqual(welcomeLines({ names: [] }), ["No repositories yet. [Add Folder...]"]);
  assert.deepEqual(welcomeLines({ offer: offerFor(siblings) }), [
    "1 repository indexed: orders-api.",
    "2 more in the same folder (1024 bytes). [[Index Them]] [Choose...] [Dismiss]",
  ]);
  assert.equal(
    welcomeLines({ offer: offerFor(siblings.slice(1)) })?.[1],
    "1 more in the same folder (24 bytes). [[Index It]] [Choose...] [Dismiss]",
  );
  assert.equal(offerFor([]), undefined);
  assert.deepEqual(
    welcomeLines({
      names: ["a", "b", "c", "d", "e"],
      indexedCount: 4,
      examples: [
        { query: "retryWithBackoff", repositories: 3, matches: 9 },
        { query: "notCounted", repositories: 0, matches: 0 },
      ],
    }),
    [
      "4 of 5 repositories indexed: a, b, c and 2 more.",
      "retryWithBackoff: in 3 repositories",
      "notCounted: ",
    ],
  );
});

test("users who have searched before see no examples", () => {
  const examples = [{ query: "x", repositories: 2, matches: 2 }];
  assert.deepEqual(welcomeLines({ examples, isFirstUse: false }), ["1 repository indexed: orders-api."]);
  assert.equal(welcomeLines({ offer: offerFor(siblings), isFirstUse: false })?.length, 2);
});
