import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { isServiceError } from "#base/error";
import type { SearchEvent, SearchResult } from "#contract/search";
import type { Call } from "#contract/service";
import type { SearchPlan } from "#engine/engine";
import type { Repository } from "#model/repository";
import { noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { printQuery } from "#query/print";
import type { ServiceOptions } from "#service/createService";
import type { RevisionResult } from "#service/repositories/repositoryView";
import { openEngine, openIndex } from "#test/support/engines";
import { callerOf, engineOf, engineResult, fileMatch, repository, viewOf } from "#test/support/service";

const folder = mkdtempSync(join(tmpdir(), "trawl-refs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a git repository with a tag that is not indexed. */
function repositoryWithRefs(): Repository {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one");
  git("tag", "v1");
  const commit = git("rev-parse", "HEAD") as Repository["revisions"][0]["commit"];
  const revisions = [{ name: "refs/heads/main", commit }];
  return repository(1, "github.com/o/refs", { path: folder, gitDir: join(folder, ".git"), revisions });
}

const repositories = [
  repository(1, "github.com/o/alpha"),
  repository(2, "github.com/o/beta", { isFork: true, isPublic: true, topics: ["Search", "go"] }),
  repository(3, "gitlab.com/p/Gamma", { isArchived: true, codeHostType: "gitlab" }),
];

interface Outcome {
  readonly result: SearchResult;
  readonly plans: readonly SearchPlan[];
}

async function ask(
  query: string,
  options: Partial<ServiceOptions> = {},
  request: Record<string, unknown> = {},
  call: Partial<Call<"search">> = {},
): Promise<Outcome> {
  const plans: SearchPlan[] = [];
  const engine = options.engine ?? engineOf(async () => engineResult([]));
  const caller = callerOf({
    repositories: viewOf(repositories),
    contexts: { mine: ["github.com/o/*"], none: [] },
    ...options,
    engine: engineOf((plan, ...rest) => {
      plans.push(plan);
      return engine.search(plan, ...rest);
    }),
  });
  const { signal } = new AbortController();
  const result = await caller(
    "search",
    { query, ...request },
    { credentials: { kind: "none" }, signal, ...call },
  );
  return { result, plans };
}

function planned({ plans }: Outcome): string {
  const [plan] = plans;
  if (plan === undefined) return "nothing";
  const { query, repositories: ids } = plan;
  return `${printQuery(query)} in ${ids === "all" ? "all" : [...ids].join(",") || "none"}`;
}

describe("plans for the engine", () => {
  const a = printed("a");
  function printed(text: string): string {
    return printQuery({
      kind: "text",
      where: "both",
      pattern: { kind: "literal", text, caseSensitive: false },
    });
  }
  const ids = (...numbers: number[]) => printQuery({ kind: "repositoryIds", ids: numbers });
  const rows: Record<string, string> = {
    a: `${a} in all`,
    "a repo:alpha": `(and ${a} ${ids(1)}) in 1`,
    "a repo:GAMMA$": `(and ${a} ${ids(3)}) in 3`,
    "a repo:none": "(const false) in none",
    "a -repo:alpha": `(and ${a} (not ${ids(1)})) in 2,3`,
    "a fork:no": `(and ${a} ${ids(1, 3)}) in 1,3`,
    "a fork:yes": `${a} in all`,
    "a fork:only": `(and ${a} ${ids(2)}) in 2`,
    "a archived:only": `(and ${a} ${ids(3)}) in 3`,
    "a topic:none,search": `(and ${a} ${ids(2)}) in 2`,
    "a -topic:GO": `(and ${a} (not ${ids(2)})) in 1,3`,
    "a visibility:public": `(and ${a} ${ids(2)}) in 2`,
    "a visibility:private": `(and ${a} ${ids(1, 3)}) in 1,3`,
    "a context:mine": `(and ${a} ${ids(1, 2)}) in 1,2`,
    "a context:none": "(const false) in none",
    "a reposet:github.com/o/beta,gitlab.com/p/Gamma": `(and ${a} ${ids(2, 3)}) in 2,3`,
    "a reposet:beta": "(const false) in none",
    "(a repo:alpha) or (a repo:beta)": `(or (and ${a} ${ids(1)}) (and ${a} ${ids(2)})) in 1,2`,
    "a sym:b": `(and ${a} symbol:/b/) in all`,
    "a -sym:b": `(and ${a} (not symbol:/b/)) in all`,
  };
  for (const [query, expected] of Object.entries(rows)) {
    test(query, async () => {
      const normal = (text: string) =>
        text.replace("(const false)", printQuery({ kind: "const", value: false }));
      assert.equal(planned(await ask(query)), normal(expected));
    });
  }

  test("the words of a query are passed on as a phrase", async () => {
    const phraseOf = async (query: string, request: Record<string, unknown> = {}) =>
      (await ask(query, {}, request)).plans[0]?.phrase;
    const phrase = (text: string, caseSensitive = false) => ({ kind: "literal", text, caseSensitive });
    assert.deepEqual(await phraseOf("return new error"), phrase("return new error"));
    assert.deepEqual(
      await phraseOf("return lang:go new Error -file:other", { isCaseSensitivityEnabled: true }),
      {
        ...phrase("return new Error", true),
      },
    );
    assert.deepEqual(await phraseOf('return "new" error file:a'), phrase('return "new" error'));
    assert.deepEqual(await phraseOf("if (return new) error"), phrase("if (return new) error"));
    assert.deepEqual(await phraseOf("return new AND error"), phrase("return new"));
    assert.deepEqual(await phraseOf("return\n  new"), {
      kind: "regexp",
      source: "return\\r?\\n  new",
      caseSensitive: false,
    });
    assert.deepEqual(await phraseOf("return new", { isWholeWordEnabled: true }), {
      kind: "regexp",
      source: "\\breturn new\\b",
      caseSensitive: false,
    });
    for (const query of ["return", "return or new", "return file:new", "NOT return new"])
      assert.equal(await phraseOf(query), undefined, query);
    assert.equal(await phraseOf("return new", { isRegexEnabled: true }), undefined);
  });

  test("the limits of a request are passed on", async () => {
    const { plans } = await ask(
      "a",
      {},
      {
        matches: 7,
        matchesPerFile: 3,
        contextLines: 2,
        whole: true,
        explain: true,
        enclosing: true,
        filesOnly: true,
      },
    );
    const { deadline, ...limits } = plans[0]!.limits;
    assert.ok(Math.abs(deadline - monotonicNow() - 10_000) < 1000);
    const expected = {
      maxMatches: 7,
      maxDisplayedMatches: 7,
      maxMatchesPerFile: 3,
      contextLines: 2,
      returnsContent: true,
      explainsScores: true,
      findsEnclosing: true,
      omitsChunks: true,
    };
    assert.deepEqual(limits, { ...expected, maxResponseBytes: 60 * 1024 * 1024 });
  });

  test("unsaved documents and open folders are passed on", async () => {
    const unsaved = [
      { path: "/src/github.com/o/alpha/src/a.ts", text: "a", version: "3" },
      { path: "/elsewhere/b.ts", text: "b", version: "1" },
    ];
    const call = { unsaved, folders: ["/src/github.com/o/beta/src", "/src/gitlab.com"] };
    const { plans } = await ask("a", { languageOf: (_root, path) => path }, {}, call);
    const document = { repositoryId: 1, path: "src/a.ts", text: "a", language: "src/a.ts", version: "3" };
    assert.deepEqual(plans[0]!.unsaved, [document]);
    assert.deepEqual(plans[0]!.preferred, [2, 3]);
  });

  test("an unknown context is an error", async () => {
    await assert.rejects(ask("context:other"), (error) => isServiceError(error, "FAILED_TO_PARSE_QUERY"));
    await assert.rejects(ask("context:constructor"), (error) =>
      isServiceError(error, "FAILED_TO_PARSE_QUERY"),
    );
  });
});

describe("completeness of results", () => {
  const withRefs = repositoryWithRefs();
  const changed = (change: Partial<Repository>) => ({
    repositories: viewOf([repository(1, "github.com/o/alpha", change), repository(2, "github.com/o/beta")]),
  });
  const indexRevision = (result: RevisionResult) => ({
    repositories: { ...viewOf([withRefs]), indexRevision: async () => result },
  });
  const refs = indexRevision("late");
  const limited = engineResult([], {
    isExhaustive: false,
    stats: { ...noStats, flushReason: "MATCH_LIMIT" },
  });
  const partial = engineResult([], { isExhaustive: false });
  const rows: [name: string, query: string, options: Partial<ServiceOptions>, expected: string][] = [
    ["ready", "a", {}, "NONE"],
    ["indexing", "a", changed({ state: "indexing" }), "INDEXING"],
    ["failed", "a", changed({ state: "failed" }), "INDEXING"],
    ["indexing elsewhere", "a repo:beta", changed({ state: "indexing" }), "NONE"],
    [
      "no repository discovered yet",
      "a",
      { repositories: { ...viewOf([]), isScanning: () => true } },
      "INDEXING",
    ],
    ["a limit of the engine", "a", { engine: engineOf(async () => limited) }, "MATCH_LIMIT"],
    ["a partial result of the engine", "a", { engine: engineOf(async () => partial) }, "ENGINE_PARTIAL"],
    [
      "two reasons",
      "a",
      { ...changed({ state: "queued" }), engine: engineOf(async () => limited) },
      "MATCH_LIMIT",
    ],
    ["an indexed branch", "a rev:main", refs, "NONE"],
    ["the full name of an indexed branch", "a rev:refs/heads/main", refs, "NONE"],
    ["all indexed revisions", "a rev:*", refs, "NONE"],
    ["the default revision", "a rev:HEAD", refs, "NONE"],
    ["a tag that is not indexed", "a rev:v1", refs, "REVISION_NOT_INDEXED"],
    ["one unindexed revision of several", "a rev:main rev:v1", refs, "REVISION_NOT_INDEXED"],
    ["a glob that matches it", "a rev:v*", refs, "REVISION_NOT_INDEXED"],
    ["a name that does not exist", "a rev:nothing", refs, "NONE"],
    ["an indexed commit", `a rev:${withRefs.revisions[0]?.commit.slice(0, 8)}`, refs, "NONE"],
    ["another commit", "a rev:0123456789", refs, "REVISION_NOT_INDEXED"],
    ["a revision expression", "a rev:main~2", refs, "REVISION_NOT_INDEXED"],
    ["a tag that was indexed in time", "a rev:v1", indexRevision("indexed"), "NONE"],
    ["a commit that does not exist", "a rev:0123456789", indexRevision("absent"), "NONE"],
  ];
  for (const [name, query, options, expected] of rows) {
    test(name, async () => {
      const { result } = await ask(query, options);
      assert.equal(result.stats.flushReason, expected);
      assert.equal(result.isSearchExhaustive, expected === "NONE");
    });
  }
});

test("stars order equal results of different repositories, and no others", async () => {
  const files = ["a.c", "b.c"].map((path) => ({ path, content: Buffer.from("int found;\n") }));
  const better = { path: "found.c", content: Buffer.from("int found;\n") };
  const segments = (id: number) => [id === 1 ? [...files, better] : files];
  const directory = await openIndex([1, 2, 3].map((id) => ({ id, segments: segments(id) })));
  const starsOf = { 1: 0, 2: 7, 3: 900 } as Record<number, number>;
  const view = viewOf(repositories.map((each) => ({ ...each, stars: starsOf[each.id] ?? 0 })));
  const { engine } = openEngine(directory, { workerCount: 2 });
  const found = async (view: ServiceOptions["repositories"], folders?: readonly string[]) => {
    const { result } = await ask("found", { engine, repositories: view }, {}, folders && { folders });
    return result.files.map(({ repositoryId, fileName }) => `${repositoryId} ${fileName.text}`).join(", ");
  };
  assert.equal(await found(view), "1 found.c, 3 a.c, 3 b.c, 2 a.c, 2 b.c, 1 a.c, 1 b.c");
  assert.equal(await found(viewOf(repositories)), "1 found.c, 1 a.c, 1 b.c, 2 a.c, 2 b.c, 3 a.c, 3 b.c");
  // A repository that is open in the editor comes first, however few stars it has.
  assert.match(await found(view, ["/src/github.com/o/beta"]), /^1 found.c, 2 a.c, 2 b.c, 3 a.c/);
  await engine.close();
});

describe("type:repo", () => {
  /** Returns an engine with the given number of matching files for each repository. */
  const engineWith = (counts: Readonly<Record<number, number>>) =>
    engineOf(async ({ repositories: ids, limits }) => {
      const files = Object.entries(counts).flatMap(([id, count]) =>
        ids === "all" || ids.has(Number(id) as Repository["id"])
          ? Array.from({ length: count }, (_, each) => fileMatch(Number(id), `${each}`))
          : [],
      );
      const taken = files.slice(0, limits.maxMatches);
      const isCut = taken.length < files.length;
      const result = engineResult(taken, { isExhaustive: !isCut });
      return isCut ? { ...result, stats: { ...result.stats, flushReason: "MATCH_LIMIT" } } : result;
    });
  const names = ({ result }: Outcome) => result.files.map(({ fileName }) => fileName.text).join(" ");

  test("each repository with a match is listed once, found in several rounds", async () => {
    const outcome = await ask(
      "type:repo a",
      { engine: engineWith({ 2: 5000, 1: 3000, 3: 1 }) },
      {},
      { baseUrl: "http://h" },
    );
    assert.equal(names(outcome), "github.com/o/alpha github.com/o/beta gitlab.com/p/Gamma");
    assert.equal(outcome.plans.length, 3);
    const { stats, files, repositoryInfo, isSearchExhaustive } = outcome.result;
    assert.deepEqual([stats.actualMatchCount, stats.totalMatchCount, stats.fileCount], [3, 3, 3]);
    assert.deepEqual([repositoryInfo.length, isSearchExhaustive], [3, true]);
    assert.equal(files[0]?.webUrl, "http://h/browse/github.com/o/alpha@refs/heads/main/-/tree/");
    assert.deepEqual(files[0]?.fileName.matchRanges[0]?.end, { byteOffset: 18, lineNumber: 1, column: 19 });
  });

  test("a query for names alone does not use the engine", async () => {
    const outcome = await ask("type:repo repo:github");
    assert.equal(names(outcome), "github.com/o/alpha github.com/o/beta");
    assert.equal(outcome.plans.length, 0);
  });

  test("repositories with a word as their topic come first; without words, those with more stars", async () => {
    const starred = repositories.map((each) => ({ ...each, stars: each.id * each.id * 10 }));
    const options = { engine: engineWith({ 1: 1, 2: 1, 3: 1 }), repositories: viewOf(starred) };
    assert.equal(
      names(await ask("type:repo search code", options)),
      "github.com/o/beta github.com/o/alpha gitlab.com/p/Gamma",
    );
    assert.equal(
      names(await ask("type:repo repo:.", options)),
      "gitlab.com/p/Gamma github.com/o/beta github.com/o/alpha",
    );
    assert.equal(names(await ask("type:repo repo:.", options, { matches: 1 })), "gitlab.com/p/Gamma");
  });

  test("the match limit applies to repositories", async () => {
    const { result } = await ask("type:repo repo:.", {}, { matches: 2 });
    assert.deepEqual([result.files.length, result.stats.flushReason], [2, "MATCH_LIMIT"]);
  });

  test("inside a group it is replaced by the repositories that match", async () => {
    const { plans } = await ask("b (type:repo a)", { engine: engineWith({ 2: 1 }) });
    assert.match(printQuery(plans[1]!.query), /and .*2/);
  });
});

test("few searches with large responses run at once, and small ones do not wait for them", async () => {
  let running = 0;
  const most: number[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const caller = callerOf({
    repositories: viewOf(repositories),
    engine: engineOf(async ({ limits }) => {
      if (limits.maxMatches > 1000) {
        most.push(++running);
        await finished;
        running--;
      }
      return engineResult([fileMatch(1, "a")]);
    }),
  });
  const call = { credentials: { kind: "none" } as const, signal: new AbortController().signal };
  const large = Array.from({ length: 30 }, () => caller("search", { query: "a", matches: 100_000 }, call));
  const small = await caller("search", { query: "a", matches: 10 }, call);
  assert.equal(small.files.length, 1);
  finish();
  const results = await Promise.all(large);
  assert.deepEqual([results.length, most.length, Math.max(...most)], [30, 30, 2]);
  assert.ok(results.every(({ files }) => files.length === 1));
});

test("searches and counts name the nodes of a cluster that did not take part", async () => {
  const unavailable = [{ node: "a", reason: "cannot be reached", repositoryCount: 2 }];
  const partial = engineResult([], { isExhaustive: false, unavailable });
  const caller = callerOf({ repositories: viewOf(repositories), engine: engineOf(async () => partial) });
  const call = { credentials: { kind: "none" } as const, signal: new AbortController().signal };
  const found = await caller("search", { query: "a" }, call);
  const counted = await caller("count", { query: "a" }, call);
  assert.deepEqual([found.unavailable, counted.unavailable], [unavailable, unavailable]);
});

describe("streamed search", () => {
  test("streamed results equal those of a blocking search", async () => {
    const files = [fileMatch(1, "a"), fileMatch(2, "b"), fileMatch(1, "c")];
    const caller = callerOf({
      repositories: viewOf(repositories),
      engine: engineOf(async (_plan, _signal, onFiles) => {
        for (const file of files) onFiles?.([file]);
        return engineResult(onFiles === undefined ? files : [], { stats: engineResult(files).stats });
      }),
    });
    const call = { credentials: { kind: "none" } as const, signal: new AbortController().signal };
    const whole = await caller("search", { query: "found serch:x" }, call);
    const events: SearchEvent[] = [];
    const emit = async (event: SearchEvent) => {
      events.push(event);
    };
    const end = await caller("streamSearch", { query: "found serch:x" }, { ...call, emit });
    const streamed = events.flatMap((event) => (event.event === "files" ? event.data.files : []));
    assert.deepEqual({ ...end, files: streamed }, whole);
    assert.equal(whole.suggestions?.length, undefined);
  });

  test("a failing receiver stops the search", async () => {
    const caller = callerOf({
      repositories: viewOf(repositories),
      engine: engineOf((_plan, signal, onFiles) => {
        onFiles?.([fileMatch(1, "a")]);
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped"))),
        );
      }),
    });
    const emit = async () => {
      throw new Error("gone");
    };
    const call = { credentials: { kind: "none" } as const, signal: new AbortController().signal, emit };
    await assert.rejects(caller("streamSearch", { query: "found" }, call), /stopped/);
  });
});

test("files of a repository that was removed during the search are skipped", async () => {
  const { result } = await ask("a", {
    engine: engineOf(async () => engineResult([fileMatch(9, "a"), fileMatch(1, "b")])),
  });
  assert.deepEqual(
    result.files.map(({ fileName }) => fileName.text),
    ["b"],
  );
});

test("a likely typo in a filter name has a suggestion", async () => {
  const { result } = await ask("repp:x");
  assert.deepEqual(result.suggestions, [{ offset: 0, length: 5, prefix: "repp:", suggestion: "repo:" }]);
});
