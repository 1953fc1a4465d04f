import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodeHostType } from "#model/repository";
import { addLineAnchor, browseUrl, hostFileUrl } from "#service/repositories/webLinks";
import { repository } from "#test/support/service";

const commit = "0123456789012345678901234567890123456789";

test("URLs of files on code hosts", () => {
  const path = "src/a b#?%.ts";
  const file = "src/a%20b%23%3F%25.ts";
  const rows: [host: CodeHostType, ref: string, expected: string][] = [
    ["github", "refs/heads/main", `blob/main/${file}`],
    ["github", "refs/heads/feature/a#1", `blob/feature/a%231/${file}`],
    ["github", "HEAD", `blob/${commit}/${file}`],
    ["gitlab", "refs/tags/v1", `-/blob/v1/${file}`],
    ["gitea", "refs/heads/main", `src/branch/main/${file}`],
    ["gitea", "refs/tags/v1", `src/tag/v1/${file}`],
    ["gitea", "HEAD", `src/commit/${commit}/${file}`],
    ["gerrit", "refs/heads/main", `+/main/${file}`],
    ["bitbucketServer", "refs/heads/a/b", `browse/${file}?at=a%2Fb`],
    ["bitbucketCloud", "refs/heads/main", `src/main/${file}`],
    ["azuredevops", "refs/heads/main", "?path=%2Fsrc%2Fa%20b%23%3F%25.ts&version=GBmain"],
    ["azuredevops", "refs/tags/v1", "?path=%2Fsrc%2Fa%20b%23%3F%25.ts&version=GTv1"],
    ["azuredevops", "HEAD", `?path=%2Fsrc%2Fa%20b%23%3F%25.ts&version=GC${commit}`],
  ];
  for (const [codeHostType, ref, expected] of rows) {
    const hostUrl = "https://host.example.org/o/r/";
    const url = hostFileUrl(repository(1, "r", { codeHostType, hostUrl }), ref, commit, path);
    const base = "https://host.example.org/o/r";
    assert.equal(url, expected.startsWith("?") ? base + expected : `${base}/${expected}`);
    assert.ok(URL.canParse(url));
  }
});

test("URLs of lines on code hosts", () => {
  const rows: [host: CodeHostType, one: string, several: string][] = [
    ["github", "#L10", "#L10-L20"],
    ["gitlab", "#L10", "#L10-20"],
    ["gitea", "#L10", "#L10-L20"],
    ["gerrit", "#10", "#10"],
    ["bitbucketServer", "#10", "#10-20"],
    ["bitbucketCloud", "#lines-10", "#lines-10:20"],
    [
      "azuredevops",
      "&line=10&lineEnd=11&lineStartColumn=1&lineEndColumn=1&lineStyle=plain",
      "&line=10&lineEnd=21&lineStartColumn=1&lineEndColumn=1&lineStyle=plain",
    ],
    ["genericGitHost", "", ""],
  ];
  for (const [codeHostType, one, several] of rows) {
    const host = repository(1, "r", { codeHostType, hostUrl: "https://host.example.org/o/r" });
    const page = hostFileUrl(host, "", commit, "a.ts");
    assert.equal(hostFileUrl(host, "", commit, "a.ts", { first: 10, last: 10 }), page + one, codeHostType);
    assert.equal(
      hostFileUrl(host, "", commit, "a.ts", { first: 10, last: 20 }),
      page + several,
      codeHostType,
    );
  }
  assert.equal(addLineAnchor("http://h/a", { first: 3, last: 3 }), "http://h/a#L3");
  assert.equal(addLineAnchor("http://h/a", { first: 3, last: 9 }), "http://h/a#L3-L9");
  assert.equal(addLineAnchor("", { first: 3, last: 3 }), "");
});

test("a repository without a code host has no URL", () => {
  const { hostUrl: _, ...bare } = repository(1, "r");
  assert.equal(hostFileUrl(bare, "refs/heads/main", commit, "a"), "");
  const generic = repository(1, "r", { codeHostType: "genericGitHost" });
  assert.equal(hostFileUrl(generic, "refs/heads/main", commit, "a"), "");
});

test("URLs of pages of this server", () => {
  const rows: [revision: string | undefined, path: string, expected: string][] = [
    ["refs/heads/main", "a/b.ts", "/browse/host/o%40x/r@refs/heads/main/-/blob/a/b.ts"],
    ["refs/heads/ä b", "ü/\n", "/browse/host/o%40x/r@refs/heads/%C3%A4%20b/-/blob/%C3%BC/%0A"],
    [undefined, "a", "/browse/host/o%40x/r/-/blob/a"],
    [undefined, "", "/browse/host/o%40x/r/-/tree/"],
    [undefined, "\ud800", "/browse/host/o%40x/r/-/blob/%EF%BF%BD"],
  ];
  for (const [revision, path, expected] of rows) {
    assert.equal(browseUrl("http://h", "host/o@x/r", revision, path), `http://h${expected}`);
  }
  assert.equal(browseUrl(undefined, "r", undefined, "a"), "");
});
