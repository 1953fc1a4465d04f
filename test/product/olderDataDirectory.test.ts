/**
 * A data directory of an older version opens without reindexing its text.
 *
 * `test/fixtures/dataDirectory` was written by commit 5dff299, the first with version 3 of the symbol files: that
 * version ran `trawl index` on /tmp/trawl-fixture before and after the second commit on `main` below, then
 * `trawl members add bob@example.com --name Bob` and `trawl keys create scripts --member bob@example.com`.
 * Never write it again; add another fixture when a format changes.
 */
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApiKey, Member } from "#contract/organization";
import type { SymbolResult } from "#contract/symbols";
import { loadChecksum } from "#shard/format/checksum";
import { eventually } from "#test/support/eventually";
import { projectRoot } from "#test/support/house";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

/** Where the repositories of the fixture were. */
const oldFolder = "/tmp/trawl-fixture";
const indexedAt = "2026-11-23T04:38:13.097Z";
const key = "trwl_YdJetDdR0jZd_EGp3FNOlKHNvsxBsO6VeoTM31rM9SA";

/** The repository of the fixture. Its hashes depend only on this text. */
const source = `
  = main: First
  README.md
  | # Shop
  src/basket.ts
  | export class Basket {
  |   total(): number {
  |     return addTax(1);
  |   }
  | }
  |
  | export function addTax(amount: number): number {
  |   return amount * 1.2;
  | }
  stock.py
  | class Stock:
  |     def count(self):
  |         return 3
  main.go
  | package main
  |
  | func main() {
  | 	println("needle")
  | }
  = feature from main: Try something
  src/discount.rs
  | pub fn discount(amount: u32) -> u32 {
  |     amount / 2
  | }
  tag v1
  = main: Second
  src/basket.ts
  | export class Basket {
  |   total(): number {
  |     return addTax(2);
  |   }
  | }
  |
  | export function addTax(amount: number): number {
  |   return amount * 1.5; // needle
  | }
`;

/** Returns the JSON `text` with the paths below `oldFolder` moved to `folder`. */
function moved(text: string, folder: string): string {
  const move = (_: string, value: unknown) =>
    typeof value === "string" && value.startsWith(oldFolder)
      ? join(folder, value.slice(oldFolder.length))
      : value;
  return JSON.stringify(JSON.parse(text, move));
}

/** Copies the fixture, with its repository in `folder`. Of the files that name it, only the manifest has a checksum. */
async function copyFixture(dataDir: string, folder: string): Promise<void> {
  cpSync(join(projectRoot(), "test/fixtures/dataDirectory"), dataDir, { recursive: true });
  const catalogue = join(dataDir, "catalogue.json");
  writeFileSync(catalogue, moved(readFileSync(catalogue, "utf8"), folder));
  const manifest = join(dataDir, "shards", "1.manifest");
  const checksum = await loadChecksum();
  const json = moved(readFileSync(manifest, "utf8").split("\n")[1] ?? "", folder);
  writeFileSync(manifest, `trawl-manifest 1 ${checksum(Buffer.from(json)).toString(16)}\n${json}`);
}

/** Returns the names of the shards and symbol files of the index. */
function indexFiles(dataDir: string): string[] {
  return readdirSync(join(dataDir, "shards")).filter((name) => /\.(shard|symbols)$/.test(name));
}

function formatVersions(dataDir: string): number[] {
  return indexFiles(dataDir).map((name) => readFileSync(join(dataDir, "shards", name)).readUInt32LE(8));
}

test("a data directory of an older version opens without reindexing text, which is compressed", async (t) => {
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  repo(source, { path: join(folder, "shop") });
  await copyFixture(dataDir, folder);
  const old = indexFiles(dataDir);
  assert.deepEqual(formatVersions(dataDir), [1, 1]);

  const run = (...args: string[]) => trawl([...args, "--data-dir", dataDir]);
  const server = await serve(dataDir, [], { flags: ["--anonymous", "off"] });
  t.after(() => server.kill());
  await server.ready();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const post = (path: string, request: object) =>
    fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(request) });

  const searches = [
    ["needle", 'shop/main.go:4:\tprintln("needle")\nshop/src/basket.ts:8:  return amount * 1.5; // needle\n'],
    ["sym:addTax", "shop/src/basket.ts:7:export function addTax(amount: number): number {\n"],
    ["rev:feature discount", "shop/src/discount.rs:1:pub fn discount(amount: u32) -> u32 {\n"],
    ["rev:v1 1.2", "shop/src/basket.ts:8:  return amount * 1.2;\n"],
  ] as const;
  const check = async (isChecked = (_query: string) => true) => {
    for (const [query, expected] of searches.filter(([each]) => isChecked(each))) {
      const { stdout, stderr } = await run("search", query);
      assert.deepEqual([stdout, stderr], [expected, ""], query);
    }
  };
  // The fixture has symbol files of version 3, so documents are parsed again.
  await check((query) => !query.startsWith("sym:"));
  await eventually(async () => (await run("search", "sym:addTax")).stderr === "");
  await check();
  await eventually(() => !indexFiles(dataDir).some((name) => old.includes(name)));
  assert.deepEqual(formatVersions(dataDir), [4, 4]);
  await check();

  const definitions = await post("/api/find_definitions", { symbolName: "Stock" });
  assert.equal(definitions.status, 200);
  const { files, stats } = (await definitions.json()) as SymbolResult;
  assert.deepEqual(
    files.map(({ fileName, matches }) => [
      fileName,
      matches.map(({ kind, lineContent }) => [kind, lineContent]),
    ]),
    [["stock.py", [["class", "class Stock:"]]]],
  );
  assert.equal(stats.isExhaustive, true);

  assert.equal((await fetch(`${server.url}/api/repos`)).status, 401);
  assert.match((await run("status")).stdout, new RegExp(`ready, indexed ${indexedAt}`));
  const members = JSON.parse((await run("members", "list", "--json")).stdout) as Member[];
  assert.deepEqual(
    members.map(({ email, name, role }) => [email, name, role]),
    [
      ["ada@example.com", "Ada Lovelace", "OWNER"],
      ["bob@example.com", "Bob", "MEMBER"],
    ],
  );
  const keys = JSON.parse((await run("keys", "list", "--json")).stdout) as ApiKey[];
  assert.deepEqual(
    keys.map(({ name, userId }) => [name, userId]),
    [["scripts", members[1]?.id]],
  );

  const { code } = await server.stop();
  assert.equal(code, 0);
});
