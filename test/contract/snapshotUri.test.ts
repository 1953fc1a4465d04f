import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { URI } from "vscode-uri";
import {
  parseSnapshotUri,
  type SnapshotLocation,
  snapshotDocumentUri,
  snapshotUri,
} from "#contract/snapshotUri";

const commit = "3f2c1ab".padEnd(40, "0");

/** `authority` and `inside` are those of the document in VS Code. */
function check(partial: Partial<SnapshotLocation>, path: string, authority: string, inside: string): void {
  test(`${partial.repository ?? ""} ${JSON.stringify(partial.path ?? "")}`, () => {
    const location = { repository: "r", commit, path: "", ...partial };
    const uri = snapshotUri(location);
    assert.equal(uri.path.replace(commit, "C"), path);
    assert.deepEqual(parseSnapshotUri(roundTrip(uri)), location);
    const document = snapshotDocumentUri(location);
    assert.equal(document.authority.replace(commit, "C"), authority);
    assert.equal(document.path, inside);
    assert.deepEqual(parseSnapshotUri(roundTrip(document)), location);
  });
}

/** Formats and parses a URI again, as an editor does. */
function roundTrip(uri: Parameters<typeof URI.from>[0]): URI {
  return URI.parse(URI.from(uri).toString());
}

check(
  { repository: "github.com/O/r", path: "src/main.go" },
  "/github.com/O/r@C/-/src/main.go",
  "github.com/O/r@C",
  "/src/main.go",
);
check({ path: "" }, "/r@C/-/", "r@C", "/");
check({ commit: "", path: "notes.md" }, "/r@/-/notes.md", "r@", "/notes.md");
check(
  { repository: "odd@0123/-/x", path: "-/a@b" },
  "/odd%400123/-/x@C/-/-/a@b",
  "odd%400123/-/x@C",
  "/-/a@b",
);
check({ path: "50%/a%2Fb" }, "/r@C/-/50%25/a%252Fb", "r@C", "/50%25/a%252Fb");
check({ path: "a/../../etc" }, "/r@C/-/a/%2E%2E/%2E%2E/etc", "r@C", "/a/%2E%2E/%2E%2E/etc");
check({ path: "a\\b\nc d#?ö😀" }, "/r@C/-/a%5Cb%0Ac d#?ö😀", "r@C", "/a%5Cb%0Ac d#?ö😀");

test("any repository name and path survive a round trip", () => {
  const name = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !/^\/|\/$/.test(text));
  fc.assert(
    fc.property(name, fc.string({ unit: "grapheme" }), (repository, path) => {
      const location = { repository, commit, path };
      assert.deepEqual(parseSnapshotUri(roundTrip(snapshotUri(location))), location);
      assert.deepEqual(parseSnapshotUri(roundTrip(snapshotDocumentUri(location))), location);
    }),
  );
});

test("the query has the short names for a tab title", () => {
  const { query } = snapshotDocumentUri({
    repository: "github.com/acme/orders-api",
    commit,
    path: "main.go",
  });
  assert.deepEqual(JSON.parse(query), { commit: "3f2c1ab", repository: "orders-api" });
});

for (const path of ["/r/-/x", "/@00/-/x", "/r@main/-/x", "/r@00/x", "r@00/-/x", "/r%@00/-/x", "/r@00/-/%"]) {
  test(`${path} is not a snapshot URI`, () =>
    assert.equal(parseSnapshotUri({ scheme: "trawl", authority: "", path }), undefined));
}

test("a URI with another scheme is not a snapshot URI", () => {
  assert.equal(parseSnapshotUri({ scheme: "file", authority: "", path: "/r@00/-/x" }), undefined);
});

for (const authority of ["r", "@00", "r@main", "r%@00"]) {
  test(`${authority} is not the authority of a document`, () =>
    assert.equal(parseSnapshotUri({ scheme: "trawl", authority, path: "/x" }), undefined));
}
