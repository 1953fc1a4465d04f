import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { URI } from "vscode-uri";
import { type SnapshotPlace, snapshotPlace, snapshotUri } from "#contract/snapshotUri";

const commit = "3f2c1ab".padEnd(40, "0");

function check(place: Partial<SnapshotPlace>, path: string): void {
  test(`${place.repository ?? ""} ${JSON.stringify(place.path ?? "")}`, () => {
    const whole = { repository: "r", commit, path: "", ...place };
    const uri = snapshotUri(whole);
    assert.equal(uri.path.replace(commit, "C"), path);
    assert.deepEqual(snapshotPlace(through(uri)), whole);
  });
}

/** As an editor keeps it: written as text, and read again. */
function through(uri: ReturnType<typeof snapshotUri>): URI {
  return URI.parse(URI.from(uri).toString());
}

check({ repository: "github.com/o/r", path: "src/main.go" }, "/github.com/o/r@C/-/src/main.go");
check({ path: "" }, "/r@C/-/");
check({ commit: "", path: "notes.md" }, "/r@/-/notes.md");
check({ repository: "odd@0123/-/x", path: "-/a@b" }, "/odd%400123/-/x@C/-/-/a@b");
check({ path: "50%/a%2Fb" }, "/r@C/-/50%25/a%252Fb");
check({ path: "a/../../etc" }, "/r@C/-/a/%2E%2E/%2E%2E/etc");
check({ path: "a\\b\nc d#?ö😀" }, "/r@C/-/a%5Cb%0Ac d#?ö😀");

test("any name comes back", () => {
  const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !/^\/|\/$/.test(text));
  fc.assert(
    fc.property(name, fc.string({ unit: "grapheme" }), (repository, path) => {
      assert.deepEqual(snapshotPlace(through(snapshotUri({ repository, commit, path }))), {
        repository,
        commit,
        path,
      });
    }),
  );
});

test("the title of a tab has short names", () => {
  const { query } = snapshotUri({ repository: "github.com/acme/orders-api", commit, path: "main.go" });
  assert.deepEqual(JSON.parse(query), { commit: "3f2c1ab", repository: "orders-api" });
});

for (const path of ["/r/-/x", "/@00/-/x", "/r@main/-/x", "/r@00/x", "r@00/-/x", "/r%@00/-/x", "/r@00/-/%"]) {
  test(`${path} is no address`, () => assert.equal(snapshotPlace({ scheme: "trawl", path }), undefined));
}

test("another scheme is no address", () => {
  assert.equal(snapshotPlace({ scheme: "file", path: "/r@00/-/x" }), undefined);
});
