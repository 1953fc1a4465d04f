import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Catalog, type CatalogOptions } from "#catalog/catalog";
import type { RepositoryFacts } from "#catalog/facts";
import { uniqueName } from "#catalog/naming";
import type { RepositoryId } from "#model/repository";
import { type Clock, systemClock } from "#platform/clock";
import { diskFiles, type Files } from "#platform/files";
import { createLog, silentLog } from "#platform/log";
import { temporaryFolder } from "#test/support/repo";

function open(folder: string, options: Partial<CatalogOptions> = {}): Catalog {
  return Catalog.open(folder, { log: silentLog, ...options });
}

function facts(path: string, change: Partial<RepositoryFacts> = {}): RepositoryFacts {
  return { kind: "clone", path, gitDir: `${path}/.git`, codeHostType: "genericGitHost", ...change };
}

function summary(catalog: Catalog): string[] {
  return catalog.all().map(({ id, name, state }) => `${id} ${name} ${state}`);
}

/** Counts renames; each is one write of the whole file. */
function countingFiles(): { files: Files; writes: () => number } {
  let writes = 0;
  const rename: Files["rename"] = (from, to) => {
    writes++;
    diskFiles.rename(from, to);
  };
  return { files: { ...diskFiles, rename }, writes: () => writes };
}

/** A clock whose timers fire only by `fire`. */
function pendingTimers(): { clock: Clock; pending: (() => void)[]; fire: () => void } {
  const pending: (() => void)[] = [];
  const after: Clock["after"] = (_, call) => {
    pending.push(call);
    return () => void pending.splice(pending.indexOf(call), 1);
  };
  return { clock: { ...systemClock, after }, pending, fire: () => pending.shift()?.() };
}

test("repositories keep id and name after a restart", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  first.addPath("/w");
  first.addPath("/w");
  first.upsert([facts("/w/a"), facts("/w/b", { remoteName: "github.com/o/b", codeHostType: "github" })]);
  first.update(1 as RepositoryId, { state: "ready", documentCount: 5, progress: 0.5 });
  first.update(2 as RepositoryId, { state: "indexing" });
  first.markIndexed(1 as RepositoryId, { digest: "d", since: 5 });
  first.close();
  const second = open(folder);
  assert.deepEqual(second.paths, ["/w"]);
  assert.deepEqual(summary(second), ["1 a ready", "2 github.com/o/b queued"]);
  assert.equal(second.get(1 as RepositoryId)?.documentCount, 5);
  assert.equal(second.get(1 as RepositoryId)?.progress, undefined);
  assert.deepEqual(second.indexedState(1 as RepositoryId), { digest: "d", since: 5 });
  assert.equal(second.byName("github.com/o/b")?.path, "/w/b");
});

test("ids are never reused, not even for the same repository", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  first.upsert([facts("/a"), facts("/b")]);
  first.removeAll([2 as RepositoryId]);
  const second = open(folder);
  assert.equal(second.upsert([facts("/b")])[0]?.id, 3);
  const third = open(folder, { known: [{ repositoryId: 8, name: "x", path: "/x", kind: "clone" }] });
  assert.equal(third.upsert([facts("/c")])[0]?.id, 9);
});

test("a repository is identified by its git directory, then by its path", () => {
  const catalog = open(temporaryFolder());
  const [known] = catalog.upsert([facts("/a")]);
  assert.ok(known);
  assert.equal(catalog.upsert([facts("/a")])[0], known);
  const [moved] = catalog.upsert([facts("/linked", { gitDir: "/a/.git" })]);
  assert.deepEqual([moved?.id, moved?.path, moved?.name], [known.id, "/linked", "a"]);
  const [renamed] = catalog.upsert([facts("/linked", { gitDir: "/a/.git", remoteName: "h/o/r" })]);
  assert.deepEqual([renamed?.id, renamed?.name], [known.id, "h/o/r"]);
  assert.equal(catalog.byName("a"), undefined);
  const [folder] = catalog.upsert([{ kind: "folder", path: "/f", codeHostType: "genericGitHost" }]);
  const [clone] = catalog.upsert([facts("/f")]);
  assert.deepEqual([clone?.id, clone?.kind, clone?.gitDir], [folder?.id, "clone", "/f/.git"]);
  assert.equal(catalog.all().length, 2);
});

const names: [string | undefined, string, string[], string][] = [
  ["github.com/o/r", "/w/r", [], "github.com/o/r"],
  ["github.com/o/r", "/w/r", ["github.com/o/r"], "r"],
  [undefined, "/w/team/app", [], "app"],
  [undefined, "/w/team/app", ["app"], "team/app"],
  [undefined, "/w/team/app", ["app", "team/app", "w/team/app"], "w/team/app 2"],
  [undefined, "/w/mirror.git", [], "mirror"],
  [undefined, "/w/hub/.git", [], "hub"],
  [undefined, "C:\\w\\app", ["app"], "w/app"],
  [undefined, "/", [], "root"],
];

for (const [remote, path, taken, expected] of names) {
  test(`the name of ${path} with ${taken.join(" and ") || "nothing"} taken`, () => {
    assert.equal(
      uniqueName(remote, path, (name) => taken.includes(name)),
      expected,
    );
  });
}

test("removing a path removes the repositories that are below no other path", () => {
  const catalog = open(temporaryFolder());
  for (const path of ["/w", "/w/deep", "/v"]) catalog.addPath(path);
  catalog.upsert([facts("/w/a"), facts("/w/deep/b"), facts("/v"), facts("/wide")]);
  assert.deepEqual(
    catalog.removePath("/w").map(({ name }) => name),
    ["a"],
  );
  assert.deepEqual(catalog.paths, ["/w/deep", "/v"]);
  assert.deepEqual(summary(catalog), ["2 b queued", "3 v queued", "4 wide queued"]);
});

test("a removed folder below an added path stays excluded until it is added itself", () => {
  const folder = temporaryFolder();
  const catalog = open(folder);
  const names = (repositories: readonly { readonly name: string }[]) => repositories.map(({ name }) => name);
  const excluded = () =>
    ["/w/a", "/w/deep/b", "/w/deep/c"].filter((path) => catalog.isExcluded(path, "/w")).join(" ");
  catalog.addPath("/w");
  catalog.upsert([facts("/w/a"), facts("/w/deep/b"), facts("/w/deep/c")]);
  assert.deepEqual(names(catalog.removePath("/w/nothing")), []);
  assert.deepEqual(names(catalog.removePath("/w/deep/b")), ["b"]);
  assert.deepEqual([catalog.paths, excluded()], [["/w"], "/w/deep/b"]);
  assert.deepEqual(names(catalog.removePath("/w/deep")), ["c"]);
  assert.deepEqual([catalog.excluded, excluded()], [["/w/deep/b", "/w/deep"], "/w/deep/b /w/deep/c"]);
  catalog.addPath("/w");
  assert.deepEqual(names(catalog.removePath("/w/deep")), []);
  assert.equal(excluded(), "/w/deep/b /w/deep/c");
  assert.deepEqual(open(folder).excluded, catalog.excluded);

  catalog.addPath("/w/deep/c");
  assert.equal(catalog.isExcluded("/w/deep/c", "/w/deep/c"), false);
  catalog.upsert([facts("/w/deep/c")]);
  assert.deepEqual(names(catalog.removePath("/w/deep")), []);
  catalog.addPath("/w/deep");
  assert.equal(excluded(), "");
  assert.deepEqual(names(catalog.removePath("/w/deep")), []);
  assert.deepEqual(names(catalog.removePath("/w/a")), ["a"]);
  catalog.removePath("/w");
  assert.deepEqual([catalog.paths, catalog.excluded], [["/w/deep/c"], []]);
});

test("removing a repository keeps nested ones, and it stays excluded until it is added itself", () => {
  const folder = temporaryFolder();
  const catalog = open(folder);
  const names = () => catalog.all().map(({ name }) => name);
  const idOf = (name: string) => catalog.byName(name)?.id ?? assert.fail();
  catalog.addPath("/w/a");
  catalog.upsert([facts("/w/a"), facts("/w/a/inside"), facts("/w/a/inside/deep")]);
  catalog.removeRepository(idOf("a"));
  assert.deepEqual(names(), ["deep", "inside"]);
  assert.deepEqual(catalog.paths, ["/w/a/inside/deep", "/w/a/inside"]);
  assert.equal(catalog.isRemoved("/w/a"), true);
  assert.equal(catalog.isRemoved("/w/a/inside"), false);

  catalog.addPath("/w", true);
  assert.equal(catalog.isExcluded("/w/a", "/w"), true);
  assert.equal(open(folder).isRemoved("/w/a"), true);
  catalog.addPath("/w/a");
  assert.equal(catalog.isRemoved("/w/a"), false);
  assert.equal(catalog.isExcluded("/w/a", "/w"), false);
});

test("a path belongs to the innermost repository that contains it", () => {
  const catalog = open(temporaryFolder());
  catalog.upsert([facts("/w/a"), facts("/w/a/nested"), facts("/w/a.git", { kind: "bare" })]);
  const containing = (path: string) => catalog.containing(path)?.name;
  assert.equal(containing("/w/a/x"), "a");
  assert.equal(containing("/w/a/nested/x"), "nested");
  assert.equal(containing("/w/a/nested"), "nested");
  assert.equal(containing("/w/ab"), undefined);
  assert.equal(containing("/w/a.git/HEAD"), undefined);
});

test("listeners receive each change", () => {
  const catalog = open(temporaryFolder());
  const changes: string[] = [];
  const stop = catalog.onChange(({ kind, repository }) =>
    changes.push(`${kind} ${repository.name} ${repository.state}`),
  );
  catalog.upsert([facts("/a")]);
  catalog.upsert([facts("/a")]);
  catalog.update(1 as RepositoryId, { state: "failed", lastError: "no" });
  catalog.update(9 as RepositoryId, { state: "failed" });
  catalog.removeAll([1 as RepositoryId]);
  stop();
  catalog.upsert([facts("/b")]);
  assert.deepEqual(changes, ["changed a queued", "changed a failed", "removed a failed"]);
});

test("5,000 repositories and their states are saved with few writes", () => {
  const folder = temporaryFolder();
  const { files, writes } = countingFiles();
  const { clock, pending, fire } = pendingTimers();
  const catalog = open(folder, { files, clock });
  const found = catalog.upsert(Array.from({ length: 5000 }, (_, at) => facts(`/w/${at}`)));
  for (const { id } of found) catalog.update(id, { state: "ready" });
  assert.equal(writes(), 1);
  assert.equal(pending.length, 1);
  fire();
  assert.equal(writes(), 2);
  catalog.close();
  assert.equal(writes(), 2);
  assert.equal(
    open(folder)
      .all()
      .filter(({ state }) => state === "ready").length,
    5000,
  );
});

test("a catalog that cannot be written is retried, and reported once without a stack", () => {
  const folder = temporaryFolder();
  let isFull = false;
  const write: Files["write"] = (descriptor, bytes) => {
    if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { syscall: "write" });
    diskFiles.write(descriptor, bytes);
  };
  const timers = pendingTimers();
  const lines: string[] = [];
  const log = createLog("warn", (line) => lines.push(line));
  const catalog = open(folder, { files: { ...diskFiles, write }, clock: timers.clock, log });
  catalog.upsert([facts("/w/a")]);
  const id = 1 as RepositoryId;
  isFull = true;
  catalog.update(id, { state: "ready" });
  for (let retry = 0; retry < 3; retry++) timers.fire();
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /"Cannot write the catalog; retrying later.".*no space left on device/);
  assert.doesNotMatch(lines[0] ?? "", /"stack"/);

  isFull = false;
  timers.fire();
  assert.deepEqual(summary(open(folder)), ["1 a ready"]);
  isFull = true;
  catalog.update(id, { state: "failed" });
  timers.fire();
  assert.equal(lines.length, 2);
});

const damage: Record<string, (text: string) => string> = {
  "cut short": (text) => text.slice(0, text.length / 2),
  empty: () => "",
  "not JSON": () => "\0\0\0\0",
  "another shape": (text) => text.replace('"id":1', '"id":"one"'),
  "changed in a path": (text) => text.replace("/w/a", "/w/e"),
  "an id twice": (text) => text.replace('"id":2', '"id":1'),
};

for (const [name, change] of Object.entries(damage)) {
  test(`a damaged catalog is moved aside and rebuilt from the index: ${name}`, () => {
    const folder = temporaryFolder();
    const first = open(folder);
    first.upsert([facts("/w/a"), facts("/w/b")]);
    first.close();
    const file = join(folder, "catalogue.json");
    writeFileSync(file, change(readFileSync(file, "utf8")));
    const lines: string[] = [];
    const known = [{ repositoryId: 2, name: "b", path: "/w/b", kind: "clone" as const }];
    const second = open(folder, { known, log: createLog("warn", (line) => lines.push(line)) });
    assert.deepEqual(summary(second), ["2 b stale"]);
    assert.deepEqual(second.paths, ["/w/b"]);
    assert.equal(
      second
        .upsert([facts("/w/b"), facts("/w/a")])
        .map(({ id }) => id)
        .join(),
      "2,3",
    );
    assert.match(lines.join(), /was damaged/);
    assert.equal(readdirSync(folder).filter((each) => each.includes("damaged")).length, 1);
  });
}

test("a catalog without a checksum, from an older version, is read", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  first.upsert([facts("/w/a")]);
  first.close();
  const file = join(folder, "catalogue.json");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/"checksum":"[0-9a-f]{16}",/, ""));
  const second = open(folder);
  assert.deepEqual(summary(second), summary(first));
  second.close();
});

test("a newer format is refused and not changed", () => {
  const folder = temporaryFolder();
  const file = join(folder, "catalogue.json");
  writeFileSync(file, '{"format":2}');
  assert.throws(() => open(folder), { code: "STORAGE_FAILED", message: /newer version \(format 2/ });
  assert.equal(readFileSync(file, "utf8"), '{"format":2}');
});

test("a failed write changes nothing in memory", () => {
  const folder = temporaryFolder();
  let isFull = false;
  const write: Files["write"] = (descriptor, bytes) => {
    if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    diskFiles.write(descriptor, bytes);
  };
  const catalog = open(folder, { files: { ...diskFiles, write } });
  catalog.addPath("/w");
  catalog.upsert([facts("/w/a")]);
  isFull = true;
  const full = { code: "STORAGE_FAILED", message: /no space left/ };
  assert.throws(() => catalog.upsert([facts("/w/b"), facts("/w/a", { remoteName: "h/a" })]), full);
  assert.throws(() => catalog.addPath("/v"), full);
  assert.throws(() => catalog.removePath("/w"), full);
  assert.deepEqual(summary(catalog), ["1 a queued"]);
  assert.deepEqual(catalog.paths, ["/w"]);
  isFull = false;
  assert.equal(catalog.upsert([facts("/w/b")])[0]?.id, 2);
});
