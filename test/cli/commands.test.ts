import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { SearchResult } from "#contract/search";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Ended, type RunningTrawl, startTrawl, trawl } from "#test/support/trawl";

// One session on the command line; later tests use the index of earlier ones.

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
  | an old needle
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
  [["serch"], /Unknown command "serch"\. Did you mean "search"\?/],
  [["--prot", "1"], /Unknown flag --prot before the command/],
  [["serve", "--prot", "1"], /Unknown flag --prot\. Did you mean --port\?/],
  [["serve", "--port", "70000"], /--port must be a whole number from 0 to 65535, not "70000"/],
  [["serve", "--anonymous", "perhaps"], /--anonymous must be on or off, not "perhaps"/],
  [["serve", "--config", "/no/such.json"], /Cannot read the configuration file \/no\/such\.json/],
  [["serve", "/no/such/folder"], /\/no\/such\/folder does not exist/],
  [["index"], /index requires a PATH/],
  [["search"], /search requires a QUERY/],
  [["search", "--json", "--count", "x"], /--json and --count cannot be combined/],
  [["search", "--matches", "0", "x"], /--matches must be a whole number from 1 to 100000, not "0"/],
  [["status", "x"], /status takes no arguments, but got "x"/],
  [["remove"], /remove requires a PATH/],
  [["keys"], /keys requires a subcommand\. Available: create, list, revoke\./],
  [["keys", "craete", "x"], /Unknown subcommand "keys craete"\. Did you mean "create"\?/],
  [["keys", "create"], /Missing argument NAME/],
  [
    ["keys", "create", "x", "--expires", "soon"],
    /--expires must be 30d, 4w, 1y, a date .*, or never, not "soon"/,
  ],
  [["keys", "list", "x"], /Unexpected argument "x"/],
  [["members", "add", "a@x.org", "b@x.org"], /Unexpected argument "b@x\.org"/],
  [["backup"], /Missing argument FILE/],
  [["restore", "x", "--database", "mysql://secret@db"], /--database must be a PostgreSQL URL(?!.*secret)/],
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
  test(`trawl ${args.join(" ")} prints help`, async () => {
    const { code, stdout, stderr } = await trawl(args);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assert.match(stdout, /^Usage: trawl /m);
    // Examples may be wider than a terminal of 80 columns; explanations may not.
    for (const line of stdout.split("\n")) assert(line.length <= 80 || line.startsWith("  trawl "), line);
  });
}

test("--version works with every command", async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../../package.json"), "utf8"));
  for (const args of [["--version"], ["-v"], ["search", "--version"], ["serve", "--version"]]) {
    assert.deepEqual(await trawl(args), { code: 0, stdout: `trawl ${version}\n`, stderr: "" });
  }
});

test("status and search report that nothing is indexed", async () => {
  const { code, stdout } = await run("status");
  assert.equal(code, 0);
  assert.match(stdout, /Nothing is indexed/);
  const search = await run("search", "needle");
  assert.deepEqual({ code: search.code, stdout: search.stdout }, { code: 1, stdout: "" });
  assert.match(search.stderr, /Nothing is indexed/);
});

test("index prints the numbers of files and revisions", async () => {
  const { code, stdout, stderr } = await run("index", ".");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^github\.com\/some\/one: \d+ files, 2 revisions/m);
  assert.match(stdout, /^two: 1 file, 1 revision/m);
  assert.match(stdout, /^Indexed 2 repositories, \d+ files, .* in \d+\.\d s$/m);
  // A repository that is indexed between two polls of the progress has no line.
  assert.match(stderr, /^Indexed \S+ \(\d of 2\)$/m);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
});

test("search prints plain lines to a pipe", async () => {
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
  "needle rev:old": ["github.com/some/one/gone.txt:1:an old needle"],
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

test("search reports that the match limit was reached", async () => {
  const { code, stdout, stderr } = await run("search", "--matches", "1", "needle");
  assert.equal(code, 0);
  assert.equal(stdout.split("\n").length, 2);
  assert.match(
    stderr,
    /^trawl: The results are incomplete: there are more than 1 matches \(use --matches N for more\)/,
  );
});

const hints: Readonly<Record<string, RegExp>> = {
  "needle repo:tow": /^trawl: No repository matches "tow"\. Did you mean "two"\?\n$/,
  "needle rev:mian": /^trawl: No branch or tag matches "mian"\. Did you mean "main"\?\n$/,
  "needle rev:none": /^trawl: No branch or tag matches "none"\.\n$/,
};
for (const [query, expected] of Object.entries(hints)) {
  test(`search ${query} names what does not exist`, async () => {
    const { code, stderr } = await run("search", ...query.split(" "));
    assert.equal(code, 1);
    assert.match(stderr, expected);
  });
}

test("search exits with 1 without matches and with 2 for an invalid query", async () => {
  assert.deepEqual(await run("search", "no such text anywhere"), { code: 1, stdout: "", stderr: "" });
  const { code, stderr } = await run("search", "-e", "(a");
  assert.equal(code, 2);
  assert.match(stderr, /^trawl: /);
});

test("a closed standard output is not an error", async () => {
  const each = startTrawl(["search", "needle", "--data-dir", dataDir]);
  each.process.stdout.destroy();
  const { code, stderr } = await each.ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

test("--json prints the response of the REST API", async () => {
  const { stdout } = await run("search", "--json", "needle lang:python");
  const result = JSON.parse(stdout) as SearchResult;
  assert.equal(result.files[0]?.fileName.text, "two.py");
  assert.equal(result.isSearchExhaustive, true);
});

test("a server listens over HTTP, serves commands and a second server, and exits on SIGINT", async () => {
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
    access: { host: "127.0.0.1", anonymous: "on", allowedHosts: [], allowedOrigins: [] },
    authority: endpoint.authority,
  });
  assert.equal(statSync(join(dataDir, "endpoint.json")).mode & 0o777, 0o600);

  const response = await fetch(`${url}/api/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "needle lang:python" }),
  });
  const { files } = (await response.json()) as SearchResult;
  assert.deepEqual(
    files.map(({ fileName }) => fileName.text),
    ["two.py"],
  );

  // Commands use the running server.
  const status = await run("status");
  assert.match(status.stdout, new RegExp(`^Served by process ${server.process.pid} at ${url} `, "m"));
  assert.deepEqual(lines(await run("search", "needle lang:python")), ["two/two.py:1:needle = 2"]);

  // So does a second server, which listens on its own port and passes its paths on.
  mkdirSync(join(folder, "three"), { recursive: true });
  writeFileSync(join(folder, "three/plain.txt"), "needle in a plain folder\n");
  const second = startTrawl(["serve", "--port", "0", "--data-dir", dataDir, join(folder, "three")], folder);
  running.push(second);
  const secondUrl = (await second.line(/^Listening on /)).slice("Listening on ".length);
  assert.notEqual(secondUrl, url);
  assert.match(await second.line(/forwards requests/), new RegExp(`Process ${server.process.pid} leads`));
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

test("a command works after the server was killed", async () => {
  const server = startTrawl(["serve", "--port", "0", "--data-dir", dataDir], folder);
  running.push(server);
  await server.line(/^Ready/);
  server.process.kill("SIGKILL");
  await server.ended;
  assert.deepEqual(lines(await run("search", "needle lang:python")), ["two/two.py:1:needle = 2"]);
});

test("a data directory whose socket path would be too long is served", async () => {
  const deep = join(temporaryFolder(), "d".repeat(100));
  const server = startTrawl(["serve", "--port", "0", "--data-dir", deep, one.path], folder);
  running.push(server);
  await server.line(/^Ready/);
  const { stdout } = await trawl(["search", "another", "--data-dir", deep]);
  assert.equal(stdout, "github.com/some/one/src/one.ts:2:// another Needle, and\n");
  server.process.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);
});

test("a user without a home folder, as in many containers, needs only a data directory", () => {
  // Only root can become a user that the system does not know.
  const uid = process.getuid?.() === 0 ? { uid: 12_345, gid: 0 } : {};
  const copy = temporaryFolder();
  for (const file of ["package.json", "dist/server/trawl.js", "dist/server/program.js"])
    cpSync(file, join(copy, file));
  chmodSync(copy, 0o755);
  const open = join(copy, "data");
  mkdirSync(open);
  chmodSync(open, 0o777);
  const status = (home: object, ...args: readonly string[]) =>
    spawnSync(process.execPath, [join(copy, "dist/server/trawl.js"), "status", ...args], {
      ...uid,
      cwd: copy,
      env: { PATH: process.env["PATH"], ...home },
      encoding: "utf8",
    });
  for (const home of [{}, { HOME: "" }]) {
    const { stdout, stderr } = status(home, "--data-dir", open);
    assert.match(stdout, /^Nothing is indexed/m, stderr);
  }
});

test("remove deletes a repository from the index and not from disk", async () => {
  const { code, stdout } = await run("remove", join(folder, "three"));
  assert.equal(code, 0);
  assert.match(stdout, /^Removed three$/m);
  assert.equal((await run("search", "plain folder")).code, 1);
  assert(existsSync(join(folder, "three/plain.txt")));
  const unknown = await run("remove", "/no/such/folder");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /\/no\/such\/folder/);
});

test("index --no-symbols leaves symbols to the next index or serve", async () => {
  const { path } = repo("= main: First\na.ts\n| export const found = 1;\n");
  const dataDir = join(temporaryFolder(), "data");
  for (const [flags, symbolsReady] of [
    [["--no-symbols"], false],
    [[], true],
  ] as const) {
    const { code, stderr } = await trawl(["index", ...flags, "--data-dir", dataDir, path]);
    assert.equal(code, 0, stderr);
    const { stdout } = await trawl(["status", "--json", "--data-dir", dataDir]);
    assert.equal(JSON.parse(stdout).repositories[0].symbolsReady, symbolsReady);
  }
});

test("a repository that cannot be indexed is reported, and the others are indexed", async () => {
  const root = temporaryFolder();
  repo("= main: First\na.txt\n| fine\n", { path: join(root, "fine") });
  const broken = repo("= main: First\na.txt\n| broken\n", { path: join(root, "broken") });
  const commit = broken.git("rev-parse", "HEAD");
  const object = join(broken.path, ".git/objects", commit.slice(0, 2), commit.slice(2));
  for (const file of existsSync(object) ? [object] : packsOf(broken.path)) rmSync(file, { force: true });
  const index = join(temporaryFolder(), "data");
  const { code, stdout, stderr } = await trawl(["index", "--data-dir", index, root]);
  assert.equal(code, 1, stdout);
  assert.match(stderr, /^trawl: Cannot index broken: /m);
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
