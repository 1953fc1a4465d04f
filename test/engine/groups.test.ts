import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { RE2JS } from "re2js";
import type { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { EngineResult, Grouping, SearchPlan } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import type { Query } from "#query/query";
import { skipReason } from "#shard/format/skipReason";
import { type BruteDocument, bruteQuery, decodeBrute } from "#test/support/bruteForce";
import { type CorpusDocument, Random, shapedDocuments } from "#test/support/corpus";
import { literal, openEngine, openIndex, regexp, search } from "#test/support/engines";
import { addSymbols, parseTestLanguage } from "#test/support/testLanguage";

const seed = Number(process.env["SEED"] ?? 1);
const languages = ["Go", "Text", ""];

async function count(
  engine: EmbeddedEngine,
  query: Query,
  grouping: Grouping,
  change: Partial<SearchPlan> = {},
): Promise<EngineResult> {
  return await search(engine, query, { maxDisplayedMatches: 0 }, { grouping, ...change });
}

/** `key: matches/files` for every group, sorted. */
function linesOf({ groups }: EngineResult): string[] {
  assert.ok(groups !== undefined);
  return [...groups.counts]
    .map(([key, { matchCount, fileCount }]) => `${key}: ${matchCount}/${fileCount}`)
    .sort();
}

function latin1(text: string | Uint8Array): string {
  return Buffer.from(text as string).toString("latin1");
}

type KeyOf = (document: BruteDocument, range: readonly [number, number], isInName: boolean) => string;

type BruteHit = ReturnType<ReturnType<typeof bruteQuery>>;
const knownHits = new WeakMap<Query, Map<BruteDocument, BruteHit>>();

function bruteHits(documents: readonly BruteDocument[], query: Query): Map<BruteDocument, BruteHit> {
  const brute = bruteQuery(query);
  const hits = knownHits.get(query) ?? new Map(documents.map((document) => [document, brute(document)]));
  knownHits.set(query, hits);
  return hits;
}

function bruteLines(documents: readonly BruteDocument[], query: Query, keyOf: KeyOf): string[] {
  const groups = new Map<string, { matches: number; files: Set<BruteDocument> }>();
  for (const [document, hit] of bruteHits(documents, query)) {
    for (const range of hit?.ranges ?? []) {
      const key = keyOf(document, range, hit?.where === "name");
      const group = groups.get(key) ?? { matches: 0, files: new Set() };
      group.matches++;
      group.files.add(document);
      groups.set(key, group);
    }
  }
  return [...groups].map(([key, { matches, files }]) => `${key}: ${matches}/${files.size}`).sort();
}

const knownUnits = new WeakMap<readonly number[], Map<number, number>>();

/** The UTF-16 offset of each byte where a code point starts. */
function unitsOf(byteAt: readonly number[]): Map<number, number> {
  const known =
    knownUnits.get(byteAt) ?? new Map(byteAt.map((byte, unit) => [byte, unit] as const).reverse());
  knownUnits.set(byteAt, known);
  return known;
}

/** What group 1 captured in each match of an expression, in the whole text. */
function captured(source: string): KeyOf {
  const expression = RE2JS.compile(source, RE2JS.MULTILINE);
  return (document, [start, end], isInName) => {
    const bytes = isInName ? Buffer.from(document.path) : document.content;
    const { text, byteAt } = decodeBrute(bytes);
    const from = unitsOf(byteAt).get(start);
    assert.ok(from !== undefined);
    const matcher = expression.matcher(text);
    assert.ok(matcher.find(from));
    assert.equal(byteAt[matcher.end()], end);
    const [first, last] = [matcher.start(1), matcher.end(1)];
    const key = first < 0 ? new Uint8Array() : bytes.subarray(byteAt[first] ?? 0, byteAt[last] ?? 0);
    return latin1(key).slice(0, 1001);
  };
}

const keys: Readonly<Record<"repo" | "folder" | "language" | "text", KeyOf>> = {
  repo: ({ repositoryId }) => String(repositoryId),
  folder: ({ repositoryId, path }) => {
    const bytes = latin1(path);
    return `${repositoryId}\0${bytes.slice(0, Math.max(0, bytes.lastIndexOf("/")))}`;
  },
  language: ({ language = "" }) => language,
  text: ({ path, content }, [start, end], isInName) =>
    latin1((isInName ? Buffer.from(path) : content).subarray(start, Math.min(end, start + 1001))),
};

describe("counts the groups that brute force counts", () => {
  const documents = shapedDocuments(seed)
    .filter(({ content }: CorpusDocument) => content.length < 10_000 && skipReason(content) === undefined)
    .map(
      ({ path, content }, index): BruteDocument => ({
        repositoryId: 1 + (index % 2),
        path,
        content,
        language: languages[index % 3] ?? "",
      }),
    );
  let engine: EmbeddedEngine;
  before(async () => {
    const of = (id: number, part: number) =>
      documents.filter(({ repositoryId }, index) => repositoryId === id && (index >> 1) % 2 === part);
    const directory = await openIndex([1, 2].map((id) => ({ id, segments: [of(id, 0), of(id, 1)] })));
    ({ engine } = openEngine(directory, { workerCount: 2 }));
  });
  after(() => engine.close());

  const random = new Random(seed);
  const word = () => {
    const { content } = random.pick(documents.filter((document) => document.content.length > 20));
    const at = random.between(0, content.length - 4);
    return (
      decodeBrute(content.subarray(at, at + random.between(1, 4))).text.replaceAll(/[^\p{L}\d]/gu, "") || "a"
    );
  };
  const queries: readonly (readonly [name: string, query: Query])[] = [
    ...Array.from({ length: 12 }, (): [string, Query] => {
      const text = word();
      return [text, literal(text, { where: random.pick(["content", "both", "name"] as const) })];
    }),
    ["two words", { kind: "and", children: [literal("return"), literal("a")] }],
    ["either word", { kind: "or", children: [literal("task"), literal("ta"), regexp("sk\\w*")] }],
    ["everything", { kind: "const", value: true }],
    ["empty matches", regexp("x*")],
    ["several lines", regexp("return\\s+\\w+")],
    ["a long text", regexp("(?s:t.*)")],
  ];
  for (const [name, query] of queries) {
    test(`${name}: seed ${seed}`, async () => {
      for (const by of ["repo", "folder", "language", "text"] as const) {
        const result = await count(engine, query, { by });
        assert.equal(result.isExhaustive, true);
        assert.deepEqual(linesOf(result), bruteLines(documents, query, keys[by]), by);
        const { totalMatchCount, fileCount } = (await search(engine, query, { maxDisplayedMatches: 0 }))
          .stats;
        assert.deepEqual(
          [result.stats.totalMatchCount, result.stats.fileCount],
          [totalMatchCount, fileCount],
        );
      }
    });
  }

  for (const source of [
    "(\\w)\\w*",
    "re(t)?u",
    "\\b(r\\w+) (\\S+)",
    "^(\\S*)",
    "(\\w+)$",
    "k(.)",
    "(?:a|(b))c?",
    "return(\\s+)\\w",
    "(é|ſ|K|👍)",
    "x(\\pL*)",
    "(a)(?:.$)?",
    "(\\w)(?:[^z]*\\z)?",
    "(?:(\\w)\\b|(.)\\B)e",
    "(\\w)\\Q.",
    "(?i)(T)(?:[^!]*\\b$)??",
  ]) {
    test(`what ${source} captures: seed ${seed}`, async () => {
      const query = regexp(source);
      const result = await count(engine, query, { by: "text" });
      assert.deepEqual(linesOf(result), bruteLines(documents, query, captured(source)));
    });
  }

  test("levels of folders", async () => {
    const query = literal("a");
    const folder: KeyOf = ({ repositoryId, path }) =>
      `${repositoryId}\0${latin1(path).split("/").slice(0, -1).slice(0, 1).join("/")}`;
    assert.deepEqual(
      linesOf(await count(engine, query, { by: "folder", depth: 1 })),
      bruteLines(documents, query, folder),
    );
  });
});

test("captures take no longer in a large file, and do not block", async (context) => {
  const content = `${"ab-".repeat(50_000)}\n${"x".repeat(900_000)}\n`;
  const documents = [{ path: "a.txt", content }];
  const { engine } = openEngine(await openIndex([{ id: 1, segments: [documents] }]), { workerCount: 1 });
  context.after(() => engine.close());
  const result = await count(engine, regexp("(a)(?:.$)?"), { by: "text" });
  assert.deepEqual(linesOf(result), ["a: 50000/1"]);
  assert.ok(result.isExhaustive);

  // Captures that would take too long are left out, and reported.
  const long = await count(engine, regexp("x(?:(x)|xx){200}x*"), { by: "text" });
  assert.deepEqual([long.stats.flushReason, long.stats.totalMatchCount], ["BYTE_LIMIT", 1]);
  assert.deepEqual(linesOf(long), []);
});

const nested = [
  ["a.go", "hit\nclass Outer hit\n  def inner hit\nhit\nlocal def skipped hit\n"],
  ["sub/b.go", "class Outer hit hit\nhit\n"],
] as const;

test("counts by the innermost definition, also in unsaved text", async (context) => {
  const directory = await openIndex([
    { id: 1, segments: [nested.map(([path, content]) => ({ path, content, language: "Go" }))] },
  ]);
  const { engine } = openEngine(directory);
  context.after(() => engine.close());
  const before = await count(engine, regexp("class|Outer|def|hit|skipped"), { by: "symbol" });
  assert.equal(before.stats.flushReason, "INDEXING");

  await addSymbols(directory);
  const result = await count(engine, regexp("class|Outer|def|hit|skipped"), { by: "symbol" });
  assert.equal(result.isExhaustive, true);
  const expected = new Map<string, number>();
  for (const [path, text] of nested) {
    const { definitions } = parseTestLanguage(text);
    for (const { index } of text.matchAll(/class|Outer|def|hit|skipped/g)) {
      const around = definitions
        .filter(({ start, nameStart }) => start <= index && index < nameStart)
        .sort((left, right) => right.start - left.start || left.end - right.end)[0];
      const parent = around && around.parent >= 0 ? (definitions[around.parent]?.name ?? "") : "";
      const key = ["1", path, around?.name ?? "", around?.kind ?? "", parent].join("\0");
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
  }
  assert.deepEqual(linesOf(result), [...expected].map(([key, matches]) => `${key}: ${matches}/1`).sort());

  const unsaved = [
    { repositoryId: 1 as RepositoryId, path: "a.go", text: "hit hit hit\n", language: "Go", version: "1" },
  ];
  const edited = await count(engine, literal("hit"), { by: "folder" }, { unsaved });
  assert.deepEqual(linesOf(edited), ["1\0: 3/1", "1\0sub: 3/1"]);
});

test("counts a content on two revisions once, as a search does", async (context) => {
  const revisions = ["main", "next"].map((name, slot) => {
    return { name: `refs/heads/${name}`, commit: String(slot + 1).repeat(40), slot };
  });
  const documents = [
    { path: "both.txt", content: "hit hit\n", slots: [0, 1] },
    { path: "edited.txt", content: "hit\n", slots: [0] },
    { path: "edited.txt", content: "hit hit hit\n", slots: [1] },
  ];
  const { engine } = openEngine(await openIndex([{ id: 1, revisions, segments: [documents] }]));
  context.after(() => engine.close());
  const everywhere: Query = { kind: "revision", names: ["*"] };
  for (const [query, expected] of [
    [literal("hit"), "1: 3/2"],
    [{ kind: "and", children: [everywhere, literal("hit")] }, "1: 6/3"],
  ] as const) {
    const result = await count(engine, query, { by: "repo" });
    assert.deepEqual(linesOf(result), [expected]);
    assert.equal(result.stats.totalMatchCount, (await search(engine, query)).stats.totalMatchCount);
  }
});

test("the limit of groups counts each once", async (context) => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `n${at}\n`).join("");
  const segments = [55_000, 56_000].map((count, at) => [{ path: `${at}.txt`, content: lines(count) }]);
  const { engine } = openEngine(await openIndex([{ id: 1, segments }]), { workerCount: 1 });
  context.after(() => engine.close());
  const result = await count(engine, regexp("n\\d+"), { by: "text" });
  assert.equal(result.isExhaustive, true);
  assert.equal(result.groups?.counts.size, 56_000);
});

test("keeps each line of matches once, with their number, up to a limit", async (context) => {
  const content = `${"hit".repeat(1000)}\n\nhit hit\n`;
  const huge = "hit hit\n".repeat(200_000);
  const documents = [
    { path: "a.txt", content },
    { path: "b.txt", content: huge },
  ];
  const { engine } = openEngine(await openIndex([{ id: 1, segments: [documents] }]), { workerCount: 1 });
  context.after(() => engine.close());
  const { groups, stats } = await count(engine, literal("hit"), { by: "author" });
  assert.equal(stats.totalMatchCount, 401_002);
  assert.deepEqual([...(groups?.lines.values() ?? [])], [[1, 1000, 3, 2]]);
});

test("drops the groups of a damaged shard, and says so", async (context) => {
  const segment = (name: string) => [{ path: `${name}.txt`, content: "hit\n".repeat(5000) }];
  const directory = await openIndex([1, 2].map((id) => ({ id, segments: [segment(`r${id}`)] })));
  const [file = ""] = [...directory.manifests().values()].map(({ segments }) => segments[0]?.file ?? "");
  truncateSync(join(directory.folder, file), 3000);
  const { engine, damage } = openEngine(directory);
  context.after(() => engine.close());
  const result = await count(engine, literal("hit"), { by: "repo" });
  assert.equal(result.stats.flushReason, "SHARD_DAMAGED");
  assert.deepEqual(linesOf(result), ["2: 5000/1"]);
  assert.deepEqual([...(result.groups?.repositories ?? [])], [2]);
  assert.deepEqual(damage, [file]);
});
