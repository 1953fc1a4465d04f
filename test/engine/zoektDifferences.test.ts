/** The differences between the engines that docs/cluster.md lists, checked on a real Zoekt where there is one. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Engine } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import { parseDescription } from "#query/description";
import type { Query } from "#query/query";
import { readProjectFile } from "#test/support/client";
import { hitLines, literal, openEngine, openIndex, regexp, search } from "#test/support/engines";
import {
  type Cluster,
  type ClusterRepository,
  openCluster,
  type StartedNodes,
  startNodes,
} from "#test/support/zoektCluster";
import { hasZoekt, withoutZoekt } from "#test/support/zoektPrograms";

const documents = {
  "long.txt": "a wiſh\n",
  "plain.txt": "a wish\n",
  "tiny.txt": "q\n",
  "code.foo": "language text\n",
  ".gitattributes": "*.foo linguist-language=Go\n",
  ".sourcegraph/ignore": "hidden\n",
  "hidden/file.txt": "ignored text\n",
};
const repository: ClusterRepository = {
  id: 1,
  branches: ["main"],
  documents: Object.entries(documents).map(([path, text]) => ({
    path,
    content: Buffer.from(text),
    branches: [0],
  })),
};

/** More documents than a node returns are only in the first branch. */
const branched: ClusterRepository = {
  id: 2,
  branches: ["main", "next"],
  documents: [
    ...Array.from({ length: 600 }, (_, at) => ({ path: `src/file${at}.c`, branches: [0] })),
    { path: "src/other/next.c", branches: [1] },
    { path: "tools/next.py", branches: [1] },
  ].map((document) => ({ ...document, content: Buffer.from("branched\n") })),
};

interface Row {
  /** In the table of the page. */
  readonly title: string;
  readonly query: Query;
  readonly own: readonly string[];
  readonly zoekt: readonly string[];
}

const rows: readonly Row[] = [
  {
    title: "Long s",
    query: literal("wish"),
    own: ["long.txt:1: a wiſh", "plain.txt:1: a wish"],
    zoekt: ["plain.txt:1: a wish"],
  },
  {
    title: "Long s",
    query: regexp("w[i]sh", { caseSensitive: false }),
    own: ["long.txt:1: a wiſh", "plain.txt:1: a wish"],
    zoekt: ["long.txt:1: a wiſh", "plain.txt:1: a wish"],
  },
  { title: "Tiny documents", query: literal("q"), own: ["tiny.txt:1: q"], zoekt: [] },
  {
    title: "Tiny documents",
    query: literal("tiny", { where: "name" }),
    own: ["tiny.txt"],
    zoekt: ["tiny.txt"],
  },
  {
    title: "Languages",
    query: { kind: "and", children: [literal("language"), { kind: "language", names: ["Go"] }] },
    own: ["code.foo:1: language text"],
    zoekt: [],
  },
  {
    title: "Ignored files",
    query: literal("ignored"),
    own: ["hidden/file.txt:1: ignored text"],
    zoekt: [],
  },
];

test("the page lists each difference that is checked", () => {
  const page = readProjectFile("docs/cluster.md");
  for (const title of [...rows.map((row) => row.title), ...reported])
    assert.match(page, new RegExp(`^\\| ${title} \\|`, "m"));
});

describe(`on a real node${withoutZoekt}`, { skip: !hasZoekt }, () => {
  let nodes: StartedNodes;
  let cluster: Cluster;
  let own: Engine;
  before(async () => {
    nodes = await startNodes("zoekt", [repository, branched], 1);
    cluster = await openCluster(nodes.urls, [repository, branched]);
    await cluster.repositories.refresh();
    const language = (path: string) => (path.endsWith(".foo") ? "Go" : "");
    const segment = Object.entries(documents).map(([path, content]) => ({
      path,
      content,
      language: language(path),
    }));
    own = openEngine(await openIndex([{ id: 1, segments: [segment] }])).engine;
  });
  after(async () => {
    await own.close();
    await cluster.close();
    await nodes.stop();
  });

  test("completions of a branch are not lost among the documents of others", async () => {
    const by = { kind: "name", folder: "", part: "" } as const;
    for (const [revisions, expected] of [
      [["next"], { "src/": 1, "tools/": 1 }],
      [["main"], { "src/": 500 }],
    ] as const) {
      const request = { by, revisions, repositories: new Set([2 as RepositoryId]) };
      const { counts } = await cluster.engine.count(request, new AbortController().signal);
      assert.deepEqual(Object.fromEntries(counts), expected);
    }
  });

  for (const [at, { title, query, ...expected }] of rows.entries()) {
    test(`${title} (${at})`, async () => {
      const found = async (engine: Engine) => hitLines((await search(engine, query)).files).sort();
      assert.deepEqual({ own: await found(own), zoekt: await found(cluster.engine) }, expected);
    });
  }
});

const all: Query = { kind: "const", value: true };

/** Rows that are checked on doubles. */
const reported = ["Descriptions", "Similar names", "Short names", "Many symbols", "Completion"];

describe("on a double, the response says what it lacks", () => {
  const definitions: ClusterRepository = {
    id: 1,
    branches: ["main"],
    documents: Array.from({ length: 2001 }, (_, at) => ({
      path: `file${at}.go`,
      content: Buffer.from(at === 0 ? "def ConcurrentMap\n" : "def other\n"),
      branches: [0],
    })),
  };
  let nodes: StartedNodes;
  let cluster: Cluster;
  before(async () => {
    nodes = await startNodes("double", [definitions], 1);
    cluster = await openCluster(nodes.urls, [definitions]);
    await cluster.repositories.refresh();
  });
  after(async () => {
    await cluster.close();
    await nodes.stop();
  });
  const found = async (kind: "exact" | "prefix" | "fuzzy", text: string) => {
    const { symbols, flushReason } = await cluster.engine.findSymbols(
      {
        name: { kind, text, caseSensitive: false },
        withLocals: false,
        repositories: "all",
        revisions: [],
        unsaved: [],
        preferred: [],
        limit: 10,
      },
      new AbortController().signal,
    );
    return [symbols.map(({ name }) => name), flushReason];
  };

  test("Completion", async () => {
    const by = { kind: "name", folder: "", part: "" } as const;
    const { counts, isComplete } = await cluster.engine.count(
      { by, repositories: "all", revisions: [] },
      new AbortController().signal,
    );
    assert.deepEqual([counts.size, isComplete], [500, false]);
  });
  test("Descriptions", async () => {
    const description = parseDescription("concurrent maps or others") ?? assert.fail();
    const { files, isExhaustive } = await search(cluster.engine, all, {}, { description });
    assert.deepEqual([files[0]?.path, isExhaustive], ["file0.go", false]);
  });

  test("Similar names", async () => {
    assert.deepEqual(await found("fuzzy", "concurrentm"), [["ConcurrentMap"], "ENGINE_PARTIAL"]);
    assert.deepEqual(await found("fuzzy", "conmap"), [[], "ENGINE_PARTIAL"]);
  });

  test("Short names", async () => {
    assert.deepEqual(await found("prefix", "con"), [["ConcurrentMap"], "NONE"]);
    assert.deepEqual(await found("prefix", "co"), [[], "ENGINE_PARTIAL"]);
  });

  test("Many symbols", async () => {
    const symbols: Query = { kind: "type", type: "symbol", child: all };
    const { stats, isExhaustive } = await search(cluster.engine, symbols);
    assert.deepEqual([stats.totalMatchCount, stats.flushReason, isExhaustive], [2000, "MATCH_LIMIT", false]);
  });
});
