/** What users see of the packages that a project has installed with npm. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { QueryCompletions } from "#contract/queries";
import type { RepositoryItem } from "#contract/repositories";
import type { SearchResult } from "#contract/search";
import type { SymbolResult } from "#contract/symbols";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { openRawClient } from "#test/support/rawClient";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const folder = temporaryFolder();
const dataDir = join(temporaryFolder(), "data");
const project = repo(
  `= main: One
.gitignore
| node_modules
src/app.ts
| import { shape } from "lib-shapes";
| import { readFile } from "node:fs";
| export const mine = shape();
`,
  { path: join(folder, "app") },
);
const app = { repo: "app", path: "src/app.ts" };

function npm(cwd: string, ...args: readonly string[]): void {
  const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", [...args, ...quiet, "--cache", join(folder, "cache")], { cwd, stdio: "ignore" });
}

/** Packs a package with these files. Returns the path of its archive. */
function pack(name: string, version: string, files: Readonly<Record<string, string>>): string {
  const source = temporaryFolder();
  writeFileSync(join(source, "package.json"), JSON.stringify({ name, version }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(source, path), text);
  npm(source, "pack");
  return join(source, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}

let served: Served;

before(async () => {
  npm(
    project.path,
    "install",
    pack("lib-shapes", "1.0.0", {
      "index.js": "/** Draws a shape. */\nexport function shape() {\n  return sharedName;\n}\n",
      "index.d.ts": "export declare function shape(): string;\n",
    }),
    pack("lib-other", "2.0.0", { "index.js": "export function shape() {}\n" }),
    pack("@types/node", "22.1.0", { "fs.d.ts": "export function readFile(): void;\n" }),
  );
  served = await serve(dataDir, [folder]);
  await served.ready();
  await eventually(async () => (await repositories("only")).every(({ state }) => state === "ready"));
  await eventually(async () => (await repositories("only")).length === 3);
});
after(() => served.kill());

async function get<Result>(path: string): Promise<Result> {
  return (await (await fetch(`${served.url}/api/${path}`)).json()) as Result;
}

async function post<Result>(path: string, body: object): Promise<Result> {
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  return (await (await fetch(`${served.url}/api/${path}`, request)).json()) as Result;
}

function repositories(dependencies: "yes" | "no" | "only"): Promise<RepositoryItem[]> {
  return get(`repos?dependencies=${dependencies}`);
}

const namesOf = (all: readonly RepositoryItem[]) => all.map(({ repoName }) => repoName);
const packages = ["npm/@types/node@22.1.0", "npm/lib-other@2.0.0", "npm/lib-shapes@1.0.0"];

test("packages are listed on request, and counted", async () => {
  assert.deepEqual(namesOf(await get("repos")), ["app"]);
  assert.deepEqual(namesOf(await repositories("only")), packages);
  assert.deepEqual(namesOf(await repositories("yes")), ["app", ...packages]);
  assert.equal((await repositories("no"))[0]?.dependencyCount, 3);
  const status = await trawl(["status", "--data-dir", dataDir]);
  assert.match(status.stdout, /^app\n(?: {2}.*\n)* {2}3 packages indexed as dependencies$/m);
  assert.doesNotMatch(status.stdout, /lib-shapes/);
});

const shapes = ["npm/lib-shapes@1.0.0 index.d.ts", "npm/lib-shapes@1.0.0 index.js"];
const searches: readonly (readonly [string, readonly string[]])[] = [
  ["shape file:[jt]s$", ["app src/app.ts"]],
  ["sharedName", []],
  ["repo:npm/lib-shapes@1.0.0 shape file:[jt]s$", shapes],
  ["repo:npm/ shape", ["npm/lib-other@2.0.0 index.js", ...shapes]],
  ["dependencies:only shape", ["npm/lib-other@2.0.0 index.js", ...shapes]],
  ["dependencies:yes shape lang:typescript", ["app src/app.ts", "npm/lib-shapes@1.0.0 index.d.ts"]],
  ["dependencies:no shape file:[jt]s$", ["app src/app.ts"]],
  ["shape file:[jt]s$ -repo:npm/lib-other", ["app src/app.ts"]],
  ["dependencies:only shape -repo:npm/lib-other", shapes],
  ['reposet:"app,npm/lib-other@2.0.0" shape file:[jt]s$', ["app src/app.ts", "npm/lib-other@2.0.0 index.js"]],
  ["repo:npm/lib-shapes sym:shape lang:js", ["npm/lib-shapes@1.0.0 index.js"]],
];
for (const [query, expected] of searches) {
  test(`search for ${query}`, async () => {
    const searched = () => served.search(query);
    const { files } = await eventually(async () => {
      const result = await searched();
      return result.isSearchExhaustive && result;
    });
    const found = files
      .filter(({ fileName }) => fileName.text !== "package.json")
      .map(({ repository, fileName }) => `${repository} ${fileName.text}`);
    assert.deepEqual(found.sort(), expected);
    const { stats } = await post<{ stats: { fileCount: number } }>("count", { query });
    assert.equal(stats.fileCount, files.length);
  });
}

test("names of packages are completed, and corrected", async () => {
  const complete = async (query: string) =>
    (await post<QueryCompletions>("complete_query", { query, offset: query.length })).items;
  assert.deepEqual(
    (await complete("repo:npm/lib-sh")).map(({ label, text }) => [label, text]),
    [["npm/lib-shapes@1.0.0", "^npm/lib-shapes\\@1\\.0\\.0$"]],
  );
  assert.deepEqual(await complete("repo:lib-sh"), []);
  const { suggestions = [] } = await served.search("repo:npm/lib-shape5@1.0.0 shape");
  assert.deepEqual(
    suggestions.map(({ suggestion }) => suggestion),
    ["npm/lib-shapes\\@1\\.0\\.0"],
  );
});

test("names of packages are completed in resources", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)));
  const ref = { type: "ref/resource", uri: "trawl://{repo}@{rev}/{+path}" } as const;
  const { completion } = await client.complete({ ref, argument: { name: "repo", value: "npm/lib-" } });
  assert.deepEqual(completion.values, ["npm/lib-other@2.0.0", "npm/lib-shapes@1.0.0"]);
  await client.close();
});

async function definitions(symbolName: string, askedFrom?: object): Promise<string[]> {
  const request = { symbolName, ...(askedFrom === undefined ? {} : { askedFrom }) };
  const { files } = await post<SymbolResult>("find_definitions", request);
  return files.map(
    ({ repository, fileName, matches }) => `${repository} ${fileName} ${matches[0]?.certainty}`,
  );
}

test("definitions resolve into packages that the file imports, and into no others", async () => {
  assert.deepEqual((await definitions("shape", { ...app, lineNumber: 3, column: 21 })).sort(), [
    "npm/lib-shapes@1.0.0 index.d.ts import",
    "npm/lib-shapes@1.0.0 index.js import",
  ]);
  assert.deepEqual(await definitions("readFile", { ...app, lineNumber: 2, column: 10 }), [
    "npm/@types/node@22.1.0 fs.d.ts import",
  ]);
  assert.deepEqual(await definitions("shape"), []);
  const inPackage = { repo: "npm/lib-shapes@1.0.0", path: "index.d.ts", lineNumber: 1, column: 25 };
  assert.equal((await definitions("shape", inPackage))[0], "npm/lib-shapes@1.0.0 index.d.ts exact");
  assert.deepEqual(await definitions("mine", inPackage), []);
});

test("references to a definition in a package are those in the code of its users", async () => {
  const references = async (askedFrom: object) =>
    (await post<SymbolResult>("find_references", { symbolName: "shape", askedFrom })).files.map(
      ({ repository, fileName, matches }) => `${repository} ${fileName} ${matches.at(-1)?.certainty}`,
    );
  const fromApp = await references({ ...app, lineNumber: 3, column: 21 });
  assert.deepEqual(fromApp, ["app src/app.ts import"]);
  const fromPackage = await references({
    repo: "npm/lib-shapes@1.0.0",
    path: "index.js",
    lineNumber: 2,
    column: 17,
  });
  assert.ok(fromPackage.includes("app src/app.ts import"), fromPackage.join());
});

test("files of packages are read like others, and tools find them", async () => {
  const repo = "npm/lib-shapes@1.0.0";
  const { source } = await get<{ source: string }>(`source?repo=${encodeURIComponent(repo)}&path=index.d.ts`);
  assert.equal(source, "export declare function shape(): string;\n");
  const { tree } = await post<{ tree: { children: { name: string }[] } }>("tree", {
    repoName: repo,
    paths: [""],
  });
  assert.deepEqual(
    tree.children.map(({ name }) => name),
    ["index.d.ts", "index.js", "package.json"],
  );
  const tool = async (...args: string[]) => (await trawl(["tool", "--data-dir", dataDir, ...args])).stdout;
  assert.match(await tool("grep", "pattern=sharedName", `repo=${repo}`), /index\.js/);
  assert.match(await tool("grep", "pattern=sharedName"), /^Nothing found/);
  assert.match(
    await tool("read", 'files=[{"repo":"npm/lib-shapes","path":"index.js"}]'),
    /return sharedName/,
  );
  assert.match(await tool("repos", "name=npm/lib"), /^2 repositories/);
  assert.match(await tool("repos"), /^1 repository/);
});

test("an editor's setting removes packages while it runs, and indexes them again", async (t) => {
  const client = openRawClient(join(temporaryFolder(), "data"), t);
  await client.initialize();
  await client.result("trawl/addPaths", { paths: [project.path] });
  const configure = (settings: object) =>
    client.notify("workspace/didChangeConfiguration", { settings: { trawl: settings } });
  const listed = async () =>
    namesOf(
      (await client.result<{ items: RepositoryItem[] }>("trawl/repos", { dependencies: "only" })).items,
    );
  const found = async () => {
    const query = "dependencies:yes sharedName";
    const { files } = await client.result<SearchResult>("trawl/search", { query });
    return files.map(({ repository }) => repository);
  };
  await eventuallyEqual(listed, packages);
  await eventuallyEqual(found, ["npm/lib-shapes@1.0.0"]);
  configure({ dependencies: false });
  await eventuallyEqual(listed, []);
  assert.deepEqual(await found(), []);
  configure({ dependencies: true });
  await eventuallyEqual(listed, packages);
  await eventuallyEqual(found, ["npm/lib-shapes@1.0.0"]);
});
