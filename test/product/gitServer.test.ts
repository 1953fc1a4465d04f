/** A git server: fetches with git itself over smart HTTP, and what it refuses. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually } from "#test/support/eventually";
import { bearer, clusterSecret, serveGit } from "#test/support/gitCluster";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import type { Served } from "#test/support/served";

const folder = temporaryFolder();
let source: TestRepository;
let large: TestRepository;
let server: Served;

before(async () => {
  source = repo(
    `
    = main: First
    a.txt
    | one
    = next from main: Second
    b.txt
    | two
    tag v1: A tag
    = main merge next: Third
    c.txt
    | three
    `,
    { path: join(folder, "src", "team space", "shöp") },
  );
  source.git("remote", "add", "origin", "https://example.com/team space/shöp.git");
  large = repo("= main: First\nREADME.md\n| large\n", { path: join(folder, "src", "large") });
  // Incompressible, so that the pack does not fit into the buffers of a connection.
  const noise = spawnSync("head", ["-c", "48000000", "/dev/urandom"], { maxBuffer: 64_000_000 }).stdout;
  large.write("noise.bin", noise);
  large.git("add", ".");
  large.git("commit", "-qm", "Add noise");
  server = await serveGit({ folder, name: "git" }, [join(folder, "src")]);
  await server.ready();
});
after(() => server?.stop());

const name = "example.com/team space/shöp";
const gitUrl = (path: string) => `${server.url}/git/${path.split("/").map(encodeURIComponent).join("/")}`;

interface GitResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function git(
  args: readonly string[],
  header = `Authorization: Bearer ${clusterSecret}`,
  env: Readonly<Record<string, string>> = {},
): GitResult {
  return spawnSync("git", args, {
    encoding: "utf8",
    cwd: folder,
    env: {
      ...process.env,
      HOME: folder,
      GIT_TERMINAL_PROMPT: "0",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "http.extraHeader",
      GIT_CONFIG_VALUE_0: header,
      ...env,
    },
  });
}

function gitOutput(...args: string[]): string {
  const { status, stdout, stderr } = git(args);
  assert.equal(status, 0, `git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

for (const version of ["0", "1", "2"]) {
  test(`git lists, clones and fetches with protocol ${version}`, () => {
    const protocol = ["-c", `protocol.version=${version}`];
    const listed = gitOutput(...protocol, "ls-remote", gitUrl(name));
    assert.equal(listed, gitOutput("ls-remote", source.path));
    const clone = join(folder, `clone-${version}`);
    gitOutput(...protocol, "clone", "--quiet", "--mirror", gitUrl(name), clone);
    gitOutput("-C", clone, "fsck", "--strict");
    const refs = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags"];
    assert.equal(gitOutput("-C", clone, ...refs), gitOutput("-C", source.path, ...refs));
    const shallow = join(folder, `shallow-${version}`);
    gitOutput("init", "--quiet", "--bare", shallow);
    const commit = source.git("rev-parse", "main");
    gitOutput(...protocol, "-C", shallow, "fetch", "--quiet", "--depth=1", gitUrl(name), "main");
    assert.equal(gitOutput("-C", shallow, "rev-list", "FETCH_HEAD"), commit);
    gitOutput("-C", shallow, "fsck", "--strict");
    source.more(`= main: Change ${version}\nd.txt\n| ${version}\n`);
    gitOutput(...protocol, "-C", clone, "fetch", "--quiet");
    assert.equal(gitOutput("-C", clone, "rev-parse", "main"), source.git("rev-parse", "main"));
  });
}

test("git may compress what it has", () => {
  const commits = Array.from({ length: 60 }, (_, at) => `= main: Commit ${at}\nfile.txt\n| ${at}\n`);
  const other = repo(commits.join(""), { path: join(folder, "other") });
  const traced = git(
    ["-C", other.path, "-c", "http.version=HTTP/1.1", "fetch", gitUrl(name), "main"],
    undefined,
    {
      GIT_CURL_VERBOSE: "1",
    },
  );
  assert.equal(traced.status, 0, traced.stderr);
  assert.match(traced.stderr, /Content-Encoding: gzip/i);
  assert.equal(other.git("rev-parse", "FETCH_HEAD"), source.git("rev-parse", "main"));
});

test("a push is refused, and changes nothing", () => {
  const clone = join(folder, "pushing");
  gitOutput("clone", "--quiet", gitUrl(name), clone);
  const before = source.git("for-each-ref");
  const pushed = git(["-C", clone, "push", "origin", "HEAD:refs/heads/pushed"]);
  assert.notEqual(pushed.status, 0);
  assert.match(pushed.stderr, /403/);
  assert.equal(source.git("for-each-ref"), before);
});

test("nothing is said without the secret", async () => {
  const paths = [
    "/repositories",
    "/metrics",
    "/call/commits",
    "/git/large/info/refs?service=git-upload-pack",
    "/x",
  ];
  for (const authorization of ["", "Bearer wrong", `Basic ${clusterSecret}`, `Bearer ${clusterSecret}x`]) {
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        const response = await fetch(server.url + path, { method, headers: { authorization } });
        assert.deepEqual([response.status, await response.text()], [401, ""], `${method} ${path}`);
      }
    }
  }
  assert.notEqual(git(["ls-remote", gitUrl("large")], "Authorization: Bearer wrong").status, 0);
  assert.equal(await (await fetch(`${server.url}/livez`)).text(), "ok\n");
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
});

/** Sends a target as it is, without the normalization of `fetch`. Returns the status. */
function statusOf(target: string, method = "GET", body = ""): Promise<number> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path: target, headers: { ...bearer, "content-type": "application/json" } },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

test("hostile names lead nowhere", async () => {
  const refs = "info/refs?service=git-upload-pack";
  const path = encodeURI(source.path.slice(1));
  for (const hostile of [
    "..",
    "../large",
    "large/..",
    "large/.git",
    "large/../large",
    "%2e%2e/large",
    "%2e%2e%2flarge",
    "%2flarge",
    encodeURIComponent(source.path),
    path,
    `/${path}`,
    "large%0a",
    "large%00",
    "large%",
    "%ff",
    "--upload-pack=touch%20x",
    "-large",
    "",
    "LARGE",
  ])
    assert.equal(await statusOf(`/git/${hostile}/${refs}`), 404, hostile);
  assert.equal(await statusOf("/git/large/info/refs?service=git-receive-pack"), 403);
  assert.equal(await statusOf("/git/large/info/refs?service=--upload-pack=x"), 403);
  assert.equal(await statusOf("/git/large/info/refs"), 403);
  assert.equal(await statusOf("/git/large/git-receive-pack", "POST"), 403);
  assert.equal(await statusOf("/git/large/HEAD"), 404);
  assert.equal(await statusOf("/git/large/git-upload-pack", "POST"), 415);
  assert.equal(await statusOf("/git/large/git-upload-pack"), 405);
  assert.equal(await statusOf("/call/search", "POST", "{}"), 404);
  assert.equal(await statusOf("/call/addPaths", "POST", "{}"), 404);
  assert.equal(await statusOf("/call/__proto__", "POST", "{}"), 404);
  assert.equal(await statusOf("/call/commits", "POST", "{"), 400);
  assert.equal(await statusOf("/call/commits", "POST", "x".repeat(5_000_000)), 413);
});

/** Returns the processes of `git upload-pack` and `pack-objects` that this server has started. */
function packProcesses(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const isPack = words.some((word) => word === "upload-pack" || word === "pack-objects");
      return isPack && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=`) && isBelow(pid);
    } catch {
      return false;
    }
  });
}

function isBelow(pid: string): boolean {
  for (let parent = pid; Number(parent) > 1; ) {
    if (Number(parent) === server.process.pid) return true;
    parent =
      readFileSync(`/proc/${parent}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[1] ?? "0";
  }
  return false;
}

test("a disconnect kills upload-pack", { skip: process.platform !== "linux" }, async () => {
  const commit = large.git("rev-parse", "main");
  const lines = ["command=fetch", "", "no-progress", "ofs-delta", `want ${commit}`, "done"];
  const packets = lines.map((line) =>
    line === "" ? "0001" : `${(line.length + 5).toString(16).padStart(4, "0")}${line}\n`,
  );
  const { hostname, port } = new URL(server.url);
  const sent = request({
    hostname,
    port,
    method: "POST",
    path: "/git/large/git-upload-pack",
    headers: {
      ...bearer,
      "content-type": "application/x-git-upload-pack-request",
      "git-protocol": "version=2",
    },
  });
  sent.on("error", () => undefined);
  // The response is not read, so that git waits.
  const responded = new Promise<number | undefined>((resolve) => {
    sent.on("response", (response) => {
      response.on("error", () => undefined);
      resolve(response.statusCode);
    });
  });
  sent.end(`${packets.join("")}0000`);
  assert.equal(await responded, 200);
  await eventually(() => packProcesses().length > 0, 5000);
  sent.destroy();
  await eventually(() => packProcesses().length === 0);
  await eventually(async () => {
    const metrics = await (await fetch(`${server.url}/metrics`, { headers: bearer })).text();
    return /trawl_git_fetches_total\{result="canceled"\} 1\n/.test(metrics);
  });
});

test("there is no index, and plain folders are not served", async () => {
  const shards = readdirSync(join(folder, "git-data", "shards"));
  assert.deepEqual(
    shards.filter((file) => !file.endsWith(".manifest")),
    [],
  );
  const list = await fetch(`${server.url}/repositories`, { headers: bearer });
  const { repositories } = (await list.json()) as { repositories: { name: string }[] };
  assert.deepEqual(repositories.map((each) => each.name).sort(), [name, "large"].sort());
  const headers = { ...bearer, "if-none-match": list.headers.get("etag") ?? "" };
  assert.equal((await fetch(`${server.url}/repositories`, { headers })).status, 304);
});
