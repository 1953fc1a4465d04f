/** A frontend and two git servers with the same repositories, compared with a server that has them itself. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import type { QueryCompletions } from "#contract/queries";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { faultyProxy } from "#test/support/faultyProxy";
import { freePort } from "#test/support/freePort";
import { clusterSecret, serveFrontend, serveGit } from "#test/support/gitCluster";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { collectTraces, type TraceCollector } from "#test/support/traceCollector";
import { trawl } from "#test/support/trawl";
import { zoektDouble } from "#test/support/zoektDouble";

const folder = temporaryFolder();
const sources = join(folder, "src");
let shop: TestRepository;
const ports: number[] = [];
const gitServers: Served[] = [];
let frontend: Served;
let traces: TraceCollector;
/** Has the repositories itself. */
let whole: Served;

const startGit = (at: number) =>
  serveGit({ folder, name: `git-${at}`, env: traces.environment }, [sources], ports[at]);

before(async () => {
  traces = await collectTraces();
  shop = repo(
    `
    = main: First
    cart.ts
    | export function total() {
    |   return 1;
    | }
    docs/caf%C3%A9 ü.md
    | # Über
    link -> cart.ts
    bytes.bin [hex]
    | 00 ff fe
    = main: Format
    cart.ts
    | export function total(): number {
    |   return 1;
    | }
    tag v1: The first version
    = next from main: Add a basket
    basket.ts
    | export const basket = [];
    = main merge next: Merge the basket
    basket.ts
    | export const basket = [];
    `,
    { path: join(sources, "shop") },
  );
  shop.git("remote", "add", "origin", "https://github.com/acme/shop.git");
  repo("= main: Only\nREADME.md\n| one\n", { path: join(sources, "bare.git"), bare: true });
  repo("", { path: join(sources, "empty") });
  ports.push(await freePort(), await freePort());
  const starting = serve(join(folder, "whole-data"), [sources]);
  gitServers.push(...(await Promise.all([startGit(0), startGit(1)])));
  whole = await starting;
  await Promise.all([...gitServers, whole].map((each) => each.ready()));
  frontend = await serveFrontend(
    { folder, name: "frontend", env: traces.environment },
    Object.fromEntries(gitServers.map(({ url }, at) => [`git-${at}`, url])),
  );
});
after(async () => {
  await Promise.all([...gitServers, frontend, whole].map((each) => each?.stop()));
  await traces.close();
});

interface Answer {
  readonly status: number;
  readonly total: string | null;
  readonly body: string;
}

/** Sends a request, and removes from the response what differs between servers: their URL, and the request's ID. */
async function ask({ url }: Served, path: string, body?: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url + path, body && { method: "POST", headers, body: JSON.stringify(body) });
  const text = (await response.text()).replaceAll(url, "URL").replace(/,"requestId":"[^"]*"/, "");
  return { status: response.status, total: response.headers.get("x-total-count"), body: text };
}

const name = "github.com/acme/shop";
const named = `repo=${encodeURIComponent(name)}`;

function readCart(): Promise<Answer> {
  return ask(frontend, `/api/source?${named}&path=cart.ts`);
}

const trees = [
  { repoName: name, revisionName: "HEAD", paths: ["", "docs"] },
  { repoName: name, revisionName: "v1", paths: [] },
  { repoName: name, revisionName: "no-such-branch", paths: [] },
  { repoName: name, revisionName: "HEAD", paths: ["../.."] },
  { repoName: "empty", revisionName: "HEAD", paths: [] },
  { repoName: "../shop", revisionName: "HEAD", paths: [] },
  { repoName: name },
];
const queries = [
  `/api/repos/branches?${named}`,
  `/api/repos/branches?${named}&perPage=1&page=2`,
  "/api/repos/branches?repo=bare",
  "/api/repos/branches?repo=empty",
  `/api/source?${named}&path=cart.ts`,
  `/api/source?${named}&path=cart.ts&ref=v1&lines=1-2`,
  `/api/source?${named}&path=bytes.bin&encoding=base64`,
  `/api/source?${named}&path=link`,
  `/api/source?${named}&path=${encodeURIComponent("docs/caf%C3%A9 ü.md")}`,
  `/api/source?${named}&path=missing`,
  `/api/source?${named}&path=docs`,
  `/api/source?${named}&path=${encodeURIComponent("../../etc/passwd")}`,
  `/api/source?${named}&path=cart.ts&ref=${encodeURIComponent("--upload-pack=x")}`,
  "/api/source?repo=empty&path=x",
  `/api/diff?${named}&base=v1&head=main`,
  `/api/diff?${named}&base=v1&head=${encodeURIComponent("-x")}`,
  `/api/commit?${named}&ref=main&containedIn=true`,
  `/api/commit?${named}&ref=0123456789`,
  `/api/commits?${named}`,
  `/api/commits?${named}&perPage=2&page=2`,
  `/api/commits?${named}&path=cart.ts`,
  `/api/commits?${named}&changedText=number`,
  "/api/commits?repo=empty",
  `/api/commits/authors?${named}`,
  `/api/blame?${named}&path=cart.ts`,
  `/api/blame?${named}&path=cart.ts&lines=1-2&ignoreWhitespace=true`,
  `/api/blame?${named}&path=cart.ts&lines=5-9`,
];

test("every history operation responds like a server that has the repositories", async () => {
  await frontend.line(/^Ready: 3 repositories/);
  const requests: (readonly [string, object?])[] = [
    ...queries.map((query) => [query] as const),
    ...trees.map((tree) => ["/api/tree", tree] as const),
  ];
  const statuses: number[] = [];
  for (const [path, body] of requests) {
    const expected = await ask(whole, path, body);
    assert.deepEqual(await ask(frontend, path, body), expected, `${path} ${JSON.stringify(body)}`);
    statuses.push(expected.status);
  }
  assert.deepEqual(
    [200, 400, 404].map((status) => statuses.filter((each) => each === status).length),
    [23, 7, 4],
  );
  const names = async (served: Served) => (await served.repositories()).map(({ repoName }) => repoName);
  assert.deepEqual(await names(frontend), await names(whole));
});

test("pages show files, folders, commits, blame and refs", async () => {
  const browse = `/browse/${name}/-`;
  for (const [page, text] of [
    ["tree/", "cart.ts"],
    ["blob/cart.ts", "total"],
    ["commits/", "Merge the basket"],
    ["refs/", "v1"],
  ] as const) {
    const { status, body } = await ask(frontend, `${browse}/${page}`);
    assert.equal(status, 200, page);
    assert.ok(body.includes(text), page);
  }
  const outline = await ask(frontend, "/api/outline", { place: { repo: name, path: "cart.ts" } });
  assert.match(outline.body, /"total"/);
});

test("the trace and the ID of a request follow it to the git server", async () => {
  const caller = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
  const headers = {
    "x-request-id": "a-marked-request",
    traceparent: `00-${caller.traceId}-${caller.spanId}-01`,
  };
  const response = await fetch(`${frontend.url}/api/source?${named}&path=cart.ts`, { headers });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("x-request-id"), "a-marked-request");
  const path = ["GET /api/source", "source", "POST", "POST /call/*", "source"];
  const followed = await eventually(() => {
    const spans = traces.spans.filter(({ traceId }) => traceId === caller.traceId);
    const found = [];
    for (let parent = caller.spanId; ; ) {
      const span = spans.find(({ parentId }) => parentId === parent);
      if (span === undefined) break;
      found.push(span.name);
      parent = span.spanId;
    }
    return found.length >= path.length && found;
  });
  assert.deepEqual(followed, path);
  const received = traces.received();
  assert.equal(received.split("a-marked-request").length - 1, 2, "the spans of both servers have the ID");
  for (const text of [clusterSecret, "cart.ts", "acme"]) assert.ok(!received.includes(text), text);
});

test("a search says that there is no engine", async () => {
  const { status, body } = await ask(frontend, "/api/search", { query: "total" });
  assert.equal(status, 503);
  assert.match(body, /no search engine/);
  const commits = await ask(frontend, "/api/search", { query: "type:commit basket" });
  assert.match(commits.body, /cannot search for commits/);
  const completion = await ask(frontend, "/api/complete_query", { query: "repo:sh", offset: 7 });
  assert.match(completion.body, /acme\/shop/);
});

test("a missing or wrong secret is reported, and paths are refused", async () => {
  const own = { folder: join(folder, "wrong"), name: "wrong" };
  const settings = (variable: string) => ({
    gitServers: [{ name: "git-0", url: gitServers[0]?.url, secret: { env: variable } }],
  });
  await assert.rejects(serveFrontend(own, {}, settings("NO_SUCH_SECRET")), /NO_SUCH_SECRET is not set/);
  const paths = await trawl([
    ...["serve", "--role", "frontend", "--data-dir", join(own.folder, "data"), sources],
    ...["--config", join(own.folder, "wrong.jsonc")],
  ]);
  assert.equal(paths.code, 2);
  assert.match(paths.stderr, /no repositories of its own/);
  const wrong = await serveFrontend(own, {}, settings("PATH"));
  try {
    await wrong.line(/A git server git-0 rejects the secret/);
    const ready = await fetch(`${wrong.url}/readyz`);
    assert.equal(ready.status, 503);
    assert.equal(await ready.text(), "Not ready: no git server has listed its repositories yet.\n");
  } finally {
    const { stdout, stderr } = await wrong.stop();
    assert.ok(!(stdout + stderr).includes(process.env["PATH"] ?? "?"));
  }
});

describe("while git servers fail", () => {
  test("the other one answers, and a new commit is seen after a restart", async () => {
    const expected = await readCart();
    let count = 0;
    let isLoaded = true;
    const load = Array.from({ length: 4 }, async () => {
      for (; isLoaded; count++) assert.deepEqual(await readCart(), expected);
    });
    const more = async (since = count) => await eventually(() => count >= since + 20);
    const loaded = Promise.all(load);
    await Promise.race([loaded, more()]);
    await gitServers[0]?.kill();
    await Promise.race([loaded, more()]);
    isLoaded = false;
    await loaded;
    for (const query of queries) assert.notEqual((await ask(frontend, query)).status, 503, query);
    await gitServers[1]?.kill();
    const failed = await readCart();
    assert.equal(failed.status, 503);
    assert.match(failed.body, /"ENGINE_UNAVAILABLE"/);
    assert.match(failed.body, /git server git-0 cannot be reached/);
    assert.match(failed.body, /git server git-1 cannot be reached/);
    assert.equal((await frontend.repositories()).length, 3);
    assert.equal((await fetch(`${frontend.url}/readyz`)).status, 200);
    shop.more("= main: Change\ncart.ts\n| changed\n");
    gitServers.splice(0, 2, ...(await Promise.all([startGit(0), startGit(1)])));
    await eventually(async () => (await readCart()).body.includes("changed"));
    const commit = shop.git("rev-parse", "main");
    await eventuallyEqual(
      async () =>
        (await frontend.repositories())
          .find(({ repoName }) => repoName === name)
          ?.revisions.find((revision) => revision.name === "refs/heads/main")?.commit,
      commit,
    );
    const metrics = async () => await (await fetch(`${frontend.url}/metrics`)).text();
    await eventually(async () => /trawl_git_server_up\{server="git-1"\} 1\n/.test(await metrics()));
    assert.match(
      await metrics(),
      /trawl_git_server_requests_total\{server="git-0",outcome="unreachable"\} [1-9]/,
    );
  });

  test("one that does not respond is left after its time", async (t) => {
    const proxy = await faultyProxy(gitServers[0]?.url ?? "", t);
    const own = await serveFrontend(
      { folder, name: "slow" },
      { hanging: proxy.url, quick: gitServers[1]?.url ?? "" },
      { gitTimeLimitMs: 4000 },
    );
    try {
      proxy.answer = () => {};
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => ask(own, `/api/source?${named}&path=cart.ts`)),
      );
      for (const answer of answers) assert.deepEqual(answer, await readCart());
      // Others are preferred from now on.
      const before = proxy.paths.filter((path) => path.startsWith("/call/")).length;
      assert.ok(before > 0);
      assert.deepEqual(await ask(own, `/api/source?${named}&path=cart.ts`), await readCart());
      assert.equal(proxy.paths.filter((path) => path.startsWith("/call/")).length, before);
    } finally {
      await own.stop();
    }
  });
});

/** Starts a node with a file of the shop. */
async function shopNode(t: TestContext): Promise<object> {
  const content = Buffer.from("changed\n");
  const double = await zoektDouble([
    {
      id: 1,
      name,
      branches: [{ name: "HEAD", commit: shop.git("rev-parse", "main") }],
      documents: [{ path: "cart.ts", content, language: "TypeScript", branches: [0] }],
    },
  ]);
  t.after(() => double.stop());
  return { zoekt: { nodes: [{ name: "node", url: double.url }] } };
}

async function suggestedPaths({ url }: Served): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/complete_query`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "file:", offset: 5 }),
  });
  return ((await response.json()) as QueryCompletions).items.map(({ label }) => label);
}

test("Zoekt nodes search the repositories of git servers", async (t) => {
  const own = await serveFrontend(
    { folder, name: "searching" },
    { one: gitServers[0]?.url ?? "" },
    { engine: await shopNode(t) },
  );
  try {
    const { files } = await eventually(async () => {
      const result = await own.search("changed");
      return result.files.length > 0 && result;
    });
    assert.deepEqual(
      files.map(({ repository, fileName, branches }) => [repository, fileName.text, branches]),
      [[name, "cart.ts", ["refs/heads/main"]]],
    );
    await eventuallyEqual(() => suggestedPaths(own), ["cart.ts"]);
    const states = async () =>
      (await own.repositories()).map(
        ({ repoName, state, lastError = "" }) => `${repoName} ${state} ${lastError}`,
      );
    await eventuallyEqual(states, [
      "bare failed No Zoekt node has an index of bare.",
      "empty failed No Zoekt node has an index of empty.",
      `${name} ready `,
    ]);
    assert.equal((await ask(own, "/api/commits?repo=bare")).status, 200);
  } finally {
    await own.stop();
  }
});

test("rules of the frontend decide which repositories a caller sees", async (t) => {
  const own = await serveFrontend(
    { folder, name: "limited" },
    { one: gitServers[0]?.url ?? "" },
    {
      anonymous: true,
      access: { repositories: [{ names: ["bare"], anonymous: true }] },
      engine: await shopNode(t),
    },
  );
  try {
    assert.equal((await ask(own, "/api/commits?repo=bare")).status, 200);
    for (const query of queries.filter((each) => each.includes(named)))
      assert.deepEqual([query, (await ask(own, query)).status], [query, 404]);
    assert.deepEqual(
      (await own.repositories()).map(({ repoName }) => repoName),
      ["bare"],
    );
    assert.deepEqual(await suggestedPaths(own), []);
  } finally {
    await own.stop();
  }
});
