import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { SearchResult } from "#contract/search";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Ended, type RunningTrawl, startTrawl, trawl } from "#test/support/trawl";

// The command line from beginning to end, on repositories of its own.

const folder = temporaryFolder();
const dataDir = join(temporaryFolder(), "data");
const one = repo(
  `
  = main: First
  src/one.ts
  | export const needle = 1;
  | // another Needle, and
  | // some more
  -odd name.txt
  | needle\tin a hay\u001b[31mstack
  = old: Before
  gone.txt
  | a needle of before
  `,
  { path: join(folder, "one"), origin: "https://github.com/some/one.git" },
);
repo("= main: First\ntwo.py\n| needle = 2\n", { path: join(folder, "two") });

const running: RunningTrawl[] = [];
after(() => {
  for (const each of running) each.process.kill("SIGKILL");
});

function run(...args: string[]): Promise<Ended> {
  return trawl([...args, "--data-dir", dataDir], folder);
}

function lines({ stdout }: Ended): string[] {
  return stdout.split("\n").slice(0, -1).sort();
}

const refused: readonly (readonly [args: string[], message: RegExp])[] = [
  [["serch"], /There is no command "serch"\. Did you mean "search"\?/],
  [["--prot", "1"], /There is no flag --prot before a command/],
  [["serve", "--prot", "1"], /There is no flag --prot\. Did you mean --port\?/],
  [["serve", "--port", "70000"], /--port takes a whole number from 0 to 65535, not "70000"/],
  [["serve", "--anonymous", "perhaps"], /--anonymous takes on or off, not "perhaps"/],
  [["serve", "--config", "/no/such.json"], /Cannot read the configuration \/no\/such\.json/],
  [["serve", "/no/such/folder"], /There is nothing at \/no\/such\/folder/],
  [["index"], /index needs a PATH/],
  [["search"], /search needs a QUERY/],
  [["search", "--json", "--count", "x"], /--json and --count exclude each other/],
  [["search", "--matches", "0", "x"], /--matches takes a whole number from 1 to 100000, not "0"/],
  [["status", "x"], /status takes no "x"/],
  [["remove"], /remove needs a PATH/],
  [["keys"], /keys needs an action\. It takes create, list, revoke\./],
  [["keys", "craete", "x"], /There is no "keys craete"\. Did you mean "create"\?/],
  [["keys", "create"], /NAME is missing/],
  [
    ["keys", "create", "x", "--expires", "soon"],
    /--expires takes 30d, 4w, 1y, a date .*, or never, not "soon"/,
  ],
  [["keys", "list", "x"], /There is one word too many: "x"/],
  [["members", "add", "a@x.org", "b@x.org"], /There is one word too many: "b@x\.org"/],
  [["backup"], /FILE is missing/],
  [
    ["restore", "x", "--database", "mysql://secret@db"],
    /--database takes the address of a PostgreSQL(?!.*secret)/,
  ],
];
for (const [args, message] of refused) {
  test(`refused: ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await trawl(args);
    assert.equal(code, 2, stderr);
    assert.equal(stdout, "");
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });
}

for (const args of [
  ["--help"],
  ["-h"],
  ["help", "search"],
  ...["serve", "index", "search", "status", "remove", "members", "keys", "license", "backup", "restore"].map(
    (name) => [name, "--help"],
  ),
]) {
  test(args.join(" "), async () => {
    const { code, stdout, stderr } = await trawl(args);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assert.match(stdout, /^Usage: trawl /m);
    // Examples may be wider than a terminal of 80 columns; explanations may not.
    for (const line of stdout.split("\n")) assert(line.length <= 80 || line.startsWith("  trawl "), line);
  });
}

test("--version everywhere", async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../../package.json"), "utf8"));
  for (const args of [["--version"], ["-v"], ["search", "--version"], ["serve", "--version"]]) {
    assert.deepEqual(await trawl(args), { code: 0, stdout: `trawl ${version}\n`, stderr: "" });
  }
});

test("nothing is indexed yet", async () => {
  const { code, stdout } = await run("status");
  assert.equal(code, 0);
  assert.match(stdout, /Nothing is indexed/);
  const search = await run("search", "needle");
  assert.deepEqual({ code: search.code, stdout: search.stdout }, { code: 1, stdout: "" });
  assert.match(search.stderr, /Nothing is indexed/);
});

test("index counts what it has indexed, and ends", async () => {
  const { code, stdout, stderr } = await run("index", ".");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^github\.com\/some\/one: \d+ files, 2 revisions/m);
  assert.match(stdout, /^two: 1 file, 1 revision/m);
  assert.match(stdout, /^Indexed 2 repositories, \d+ files, .* in \d+\.\d s$/m);
  // One that is done between two looks at the progress has no line of its own.
  assert.match(stderr, /^Indexed \S+ \(\d of 2\)$/m);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
});

test("search gives plain lines to a pipe", async () => {
  const ended = await run("search", "needle");
  assert.deepEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: "" });
  assert.deepEqual(lines(ended), [
    "github.com/some/one/-odd name.txt:1:needle\tin a hay\u001b[31mstack",
    "github.com/some/one/src/one.ts:1:export const needle = 1;",
    "github.com/some/one/src/one.ts:2:// another Needle, and",
    "two/two.py:1:needle = 2",
  ]);
});

const searches: Record<string, readonly string[]> = {
  "needle lang:python": ["two/two.py:1:needle = 2"],
  "needle -lang:python -file:odd -s": ["github.com/some/one/src/one.ts:1:export const needle = 1;"],
  "-e ^export.*\\d": ["github.com/some/one/src/one.ts:1:export const needle = 1;"],
  "needle rev:old": ["github.com/some/one/gone.txt:1:a needle of before"],
  "-C 1 another": [
    "github.com/some/one/src/one.ts-1-export const needle = 1;",
    "github.com/some/one/src/one.ts-3-// some more",
    "github.com/some/one/src/one.ts:2:// another Needle, and",
  ],
  "-l needle repo:one": ["github.com/some/one/-odd name.txt", "github.com/some/one/src/one.ts"],
  "-c needle": ["4"],
  "file:two.py": ["two/two.py"],
};
for (const [args, expected] of Object.entries(searches)) {
  test(`search ${args}`, async () => {
    const ended = await run("search", ...args.split(" "));
    assert.deepEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: "" });
    assert.deepEqual(lines(ended), expected);
  });
}

test("search says what it did not show", async () => {
  const { code, stdout, stderr } = await run("search", "--matches", "1", "needle");
  assert.equal(code, 0);
  assert.equal(stdout.split("\n").length, 2);
  assert.match(
    stderr,
    /^trawl: The answer is incomplete: there are more than 1 matches \(--matches N brings more\)/,
  );
});

test("nothing found is 1, a wrong query is 2", async () => {
  assert.deepEqual(await run("search", "no such text anywhere"), { code: 1, stdout: "", stderr: "" });
  const { code, stderr } = await run("search", "-e", "(a");
  assert.equal(code, 2);
  assert.match(stderr, /^trawl: /);
});

test("a reader that goes early is no error", async () => {
  const each = startTrawl(["search", "needle", "--data-dir", dataDir]);
  each.process.stdout.destroy();
  const { code, stderr } = await each.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

test("--json is the answer of REST", async () => {
  const { stdout } = await run("search", "--json", "needle lang:python");
  const result = JSON.parse(stdout) as SearchResult;
  assert.equal(result.files[0]?.fileName.text, "two.py");
  assert.equal(result.isSearchExhaustive, true);
});

test("a server answers over HTTP, is announced, and ends when told to", async () => {
  const server = startTrawl(["serve", "--port", "0", "--data-dir", dataDir], folder);
  running.push(server);
  const listening = await server.line(/^Listening on /);
  const url = listening.slice("Listening on ".length);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(await server.line(/^Ready/), /^Ready: 2 repositories, \d+ files/);
  const endpoint = JSON.parse(readFileSync(join(dataDir, "endpoint.json"), "utf8"));
  assert.deepEqual(endpoint, {
    url,
    socket: endpoint.socket,
    pid: server.process.pid,
    version: endpoint.version,
  });
  assert.equal(statSync(join(dataDir, "endpoint.json")).mode & 0o777, 0o600);

  const answer = await fetch(`${url}/api/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "needle lang:python" }),
  });
  const { files } = (await answer.json()) as SearchResult;
  assert.deepEqual(
    files.map(({ fileName }) => fileName.text),
    ["two.py"],
  );

  // The command line beside it asks it.
  const status = await run("status");
  assert.match(status.stdout, new RegExp(`^Served by process ${server.process.pid} at ${url} `, "m"));
  assert.deepEqual(lines(await run("search", "needle lang:python")), ["two/two.py:1:needle = 2"]);

  // So does a second server, which listens on a port of its own and hands over its paths.
  mkdirSync(join(folder, "three"), { recursive: true });
  writeFileSync(join(folder, "three/plain.txt"), "needle in a plain folder\n");
  const second = startTrawl(["serve", "--port", "0", "--data-dir", dataDir, join(folder, "three")], folder);
  running.push(second);
  const secondUrl = (await second.line(/^Listening on /)).slice("Listening on ".length);
  assert.notEqual(secondUrl, url);
  assert.match(await second.line(/passes requests on/), new RegExp(`held by process ${server.process.pid}`));
  assert.match(await second.line(/^Ready/), /^Ready: 3 repositories/);
  assert.deepEqual(lines(await run("search", "plain folder")), [
    "three/plain.txt:1:needle in a plain folder",
  ]);
  const refusal = await fetch(`${secondUrl}/api/repos`, { headers: { authorization: "Bearer wrong" } });
  assert.equal(refusal.status, 401);
  second.process.kill("SIGTERM");
  assert.equal((await second.ended).code, 0);

  server.process.kill("SIGINT");
  assert.equal((await server.ended).code, 0);
  for (const name of ["endpoint.json", "owner.lock", "trawl.sock"])
    assert(!existsSync(join(dataDir, name)), name);
});

test("a killed server is replaced by the next process", async () => {
  const server = startTrawl(["serve", "--port", "0", "--data-dir", dataDir], folder);
  running.push(server);
  await server.line(/^Ready/);
  server.process.kill("SIGKILL");
  await server.ended;
  assert.deepEqual(lines(await run("search", "needle lang:python")), ["two/two.py:1:needle = 2"]);
});

test("a folder whose socket would have too long a name is served all the same", async () => {
  const deep = join(temporaryFolder(), "d".repeat(100));
  const server = startTrawl(["serve", "--port", "0", "--data-dir", deep, one.path], folder);
  running.push(server);
  await server.line(/^Ready/);
  const { stdout } = await trawl(["search", "another", "--data-dir", deep]);
  assert.equal(stdout, "github.com/some/one/src/one.ts:2:// another Needle, and\n");
  server.process.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);
});

test("remove forgets, and leaves the repository alone", async () => {
  const { code, stdout } = await run("remove", join(folder, "three"));
  assert.equal(code, 0);
  assert.match(stdout, /^Forgot three$/m);
  assert.equal((await run("search", "plain folder")).code, 1);
  assert(existsSync(join(folder, "three/plain.txt")));
  const unknown = await run("remove", "/no/such/folder");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /\/no\/such\/folder/);
});

test("a repository that cannot be indexed is named with its reason, and the others are indexed", async () => {
  const place = temporaryFolder();
  repo("= main: First\na.txt\n| fine\n", { path: join(place, "fine") });
  const broken = repo("= main: First\na.txt\n| broken\n", { path: join(place, "broken") });
  const commit = broken.git("rev-parse", "HEAD");
  const object = join(broken.path, ".git/objects", commit.slice(0, 2), commit.slice(2));
  for (const file of existsSync(object) ? [object] : packsOf(broken.path)) rmSync(file, { force: true });
  const index = join(temporaryFolder(), "data");
  const { code, stdout, stderr } = await trawl(["index", "--data-dir", index, place]);
  assert.equal(code, 1, stdout);
  assert.match(stderr, /^trawl: broken could not be indexed: /m);
  assert.match(stdout, /^fine: 1 file, 1 revision/m);
  assert.match(stdout, /; 1 failed$/m);
  const search = await trawl(["search", "--data-dir", index, "fine"]);
  assert.equal(search.stdout, "fine/a.txt:1:fine\n");
  assert.match(search.stderr, /not everything is indexed/);
});

function packsOf(path: string): string[] {
  const folder = join(path, ".git/objects/pack");
  return readdirSync(folder).map((name) => join(folder, name));
}
