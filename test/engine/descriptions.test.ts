import assert from "node:assert/strict";
import { test } from "node:test";
import type { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { EngineResult, SearchPlan, UnsavedDocument } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { type Description, parseDescription, stemOf, wordsOf } from "#query/description";
import type { Query } from "#query/query";
import { Random } from "#test/support/corpus";
import {
  hitLines,
  literal,
  openEngine,
  openIndex,
  planOf,
  regexp,
  type TestDocument,
  type TestRepositoryIndex,
} from "#test/support/engines";

const everything: Query = { kind: "const", value: true };

function described(text: string): Description {
  const description = parseDescription(text);
  assert.ok(description !== undefined);
  return description;
}

function rank(
  engine: EmbeddedEngine,
  text: string,
  query: Query = everything,
  change: Partial<SearchPlan> = {},
): Promise<EngineResult> {
  const plan = planOf(query, { maxMatches: 10_000 }, { description: described(text), ...change });
  return engine.search(plan, new AbortController().signal);
}

const paths = ({ files }: Pick<EngineResult, "files">) => files.map(({ path }) => path);

/** Runs a check on engines with different numbers of workers. */
async function withEngines(
  repositories: readonly TestRepositoryIndex[],
  run: (engine: EmbeddedEngine) => Promise<void>,
): Promise<void> {
  const directory = await openIndex(repositories);
  for (const workerCount of [1, 2, 3]) {
    const { engine } = openEngine(directory, { workerCount });
    await run(engine);
    await engine.close();
  }
}

function repository(documents: readonly TestDocument[], id = 1): TestRepositoryIndex {
  return { id, segments: [documents] };
}

const filler = Array.from({ length: 30 }, (_, at) => ({
  path: `other/file${at}.ts`,
  content: `export const value${at} = compute(${at});\n`.repeat(20),
}));

test("the file that fits best comes first, even if words are missing", () =>
  withEngines(
    [
      repository([
        ...filler,
        { path: "src/app.ts", content: "register();\nstart();\n" },
        {
          path: "src/router.ts",
          content: "registerRoute(path);\nregisterRoute(other);\nconst routes = [];\n",
        },
        { path: "test/router.ts", content: "registerRoute(path);\nconst routes = [];\n", category: "test" },
      ]),
    ],
    async (engine) => {
      const found = await rank(engine, "how are the routes registered at startup");
      assert.deepEqual(paths(found), ["src/router.ts", "test/router.ts", "src/app.ts"]);
      assert.equal(found.isExhaustive, true);
    },
  ));

test("words are found within identifiers, in any form and case", () =>
  withEngines(
    [
      repository([
        { path: "a.c", content: "int max_retries;\n" },
        { path: "b.java", content: "void retryRequest() {}\n" },
        { path: "c.go", content: "const MAX_RETRY = 3\n" },
        { path: "d.ts", content: "class HTTPRetrier {}\n" },
        { path: "e.py", content: "# it retried\n" },
        { path: "f.txt", content: "poetry and pretry\n" },
        { path: "g.txt", content: "retrospective\n" },
      ]),
    ],
    async (engine) => {
      const { files } = await rank(engine, "retrying");
      assert.deepEqual(hitLines(files).sort(), [
        "a.c:1: int max_retries;",
        "b.java:1: void retryRequest() {}",
        "c.go:1: const MAX_RETRY = 3",
        "d.ts:1: class HTTPRetrier {}",
        "e.py:1: # it retried",
      ]);
    },
  ));

test("words of the path count, also if the text has none", () =>
  withEngines(
    [
      repository([
        ...filler,
        { path: "src/session/store.ts", content: "export {};\n" },
        { path: "src/main.ts", content: "// opens a session\n" },
        { path: "src/session.ts", content: "export {};\n" },
      ]),
    ],
    async (engine) => {
      const found = await rank(engine, "session");
      assert.deepEqual(paths(found).slice(0, 1), ["src/session.ts"]);
      assert.deepEqual(paths(found).sort(), ["src/main.ts", "src/session.ts", "src/session/store.ts"]);
      assert.deepEqual(found.files.map(({ nameRanges }) => nameRanges.length > 0).sort(), [
        false,
        true,
        true,
      ]);
    },
  ));

test("synonyms and abbreviations count in base names", () =>
  withEngines(
    [
      repository([
        ...filler,
        ...["a", "list", "settings", "set", "cfg", "ctx"].map((name) => ({
          path: `src/${name}.ts`,
          content: "// for users\n",
        })),
      ]),
    ],
    async (engine) => {
      for (const [text, path] of [
        ["configuration of users", "src/settings.ts"],
        ["context of users", "src/ctx.ts"],
        ["collected users", "src/a.ts"],
        ["listeners of users", "src/a.ts"],
      ] as const)
        assert.equal(paths(await rank(engine, text))[0], path, text);
    },
  ));

test("a word of all files counts in names", () =>
  withEngines(
    [
      repository([
        ...filler.map(({ path, content }, at) => ({
          path,
          content: `handler();\n${at < 10 ? "log();\n" : ""}${content}`,
        })),
        { path: "other/handler.ts", content: "handler();\n" },
      ]),
    ],
    async (engine) => {
      assert.equal(paths(await rank(engine, "log of a handler"))[0], "other/handler.ts");
    },
  ));

test("the rest of the query selects files", () =>
  withEngines(
    [
      repository([
        { path: "a.ts", content: "retry request\n", language: "TypeScript" },
        { path: "b.go", content: "retry request\n", language: "Go" },
        { path: "c.ts", content: "retry needle\n", language: "TypeScript" },
      ]),
      repository([{ path: "d.ts", content: "retry\n", language: "TypeScript" }], 2),
    ],
    async (engine) => {
      const typeScript: Query = { kind: "language", names: ["TypeScript"] };
      const found = async (query: Query, change: Partial<SearchPlan> = {}) =>
        paths(await rank(engine, "retry a request", query, change)).sort();
      assert.deepEqual(await found(typeScript), ["a.ts", "c.ts", "d.ts"]);
      assert.deepEqual(await found(literal("needle")), ["c.ts"]);
      assert.deepEqual(await found({ kind: "not", child: literal("request") }), ["c.ts", "d.ts"]);
      assert.deepEqual(await found(everything, { repositories: new Set([2 as never]) }), ["d.ts"]);
      assert.deepEqual(await found({ kind: "const", value: false }), []);
    },
  ));

test("revisions and unsaved documents are covered as in other searches", () =>
  withEngines(
    [
      {
        id: 1,
        revisions: [
          { name: "refs/heads/main", commit: "a".repeat(40), slot: 0 },
          { name: "refs/heads/old", commit: "b".repeat(40), slot: 1 },
        ],
        segments: [
          [
            { path: "new.ts", content: "retry later\n", slots: [0] },
            { path: "old.ts", content: "retry never\n", slots: [1] },
            { path: "open.ts", content: "nothing\n", slots: [0] },
          ],
        ],
      },
    ],
    async (engine) => {
      const unsaved: UnsavedDocument[] = [
        { repositoryId: 1 as never, path: "open.ts", text: "retryNow();\n", language: "", version: "1" },
        { repositoryId: 1 as never, path: "new.ts", text: "removed\n", language: "", version: "1" },
      ];
      const old: Query = { kind: "revision", names: ["old"] };
      assert.deepEqual(paths(await rank(engine, "retries")), ["new.ts"]);
      assert.deepEqual(paths(await rank(engine, "retries", old)), ["old.ts"]);
      assert.deepEqual(paths(await rank(engine, "retries", everything, { unsaved })), ["open.ts"]);
    },
  ));

test("finds the files that contain one of the words, as a scan of all words does", async () => {
  const random = new Random(7);
  const vocabulary =
    "café naïve session Sessions route ROUTES registerRoute route_registry parse parser JSONParser config Configure cache cached io Übung retry poetry file fill x v2".split(
      " ",
    );
  const separators = [" ", "_", "(", ".", "\n", "-", "9"];
  const word = () => random.pick(vocabulary);
  const documents = Array.from({ length: 120 }, (_, at) => ({
    path: `dir${at % 7}/${word()}${at}.ts`,
    content: `${Array.from({ length: random.between(1, 12) }, () => word() + random.pick(separators)).join("")}\n`,
  }));
  const orders: string[][] = [];
  await withEngines(
    [repository(documents.slice(0, 60)), repository(documents.slice(60), 2)],
    async (engine) => {
      for (let at = 0; at < 60; at++) {
        const text = Array.from({ length: random.between(1, 3) }, word).join(" ");
        const { stems } = described(text);
        const contains = (each: string) => stems.some((stem) => stemsOf(each).has(stem));
        const expected = documents.filter(({ path, content }) => contains(path) || contains(content));
        const found = await rank(engine, text);
        const missing = expected.filter(({ path }) => !paths(found).includes(path));
        assert.deepEqual(missing, [], text);
        assert.equal(found.isExhaustive, true);
        assertSortedAndCounted(found);
      }
      orders.push(paths(await rank(engine, "session routes of a parser")));
    },
  );
  for (const order of orders) assert.deepEqual(order, orders[0], "depends on the number of workers");
});

function stemsOf(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text).map((each) => stemOf(/^[A-Za-z]+$/.test(each) ? each.toLowerCase() : each)));
}

function assertSortedAndCounted({ files, stats }: EngineResult): void {
  assert.equal(stats.fileCount, files.length);
  assert.equal(
    stats.actualMatchCount,
    files.reduce((sum, { rangeCount }) => sum + rangeCount, 0),
  );
  for (const [at, { score }] of files.entries()) assert.ok(at === 0 || score <= (files[at - 1]?.score ?? 0));
}

test("an unsaved document is read, however many other files there are", () =>
  withEngines(
    [repository(Array.from({ length: 500 }, (_, at) => ({ path: `f${at}.ts`, content: "retry later\n" })))],
    async (engine) => {
      const text = "retryRequest();\n";
      const unsaved = [{ repositoryId: 1 as never, path: "f400.ts", text, language: "", version: "1" }];
      const found = await rank(engine, "retry a request", everything, { unsaved });
      assert.equal(found.files[0]?.path, "f400.ts");
    },
  ));

test("an expression in a filter cannot hold up a search", () =>
  withEngines(
    [repository([{ path: `${"a".repeat(3000)}.ts`, content: `retry ${"a".repeat(30_000)}\n` }])],
    async (engine) => {
      const startedAt = performance.now();
      const { stats, isExhaustive } = await rank(engine, "retry", regexp("(a+)+$", { where: "both" }));
      assert.ok(performance.now() - startedAt < 5000);
      assert.equal(isExhaustive, stats.flushReason === "NONE");
    },
  ));

test("more files than are read make the result incomplete", async () => {
  const many = Array.from({ length: 700 }, (_, at) => ({
    path: `f${at}.ts`,
    content: "retry\n".repeat(1 + (at % 5)),
  }));
  await withEngines([repository(many)], async (engine) => {
    const { stats, isExhaustive, files } = await rank(engine, "retry");
    assert.equal(isExhaustive, false);
    assert.equal(stats.flushReason, "MATCH_LIMIT");
    assert.ok(files.length > 50);
  });
});

test("the best files of all threads are read", async () => {
  const documents = [1, 2, 3, 4].map((id) =>
    Array.from({ length: 300 }, (_, at) => ({
      path: `r${id}/f${at}.ts`,
      content: at % 12 === 0 ? "retry(backoff);\n" : "retry();\n",
    })),
  );
  const best = documents.flat().filter(({ content }) => content.includes("backoff"));
  const repositories = documents.map((each, index) => repository(each, index + 1));
  await withEngines(repositories, async (engine) => {
    const found = await rank(engine, "retry backoff");
    assert.equal(found.stats.filesConsidered, 192);
    assert.deepEqual(new Set(paths(found).slice(0, best.length)), new Set(best.map(({ path }) => path)));
  });
});

test("a stream returns the same files as a response", () =>
  withEngines(
    [repository([...filler, ...filler.map((each) => ({ ...each, path: `x/${each.path}` }))])],
    async (engine) => {
      const expected = await rank(engine, "compute values");
      const streamed: FileMatch[] = [];
      const plan = planOf(everything, { maxMatches: 10_000 }, { description: described("compute values") });
      const { files, stats } = await engine.search(plan, new AbortController().signal, (found) => {
        streamed.push(...found);
      });
      assert.deepEqual(files, []);
      assert.deepEqual(streamed, expected.files);
      assert.equal(stats.actualMatchCount, expected.stats.actualMatchCount);
    },
  ));

test("hostile texts cost little", async () => {
  const line = "retry".repeat(400_000);
  const suffixes = Array.from({ length: 20_000 }, (_, at) => `retry${at.toString(26).replace(/\d/g, "q")}`);
  await withEngines(
    [
      repository([
        { path: "line.js", content: `${line}\n` },
        { path: "suffixes.txt", content: `${suffixes.join(" ")}\n` },
        { path: "caps.txt", content: `${"RETRY".repeat(10_000)}\nRETRYRetry\n` },
        { path: "good.ts", content: "retry();\n" },
      ]),
    ],
    async (engine) => {
      const startedAt = performance.now();
      const found = await rank(engine, Array.from({ length: 32 }, (_, at) => `retry w${at}x`).join(" "));
      assert.ok(paths(found).includes("good.ts"));
      assert.ok(performance.now() - startedAt < 10_000);
    },
  );
});

test("a canceled search rejects", () =>
  withEngines([repository(filler)], async (engine) => {
    const plan = planOf(everything, {}, { description: described("compute") });
    await assert.rejects(engine.search(plan, AbortSignal.abort()), { code: "CANCELLED" });
  }));
