/** An editor beside a team's server: two processes with their own indexes, and a third that has all repositories. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { CountResult } from "#contract/count";
import type { LocatedFile } from "#contract/editor";
import type { FileSource } from "#contract/history";
import { connectServerMethod, serverStateMethod } from "#contract/notifications";
import type { QueryCompletions, QueryExplanation } from "#contract/queries";
import type { RepositoryItem } from "#contract/repositories";
import type { SearchEnd, SearchEvent, SearchResult } from "#contract/search";
import type { Page } from "#contract/service";
import type { FoundSymbols } from "#contract/symbols";
import type { ServerConnectionState } from "#contract/team";
import { type Editor, openEditor } from "#test/support/editor";
import { eventually } from "#test/support/eventually";
import { type FaultyProxy, faultyProxy, statusAnswer } from "#test/support/faultyProxy";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const origin = (name: string) => ({ origin: `https://github.com/acme/${name}.git` });

const sharedText = `
  = main: First
  cart.ts
  | export function totalPrice() {
  |   return taxRate();
  | }
  old.ts
  | // totalPrice of the team
`;
/** On both servers; the working tree here differs. */
const shared = repo(sharedText, origin("shared"));
const teamShared = repo(sharedText, origin("shared"));
shared.write("cart.ts", "export function totalPrice() {\n  return 1; // changed here\n}\n");
const local = repo(
  `
  = main: First
  src/order.ts
  | import { totalPrice } from "./cart";
  | export const order = () => totalPrice() + taxRate();
`,
  origin("local"),
);
const remote = repo(
  `
  = main: First
  src/totalPrice.ts
  | export const totalPrice = () => totalPrice();
  src/tax.ts
  | export function taxRate() {
  |   return 0.2;
  | }
  docs/prices.md
  | How totalPrice is computed.
  = main: Second
  src/late.ts
  | const late = 1;
`,
  origin("payments"),
);

let team: Served;
let key: string;

let editor: Editor;
const editorDataDir = join(temporaryFolder(), "data");

/** Connects the editor. */
function connect(url = team.url): Promise<ServerConnectionState> {
  return editor.client.sendRequest(connectServerMethod, { url, key });
}

const found = ({ files }: Pick<SearchResult, "files">) =>
  files.map(({ repository, fileName, chunks }) => [
    repository,
    fileName.text,
    fileName.matchRanges.length,
    chunks.map(({ content }) => content),
  ]);
const serversOf = ({ files }: Pick<SearchResult, "files">) =>
  Object.fromEntries(files.map(({ repository, server = "here" }) => [repository, server]));
const sorted = (files: readonly unknown[]) => files.map((file) => JSON.stringify(file)).sort();

/** Waits for symbols, also of the changed file, which are parsed separately. */
async function symbolsReady(
  repositories: () => Promise<readonly RepositoryItem[]>,
  search: (query: string) => Promise<SearchResult>,
): Promise<void> {
  await eventually(async () => (await repositories()).every((item) => item.symbolsReady));
  await eventually(async () => (await search("repo:shared sym:totalPrice")).files.length === 1);
}

before(async () => {
  const dataDir = join(temporaryFolder(), "team");
  team = await serve(dataDir, [teamShared.path, remote.path], { flags: ["--anonymous", "off"] });
  await team.ready();
  key = (await trawl(["keys", "create", "editor", "--data-dir", dataDir])).stdout.trim();
  editor = await openEditor(editorDataDir, {
    settings: { roots: [shared.path, local.path] },
  });
  await editor.call("indexing");
  const repositories = async () => (await editor.call<Page<RepositoryItem>>("repos")).items;
  await eventually(async () => (await repositories()).length === 2);
  await symbolsReady(repositories, (query) => editor.call<SearchResult>("search", { query }));
});

after(async () => {
  await Promise.all([team.kill(), editor.kill()]);
});

describe("an editor beside a team's server", () => {
  test("searches both, and answers as one server with all repositories", async (t) => {
    const whole = await serve(join(temporaryFolder(), "whole"), [shared.path, local.path, remote.path]);
    t.after(() => whole.kill());
    await whole.ready();
    await symbolsReady(whole.repositories, whole.search);
    const state = await connect();
    assert.deepEqual(
      { ...state, version: "" },
      { state: "connected", url: team.url, version: "", repositories: 2 },
    );
    const queries = [
      "totalPrice",
      "totalPrice -file:md",
      "repo:payments totalPrice",
      "repo:shared totalPrice",
      "file:src/",
      "type:repo acme",
      "sym:taxRate",
      "nothingHere",
    ];
    for (const query of queries) {
      const merged = await editor.call<SearchResult>("search", { query });
      const all = await whole.search(query);
      assert.deepEqual(found(merged), found(all), query);
      assert.equal(merged.isSearchExhaustive, true, query);
      assert.equal(merged.stats.totalMatchCount, all.stats.totalMatchCount, query);
      assert.equal(merged.stats.fileCount, all.stats.fileCount, query);
      assert.deepEqual(merged.suggestions, all.suggestions, query);
    }
    const merged = await editor.call<SearchResult>("search", { query: "totalPrice" });
    assert.deepEqual(serversOf(merged), {
      "github.com/acme/shared": "here",
      "github.com/acme/local": "here",
      "github.com/acme/payments": team.url,
    });
    assert.equal(new Set(merged.repositoryInfo.map(({ id }) => id)).size, 3);
    const fromTeam = merged.files.find(({ server }) => server !== undefined);
    assert.ok(fromTeam?.webUrl.startsWith(`${team.url}/browse/github.com/acme/payments`), fromTeam?.webUrl);
    assert.ok(merged.files.every((file) => !("score" in file)));

    const commits = await editor.call<SearchResult>("search", { query: "type:commit First" });
    const allCommits = await whole.search("type:commit First");
    assert.deepEqual(
      commits.commits?.map(({ repository, hash }) => `${repository} ${hash}`).sort(),
      allCommits.commits?.map(({ repository, hash }) => `${repository} ${hash}`).sort(),
    );

    const pieces: SearchEvent[] = [];
    const end = (await editor.follow("streamSearch", { query: "totalPrice" }, (event) => {
      pieces.push(event);
    }).ended) as SearchEnd;
    const streamed = pieces.flatMap((piece) => (piece.event === "files" ? piece.data.files : []));
    assert.deepEqual(sorted(found({ files: streamed })), sorted(found(await whole.search("totalPrice"))));
    assert.equal(end.stats.totalMatchCount, merged.stats.totalMatchCount);
    const progress = pieces.flatMap((piece) => (piece.event === "progress" ? piece.data.fileCount : []));
    assert.equal(progress.at(-1), streamed.length);

    for (const matches of [1, 2, 3]) {
      const cut = await editor.call<SearchResult>("search", { query: "totalPrice", matches });
      assert.ok(cut.stats.actualMatchCount <= matches);
      assert.equal(cut.stats.flushReason, "MATCH_LIMIT");
      assert.deepEqual(found(cut)[0], found(merged)[0]);
    }

    // Each side alone is within the limit.
    const cutCommits = { query: "type:commit First", matches: 2 };
    const onlyFiles = { query: "taxRate", matches: 1, matchesPerFile: 1, filesOnly: true };
    for (const request of [cutCommits, onlyFiles]) {
      const cut = await editor.call<SearchResult>("search", request);
      assert.equal(cut.files.length + (cut.commits?.length ?? 0), request.matches);
      assert.equal(cut.stats.actualMatchCount, request.matches);
      const cutEnd = (await editor.follow("streamSearch", request, () => {}).ended) as SearchEnd;
      assert.deepEqual([cut.isSearchExhaustive, cutEnd.isSearchExhaustive], [false, false], request.query);
    }

    const counted = await editor.call<CountResult>("count", { query: "totalPrice", groupBy: "language" });
    const response = await fetch(`${whole.url}/api/count`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "totalPrice", groupBy: "language" }),
    });
    const { stats: _all, ...allCounts } = (await response.json()) as CountResult;
    const { stats: _merged, ...mergedCounts } = counted;
    assert.deepEqual(mergedCounts, allCounts);
  });

  test("reads files, history and symbols where the repository is", async () => {
    await connect();
    const repo = "github.com/acme/payments";
    const { items, total } = await editor.call<Page<RepositoryItem>>("repos", { perPage: 2 });
    const second = await editor.call<Page<RepositoryItem>>("repos", { perPage: 2, page: 2 });
    assert.deepEqual(
      [...items, ...second.items].map(({ repoName, server }) => [repoName, server]),
      [
        ["github.com/acme/local", undefined],
        ["github.com/acme/shared", undefined],
        [repo, team.url],
      ],
    );
    assert.equal(total, 3);
    const source = await editor.call<FileSource>("source", { repo, path: "src/tax.ts" });
    assert.match(source.source, /return 0\.2/);
    const commits = await editor.call<Page<{ message: string }>>("commits", { repo });
    assert.deepEqual(
      commits.items.map(({ message }) => message),
      ["Second", "First"],
    );
    const tree = await editor.call<{ tree: { children: { name: string }[] } }>("tree", { repoName: repo });
    assert.deepEqual(
      tree.tree.children.map(({ name }) => name),
      ["docs", "src"],
    );
    const blame = await editor.call<{ ranges: { lineCount: number }[] }>("blame", {
      repo,
      path: "src/tax.ts",
    });
    assert.equal(blame.ranges[0]?.lineCount, 3);
    const located = await editor.call<LocatedFile>("locate", {
      repository: repo,
      path: "src/tax.ts",
      lines: [1],
    });
    assert.deepEqual(located, { state: "noClone", lines: [null] });
    await assert.rejects(editor.call("source", { repo: "github.com/acme/none", path: "a" }), /not found/);

    const completed = await editor.call<QueryCompletions>("completeQuery", { query: "repo:pay", offset: 8 });
    assert.ok(
      completed.items.some(({ text }) => text.includes("payments")),
      JSON.stringify(completed),
    );
    const paths = await editor.call<QueryCompletions>("completeQuery", {
      query: "file:",
      offset: 5,
      limit: 2,
    });
    assert.deepEqual(
      paths.items.map(({ label }) => label),
      ["src/", "docs/"],
    );
    const problemsOf = async (query: string) =>
      (await editor.call<QueryExplanation>("readQuery", { query })).problems.length;
    assert.deepEqual([await problemsOf("repo:payments x"), await problemsOf("repo:paymentz x")], [0, 1]);
    const { symbols } = await editor.call<FoundSymbols>("findSymbols", { query: "taxRate" });
    assert.deepEqual(
      symbols.map(({ symbol, server }) => [symbol, server]),
      [["taxRate", team.url]],
    );

    // "taxRate" is called here, and defined only on the server.
    const uri = pathToFileURL(join(local.path, "src/order.ts")).href;
    const definitions = await editor.client.sendRequest<
      { uri: string; range: { start: { line: number } } }[]
    >("textDocument/definition", { textDocument: { uri }, position: { line: 1, character: 44 } });
    assert.equal(definitions.length, 1);
    assert.match(
      definitions[0]?.uri ?? "",
      /^trawl:\/github\.com\/acme\/payments(?:@|%40)[0-9a-f]{40}\/-\/src\/tax\.ts$/,
    );
    const outline = await editor.client.sendRequest<{ name: string }[]>("textDocument/documentSymbol", {
      textDocument: { uri: definitions[0]?.uri },
    });
    assert.deepEqual(
      outline.map(({ name }) => name),
      ["taxRate"],
    );
    // And back: references of the definition on the server include the call here.
    const references = await editor.client.sendRequest<{ uri: string }[]>("textDocument/references", {
      textDocument: { uri: definitions[0]?.uri },
      position: { line: 0, character: 18 },
      context: { includeDeclaration: false },
    });
    assert.ok(
      references.some((reference) => reference.uri === uri),
      JSON.stringify(references),
    );
  });

  test("its key is not used for other programs, and in no log", async (t) => {
    const proxy = await faultyProxy(team.url, t);
    await connect(proxy.url);
    const { url } = await editor.call<{ url: string }>("startEndpoint", { port: 0 });
    t.after(() => editor.call("stopEndpoint"));
    const before = proxy.paths.length;
    const response = await fetch(`${url}/api/search`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "totalPrice" }),
    });
    const result = (await response.json()) as SearchResult;
    assert.deepEqual(Object.keys(serversOf(result)).sort(), [
      "github.com/acme/local",
      "github.com/acme/shared",
    ]);
    const listed = (await (await fetch(`${url}/api/repos`)).json()) as RepositoryItem[];
    assert.equal(listed.length, 2);
    assert.equal(proxy.paths.length, before);
    const { stdout } = await trawl(["search", "totalPrice", "--data-dir", editorDataDir]);
    assert.doesNotMatch(stdout, /payments/);
    assert.equal(proxy.paths.length, before);
    assert.ok(!editor.log.join("\n").includes(key));
  });

  test("unsaved text and the working tree stay on this computer", async (t) => {
    const proxy = await faultyProxy(team.url, t);
    const bodies: string[] = [];
    await connect(proxy.url);
    const uri = pathToFileURL(join(shared.path, "cart.ts")).href;
    await editor.client.sendNotification("textDocument/didOpen", {
      textDocument: {
        uri,
        languageId: "typescript",
        version: 1,
        text: "const totalPrice = 'unsavedSecret';\n",
      },
    });
    proxy.answer = (incoming, response) => {
      incoming.on("data", (part: Buffer) => bodies.push(part.toString()));
      incoming.on("end", () => statusAnswer(500)(incoming, response));
    };
    const merged = await editor.call<SearchResult>("search", { query: "totalPrice" });
    assert.ok(found(merged).some((file) => JSON.stringify(file).includes("unsavedSecret")));
    assert.ok(bodies.length > 0 && !bodies.join().includes("unsavedSecret"));
    await editor.client.sendNotification("textDocument/didClose", { textDocument: { uri } });
  });
});

describe("when the team's server fails", () => {
  const here = ["github.com/acme/local", "github.com/acme/shared"];
  const repositoriesIn = ({ files }: SearchResult) =>
    [...new Set(files.map(({ repository }) => repository))].sort();

  const faults: readonly [name: string, answer: FaultyProxy["answer"], reason: RegExp, state: string][] = [
    ["closes the connection", (_, response) => response.destroy(), /cannot be reached/, "unreachable"],
    ["status 500", statusAnswer(500), /failed with status 500/, "unreachable"],
    ["status 502", statusAnswer(502, {}, "<html>"), /failed with status 502/, "unreachable"],
    ["status 429", statusAnswer(429, { "retry-after": "1" }), /is busy/, "unreachable"],
    [
      "status 401",
      statusAnswer(
        401,
        {},
        JSON.stringify({ statusCode: 401, errorCode: "NOT_AUTHENTICATED", message: "No." }),
      ),
      /rejected the API key: "No\." Log in again/,
      "rejected",
    ],
    ["status 403", statusAnswer(403), /refused the request/, "rejected"],
    [
      "no JSON",
      statusAnswer(200, { "content-type": "text/html" }, "<html>"),
      /not respond like a Trawl/,
      "unreachable",
    ],
    ["other JSON", statusAnswer(200, {}, '{"files":[{"a":1}]}'), /not respond like a Trawl/, "unreachable"],
    [
      "a redirect",
      statusAnswer(302, { location: "http://127.0.0.1:1/api/search" }),
      /redirects to http:\/\/127\.0\.0\.1:1\./,
      "unreachable",
    ],
    [
      "a stream without an end",
      (_, response) => {
        const write = () => {
          while (response.write("x".repeat(1 << 20)));
          response.once("drain", write);
        };
        response.on("close", () => response.removeAllListeners("drain"));
        write();
      },
      /larger than 32 MiB/,
      "unreachable",
    ],
  ];

  test("results of this computer come, with the reason, and the server comes back by itself", async (t) => {
    const proxy = await faultyProxy(team.url, t);
    await connect(proxy.url);
    const states: ServerConnectionState[] = [];
    editor.client.onNotification(serverStateMethod, (state: ServerConnectionState) => {
      states.push(state);
    });
    const stateNow = () => states.at(-1)?.state;
    for (const [name, answer, reason, state] of faults) {
      // Connects again, so that no fault waits for the retry of the one before.
      proxy.answer = undefined;
      await connect(proxy.url);
      proxy.answer = answer;
      const result = await editor.call<SearchResult>("search", { query: "totalPrice" });
      assert.deepEqual(repositoriesIn(result), here, name);
      assert.match(result.serverProblem ?? "", reason, name);
      assert.equal(result.isSearchExhaustive, false, name);
      await eventually(() => stateNow() === state);
      const before = proxy.paths.filter((path) => path === "/api/search").length;
      const again = await editor.call<SearchResult>("search", { query: "totalPrice" });
      assert.match(again.serverProblem ?? "", reason, name);
      assert.equal(
        proxy.paths.filter((path) => path === "/api/search").length,
        before,
        `${name}: sent again`,
      );
      if (name !== "status 500") continue;
      proxy.answer = undefined;
      await eventually(() => stateNow() === "connected");
      const back = await editor.call<SearchResult>("search", { query: "totalPrice" });
      assert.deepEqual(repositoriesIn(back), [...here, "github.com/acme/payments"].sort());
    }
    assert.ok(proxy.keys.every((sent) => sent === undefined || sent === `Bearer ${key}`));
  });

  test("results of this computer are sent while the server hangs", async (t) => {
    const proxy = await faultyProxy(team.url, t);
    await connect(proxy.url);
    let isAborted = false;
    proxy.answer = (_, response) => response.on("close", () => (isAborted = true));
    const pieces: SearchEvent[] = [];
    const search = editor.follow("streamSearch", { query: "totalPrice" }, (event) => pieces.push(event));
    await eventually(() => pieces.some((piece) => piece.event === "files" && piece.data.files.length > 0));
    assert.equal(isAborted, false);
    void search.ended.catch(() => undefined);
    // Another server is used at once, and the request to the first one ends.
    const state = await editor.client.sendRequest<ServerConnectionState>(connectServerMethod, {
      url: team.url,
      key: `trwl_${"x".repeat(43)}`,
    });
    assert.equal(state.state, "rejected");
    await eventually(() => isAborted);
    assert.deepEqual(await editor.client.sendRequest(connectServerMethod, {}), { state: "off" });
    const alone = await editor.call<SearchResult>("search", { query: "totalPrice" });
    assert.equal(alone.isSearchExhaustive, true);
    for (const url of ["http://search.example.com", "ftp://127.0.0.1", "https://me:secret@example.com", "x"])
      await assert.rejects(editor.client.sendRequest(connectServerMethod, { url }), (error: Error) => {
        assert.match(error.message, /URL/);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
  });

  test("a hostile server cannot name files, links or ids of this computer", async (t) => {
    const proxy = await faultyProxy(team.url, t);
    await connect(proxy.url);
    const genuine = await editor.call<SearchResult>("search", { query: "repo:payments tax" });
    const [file] = genuine.files;
    assert.ok(file !== undefined);
    const { server: _, ...plain } = { ...file, repositoryId: 1 };
    const answerWith = (changes: object, fileName = file.fileName.text): FaultyProxy["answer"] => {
      const forged = { ...plain, ...changes, fileName: { ...file.fileName, text: fileName } };
      return statusAnswer(200, {}, JSON.stringify({ ...genuine, repositoryInfo: [], files: [forged] }));
    };
    proxy.answer = answerWith({
      webUrl: "command:workbench.action.terminal.new",
      externalWebUrl: "javascript:alert(1)",
      origin: "workingTree",
      localPath: "/etc/passwd",
    });
    const forged = await editor.call<SearchResult>("search", { query: "repo:payments tax" });
    const [received] = forged.files;
    assert.deepEqual(
      [received?.webUrl, received?.externalWebUrl, received?.origin, received?.server],
      ["", "", "commit", proxy.url],
    );
    assert.ok((received?.repositoryId ?? 0) > 2 ** 32);
    assert.ok(!JSON.stringify(forged).includes("/etc/passwd"));
    proxy.answer = answerWith({ repositoryId: 1 - 2 ** 40 });
    const colliding = await editor.call<SearchResult>("search", { query: "repo:payments tax" });
    assert.match(colliding.serverProblem ?? "", /invalid id/);
    proxy.answer = undefined;
    await connect(proxy.url);
    proxy.answer = answerWith({}, "../../.bashrc");
    const escaped = await editor.call<SearchResult>("search", { query: "repo:payments tax" });
    assert.deepEqual(escaped.files, []);
    assert.match(escaped.serverProblem ?? "", /leaves its repository/);
  });
});

test("the command line asks the server that its configuration file names", async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  const config = join(folder, "trawl.json");
  await trawl(["index", local.path, "--data-dir", dataDir]);
  const search = async (keyEnv: string) => {
    writeFileSync(config, JSON.stringify({ dataDir, team: { url: team.url, key: { env: keyEnv } } }));
    return await trawl(["search", "totalPrice", "--config", config], folder, { env: { TEAM_KEY: key } });
  };
  const both = await search("TEAM_KEY");
  assert.match(both.stdout, /^github\.com\/acme\/local\/src\/order\.ts:/m);
  assert.match(both.stdout, /^github\.com\/acme\/payments\/src\/totalPrice\.ts:/m);
  assert.match(both.stdout, /^github\.com\/acme\/shared\/cart\.ts:/m);
  const withoutKey = await search("NO_KEY");
  assert.equal(withoutKey.code, 0);
  assert.doesNotMatch(withoutKey.stdout, /payments/);
  assert.match(withoutKey.stderr, /The environment variable NO_KEY is not set/);
  writeFileSync(config, JSON.stringify({ dataDir, team: { url: team.url, key } }));
  const literal = await trawl(["search", "x", "--config", config], folder);
  assert.equal(literal.code, 2);
  assert.match(literal.stderr, /"team\.key" must be/);
  assert.ok(!literal.stderr.includes(key));
});
