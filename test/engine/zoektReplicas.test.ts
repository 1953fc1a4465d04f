/** Searches on three nodes with two replicas of each repository, while nodes fail or are slow. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { CountRequest, SymbolRequest } from "#engine/engine";
import { Hedging } from "#engine/zoekt/hedging";
import { monotonicNow } from "#platform/clock";
import type { Query } from "#query/query";
import { hitLines, literal, search } from "#test/support/engines";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import {
  type Cluster,
  type ClusterRepository,
  doubleRepository,
  openCluster,
  placesOf,
  startDoubles,
} from "#test/support/zoektCluster";
import { type DoubleRepository, type Handle, type ZoektDouble, zoektDouble } from "#test/support/zoektDouble";

const nodeCount = 3;
const ids = [1, 2, 3, 4, 5, 6];
const repositories: readonly ClusterRepository[] = ids.map((id) => ({
  id,
  branches: ["main"],
  documents: [
    { path: `code${id}.go`, content: Buffer.from("def twist\n"), branches: [0] },
    { path: `file${id}.txt`, content: Buffer.from(`the key of ${id}\n`), branches: [0] },
  ],
}));
const all = ids.map((id) => `file${id}.txt:1: the key of ${id}`);
const query = literal("key");
const lookup: SymbolRequest = {
  name: { kind: "exact", text: "twist", caseSensitive: true },
  kinds: ["function"],
  withLocals: false,
  repositories: "all",
  revisions: [],
  unsaved: [],
  preferred: [],
  limit: 100,
};
const soon = () => ({ maxMatches: 100, deadline: monotonicNow() + 5000 });

const loading =
  '{"Result":{"Files":null,"FileCount":0,"FilesSkipped":0,"ShardsSkipped":0,"Crashes":1,"FilesLoaded":0,"ContentBytesLoaded":0,"IndexBytesLoaded":0}}';
const faults: Readonly<Record<string, Handle>> = {
  "closes connections": (request) => request.socket.destroy(),
  "reports an error": (_, response) => {
    response.statusCode = 500;
    response.end("{}");
  },
  "sends garbage": (_, response) => response.end("<html>"),
  "is loading its shards": (_, response) => response.end(loading),
};

describe("two replicas on three nodes", () => {
  let doubles: ZoektDouble[];
  let cluster: Cluster;
  beforeEach(async () => {
    doubles = await startDoubles(repositories, nodeCount, 2);
    cluster = await openCluster(
      doubles.map(({ url }) => url),
      repositories,
      { isFed: true },
    );
    await cluster.repositories.refresh();
  });
  afterEach(async () => {
    await cluster.close();
    await Promise.all(doubles.map((double) => double.stop()));
  });
  const found = async () => {
    const { files, isExhaustive, unavailable, stats } = await search(cluster.engine, query, soon());
    return { lines: hitLines(files).sort(), isExhaustive, unavailable, count: stats.totalMatchCount };
  };
  const complete = { lines: all, isExhaustive: true, unavailable: undefined, count: all.length };

  test("each repository is searched on one node, and each document counts once", async () => {
    assert.deepEqual(await found(), complete);
    const lists = doubles.flatMap(({ searches }) => searches.filter(({ Opts }) => Opts["Whole"] !== true));
    assert.deepEqual(lists.flatMap(({ RepoIDs }) => RepoIDs ?? []).sort(), ids);
    for (const [at, { searches }] of doubles.entries())
      for (const id of searches[0]?.RepoIDs ?? []) assert.equal(placesOf(id, nodeCount)[0], at);
  });

  for (const [name, handle] of Object.entries(faults))
    test(`a search is exhaustive if a node ${name}`, async () => {
      for (const [at, double] of doubles.entries()) {
        double.handle = handle;
        assert.deepEqual(await found(), complete);
        const by = { kind: "name", folder: "", part: "fi" } as const;
        // Recent ones are not requested again.
        const revisions = ["main", "*", "m*"].slice(at, at + 1);
        const request: CountRequest = { by, repositories: "all", revisions };
        const counted = async () => {
          const { counts, isComplete } = await cluster.engine.count(request, new AbortController().signal);
          return [[...counts.keys()].filter((path) => path.startsWith("file")).length, isComplete];
        };
        await eventuallyEqual(counted, [ids.length, true]);
        double.handle = undefined;
      }
    });

  for (const [name, handle] of Object.entries(faults))
    test(`all definitions are found if a node ${name}`, async () => {
      const paths = ids.map((id) => `code${id}.go`);
      for (const double of doubles) {
        double.handle = handle;
        const { symbols, flushReason } = await cluster.engine.findSymbols(
          lookup,
          new AbortController().signal,
        );
        assert.deepEqual(symbols.map(({ document }) => document.path).sort(), paths);
        assert.equal(flushReason, "NONE");
        const selected: Query = {
          kind: "symbol",
          pattern: { kind: "regexp", source: "^twist$", caseSensitive: true },
        };
        const { files, isExhaustive } = await search(cluster.engine, selected, soon());
        assert.deepEqual(files.map(({ path }) => path).sort(), paths);
        assert.equal(isExhaustive, true);
        double.handle = undefined;
      }
    });

  test("repositories without replicas are named if their node is loading its shards", async () => {
    await Promise.all([cluster.close(), ...doubles.map((double) => double.stop())]);
    const [replicated, single] = [repositories[1], repositories[3]] as [ClusterRepository, ClusterRepository];
    const both = [replicated, single];
    doubles = [
      await zoektDouble(both.map(doubleRepository)),
      await zoektDouble([doubleRepository(replicated)]),
    ];
    cluster = await openCluster(
      doubles.map(({ url }) => url),
      both,
      { isFed: true },
    );
    await cluster.repositories.refresh();
    (doubles[0] as ZoektDouble).handle = faults["is loading its shards"];
    const { lines, unavailable } = await found();
    assert.deepEqual(lines, [all[1]]);
    assert.deepEqual(
      unavailable?.map(({ node, repositoryCount }) => [node, repositoryCount]),
      [["node0", 1]],
    );
  });

  test("repositories are named if all nodes that have them fail", async () => {
    for (const at of [0, 1]) await doubles[at]?.stop();
    const { lines, isExhaustive, unavailable } = await found();
    const isLost = (id: number) => !placesOf(id, nodeCount).slice(0, 2).includes(2);
    assert.deepEqual(
      lines,
      all.filter((_, at) => !isLost(at + 1)),
    );
    assert.equal(isExhaustive, false);
    assert.deepEqual(
      unavailable?.map(({ node, repositoryCount }) => [node, repositoryCount]),
      [["node0", ids.filter(isLost).length]],
    );
  });

  test("a node that was never reached does not matter if others have its repositories", async () => {
    await cluster.close();
    await doubles[1]?.stop();
    cluster = await openCluster(
      doubles.map(({ url }) => url),
      repositories,
      { isFed: true, expected: ids.map((id) => [id, `node${placesOf(id, nodeCount)[0]}`]) },
    );
    assert.deepEqual(await found(), complete);
  });

  test("a node that hangs is not waited for, and after three times not asked", async () => {
    for (let count = 0; count < 20; count++) await found();
    (doubles[1] as ZoektDouble).handle = () => {};
    for (let count = 0; count < 3; count++) {
      const startedAt = monotonicNow();
      assert.deepEqual(await found(), complete);
      assert.ok(monotonicNow() - startedAt < 2500);
    }
    await eventually(() => cluster.nodes[1]?.isSuspended === true);
    assert.deepEqual(await found(), complete);
  });

  test("the full list of a node is fetched only if its branches have changed", async () => {
    const { version } = cluster.repositories;
    const [double] = doubles as [ZoektDouble];
    assert.deepEqual(double.lists, [2, 0]);
    await cluster.repositories.refresh();
    assert.deepEqual(double.lists, [2, 0, 2]);
    assert.equal(cluster.repositories.version, version);
    const port = Number(new URL(double.url).port);
    await double.stop();
    // The shorter list has only one of two repositories with the same id.
    const [one, other] = repositories.map(doubleRepository);
    doubles[0] = await zoektDouble([one, { ...other, id: one?.id }] as DoubleRepository[], port);
    await eventually(async () => {
      await cluster.repositories.refresh();
      return cluster.repositories.version > version;
    });
    await cluster.repositories.refresh();
    assert.deepEqual(doubles[0].lists.slice(0, 4), [2, 0, 2, 0]);
  });

  test("a replica with other commits does not stand in", async () => {
    await doubles[1]?.stop();
    const older = { ...(repositories[0] as ClusterRepository), branches: ["old"] };
    const port = Number(new URL(doubles[2]?.url ?? "").port);
    await doubles[2]?.stop();
    doubles[2] = await zoektDouble([doubleRepository(older)], port);
    // The first request may use a connection that the old process has closed.
    await eventuallyEqual(async () => {
      await cluster.repositories.refresh();
      return (await found()).unavailable?.[0]?.node;
    }, "node1");
  });

  test("a node that removes repositories is asked for none of them, or named", async () => {
    const moving = ids.filter((id) => placesOf(id, nodeCount).slice(0, 2).includes(1));
    let leaving = moving.map((repositoryId) => ({ repositoryId, node: "node1" }));
    await cluster.close();
    const urls = doubles.map(({ url }) => url);
    cluster = await openCluster(urls, repositories, { isFed: true, leaving: () => leaving });
    await cluster.repositories.refresh();
    // It has removed them, but is not listed again yet.
    await doubles[1]?.stop();
    doubles[1] = await zoektDouble([], Number(new URL(urls[1] ?? "").port));
    assert.deepEqual(await found(), complete);
    assert.deepEqual(doubles[1]?.searches, []);
    // Nodes that are not in the configuration may have others.
    leaving = [...leaving, { repositoryId: 1, node: "node2" }];
    await eventuallyEqual(async () => {
      await cluster.repositories.refresh();
      const { isExhaustive, unavailable } = await found();
      return [isExhaustive, unavailable?.map(({ node, repositoryCount }) => [node, repositoryCount])];
    }, [false, [["node2", 1]]]);
  });

  test("replicas are asked for what a node has removed unannounced, because the database is down", async () => {
    const { known } = cluster.repositories;
    assert.deepEqual([...cluster.repositories.uncertainNodes(known)], []);
    await cluster.close();
    const urls = doubles.map(({ url }) => url);
    const leaving = () => {
      throw new Error("no database");
    };
    cluster = await openCluster(urls, repositories, { isFed: true, leaving });
    await cluster.repositories.refresh();
    assert.deepEqual(await found(), complete);
    await doubles[1]?.stop();
    doubles[1] = await zoektDouble([], Number(new URL(urls[1] ?? "").port));
    // The first request may use a connection that the old process has closed.
    for (let count = 0; count < 3; count++) assert.deepEqual(await found(), complete);
  });

  test("a search waits for the lists of nodes if they are too old", async () => {
    await cluster.close();
    const urls = doubles.map(({ url }) => url);
    cluster = await openCluster(urls, repositories, { isFed: true, maxListAgeMs: 0 });
    await cluster.repositories.refresh();
    await doubles[1]?.stop();
    doubles[1] = await zoektDouble([], Number(new URL(urls[1] ?? "").port));
    await eventuallyEqual(found, complete);
  });

  test("documents are read from another replica", async () => {
    await doubles[1]?.stop();
    const requests = ids.map((id) => ({ repositoryId: id as never, path: `file${id}.txt` }));
    const documents = await cluster.engine.readDocuments(requests, new AbortController().signal);
    assert.deepEqual(
      documents.map((document) => document?.path),
      requests.map(({ path }) => path),
    );
  });
});

test("requests are sent twice after the 95th percentile, and not too many of them", () => {
  const hedging = new Hedging();
  assert.equal(hedging.delayMs, 1000);
  for (let at = 1; at <= 100; at++) hedging.record(at * 10);
  assert.equal(hedging.delayMs, 950);
  let count = 0;
  while (hedging.take()) count++;
  for (let at = 0; at < 100; at++) hedging.record(10);
  let more = 0;
  while (hedging.take()) more++;
  assert.ok(count <= 50 && more >= 9 && more <= 10, `${count}, ${more}`);
});
