/** A running instance whose git repositories are on Zoekt nodes: doubles always, and real ones where there are any. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { QueryCompletions } from "#contract/queries";
import type { SearchResult } from "#contract/search";
import type { FileOutline, FoundSymbols, SymbolResult } from "#contract/symbols";
import { parseListReply } from "#engine/zoekt/zoektReplies";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { freePort } from "#test/support/freePort";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";
import { type ZoektDouble, zoektDouble } from "#test/support/zoektDouble";
import {
  findProgram,
  hasZoekt,
  type RunningZoekt,
  serveZoekt,
  withoutZoekt,
  zoektIndexer,
} from "#test/support/zoektPrograms";

function found({ files }: SearchResult): string[] {
  return files.map(({ repository, fileName }) => `${repository}/${fileName.text}`).sort();
}

interface NodeConfiguration {
  readonly name: string;
  readonly url: string;
  readonly indexFolder?: string;
}

/** Writes a configuration file, and returns its path. */
function configure(
  folder: string,
  nodes: readonly NodeConfiguration[],
  indexer?: string,
  replicas = 1,
): string {
  const file = join(folder, "trawl.jsonc");
  const zoekt = { nodes, replicas, ...(indexer === undefined ? {} : { indexer }) };
  writeFileSync(file, JSON.stringify({ engine: { zoekt } }), { mode: 0o600 });
  return file;
}

const code = `package p

func Twist() int { return 1 }

func caller() int { return Twist() }
`;

describe("nodes that others index", () => {
  const folder = temporaryFolder();
  const doubles: ZoektDouble[] = [];
  let served: Served;
  before(async () => {
    for (const [at, name] of ["one", "two"].entries()) {
      const lines = code
        .trimEnd()
        .split("\n")
        .map((line) => `| ${line}\n`);
      const made = repo(`= main: First\nkey.txt\n| the key\ncode.go\n${lines.join("")}`, {
        path: join(folder, "src", name),
      });
      doubles.push(
        await zoektDouble([
          {
            id: at + 100,
            name,
            branches: [{ name: "HEAD", commit: made.git("rev-parse", "HEAD") }],
            documents: [
              { path: "key.txt", content: Buffer.from("the key\n"), language: "Text", branches: [0] },
              { path: "code.go", content: Buffer.from(code), language: "Go", branches: [0] },
            ],
          },
        ]),
      );
    }
    repo("= main: First\nkey.txt\n| the key\n", { path: join(folder, "src", "three") });
    mkdirSync(join(folder, "plain"));
    writeFileSync(join(folder, "plain", "key.txt"), "a plain key\n");
    const nodes = doubles.map(({ url }, at) => ({ name: `node-${at}`, url }));
    served = await serve(join(folder, "data"), [join(folder, "src"), join(folder, "plain")], {
      flags: ["--config", configure(folder, nodes)],
    });
  });
  after(async () => {
    await served.stop();
    await Promise.all(doubles.map((double) => double.stop()));
  });

  const post = async <Result>(operation: string, body: unknown): Promise<Result> => {
    const headers = { "content-type": "application/json" };
    const options = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${served.url}/api/${operation}`, options)).json() as Promise<Result>;
  };

  test("repositories are found on their nodes, and plain folders in Trawl's own index", async () => {
    await eventuallyEqual(
      async () => found(await served.search("key")),
      ["one/key.txt", "plain/key.txt", "two/key.txt"],
    );
    await eventuallyEqual(
      async () => (await served.repositories()).map(({ repoName, state }) => `${repoName} ${state}`).sort(),
      ["one ready", "plain ready", "three failed", "two ready"],
    );
    const { lastError } = (await served.repositories()).find(({ repoName }) => repoName === "three") ?? {};
    assert.equal(lastError, "No Zoekt node has an index of three.");
    // Two repositories have each of these files, and the folder has one.
    const complete = async (query: string) => {
      const { items } = await post<QueryCompletions>("complete_query", { query, offset: query.length });
      return items.map(({ label, detail }) => `${label} ${detail}`.trim());
    };
    await eventuallyEqual(() => complete("file:"), ["code.go", "key.txt"]);
    await eventuallyEqual(() => complete("repo:plain file:"), ["key.txt"]);
    await eventuallyEqual(() => complete("lang:go"), ["Go 2 files"]);
    await eventuallyEqual(() => complete("repo:one lang:te"), ["Text 1 file"]);
    const { files } = await served.search("file:key rev:main");
    assert.deepEqual(files[0]?.branches, ["refs/heads/main"]);
  });

  test("definitions, references with their enclosing definitions, and symbols are found on nodes", async () => {
    const matchesOf = async (operation: string) => {
      const { files } = await post<SymbolResult>(operation, { symbolName: "Twist" });
      return files.flatMap(({ repository, fileName, matches }) =>
        matches.map(({ lineContent, parent }) => [repository, fileName, lineContent, parent?.symbol]),
      );
    };
    const definition = "func Twist() int { return 1 }";
    assert.deepEqual(await matchesOf("find_definitions"), [
      ["one", "code.go", definition, ""],
      ["two", "code.go", definition, ""],
    ]);
    const call = "func caller() int { return Twist() }";
    assert.deepEqual(await matchesOf("find_references"), [
      ["one", "code.go", call, "caller"],
      ["two", "code.go", call, "caller"],
    ]);
    const { symbols } = await post<FileOutline>("outline", { place: { repo: "one", path: "code.go" } });
    assert.deepEqual(
      symbols.map(({ symbol }) => symbol),
      ["p", "Twist", "caller"],
    );
    const listed = await post<FoundSymbols>("find_symbols", { query: "Twi", match: "prefix" });
    assert.deepEqual(
      listed.symbols.map(({ symbol, repository }) => `${repository} ${symbol}`),
      ["one Twist", "two Twist"],
    );
    assert.deepEqual(found(await served.search("sym:^caller$")), ["one/code.go", "two/code.go"]);
    assert.deepEqual(found(await served.search("sym:^call$")), []);
  });

  test("a node that fails is named in the response", async () => {
    await doubles[1]?.stop();
    const result = await served.search("key");
    assert.deepEqual(found(result), ["one/key.txt", "plain/key.txt"]);
    assert.equal(result.isSearchExhaustive, false);
    assert.deepEqual(
      result.unavailable?.map(({ node, repositoryCount }) => [node, repositoryCount]),
      [["node-1", 1]],
    );
    const metrics = await (await fetch(`${served.url}/metrics`)).text();
    assert.match(metrics, /^trawl_zoekt_requests_total{node="node-1",outcome="down"} [1-9]/m);
    assert.match(metrics, /^trawl_zoekt_node_up{node="node-0"} 1$/m);
    const printed = await trawl(["search", "--data-dir", join(folder, "data"), "key"], folder);
    assert.match(printed.stdout, /^one\/key\.txt:1:/m);
    assert.match(
      printed.stderr,
      /The results are incomplete: node node-1 (cannot be reached|is not available)/,
    );
  });
});

describe(`nodes that Trawl indexes with Zoekt's programs${withoutZoekt}`, { skip: !hasZoekt }, () => {
  const folder = temporaryFolder();
  const indexFolders = ["index-a", "index-b"].map((name) => join(folder, name));
  const dataDir = join(folder, "data");
  const sources: TestRepository[] = [];
  const nodes: RunningZoekt[] = [];
  let flags: readonly string[];
  let served: Served;
  const shards = () =>
    indexFolders.flatMap((each) => readdirSync(each)).filter((name) => name.endsWith(".zoekt"));
  before(async () => {
    const ports = [await freePort(), await freePort()];
    const configured = indexFolders.map((indexFolder, at) => {
      mkdirSync(indexFolder);
      return { name: `node-${at}`, url: `http://127.0.0.1:${ports[at]}`, indexFolder };
    });
    for (const [at, indexFolder] of indexFolders.entries())
      nodes.push(await serveZoekt(indexFolder, ports[at]));
    for (const name of ["a", "b", "c", "d"])
      sources.push(
        repo(
          `= main: First\n${name}.txt\n| the key of ${name}\n= next from main: Next\nmore.txt\n| another key\n`,
          {
            path: join(folder, "src", name),
          },
        ),
      );
    flags = ["--config", configure(folder, configured, findProgram(zoektIndexer))];
    served = await serve(dataDir, [join(folder, "src")], { flags });
    await served.ready();
  });
  after(async () => {
    await served.stop();
    await Promise.all(nodes.map((node) => node.stop()));
  });

  test("each repository is indexed on one node, and found with its branches", async () => {
    assert.deepEqual(
      shards().sort(),
      [1, 2, 3, 4].map((id) => `trawl-${id}_v16.00000.zoekt`),
    );
    const lists = await Promise.all(
      nodes.map(async ({ url }) => {
        const response = await fetch(`${url}/api/list`, { method: "POST", body: '{"Q":""}' });
        return parseListReply(new Uint8Array(await response.arrayBuffer()))?.Repos ?? [];
      }),
    );
    const listed = lists.flat().map(({ Repository: { ID: id, Name: name } }) => [name, id]);
    const known = await served.repositories();
    assert.deepEqual(listed.sort(), known.map(({ repoName, repoId }) => [repoName, repoId]).sort());
    const { files, isSearchExhaustive } = await served.search("key");
    assert.deepEqual(files.map(({ fileName }) => fileName.text).sort(), ["a.txt", "b.txt", "c.txt", "d.txt"]);
    assert.equal(isSearchExhaustive, true);
    const next = await served.search("another rev:next repo:b");
    assert.deepEqual(
      next.files.map(({ repository, branches, commit }) => [repository, branches, commit]),
      [["b", ["refs/heads/next"], sources[1]?.git("rev-parse", "next")]],
    );
  });

  test("a commit becomes searchable, and nothing is written to the repository", async () => {
    const [source] = sources;
    source?.more("= main: Second\nfresh.txt\n| a fresh word\n");
    await eventuallyEqual(async () => found(await served.search("fresh")), ["a/fresh.txt"]);
    assert.equal(source?.git("config", "--get-regexp", "^core\\.bare$"), "core.bare false");
    assert.equal(source?.git("status", "--porcelain"), "");
    await eventuallyEqual(
      async () => (await served.repositories()).find(({ repoName }) => repoName === "a")?.documentCount,
      3,
    );
  });

  test("another process cannot write to the same index folders", async () => {
    const second = await trawl(
      ["serve", "--port", "0", "--data-dir", join(folder, "second"), ...flags],
      folder,
    );
    assert.notEqual(second.code, 0);
    assert.match(second.stderr, /Another process writes to the index folder .*index-a of Zoekt node node-0/);
  });

  test("after a crash of a node, it is named until it is back", async () => {
    const node = nodes[0] as RunningZoekt;
    await node.stop();
    const partial = await served.search("key");
    assert.equal(partial.isSearchExhaustive, false);
    assert.deepEqual(
      partial.unavailable?.map((part) => part.node),
      ["node-0"],
    );
    nodes[0] = await serveZoekt(indexFolders[0] ?? "", Number(new URL(node.url).port));
    await eventually(async () => (await served.search("key")).isSearchExhaustive);
    assert.equal(found(await served.search("key")).length, 4);
  });

  test("the shards of a removed repository are removed", async () => {
    sources[3]?.remove("");
    await eventually(() => shards().length === 3);
    assert.deepEqual(found(await served.search("key")), ["a/a.txt", "b/b.txt", "c/c.txt"]);
  });

  test("with two replicas, each node can crash, and searches stay exhaustive", async () => {
    await served.stop();
    const { nodes: configured } = JSON.parse(readFileSync(flags[1] ?? "", "utf8")).engine.zoekt;
    const config = configure(folder, configured, findProgram(zoektIndexer), 2);
    served = await serve(dataDir, [], { flags: ["--config", config] });
    await eventually(() => shards().length === 6);
    for (const at of [0, 1]) {
      await eventually(async () => {
        const { files, isSearchExhaustive, unavailable } = await served.search("key");
        return isSearchExhaustive && files.length === 3 && unavailable === undefined;
      });
      const node = nodes[at] as RunningZoekt;
      await node.stop();
      const result = await served.search("key");
      assert.deepEqual([found(result), result.isSearchExhaustive], [["a/a.txt", "b/b.txt", "c/c.txt"], true]);
      nodes[at] = await serveZoekt(indexFolders[at] ?? "", Number(new URL(node.url).port));
      // The other one stops only when this one is asked again.
      await eventually(async () => {
        const response = await fetch(`${node.url}/api/list`, { method: "POST", body: '{"Q":""}' });
        return response.status === 200;
      });
    }
  });

  test("without one of the nodes, its repositories move to the other", async () => {
    await served.stop();
    const nodesLeft = JSON.parse(readFileSync(flags[1] ?? "", "utf8")).engine.zoekt.nodes.slice(1);
    const config = configure(folder, nodesLeft, findProgram(zoektIndexer));
    served = await serve(dataDir, [], { flags: ["--config", config] });
    await eventually(async () => {
      const result = await served.search("key");
      return result.isSearchExhaustive && found(result).length === 3;
    });
    const names = readdirSync(indexFolders[1] ?? "").filter((name) => name.endsWith(".zoekt"));
    assert.deepEqual(
      names.sort(),
      [1, 2, 3].map((id) => `trawl-${id}_v16.00000.zoekt`),
    );
  });

  test("without nodes, Trawl's own index contains the repositories again", async () => {
    await served.stop();
    served = await serve(dataDir);
    await eventually(async () => {
      const result = await served.search("key");
      return result.isSearchExhaustive && found(result).length === 3;
    });
  });
});
