import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Catalogue, type CatalogueOptions, type RepositoryFacts } from "#catalogue/catalogue";
import { uniqueName } from "#catalogue/naming";
import type { RepositoryId } from "#model/repository";
import { type Clock, systemClock } from "#platform/clock";
import { diskFiles, type Files } from "#platform/files";
import { createLog, silentLog } from "#platform/log";
import { temporaryFolder } from "#test/support/repo";

function open(folder: string, options: Partial<CatalogueOptions> = {}): Catalogue {
  return Catalogue.open(folder, { log: silentLog, ...options });
}

function facts(path: string, change: Partial<RepositoryFacts> = {}): RepositoryFacts {
  return { kind: "clone", path, gitDir: `${path}/.git`, codeHostType: "genericGitHost", ...change };
}

function listed(catalogue: Catalogue): string[] {
  return catalogue.all().map(({ id, name, state }) => `${id} ${name} ${state}`);
}

/** Counts renames: each is one write of the whole file. */
function countingFiles(): { files: Files; writes: () => number } {
  let writes = 0;
  const rename: Files["rename"] = (from, to) => {
    writes++;
    diskFiles.rename(from, to);
  };
  return { files: { ...diskFiles, rename }, writes: () => writes };
}

test("what is added is there at the next start, with its id and name", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  first.rememberPath("/w");
  first.rememberPath("/w");
  first.upsert([facts("/w/a"), facts("/w/b", { remoteName: "github.com/o/b", codeHostType: "github" })]);
  first.update(1 as RepositoryId, { state: "ready", documentCount: 5, progress: 0.5 });
  first.update(2 as RepositoryId, { state: "indexing" });
  first.markIndexed(1 as RepositoryId, { digest: "d", since: 5 });
  first.close();
  const second = open(folder);
  assert.deepEqual(second.paths, ["/w"]);
  assert.deepEqual(listed(second), ["1 a ready", "2 github.com/o/b queued"]);
  assert.equal(second.get(1 as RepositoryId)?.documentCount, 5);
  assert.equal(second.get(1 as RepositoryId)?.progress, undefined);
  assert.deepEqual(second.indexedState(1 as RepositoryId), { digest: "d", since: 5 });
  assert.equal(second.byName("github.com/o/b")?.path, "/w/b");
});

test("ids are never given again, not even to what is found again", () => {
  const folder = temporaryFolder();
  const first = open(folder);
  first.upsert([facts("/a"), facts("/b")]);
  first.removeAll([2 as RepositoryId]);
  const second = open(folder);
  assert.equal(second.upsert([facts("/b")])[0]?.id, 3);
  const third = open(folder, { known: [{ repositoryId: 8, name: "x", path: "/x", kind: "clone" }] });
  assert.equal(third.upsert([facts("/c")])[0]?.id, 9);
});

test("a repository is known again by its git directory, then by its path", () => {
  const catalogue = open(temporaryFolder());
  const [known] = catalogue.upsert([facts("/a")]);
  assert.ok(known);
  assert.equal(catalogue.upsert([facts("/a")])[0], known);
  const [moved] = catalogue.upsert([facts("/linked", { gitDir: "/a/.git" })]);
  assert.deepEqual([moved?.id, moved?.path, moved?.name], [known.id, "/linked", "a"]);
  const [renamed] = catalogue.upsert([facts("/linked", { gitDir: "/a/.git", remoteName: "h/o/r" })]);
  assert.deepEqual([renamed?.id, renamed?.name], [known.id, "h/o/r"]);
  assert.equal(catalogue.byName("a"), undefined);
  const [folder] = catalogue.upsert([{ kind: "folder", path: "/f", codeHostType: "genericGitHost" }]);
  const [clone] = catalogue.upsert([facts("/f")]);
  assert.deepEqual([clone?.id, clone?.kind, clone?.gitDir], [folder?.id, "clone", "/f/.git"]);
  assert.equal(catalogue.all().length, 2);
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
  test(`the name of ${path} where ${taken.join(" and ") || "nothing"} is taken`, () => {
    assert.equal(
      uniqueName(remote, path, (name) => taken.includes(name)),
      expected,
    );
  });
}

test("forgetting a path forgets what no other path leads to", () => {
  const catalogue = open(temporaryFolder());
  for (const path of ["/w", "/w/deep", "/v"]) catalogue.rememberPath(path);
  catalogue.upsert([facts("/w/a"), facts("/w/deep/b"), facts("/v"), facts("/wide")]);
  assert.deepEqual(
    catalogue.forgetPath("/w").map(({ name }) => name),
    ["a"],
  );
  assert.deepEqual(catalogue.paths, ["/w/deep", "/v"]);
  assert.deepEqual(listed(catalogue), ["2 b queued", "3 v queued", "4 wide queued"]);
});

test("what lies below a remembered path is passed over once it was removed, until it is added itself", () => {
  const folder = temporaryFolder();
  const catalogue = open(folder);
  const names = (repositories: readonly { readonly name: string }[]) => repositories.map(({ name }) => name);
  const passedOver = () =>
    ["/w/a", "/w/deep/b", "/w/deep/c"].filter((path) => catalogue.isExcluded(path, "/w")).join(" ");
  catalogue.rememberPath("/w");
  catalogue.upsert([facts("/w/a"), facts("/w/deep/b"), facts("/w/deep/c")]);
  assert.deepEqual(names(catalogue.forgetPath("/w/nothing")), []);
  assert.deepEqual(names(catalogue.forgetPath("/w/deep/b")), ["b"]);
  assert.deepEqual([catalogue.paths, passedOver()], [["/w"], "/w/deep/b"]);
  assert.deepEqual(names(catalogue.forgetPath("/w/deep")), ["c"]);
  assert.deepEqual([catalogue.excluded, passedOver()], [["/w/deep/b", "/w/deep"], "/w/deep/b /w/deep/c"]);
  catalogue.rememberPath("/w");
  assert.deepEqual(names(catalogue.forgetPath("/w/deep")), []);
  assert.equal(passedOver(), "/w/deep/b /w/deep/c");
  assert.deepEqual(open(folder).excluded, catalogue.excluded);

  catalogue.rememberPath("/w/deep/c");
  assert.equal(catalogue.isExcluded("/w/deep/c", "/w/deep/c"), false);
  catalogue.upsert([facts("/w/deep/c")]);
  assert.deepEqual(names(catalogue.forgetPath("/w/deep")), []);
  catalogue.rememberPath("/w/deep");
  assert.equal(passedOver(), "");
  assert.deepEqual(names(catalogue.forgetPath("/w/deep")), []);
  assert.deepEqual(names(catalogue.forgetPath("/w/a")), ["a"]);
  catalogue.forgetPath("/w");
  assert.deepEqual([catalogue.paths, catalogue.excluded], [["/w/deep/c"], []]);
});

test("a repository is forgotten alone, and stays away until it is remembered itself", () => {
  const folder = temporaryFolder();
  const catalogue = open(folder);
  const names = () => catalogue.all().map(({ name }) => name);
  const idOf = (name: string) => catalogue.byName(name)?.id ?? assert.fail();
  catalogue.rememberPath("/w/a");
  catalogue.upsert([facts("/w/a"), facts("/w/a/inside"), facts("/w/a/inside/deep")]);
  catalogue.forgetRepository(idOf("a"));
  assert.deepEqual(names(), ["deep", "inside"]);
  assert.deepEqual(catalogue.paths, ["/w/a/inside/deep", "/w/a/inside"]);
  assert.equal(catalogue.isRemoved("/w/a"), true);
  assert.equal(catalogue.isRemoved("/w/a/inside"), false);

  catalogue.rememberPath("/w", true);
  assert.equal(catalogue.isExcluded("/w/a", "/w"), true);
  assert.equal(open(folder).isRemoved("/w/a"), true);
  catalogue.rememberPath("/w/a");
  assert.equal(catalogue.isRemoved("/w/a"), false);
  assert.equal(catalogue.isExcluded("/w/a", "/w"), false);
});

test("the innermost repository around a path", () => {
  const catalogue = open(temporaryFolder());
  catalogue.upsert([facts("/w/a"), facts("/w/a/nested"), facts("/w/a.git", { kind: "bare" })]);
  const around = (path: string) => catalogue.containing(path)?.name;
  assert.equal(around("/w/a/x"), "a");
  assert.equal(around("/w/a/nested/x"), "nested");
  assert.equal(around("/w/a/nested"), "nested");
  assert.equal(around("/w/ab"), undefined);
  assert.equal(around("/w/a.git/HEAD"), undefined);
});

test("listeners hear each change", () => {
  const catalogue = open(temporaryFolder());
  const heard: string[] = [];
  const stop = catalogue.onChange(({ kind, repository }) =>
    heard.push(`${kind} ${repository.name} ${repository.state}`),
  );
  catalogue.upsert([facts("/a")]);
  catalogue.upsert([facts("/a")]);
  catalogue.update(1 as RepositoryId, { state: "failed", lastError: "no" });
  catalogue.update(9 as RepositoryId, { state: "failed" });
  catalogue.removeAll([1 as RepositoryId]);
  stop();
  catalogue.upsert([facts("/b")]);
  assert.deepEqual(heard, ["changed a queued", "changed a failed", "removed a failed"]);
});

test("5 000 repositories and their states are few writes, and none is lost", () => {
  const folder = temporaryFolder();
  const { files, writes } = countingFiles();
  const pending: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after(_, call) {
      pending.push(call);
      return () => pending.splice(pending.indexOf(call), 1);
    },
  };
  const catalogue = open(folder, { files, clock });
  const found = catalogue.upsert(Array.from({ length: 5000 }, (_, at) => facts(`/w/${at}`)));
  for (const { id } of found) catalogue.update(id, { state: "ready" });
  assert.equal(writes(), 1);
  assert.equal(pending.length, 1);
  pending[0]?.();
  assert.equal(writes(), 2);
  catalogue.close();
  assert.equal(writes(), 2);
  assert.equal(
    open(folder)
      .all()
      .filter(({ state }) => state === "ready").length,
    5000,
  );
});

const damage: Record<string, (text: string) => string> = {
  "cut short": (text) => text.slice(0, text.length / 2),
  empty: () => "",
  "no JSON": () => "\0\0\0\0",
  "another shape": (text) => text.replace('"id":1', '"id":"one"'),
  "an id twice": (text) => text.replace('"id":2', '"id":1'),
};

for (const [name, change] of Object.entries(damage)) {
  test(`a catalogue that is ${name} is put aside and made again from the index`, () => {
    const folder = temporaryFolder();
    const first = open(folder);
    first.upsert([facts("/w/a"), facts("/w/b")]);
    first.close();
    const file = join(folder, "catalogue.json");
    writeFileSync(file, change(readFileSync(file, "utf8")));
    const lines: string[] = [];
    const known = [{ repositoryId: 2, name: "b", path: "/w/b", kind: "clone" as const }];
    const second = open(folder, { known, log: createLog("warn", (line) => lines.push(line)) });
    assert.deepEqual(listed(second), ["2 b stale"]);
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

test("a newer format is refused by name, and left alone", () => {
  const folder = temporaryFolder();
  const file = join(folder, "catalogue.json");
  writeFileSync(file, '{"format":2}');
  assert.throws(() => open(folder), { code: "STORAGE_FAILED", message: /newer version \(format 2/ });
  assert.equal(readFileSync(file, "utf8"), '{"format":2}');
});

test("a disk that is full changes nothing", () => {
  const folder = temporaryFolder();
  let isFull = false;
  const write: Files["write"] = (descriptor, bytes) => {
    if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    diskFiles.write(descriptor, bytes);
  };
  const catalogue = open(folder, { files: { ...diskFiles, write } });
  catalogue.rememberPath("/w");
  catalogue.upsert([facts("/w/a")]);
  isFull = true;
  const full = { code: "STORAGE_FAILED", message: /no space left/ };
  assert.throws(() => catalogue.upsert([facts("/w/b"), facts("/w/a", { remoteName: "h/a" })]), full);
  assert.throws(() => catalogue.rememberPath("/v"), full);
  assert.throws(() => catalogue.forgetPath("/w"), full);
  assert.deepEqual(listed(catalogue), ["1 a queued"]);
  assert.deepEqual(catalogue.paths, ["/w"]);
  isFull = false;
  assert.equal(catalogue.upsert([facts("/w/b")])[0]?.id, 2);
});
