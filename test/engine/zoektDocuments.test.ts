/** Single documents of repositories on Zoekt nodes: unsaved ones, and reading them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CountRequest } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import { blobHash, hitLines, literal, planOf, search } from "#test/support/engines";
import { eventuallyEqual } from "#test/support/eventually";
import {
  type Cluster,
  type ClusterRepository,
  openCluster,
  type StartedNodes,
  startDoubles,
  startNodes,
} from "#test/support/zoektCluster";

const old = Buffer.from("an old key\n");
const fresh = Buffer.from("a key\n");
const repositories: readonly ClusterRepository[] = [
  {
    id: 1,
    branches: ["main", "next"],
    documents: [
      { path: "src/a.go", content: fresh, branches: [0] },
      { path: "src/a.go", content: old, branches: [1] },
      { path: "src/b.go", content: fresh, branches: [0, 1] },
      { path: "src/c.go", content: Buffer.from("def Stored\n"), branches: [0] },
    ],
  },
  { id: 2, branches: ["main"], documents: [{ path: "src/a.go", content: old, branches: [0] }] },
];
const repositoryId = 1 as RepositoryId;

let nodes: StartedNodes;
let cluster: Cluster;
before(async () => {
  nodes = await startNodes("double", repositories, 1);
  cluster = await openCluster(nodes.urls, repositories);
  await cluster.repositories.refresh();
});
after(async () => {
  await cluster.close();
  await nodes.stop();
});

test("an unsaved document replaces the one of the node, except in a revision", async () => {
  const text = "an unsaved key\n";
  const unsaved = [{ repositoryId, path: "src/a.go", text, language: "Go", version: "1" }];
  const found = await search(cluster.engine, literal("key"), {}, { unsaved });
  assert.deepEqual(hitLines(found.files).sort(), [
    "src/a.go:1: an old key",
    "src/a.go:1: an unsaved key",
    "src/b.go:1: a key",
  ]);
  const none = await search(cluster.engine, literal("unsaved"), {}, { unsaved });
  assert.deepEqual(
    none.files.map(({ origin, path }) => [origin, path]),
    [["unsaved", "src/a.go"]],
  );
  const revision = { kind: "revision", names: ["next"] } as const;
  const query = { kind: "and", children: [literal("key"), revision] } as const;
  const next = await search(cluster.engine, query, {}, { unsaved });
  assert.deepEqual(hitLines(next.files).sort(), ["src/a.go:1: an old key", "src/b.go:1: a key"]);
});

test("definitions of an unsaved document replace those of the node", async () => {
  const text = "def Fresh\n";
  const unsaved = [{ repositoryId, path: "src/c.go", text, language: "Go", version: "1" }];
  const pattern = { kind: "regexp", source: "^(Fresh|Stored)$", caseSensitive: true } as const;
  const pathsOf = async (documents: typeof unsaved) => {
    const found = await search(cluster.engine, { kind: "symbol", pattern }, {}, { unsaved: documents });
    const { symbols } = await cluster.engine.findSymbols(
      {
        name: { kind: "exact", text: "Stored", caseSensitive: true },
        withLocals: false,
        repositories: "all",
        revisions: [],
        unsaved: documents,
        preferred: [],
        limit: 10,
      },
      new AbortController().signal,
    );
    return [hitLines(found.files), symbols.map(({ document, name }) => `${document.path} ${name}`)];
  };
  assert.deepEqual(await pathsOf([]), [["src/c.go:1: def Stored"], ["src/c.go Stored"]]);
  assert.deepEqual(await pathsOf(unsaved), [["src/c.go:1: def Fresh"], []]);
});

test("documents are read by path, by content and by revision", async () => {
  const requests = [
    { repositoryId, path: "src/a.go" },
    { repositoryId, path: "src/a.go", revision: "next" },
    { repositoryId, path: "src/a.go", blob: blobHash(old) },
    { repositoryId, path: "src/b.go", revision: "next" },
    { repositoryId, path: "src/a" },
    { repositoryId, path: "src/a.go", revision: "gone" },
    { repositoryId: 3 as RepositoryId, path: "src/a.go" },
  ];
  const documents = await cluster.engine.readDocuments(requests, new AbortController().signal);
  assert.deepEqual(
    documents.map((each) => each && [Buffer.from(each.content).toString(), each.language, each.branches]),
    [
      ["a key\n", "Go", ["refs/heads/main"]],
      ["an old key\n", "Go", ["refs/heads/next"]],
      ["an old key\n", "Go", ["refs/heads/next"]],
      ["a key\n", "Go", ["refs/heads/next"]],
      undefined,
      undefined,
      undefined,
    ],
  );
});

test("completions also find rare languages and names, and repositories of others are not counted", async () => {
  const documents = Array.from({ length: 600 }, (_, at) => ({
    path: at < 598 ? `many/file${at}.go` : at === 598 ? "many/file.py" : "rare/last.txt",
    content: Buffer.from("text\n"),
    branches: [0],
  }));
  const hidden = { path: "hidden/file.c", content: Buffer.from("text\n"), branches: [0] };
  const indexed = [
    { id: 1, branches: ["main"], documents },
    { id: 2, branches: ["main"], documents: [hidden] },
  ];
  const [node] = await startDoubles(indexed, 1);
  assert.ok(node);
  const large = await openCluster([node.url], indexed);
  await large.repositories.refresh();
  const finds = async (by: CountRequest["by"], expected: readonly unknown[]) => {
    const request = { by, revisions: [], repositories: new Set([repositoryId]) };
    await eventuallyEqual(async () => {
      const { counts, isComplete } = await large.engine.count(request, new AbortController().signal);
      return [...counts.keys(), isComplete];
    }, expected);
  };
  try {
    await finds({ kind: "language" }, ["Go", "Python", "Text", false]);
    await finds({ kind: "name", folder: "", part: "" }, ["many/", "rare/", false]);
    await finds({ kind: "path", folder: "", start: "la" }, ["rare/last.txt", true]);
    assert.ok(node.searches.every(({ RepoIDs }) => RepoIDs?.join() === "1"));
    // All names of the folder are known.
    const askedCount = node.searches.length;
    await finds({ kind: "name", folder: "", part: "ra" }, ["many/", "rare/", false]);
    assert.equal(node.searches.length, askedCount);
  } finally {
    await large.close();
    await node.stop();
  }
});

test("a document that is not indexed has no hash, also if it is found for the first time", async () => {
  const content = Buffer.from("NOT-INDEXED: contains binary content");
  const indexed = [{ id: 1, branches: ["main"], documents: [{ path: "logo.png", content, branches: [0] }] }];
  const [node] = await startDoubles(indexed, 1);
  assert.ok(node);
  const cluster = await openCluster([node.url], indexed);
  await cluster.repositories.refresh();
  try {
    for (const query of [literal("logo", { where: "name" }), literal("logo", { where: "both" })])
      for (let run = 0; run < 2; run++) {
        const { files } = await search(cluster.engine, query, { maxMatches: 10 });
        assert.deepEqual(
          files.map(({ path, blobSha }) => [path, blobSha]),
          [["logo.png", ""]],
        );
      }
  } finally {
    await cluster.close();
    await node.stop();
  }
});

test("texts that similar searches have in common are requested once", async () => {
  const texts = [...Array.from({ length: 7 }, () => "common words"), "common", "hats", "bees", "gamma"];
  // Looks like fields of a response.
  const pathOf = (at: number) => `${at} "Content":"QQ==","Ranges":[1.txt`;
  const documents = texts.map((text, at) => ({
    path: pathOf(at),
    content: Buffer.from(`${text}\n`),
    branches: [0],
  }));
  const equal = ["equal", "equal é", "equal"].map((text, at) => ({
    id: at + 2,
    branches: ["main"],
    documents: [{ path: "equal.txt", content: Buffer.from(`${text}\n`), branches: [0] }],
  }));
  const indexed = [{ id: 1, branches: ["main"], documents }, ...equal];
  const [node] = await startDoubles(indexed, 1);
  assert.ok(node);
  const cached = await openCluster([node.url], indexed);
  await cached.repositories.refresh();
  const find = async (text: string) => {
    const before = node.searches.length;
    const { files, isExhaustive } = await search(cached.engine, literal(text), { maxMatches: 100 });
    assert.equal(isExhaustive, true);
    const asked = node.searches.slice(before).map(({ Q, Opts }) => [Q.includes("file:"), Opts["Whole"]]);
    return { paths: files.map(({ path, blobSha }) => `${path} ${blobSha.slice(0, 4)}`).sort(), asked };
  };
  try {
    const words = await find("words");
    assert.deepEqual(words.asked, [[false, true]]);
    await find("words");
    assert.deepEqual(await find("words"), { ...words, asked: [[false, false]] });
    const all = await find("common");
    assert.deepEqual(all.asked, [
      [false, false],
      [true, true],
    ]);
    assert.deepEqual(all.paths, [
      ...words.paths,
      `${pathOf(7)} ${blobHash(Buffer.from("common\n")).slice(0, 4)}`,
    ]);
    assert.deepEqual(await find("common"), { ...all, asked: [[false, false]] });
    // After a search for other documents, texts are requested at once again.
    assert.equal((await find("hats")).asked.length, 2);
    assert.deepEqual((await find("bees")).asked, [[false, true]]);
    // Zoekt and Trawl agree on the lines of this word, so only the hash is missing.
    assert.deepEqual((await find("gamma")).asked, all.asked);
    assert.deepEqual((await find("gamma")).asked, [[false, false]]);
    // The order is the same when two of these files are evaluated on lines, and the one in between on its text.
    for (let run = 0; run < 4; run++) {
      const { files } = await search(cached.engine, literal("equal"), { maxMatches: 100 });
      assert.deepEqual(
        files.map((file) => file.repositoryId),
        [2, 3, 4],
      );
    }
    assert.deepEqual((await find("equal")).asked, [[false, false]]);
  } finally {
    await cached.close();
    await node.stop();
  }
});

test("the best files of a stream wait for the hashes of no others", { timeout: 30_000 }, async () => {
  const documents = Array.from({ length: 20 }, (_, at) => ({
    path: `file${at}.txt`,
    // Whole words are better.
    content: Buffer.from(`${at < 10 ? "ones" : "one"}\nmore ${at}\n`),
    branches: [0],
  }));
  const indexed = [{ id: 1, branches: ["main"], documents }];
  const [node] = await startDoubles(indexed, 1);
  assert.ok(node);
  const cluster = await openCluster([node.url], indexed);
  await cluster.repositories.refresh();
  const plan = planOf(literal("one"), { maxMatches: 10, contextLines: 0 });
  const shown: FileMatch[] = [];
  const requested: number[] = [];
  let showFirst = () => {};
  const isShown = new Promise<void>((resolve) => {
    showFirst = resolve;
  });
  node.handle = (_, __, body, respond) => {
    const count = body.match(/file\d+/g)?.length ?? 0;
    if (count > 0) requested.push(count);
    if (requested.length > 1) void isShown.then(respond);
    else respond();
  };
  try {
    const { stats } = await cluster.engine.search(plan, new AbortController().signal, (files) => {
      shown.push(...files);
      showFirst();
    });
    assert.equal(stats.actualMatchCount, 10);
    assert.deepEqual(
      shown.map(({ path, blobSha }) => [path, blobSha]),
      documents.slice(10).map(({ path, content }) => [path, blobHash(content)]),
    );
    // The best files remain if the node fails after them, and are counted.
    const failing = await openCluster([node.url], indexed);
    await failing.repositories.refresh();
    let hashed = 0;
    node.handle = (request, _, body, respond) => {
      if (hashed > 0) request.socket.destroy();
      else respond();
      if (/file\d+/.test(body)) hashed++;
    };
    try {
      const files: FileMatch[] = [];
      const result = await failing.engine.search(plan, new AbortController().signal, (more) => {
        files.push(...more);
      });
      assert.deepEqual(
        files.map(({ path }) => path),
        documents.slice(10, 13).map(({ path }) => path),
      );
      const { actualMatchCount, totalMatchCount, fileCount } = result.stats;
      assert.deepEqual([actualMatchCount, totalMatchCount, fileCount], [3, 3, 3]);
      assert.deepEqual([result.isExhaustive, result.unavailable?.length], [false, 1]);
    } finally {
      await failing.close();
    }
  } finally {
    await cluster.close();
    await node.stop();
  }
});
