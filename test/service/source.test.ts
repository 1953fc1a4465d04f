import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { FileSource } from "#contract/history";
import type { CallContext } from "#contract/service";
import { History } from "#service/history/history";
import { repo } from "#test/support/repo";
import { repository, serviceOf, viewOf } from "#test/support/service";

const clone = repo(`
  = main: First
  .gitattributes
  | *.inc linguist-language=PHP
  | lib/*.x linguist-language=Python
  lib/.gitattributes
  | *.inc linguist-language=C++
  lib/a.inc
  | text
  lib/b.x
  | text
  a.inc
  | text
  src/tool
  | #!/usr/bin/env python3
  odd name#.ts
  | export {};
  link.ts -> a.inc
  latin.txt [hex]
  | 67 72 fc df 00
  tag v1
  = old/line from main: Without attributes
  - .gitattributes
  - lib/.gitattributes
`);
const head = clone.git("rev-parse", "main");
const repositories = viewOf([
  repository(1, "github.com/o/r", { path: clone.path, displayName: "r" }),
  repository(2, "plain", { path: clone.path, codeHostType: "genericGitHost" }),
]);
const history = new History({ repositories });
const service = serviceOf({ repositories, history });
after(() => history.close());

const context: CallContext = {
  actor: { kind: "local" },
  deadline: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
  baseUrl: "http://trawl",
};

function source(path: string, ref?: string, repo = "github.com/o/r"): Promise<FileSource> {
  const encoding = "utf-8";
  return service.source({ repo, path, encoding, ...(ref === undefined ? {} : { ref }) }, context);
}

test("with the base64 encoding, bytes that are not UTF-8 are unchanged", async () => {
  const request = { repo: "github.com/o/r", path: "latin.txt" };
  const bytes = await service.source({ ...request, encoding: "base64" }, context);
  assert.equal(Buffer.from(bytes.source, "base64").toString("latin1"), "gr\u00fc\u00df\u0000");
  assert.deepEqual(await source("latin.txt"), { ...bytes, source: "gr\ufffd\ufffd\0" });
});

const languages: readonly [path: string, ref: string | undefined, language: string][] = [
  ["a.inc", undefined, "PHP"],
  ["lib/a.inc", undefined, "C++"],
  ["lib/b.x", undefined, "Python"],
  ["lib/b.x", "old/line", "RPC"],
  ["src/tool", undefined, "Python"],
  ["odd name#.ts", undefined, "TypeScript"],
  ["link.ts", undefined, ""],
];
for (const [path, ref, language] of languages) {
  test(`${path} at ${ref ?? "the default revision"}: ${language || "no language"}`, async () => {
    assert.equal((await source(path, ref)).language, language);
  });
}

const urls: readonly [ref: string | undefined, webUrl: string, externalWebUrl: string][] = [
  [undefined, "@refs/heads/main", "blob/main"],
  ["main", "@main", "blob/main"],
  ["HEAD", "@HEAD", "blob/main"],
  ["v1", "@v1", "blob/v1"],
  ["refs/tags/v1", "@refs/tags/v1", "blob/v1"],
  ["old/line", "@old/line", "blob/old/line"],
  [head, `@${head}`, `blob/${head}`],
  [head.slice(0, 9), `@${head.slice(0, 9)}`, `blob/${head}`],
  ["main^0", "@main%5E0", `blob/${head}`],
];
for (const [ref, own, external] of urls) {
  test(`URLs of a file at ${ref ?? "the default revision"}`, async () => {
    const { webUrl, externalWebUrl } = await source("odd name#.ts", ref);
    assert.equal(webUrl, `http://trawl/browse/github.com/o/r${own}/-/blob/odd%20name%23.ts`);
    assert.equal(externalWebUrl, `https://github.com/o/r/${external}/odd%20name%23.ts`);
  });
}

test("a file has the fields of its repository and its blob", async () => {
  const { language: _, webUrl: __, externalWebUrl: ___, ...rest } = await source("/a.inc");
  assert.deepEqual(rest, {
    source: "text\n",
    path: "a.inc",
    repo: "github.com/o/r",
    repoCodeHostType: "github",
    repoDisplayName: "r",
    repoExternalWebUrl: "https://github.com/o/r",
    blobSha: clone.git("rev-parse", "main:a.inc"),
    commit: head,
  });
  const plain = await source("a.inc", undefined, "plain");
  assert.deepEqual(
    [plain.repoDisplayName, plain.repoExternalWebUrl, plain.externalWebUrl],
    ["plain", "", ""],
  );
  assert.equal((await source("link.ts")).source, "a.inc");
});

test("a detached HEAD is the default revision", async () => {
  clone.git("checkout", "-q", "--detach", "v1");
  const { commit, externalWebUrl } = await source("a.inc");
  assert.equal(commit, clone.git("rev-parse", "v1"));
  assert.equal(externalWebUrl, `https://github.com/o/r/blob/${commit}/a.inc`);
  const { items } = await service.branches({ repo: "plain", remotes: false, page: 1, perPage: 50 }, context);
  assert.deepEqual(
    items.map(({ fullName, isDefault, isTag }) => [fullName, isDefault, isTag]),
    [
      ["HEAD", true, false],
      ["refs/heads/main", false, false],
      ["refs/heads/old/line", false, false],
      ["refs/tags/v1", false, true],
    ],
  );
  clone.git("checkout", "-q", "main");
});
