/** Parsers of git's output and files, on literal bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytePath, bytePathFromText, bytesOf, diskPath, parentOf, textOf } from "#git/bytePath";
import { configValue, parseConfig } from "#git/config";
import { parseVersion } from "#git/git";
import { BatchParser, type ObjectResult } from "#git/objects/readObjects";
import { parseTree, parseTreeDiffs } from "#git/objects/tree";
import { parsePackedRefs, parseRefList } from "#git/refs/refs";
import { originUrl, remoteName } from "#git/remoteName";
import { parseStaged } from "#git/workTree/indexFile";

const one = "1".repeat(40);
const two = "2".repeat(40);
const zero = "0".repeat(40);

test("version numbers are parsed", () => {
  assert.deepEqual(parseVersion("git version 2.39.5 (Apple Git-154)"), [2, 39]);
  assert.deepEqual(parseVersion("git version 2.45.1.windows.1"), [2, 45]);
  assert.equal(parseVersion("not git"), undefined);
});

test("a path can be any bytes", () => {
  const bytes = Buffer.from([0x61, 0x2f, 0xff, 0x0a, 0xc3, 0xa9]);
  const path = bytePath(bytes);
  assert.deepEqual(bytesOf(path), bytes);
  assert.equal(textOf(path), "a/\ufffd\n\u00e9");
  assert.equal(parentOf(path), "a");
  assert.deepEqual(diskPath("/r", path), Buffer.concat([Buffer.from("/r/"), bytes]));
  assert.equal(diskPath("/", bytePathFromText("a")), "/a");
  assert.equal(textOf(bytePathFromText("\u00e9\u{1f600}")), "\u00e9\u{1f600}");
});

const configs: Record<string, Record<string, string>> = {
  "[core]\n\tbare = false": { "core.bare": "false" },
  "[core]bare": { "core.bare": "true" },
  '[Remote "Or.i\\"g\\\\in"]\nURL = x': { 'remote.Or.i"g\\in.url': "x" },
  "[a.B]\nc = 1\nc = 2": { "a.b.c": "2" },
  '[a]\nb = " x # y " z ; comment': { "a.b": " x # y  z" },
  "[a]\nb = one \\\n  two\nc=3": { "a.b": "one   two", "a.c": "3" },
  '[a]\nb = "q\\"\\t\\n\\\\" # c': { "a.b": 'q"\t\n\\' },
  "[a]\r\nb = c\r\n": { "a.b": "c" },
  "\ufeff[a]\n; no\n# no\nb = c": { "a.b": "c" },
  "b = outside\n[a\nnonsense = 1\n[]\n": {},
  "": {},
};

for (const [text, expected] of Object.entries(configs)) {
  test(`configuration ${JSON.stringify(text)}`, () => {
    const config = parseConfig(text);
    assert.deepEqual(
      Object.fromEntries([...config.keys()].map((key) => [key, configValue(config, key)])),
      expected,
    );
  });
}

test("the URL is that of origin, or of the only remote", () => {
  assert.equal(originUrl(parseConfig('[remote "x"]\nurl = a\n[remote "origin"]\nurl = b')), "b");
  assert.equal(originUrl(parseConfig('[remote "x"]\nurl = a\n[branch "m"]\nremote = x')), "a");
  assert.equal(originUrl(parseConfig('[remote "x"]\nurl = a\n[remote "y"]\nurl = b')), undefined);
});

const remotes: Record<string, string> = {
  "https://github.com/o/r.git": "github.com/o/r github https://github.com/o/r",
  "https://user:secret@github.com/o/r": "github.com/o/r github https://github.com/o/r",
  "https://x@y@GitHub.com:443/o/r/": "github.com/o/r github https://github.com/o/r",
  "git@github.com:o/r.git": "github.com/o/r github https://github.com/o/r",
  "ssh://git@gitlab.com:22/group/sub/r.git": "gitlab.com/group/sub/r gitlab https://gitlab.com/group/sub/r",
  "ssh://git@bitbucket.corp:7999/p/r.git": "bitbucket.corp/p/r bitbucketServer https://bitbucket.corp/p/r",
  "git+ssh://git@bitbucket.org/o/r": "bitbucket.org/o/r bitbucketCloud https://bitbucket.org/o/r",
  "http://forge.corp:8080/o/r": "forge.corp:8080/o/r gitea http://forge.corp:8080/o/r",
  "git://git.example.org/r.git": "git.example.org/r genericGitHost",
  "https://x.googlesource.com/a/b": "x.googlesource.com/a/b gerrit https://x.googlesource.com/a/b",
  "git@ssh.dev.azure.com:v3/org/My%20Project/r":
    "dev.azure.com/org/My%20Project/_git/r azuredevops https://dev.azure.com/org/My%2520Project/_git/r",
  "https://org@dev.azure.com/org/My%20Project/_git/r":
    "dev.azure.com/org/My Project/_git/r azuredevops https://dev.azure.com/org/My%20Project/_git/r",
  "[::1]:r": "[::1]/r genericGitHost",
  "ssh://[::1]:2222/r": "[::1]/r genericGitHost",
  "https://github.com/o/../../etc": "none",
  "https://github.com/": "none",
  "https://github.com/o/a\nb": "none",
  "https://github.com/o/a%0Ab": "none",
  "/srv/git/r.git": "none",
  "../r": "none",
  "C:\\git\\r": "none",
  "c:/git/r": "none",
  "file:///srv/git/r": "none",
  "ext::sh -c touch% /tmp/x": "none",
  "": "none",
};

const hosts = { "forge.corp:8080": "gitea", "bitbucket.corp": "bitbucketServer" } as const;

for (const [url, expected] of Object.entries(remotes)) {
  test(`remote ${JSON.stringify(url)}`, () => {
    const found = remoteName(url, hosts);
    const line = found
      ? [found.name, found.codeHostType, ...(found.hostUrl ? [found.hostUrl] : [])].join(" ")
      : "none";
    assert.equal(line, expected);
  });
}

test("packed refs are parsed", () => {
  const text = `# pack-refs with: peeled fully-peeled sorted \n${one} refs/heads/main\n${one} refs/notes/x\n^${two}\n${one} refs/tags/a\n^${two}\n${two} refs/tags/b\nbroken\n`;
  assert.deepEqual(Object.fromEntries(parsePackedRefs(text)), {
    "refs/heads/main": { hash: one, peeled: one },
    "refs/tags/a": { hash: one, peeled: two },
    "refs/tags/b": { hash: two, peeled: two },
  });
  assert.deepEqual(Object.fromEntries(parsePackedRefs(`${one} refs/tags/a\n`)), {
    "refs/tags/a": { hash: one },
  });
});

test("lists of refs are parsed", () => {
  assert.deepEqual(Object.fromEntries(parseRefList(`${one}  refs/heads/a b\n${one} ${two} refs/tags/v\n`)), {
    "refs/heads/a b": { hash: one, peeled: one },
    "refs/tags/v": { hash: one },
  });
});

test("trees are parsed", () => {
  const output =
    `100644 blob ${one}\ta b\n\xff\0` + `120000 blob ${two}\tl\0` + `160000 commit ${two}\tsub\0`;
  assert.deepEqual(parseTree(Buffer.from(output, "latin1")), [
    { path: "a b\n\xff", hash: one, isSymlink: false },
    { path: "l", hash: two, isSymlink: true },
  ]);
  assert.throws(() => parseTree(Buffer.from(`100644 blob ${one}\tcut`)), { code: "GIT_FAILED" });
});

test("diffs of several pairs of trees are parsed", () => {
  const output = [
    `${one} ${two}\n`,
    `:000000 100644 ${zero} ${one} A\0new\0`,
    `:100644 000000 ${one} ${zero} D\0:gone\0`,
    `:100644 120000 ${one} ${two} T\0link\0`,
    `:160000 160000 ${one} ${two} M\0sub\0`,
    `${two} ${one}\n`,
    `${one} ${one}\n`,
    `:100644 100644 ${one} ${two} M\0x\ny\0`,
  ].join("");
  assert.deepEqual(parseTreeDiffs(Buffer.from(output)), [
    [
      { path: "new", entry: { path: "new", hash: one, isSymlink: false } },
      { path: ":gone" },
      { path: "link", entry: { path: "link", hash: two, isSymlink: true } },
      { path: "sub" },
    ],
    [],
    [{ path: "x\ny", entry: { path: "x\ny", hash: two, isSymlink: false } }],
  ]);
});

test("staged entries are parsed", () => {
  const output = `H 100644 ${one} 0\ta\tb\0S 100644 ${one} 0\tout\0M 100644 ${two} 2\tconflict\0`;
  assert.deepEqual(parseStaged(Buffer.from(output)), [
    { path: "a\tb", hash: one, mode: 0o100644, stage: 0, isSkipped: false, statAt: -1 },
    { path: "out", hash: one, mode: 0o100644, stage: 0, isSkipped: true, statAt: -1 },
    { path: "conflict", hash: two, mode: 0o100644, stage: 2, isSkipped: false, statAt: -1 },
  ]);
});

function printed(object: ObjectResult): string {
  if (object.kind === "content") return `${object.type} ${object.bytes.toString("latin1")}`;
  return object.kind === "tooLarge" ? `tooLarge ${object.size}` : object.kind;
}

test("objects are parsed however they are split into chunks", () => {
  const large = "x".repeat(50);
  const stream = Buffer.from(
    `${one} blob 3\nabc\n${two} missing\n${one} blob 0\n\n${two} blob 50\n${large}\n${one} tag 4\n\n\n\0\n\n` +
      `${one}^{commit} missing\n${two} blob 9\nline\nline\n`,
    "latin1",
  );
  const expected = [
    "blob abc",
    "missing",
    "blob ",
    "tooLarge 50",
    "tag \n\n\0\n",
    "missing",
    "blob line\nline",
  ];
  for (let step = 1; step <= stream.length; step++) {
    const objects: string[] = [];
    const parser = new BatchParser(20, (object) => {
      objects.push(printed(object));
      return true;
    });
    for (let at = 0; at < stream.length; at += step) parser.push(stream.subarray(at, at + step));
    assert.deepEqual(objects, expected, `in chunks of ${step}`);
  }
  assert.throws(() => new BatchParser(20, () => true).push(Buffer.from("what is this\n")), {
    code: "GIT_FAILED",
  });
});
