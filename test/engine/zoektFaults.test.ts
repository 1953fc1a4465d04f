/** What a search on three nodes returns if one of them fails: the answer of the others, and why it is not exhaustive. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { CountRequest, UnavailablePart } from "#engine/engine";
import { monotonicNow } from "#platform/clock";
import { hitLines, literal, planOf, search } from "#test/support/engines";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { type NetworkFault, networkFaults, type TcpProxy, tcpProxy } from "#test/support/tcpProxy";
import {
  type Cluster,
  type ClusterOptions,
  type ClusterRepository,
  doubleRepository,
  nodeOf,
  openCluster,
  type StartedNodes,
  startDoubles,
  startNodes,
} from "#test/support/zoektCluster";
import { type Handle, type ZoektDouble, zoektDouble } from "#test/support/zoektDouble";
import { hasZoekt, withoutZoekt } from "#test/support/zoektPrograms";

const nodeCount = 3;
/** Six repositories, two on each node; those on node 1 are 1 and 4. */
const repositories: readonly ClusterRepository[] = [1, 2, 3, 4, 5, 6].map((id) => ({
  id,
  branches: ["main"],
  documents: [{ path: `file${id}.txt`, content: Buffer.from(`the key of ${id}\n`), branches: [0] }],
}));
const all = [1, 2, 3, 4, 5, 6].map((id) => `file${id}.txt:1: the key of ${id}`);
const others = all.filter((_, at) => nodeOf(at + 1, nodeCount) !== 1);

/** What node 1 does, the reason that the result states, and the time limit if it takes all of it. */
const faults: Readonly<Record<string, readonly [handle: Handle, reason: RegExp, timeMs?: number]>> = {
  "a node that closes connections": [(request) => request.socket.destroy(), /^cannot be reached/],
  "a node that reports an error": [
    (_, response) => {
      response.statusCode = 500;
      response.end('{"Error":"out of memory"}');
    },
    /^returned status 500: out of memory$/,
  ],
  "a node that does not respond": [() => {}, /^did not respond within \d+ ms$/, 1500],
  "a node that sends garbage": [(_, response) => response.end("<html>"), /^returned a malformed response$/],
  "a node that sends half an answer": [
    (_, response) => response.end('{"Result":{"Files":[{"FileName":"a'),
    /^returned a malformed response$/,
  ],
  "a node that breaks off": [
    (request, response) => {
      response.setHeader("content-length", 1000);
      response.write('{"Result":{"Files":[');
      response.write(" ", () => request.socket.destroy());
    },
    /^cannot be reached/,
  ],
  "a node that sends another type": [
    (_, response) => response.end('{"Result":{"Files":7}}'),
    /^returned a malformed response$/,
  ],
  "a node that sends too much": [
    (_, response) => response.end(`{"Result":"${"x".repeat(200_000)}"}`),
    /^returned more than 100000 bytes$/,
  ],
  "a node that is loading its shards": [
    (_, response) =>
      response.end(
        '{"Result":{"Files":null,"FileCount":0,"FilesSkipped":0,"ShardsSkipped":0,"Crashes":1,"FilesLoaded":0,"ContentBytesLoaded":0,"IndexBytesLoaded":0}}',
      ),
    /^has not loaded all of its index$/,
  ],
};

const query = literal("key");
const limits = { maxMatches: 100, deadline: 0 };
/** What a completion asks for. */
const paths: CountRequest = {
  by: { kind: "name", folder: "", part: "fi" },
  repositories: "all",
  revisions: [],
};
const otherPaths = others.map((line) => line.slice(0, line.indexOf(":")));
const soon = (timeMs = 5000) => ({ ...limits, deadline: monotonicNow() + timeMs });

function sorted(files: Parameters<typeof hitLines>[0]): string[] {
  return hitLines(files).sort();
}

function onlyPart(unavailable: readonly UnavailablePart[] | undefined): UnavailablePart {
  assert.equal(unavailable?.length, 1);
  return unavailable?.[0] as UnavailablePart;
}

/** Lets a double respond as if it had no repositories. */
function respondWithNothing(double: ZoektDouble): void {
  double.handle = ({ url }, response) =>
    response.end(
      url === "/api/list"
        ? '{"List":{"Repos":[],"ReposMap":{},"Crashes":0}}'
        : '{"Result":{"Files":null,"FileCount":0,"FilesSkipped":0,"ShardsSkipped":0,"Crashes":0,"FilesLoaded":0,"ContentBytesLoaded":0,"IndexBytesLoaded":0}}',
    );
}

describe("three nodes", () => {
  let doubles: ZoektDouble[];
  let cluster: Cluster;
  const open = async (options: ClusterOptions = { maxResponseBytes: 100_000 }) => {
    cluster = await openCluster(
      doubles.map(({ url }) => url),
      repositories,
      options,
    );
  };
  beforeEach(async () => {
    doubles = await startDoubles(repositories, nodeCount);
    await open();
  });
  afterEach(async () => {
    await cluster.close();
    await Promise.all(doubles.map((double) => double.stop()));
  });

  for (const [name, [handle, reason, timeMs]] of Object.entries(faults)) {
    test(`${name} is named, and the others answer`, async () => {
      await cluster.repositories.refresh();
      (doubles[1] as ZoektDouble).handle = handle;
      const counted = async () => {
        const { counts, isComplete } = await cluster.engine.count(paths, new AbortController().signal);
        return { paths: [...counts.keys()].sort(), isComplete };
      };
      await eventuallyEqual(counted, { paths: otherPaths, isComplete: false });
      const { files, isExhaustive, stats, unavailable } = await search(cluster.engine, query, soon(timeMs));
      assert.deepEqual(sorted(files), others);
      assert.equal(isExhaustive, false);
      assert.equal(stats.flushReason, "ENGINE_PARTIAL");
      const part = onlyPart(unavailable);
      assert.deepEqual([part.node, part.repositoryCount], ["node1", 2]);
      assert.match(part.reason, reason);
      (doubles[1] as ZoektDouble).handle = undefined;
      const after = await search(cluster.engine, query, soon());
      assert.deepEqual([sorted(after.files), after.isExhaustive, after.unavailable], [all, true, undefined]);
    });
  }

  const named = async () => {
    const { files, isExhaustive, unavailable } = await search(cluster.engine, query, soon());
    return { lines: sorted(files), isExhaustive, unavailable };
  };
  const removed = { node: "node1", reason: "has removed their index", repositoryCount: 2 };

  test("a node is named that has removed repositories unannounced, because the database is down", async () => {
    await cluster.close();
    const leaving = () => {
      throw new Error("no database");
    };
    await open({ isFed: true, leaving });
    await cluster.repositories.refresh();
    assert.deepEqual(await named(), { lines: all, isExhaustive: true, unavailable: undefined });
    respondWithNothing(doubles[1] as ZoektDouble);
    assert.deepEqual(await named(), { lines: others, isExhaustive: false, unavailable: [removed] });
  });

  test("a node is named from which this process has removed repositories since the search began", async () => {
    await cluster.repositories.refresh();
    const double = doubles[1] as ZoektDouble;
    double.handle = (...call) => {
      cluster.repositories.recordRemoval("node1");
      respondWithNothing(double);
      double.handle?.(...call);
    };
    assert.deepEqual(await named(), { lines: others, isExhaustive: false, unavailable: [removed] });
  });

  test("a node is named if its list is too old, and it does not list its repositories again", async () => {
    await cluster.close();
    await open({ isFed: true, maxListAgeMs: 0 });
    await cluster.repositories.refresh();
    (doubles[1] as ZoektDouble).handle = ({ url, socket }, _response, _body, respond) => {
      if (url === "/api/list") socket.destroy();
      else respond();
    };
    const reason = "did not list its repositories again, so it may have removed their index";
    await eventuallyEqual(named, { lines: all, isExhaustive: false, unavailable: [{ ...removed, reason }] });
    (doubles[1] as ZoektDouble).handle = undefined;
    await eventuallyEqual(named, { lines: all, isExhaustive: true, unavailable: undefined });
  });

  test("a search of repositories on other nodes is exhaustive", async () => {
    await cluster.repositories.refresh();
    await doubles[1]?.stop();
    const ids = [2, 3, 5] as never[];
    const result = await search(cluster.engine, query, soon(), { repositories: new Set(ids) });
    assert.deepEqual([result.files.length, result.isExhaustive], [3, true]);
  });

  test("a node that is down from the start is named with the repositories that it should have", async () => {
    await cluster.close();
    await doubles[1]?.stop();
    await open({
      expected: [
        [1, "node1"],
        [4, "node1"],
      ],
    });
    const { files, isExhaustive, unavailable } = await search(cluster.engine, query, soon());
    assert.deepEqual([sorted(files), isExhaustive], [others, false]);
    assert.deepEqual(onlyPart(unavailable), {
      node: "node1",
      reason: "has not listed its index",
      repositoryCount: 2,
    });
  });

  test("after repeated failures a node is not asked, until a probe finds it ready again", async () => {
    await cluster.repositories.refresh();
    const port = Number(new URL(doubles[1]?.url ?? "").port);
    await doubles[1]?.stop();
    await eventually(async () => {
      await search(cluster.engine, query, soon());
      return cluster.nodes[1]?.isSuspended === true;
    });
    const { unavailable } = await search(cluster.engine, query, soon());
    assert.match(onlyPart(unavailable).reason, /^is not available/);
    doubles[1] = await zoektDouble(
      repositories.filter(({ id }) => nodeOf(id, nodeCount) === 1).map(doubleRepository),
      port,
    );
    await eventually(() => cluster.nodes[1]?.isSuspended === false);
    const after = await search(cluster.engine, query, soon());
    assert.deepEqual([sorted(after.files), after.isExhaustive], [all, true]);
  });

  test("a canceled search or completion closes the connection to every node within 100 ms", async () => {
    await cluster.repositories.refresh();
    const calls = [
      (signal: AbortSignal) => cluster.engine.search(planOf(query), signal),
      (signal: AbortSignal) => cluster.engine.count(paths, signal),
    ];
    for (const call of calls) {
      const closedAt: number[] = [];
      let received = 0;
      for (const double of doubles)
        double.handle = (request) => {
          received++;
          request.socket.once("close", () => closedAt.push(performance.now()));
        };
      const controller = new AbortController();
      const canceled = call(controller.signal);
      canceled.catch(() => undefined);
      await eventually(() => received === nodeCount);
      const startedAt = performance.now();
      controller.abort();
      await assert.rejects(canceled, { code: "CANCELLED" });
      const rejectedAt = performance.now();
      await eventually(() => closedAt.length === nodeCount);
      const lastMs = Math.max(rejectedAt, ...closedAt) - startedAt;
      assert.ok(lastMs < 100, `${lastMs} ms`);
    }
  });

  test("the first page is the same, whichever node answers first", async () => {
    await cluster.repositories.refresh();
    const pages: string[][] = [];
    const streamed: string[][] = [];
    for (const slow of [0, 1, 2]) {
      for (const [at, double] of doubles.entries()) {
        double.handle = async (request, response, body) => {
          const { url } = doubles[at] as ZoektDouble;
          // Asks itself again, without this handler.
          const direct = (doubles[at] as ZoektDouble).handle;
          (doubles[at] as ZoektDouble).handle = undefined;
          const reply = await fetch(`${url}${request.url}`, { method: "POST", body });
          (doubles[at] as ZoektDouble).handle = direct;
          if (at === slow) await sleep(50);
          response.end(await reply.text());
        };
      }
      const { files } = await search(cluster.engine, query, { maxMatches: 3 });
      pages.push(hitLines(files));
      const received: string[] = [];
      const plan = planOf(query, { maxMatches: 5 });
      const { isExhaustive } = await cluster.engine.search(plan, new AbortController().signal, (found) => {
        received.push(...hitLines(found));
      });
      assert.equal(isExhaustive, false);
      streamed.push(received.sort());
    }
    assert.equal(streamed[0]?.length, 5);
    assert.deepEqual(streamed[1], streamed[0]);
    assert.deepEqual(streamed[2], streamed[0]);
    assert.equal(pages[0]?.length, 3);
    assert.deepEqual(pages[1], pages[0]);
    assert.deepEqual(pages[2], pages[0]);
  });

  test("a streaming search passes on files of each node as soon as it has responded", async () => {
    await cluster.repositories.refresh();
    const slow = doubles[1] as ZoektDouble;
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    slow.handle = async (_, response, body) => {
      await isReleased;
      slow.handle = undefined;
      response.end(await (await fetch(`${slow.url}/api/search`, { method: "POST", body })).text());
    };
    const received: string[] = [];
    const running = cluster.engine.search(planOf(query, soon()), new AbortController().signal, (files) => {
      received.push(...hitLines(files));
    });
    await eventually(() => received.length === others.length);
    assert.deepEqual(received.toSorted(), others);
    release();
    const { files, isExhaustive, stats } = await running;
    assert.deepEqual(received.toSorted(), all);
    assert.deepEqual([files, isExhaustive, stats.actualMatchCount], [[], true, all.length]);
  });

  test("a response that is too large is requested again with fewer documents", async () => {
    await cluster.close();
    await open({ maxResponseBytes: 100_000 });
    await cluster.repositories.refresh();
    const double = doubles[1] as ZoektDouble;
    double.handle = (_, response, body) => {
      if (body.includes('"MaxDocDisplayCount":50')) response.end("x".repeat(200_000));
      else {
        double.handle = undefined;
        void fetch(`${double.url}/api/search`, { method: "POST", body }).then(async (reply) =>
          response.end(await reply.text()),
        );
      }
    };
    const { files, stats, isExhaustive } = await search(cluster.engine, query, soon());
    assert.deepEqual([sorted(files), stats.flushReason, isExhaustive], [all, "BYTE_LIMIT", false]);
  });

  test("more documents are requested if the first ones have too few matches", async () => {
    await cluster.close();
    await Promise.all(doubles.map((double) => double.stop()));
    const many: ClusterRepository = {
      id: 1,
      branches: ["main"],
      documents: Array.from({ length: 250 }, (_, at) => ({
        path: `file${at}.txt`,
        content: Buffer.from("the key\n"),
        branches: [0],
      })),
    };
    doubles = await startDoubles([many], nodeCount);
    cluster = await openCluster(
      doubles.map(({ url }) => url),
      [many],
    );
    const found = await search(cluster.engine, query, { maxMatches: 300 });
    assert.deepEqual([found.files.length, found.isExhaustive], [250, true]);
    const limited = await search(cluster.engine, query, { maxMatches: 50 });
    assert.deepEqual([limited.files.length, limited.isExhaustive], [50, false]);
    const lists = doubles.flatMap(({ searches }) => searches.filter(({ Opts }) => Opts["Whole"] !== true));
    assert.deepEqual(
      lists.map(({ Opts }) => Opts["MaxDocDisplayCount"]),
      [100, 800, 50],
    );
  });

  test("documents remain if the node fails when more of them are requested", async () => {
    await cluster.close();
    await Promise.all(doubles.map((double) => double.stop()));
    const repository: ClusterRepository = {
      id: 1,
      branches: ["main"],
      documents: Array.from({ length: 150 }, (_, at) => ({
        path: `file${at}.txt`,
        content: Buffer.from("the key\n"),
        branches: [0],
      })),
    };
    doubles = await startDoubles([repository], nodeCount);
    cluster = await openCluster(
      doubles.map(({ url }) => url),
      [repository],
    );
    await cluster.repositories.refresh();
    const double = doubles[nodeOf(1, nodeCount)] as ZoektDouble;
    // Lists documents, and returns their texts.
    let answerCount = 0;
    double.handle = (request, _, __, respond) => {
      if (++answerCount > 2) request.socket.destroy();
      else respond();
    };
    const { files, isExhaustive } = await search(cluster.engine, query, { maxMatches: 300 });
    assert.deepEqual([files.length, isExhaustive], [100, false]);
  });

  test("a search does not wait long for a node that never lists its repositories", async () => {
    await cluster.close();
    for (const double of doubles) double.handle = () => {};
    await open();
    const startedAt = monotonicNow();
    const { unavailable } = await search(cluster.engine, query, { deadline: startedAt + 10_000 });
    assert.ok(monotonicNow() - startedAt < 5000);
    assert.equal(unavailable?.length, nodeCount);
    const controller = new AbortController();
    const canceled = cluster.engine.search(planOf(query), controller.signal);
    controller.abort();
    await assert.rejects(canceled, { code: "CANCELLED" });
  });
});

/** The time that a search has, and why the result is not exhaustive; undefined if it is. */
const networkOutcomes: Readonly<Record<NetworkFault, readonly [timeMs: number, reason?: RegExp]>> = {
  delay: [20_000],
  drop: [5000, /^cannot be reached/],
  halfOpen: [1500, /^did not respond within \d+ ms$/],
  reset: [5000, /^cannot be reached/],
};

for (const kind of ["double", "zoekt"] as const)
  describe(`a network with faults, before a ${kind}${kind === "zoekt" ? withoutZoekt : ""}`, {
    skip: kind === "zoekt" && !hasZoekt,
  }, () => {
    let started: StartedNodes;
    let proxy: TcpProxy;
    let cluster: Cluster;
    before(async () => {
      started = await startNodes(kind, repositories, nodeCount);
      proxy = await tcpProxy(started.urls[1] ?? "");
      const urls = started.urls.map((url, at) => (at === 1 ? proxy.url : url));
      cluster = await openCluster(urls, repositories);
    });
    after(async () => {
      await cluster?.close();
      await proxy?.stop();
      await started?.stop();
    });
    const found = async (timeMs?: number) => {
      const { files, isExhaustive, unavailable } = await search(cluster.engine, query, soon(timeMs));
      return { lines: sorted(files), isExhaustive, unavailable };
    };
    const complete = { lines: all, isExhaustive: true, unavailable: undefined };

    for (const fault of networkFaults)
      test(`${fault}: no answer is wrong, and all are complete again afterwards`, async () => {
        await eventuallyEqual(found, complete);
        proxy.fault = fault;
        const [timeMs, reason] = networkOutcomes[fault];
        const startedAt = monotonicNow();
        const { lines, isExhaustive, unavailable } = await found(timeMs);
        assert.ok(monotonicNow() - startedAt < timeMs + 1000);
        if (reason === undefined) assert.deepEqual({ lines, isExhaustive, unavailable }, complete);
        else {
          assert.deepEqual([lines, isExhaustive], [others, false]);
          const part = onlyPart(unavailable);
          assert.deepEqual([part.node, part.repositoryCount], ["node1", 2]);
          assert.match(part.reason, reason);
        }
        proxy.fault = undefined;
        await eventuallyEqual(found, complete);
      });
  });
