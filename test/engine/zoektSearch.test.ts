/** Searches on three Zoekt nodes, compared with brute force: on doubles always, and on real ones where there are any. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import type { CountRequest, Engine } from "#engine/engine";
import { zoektQuery } from "#engine/zoekt/zoektQuery";
import { parseSearchReply, type ZoektFile } from "#engine/zoekt/zoektReplies";
import type { RepositoryId } from "#model/repository";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import { openEngine, planOf, rangeLines, search } from "#test/support/engines";
import { eventuallyEqual } from "#test/support/eventually";
import { expectedLines, trees, wordText } from "#test/support/randomQueries";
import {
  bruteDocuments,
  type Cluster,
  type ClusterRepository,
  embeddedIndex,
  openCluster,
  repositoryName,
  type StartedNodes,
  startDoubles,
  startNodes,
} from "#test/support/zoektCluster";
import { hasZoekt, withoutZoekt } from "#test/support/zoektPrograms";

const nodeCount = 3;
const branches = ["main", "next", "old"];

/** Without the long s, and without documents of one or two bytes: see the differences in docs/cluster.md. */
const contents = fc
  .oneof(
    { weight: 6, arbitrary: wordText(20).map((text) => new Uint8Array(Buffer.from(text))) },
    { weight: 1, arbitrary: fc.uint8Array({ min: 1, maxLength: 30 }) },
    { weight: 1, arbitrary: wordText(6).map((text) => new Uint8Array(Buffer.from(text.repeat(400)))) },
  )
  .map((content) =>
    Buffer.from(Buffer.from(content).toString("latin1").replaceAll("\u00c5\u00bf", "s"), "latin1"),
  )
  .map((content): Uint8Array => (content.length < 3 ? Buffer.from("") : content));

const paths = fc
  .tuple(
    fc.array(fc.constantFrom("foo", "Bar", "s", "\u212a", "é", "a.b", "test"), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom(".go", ".c", ""),
  )
  .map(([parts, extension]) => `${parts.join("/")}_${extension}`);

/** A path is a document in each branch, with one content or two. */
const repositories = fc
  .array(
    fc.uniqueArray(
      fc.record({
        path: paths,
        content: contents,
        other: contents,
        held: fc.subarray([0, 1, 2], { minLength: 1 }),
        split: fc.integer({ min: 0, max: 3 }),
      }),
      { selector: ({ path }) => path.split("/")[0], minLength: 1, maxLength: 8 },
    ),
    { minLength: 3, maxLength: 6 },
  )
  .map((generated) =>
    generated.map(
      (files, index): ClusterRepository => ({
        id: index + 1,
        branches,
        documents: files.flatMap(({ path, content, other, held, split }) => {
          if (Buffer.compare(content, other) === 0) return [{ path, content, branches: held }];
          const [first, second] = [held.slice(0, split), held.slice(split)];
          return [
            ...(first.length === 0 ? [] : [{ path, content, branches: first }]),
            ...(second.length === 0 ? [] : [{ path, content: other, branches: second }]),
          ];
        }),
      }),
    ),
  );

async function checkQueries(
  cluster: Cluster,
  indexed: readonly ClusterRepository[],
  withRevisions: boolean,
  runs: number,
): Promise<void> {
  const brute = bruteDocuments(indexed);
  await fc.assert(
    fc.asyncProperty(trees(withRevisions), async (query) => {
      const { files, stats, isExhaustive } = await search(cluster.engine, query, { contextLines: 1 });
      assert.deepEqual(rangeLines(files), expectedLines(brute, query));
      assert.equal(stats.totalMatchCount, rangeLines(files).length);
      assert.equal(isExhaustive, true);
      for (const maxMatches of [1000, 5000]) {
        const limited = await search(cluster.engine, query, { maxMatches, contextLines: 1 });
        if (limited.isExhaustive) assert.deepEqual(rangeLines(limited.files), rangeLines(files));
      }
    }),
    { numRuns: runs },
  );
}

const runs = Number(process.env["RUNS"] ?? 15);

for (const withRevisions of [false, true]) {
  const what = withRevisions ? " and revisions" : "";
  test(`any query on three doubles finds what brute force finds in any documents${what}`, async () => {
    for (const indexed of fc.sample(repositories, 2)) {
      const nodes = await startNodes("double", indexed, nodeCount);
      const cluster = await openCluster(nodes.urls, indexed);
      await cluster.repositories.refresh();
      try {
        await checkQueries(cluster, indexed, withRevisions, runs);
      } finally {
        await cluster.close();
        await nodes.stop();
      }
    }
  });
}

/** What completions count: languages, names in folders, and paths below them. */
async function checkCounts(cluster: Cluster, embedded: Engine): Promise<void> {
  const folders = ["", "Bar/", "foo/s/", "é/"];
  const properties: readonly CountRequest["by"][] = [
    { kind: "language" },
    { kind: "language", names: ["C", "Python"] },
    ...folders.flatMap((folder) =>
      ["", "A", "é", "."].map((part) => ({ kind: "name", folder, part }) as const),
    ),
    ...folders.flatMap((folder) =>
      ["ba", "S_", "a."].map((start) => ({ kind: "path", folder, start }) as const),
    ),
  ];
  const { signal } = new AbortController();
  for (const by of properties)
    for (const revisions of [[], ["HEAD"], ["next"], ["o*", "main"]])
      for (const repositories of ["all", new Set([2 as RepositoryId])] as const) {
        const request = { by, revisions, repositories };
        const sorted = async (engine: Engine) => {
          const { counts, isComplete } = await engine.count(request, signal);
          return (
            !isComplete ||
            [...counts].filter(([key]) => isNeeded(key, by)).sort(([one], [other]) => (one < other ? -1 : 1))
          );
        };
        await eventuallyEqual(() => sorted(cluster.engine), await sorted(embedded));
      }
}

function isNeeded(key: string, by: CountRequest["by"]): boolean {
  if (by.kind === "language") return by.names?.includes(key) !== false;
  return by.kind === "path" || key.toLowerCase().includes(by.part.toLowerCase());
}

test("files have the same chunks and scores as in the embedded engine, and streams as many matches", async () => {
  const [indexed = []] = fc.sample(repositories, 1);
  const doubles = await startDoubles(indexed, nodeCount);
  const cluster = await openCluster(
    doubles.map(({ url }) => url),
    indexed,
  );
  await cluster.repositories.refresh();
  const { engine: embedded } = openEngine(await embeddedIndex(indexed));
  const described = async (engine: Engine, query: Query, limits: Partial<Limits>) => {
    const starLevels = Uint8Array.of(0, 3, 0, 11);
    const { files, stats, isExhaustive } = await search(engine, query, limits, { starLevels });
    const lines = files.map(({ chunks, commit: _, ...file }) =>
      JSON.stringify({ ...file, chunks: Buffer.from(chunks).toString("utf8") }),
    );
    return { lines: lines.sort(), matches: stats.totalMatchCount, isExhaustive };
  };
  try {
    await fc.assert(
      fc.asyncProperty(trees(true), async (query) => {
        for (const limits of [
          // Nodes return only the lines that match if the rest of the text is not needed.
          { contextLines: 1, maxMatches: 1000 },
          { contextLines: 1, returnsContent: true },
          { contextLines: 0, maxMatches: 1e6 },
          { contextLines: 2, maxMatches: 1e6 },
        ]) {
          const found = await described(cluster.engine, query, limits);
          if (found.isExhaustive) assert.deepEqual(found, await described(embedded, query, limits));
          else assert.equal(limits.maxMatches, 1000);
        }
        // Several nodes share these matches.
        const plan = planOf(query, { maxMatches: 4 });
        let shown = 0;
        const { stats } = await cluster.engine.search(plan, new AbortController().signal, (files) => {
          shown += rangeLines(files).length;
        });
        const { stats: expected } = await search(embedded, query, { maxMatches: 4 });
        assert.deepEqual([shown, stats.actualMatchCount], Array(2).fill(expected.actualMatchCount));
      }),
      { numRuns: 3 * runs },
    );
    await checkCounts(cluster, embedded);
    const listed = doubles.flatMap(({ searches }) => searches).filter(({ Opts }) => Opts["Whole"] === false);
    assert.notEqual(listed.length, 0);
  } finally {
    await embedded.close();
    await cluster.close();
    await Promise.all(doubles.map((double) => double.stop()));
  }
});

describe(`on three real nodes${withoutZoekt}`, { skip: !hasZoekt }, () => {
  const indexed = fc.sample(repositories, { numRuns: 1, seed: Number(process.env["SEED"] ?? 7) })[0] ?? [];
  let nodes: StartedNodes;
  let cluster: Cluster;
  before(async () => {
    nodes = await startNodes("zoekt", indexed, nodeCount);
    cluster = await openCluster(nodes.urls, indexed);
    await cluster.repositories.refresh();
  });
  after(async () => {
    await cluster.close();
    await nodes.stop();
  });
  test("the double returns the same documents", async () => {
    const doubles = await startNodes("double", indexed, nodeCount);
    const post = async (url: string | undefined, text: string, Opts: Readonly<Record<string, boolean>>) => {
      const body = JSON.stringify({ Q: text, RepoIDs: [1, 2, 3, 4], Opts });
      const response = await fetch(`${url}/api/search`, { method: "POST", body });
      return new Uint8Array(await response.arrayBuffer());
    };
    const ask = async (url: string | undefined, text: string) => {
      const reply = parseSearchReply(await post(url, text, { Whole: true }));
      const list = await post(url, text, { ChunkMatches: true });
      const { Result: listed } = JSON.parse(Buffer.from(list).toString("utf8"));
      assert.deepEqual(
        parseSearchReply(list, "names")?.files.map(({ FileName, Checksum }) => [FileName, Checksum]),
        (listed.Files ?? []).map(({ FileName, Checksum }: ZoektFile) => [FileName, Checksum]),
      );
      assert.equal(reply?.Crashes, 0);
      assert.equal(reply?.FileCount, reply?.files.length ?? 0);
      return (reply?.files ?? [])
        .map(({ Repository, FileName, Branches, content, Language, Version }) => {
          assert.match(Version ?? "", /^[0-9a-f]{40}$/);
          return JSON.stringify([Repository, FileName, Branches, content.toString("hex"), Language ?? ""]);
        })
        .sort();
    };
    try {
      await fc.assert(
        fc.asyncProperty(trees(true), fc.nat(nodeCount - 1), async (query, node) => {
          const text = zoektQuery(query, { repositoryName }) ?? "( )";
          assert.deepEqual(await ask(doubles.urls[node], text), await ask(nodes.urls[node], text));
        }),
        { numRuns: 3 * runs },
      );
    } finally {
      await doubles.stop();
    }
  });
  test("completions count the documents of the embedded engine", async () => {
    const { engine: embedded } = openEngine(await embeddedIndex(indexed));
    try {
      await checkCounts(cluster, embedded);
    } finally {
      await embedded.close();
    }
  });
  for (const withRevisions of [false, true]) {
    const what = withRevisions ? " and revisions" : "";
    test(`any query finds what brute force finds${what}`, () =>
      checkQueries(cluster, indexed, withRevisions, 3 * runs));
  }
});
