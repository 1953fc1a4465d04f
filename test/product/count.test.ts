/** Counts as users see them: over HTTP, and as a table, CSV and JSON of the command line. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { CountResult } from "#contract/count";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const dataDir = join(temporaryFolder(), "data");
const shop = repo("", { path: join(temporaryFolder(), "shop") });
const commit = (name: string) => {
  shop.git("add", "-A");
  shop.git("-c", `user.name=${name}`, "-c", "user.email=a@example.com", "commit", "-q", "-m", "change");
};
shop.write("src/a.py", "use(one)\nuse(two)\n");
shop.write("lib/b.py", "use(one)\n");
commit("Ann");
shop.write("lib/c.py", 'use("=1+1, \u0007")\n');
commit("Mary O'Neill");

const damaged = repo("", { path: join(temporaryFolder(), "damaged") });
damaged.write("d.txt", "both\n");
damaged.git("add", "-A");
damaged.git("commit", "-q", "-m", "change");
const commitObject = damaged.git("rev-parse", "HEAD").trim();

let served: Served;
before(async () => {
  served = await serve(dataDir, [shop.path, damaged.path]);
  await served.ready();
});
after(() => served.stop());

async function post(request: object): Promise<{ status: number; body: CountResult & { message?: string } }> {
  const response = await fetch(`${served.url}/api/count`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  return { status: response.status, body: (await response.json()) as CountResult };
}

test("groups by every property", async () => {
  const rows = async (groupBy: string, change: object = {}) => {
    const { body } = await post({ query: "use\\((.*)\\)", isRegexEnabled: true, groupBy, ...change });
    assert.deepEqual([body.matchCount, body.fileCount, body.repositoryCount], [4, 3, 1]);
    assert.equal(body.isExhaustive, true);
    return body.groups.map(({ matchCount, fileCount, ...names }) => {
      return [...Object.values(names).filter((each) => each !== false), matchCount, fileCount].join(" ");
    });
  };
  assert.deepEqual(await rows("repo"), ["shop 4 3"]);
  assert.deepEqual(await rows("folder"), ["shop lib 2 2", "shop src 2 1"]);
  assert.deepEqual(await rows("language"), ["Python 4 3"]);
  assert.deepEqual(await rows("text"), ["one 2 2", '"=1+1, \u0007" 1 1', "two 1 1"]);
  assert.deepEqual(await rows("text", { limit: 1 }), ["one 2 2"]);
  const byBlame = new Map<string, number>();
  for (const path of ["src/a.py", "lib/b.py", "lib/c.py"])
    for (const [, name = ""] of shop.git("blame", "--line-porcelain", path).matchAll(/^author (.*)$/gm))
      byBlame.set(name, (byBlame.get(name) ?? 0) + 1);
  const authors = await post({ query: "use", groupBy: "author" });
  assert.deepEqual(
    new Map(authors.body.groups.map(({ authorName = "", matchCount }) => [authorName, matchCount])),
    byBlame,
  );
});

test("a damaged repository has no authors, and others do", async () => {
  rmSync(join(damaged.path, ".git", "objects", commitObject.slice(0, 2)), { recursive: true });
  const { status, body } = await post({ query: "both or use", groupBy: "author" });
  assert.equal(status, 200);
  assert.deepEqual([body.matchCount, body.stats.flushReason], [5, "ENGINE_PARTIAL"]);
  assert.equal(
    body.groups.reduce((sum, { matchCount }) => sum + matchCount, 0),
    4,
  );
});

test("rejects what cannot be counted", async () => {
  for (const [request, message] of [
    [{ query: "use group:repo", groupBy: "folder" }, /only one property at offset 4/],
    [{ query: "use group:repo group:folder" }, /only one property at offset 15/],
    [{ query: "use -group:repo" }, /whole query at offset 4/],
    [{ query: "(use group:repo)" }, /whole query at offset 5/],
    [{ query: "type:commit use" }, /cannot be counted.* at offset 0/],
    [{ query: "use", groupBy: "size" }, /groupBy/],
    [{ query: "use", limit: 0 }, /limit/],
  ] as const) {
    const { status, body } = await post(request);
    assert.equal(status, 400);
    assert.match(body.message ?? "", message);
  }
  await assert.rejects(served.search("use group:repo"), /--count-by.* or POST \/api\/count/);
});

test("the command line prints a table, CSV or JSON", async () => {
  const run = (...flags: string[]) =>
    trawl(["search", "--data-dir", dataDir, "-e", "use\\((.*)\\)", "--count-by", ...flags]);
  const table = await run("folder");
  assert.equal(table.stdout, "2  2  shop/lib\n2  1  shop/src\n4 matches in 3 files of 1 repository\n");
  const csv = await run("text", "--csv");
  assert.equal(csv.stdout, 'text,matchCount,fileCount\r\none,2,2\r\n"""=1+1, \u0007""",1,1\r\ntwo,1,1\r\n');
  const json: CountResult = JSON.parse((await run("repo", "--json")).stdout);
  assert.equal(json.matchCount, 4);
  assert.match((await run("size")).stderr, /--count-by must be repo or folder/);
  assert.match((await run("repo", "--depth", "1")).stderr, /--depth requires --count-by folder/);
});
