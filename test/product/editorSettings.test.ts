/** Editor settings in the built server, at start and after changes. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { InstanceState } from "#contract/editor";
import type { EditorSettings } from "#contract/editorOptions";
import type { RepositoryItem, SkippedDocument, UnparsedDocument } from "#contract/repositories";
import type { SearchResult } from "#contract/search";
import { type Editor, openEditor } from "#test/support/editor";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { replaceGit, restoreGit } from "#test/support/watchedGit";

const newDataDir = () => join(temporaryFolder(), "data");

function open(
  t: TestContext,
  folders: readonly string[],
  settings: EditorSettings,
  dataDir = newDataDir(),
): Promise<Editor> {
  return openEditor(dataDir, { folders, settings }, t);
}

const repositories = async (editor: Editor) =>
  (await editor.call<{ items: RepositoryItem[] }>("repos")).items;
const names = async (editor: Editor) =>
  (await repositories(editor)).map(({ repoName }) => repoName).join(" ");
const count = async (editor: Editor, query: string) =>
  (await editor.call<SearchResult>("search", { query })).stats.totalMatchCount;

/** Returns `path reason` of each skipped document. */
async function skipped(editor: Editor): Promise<string> {
  const { items } = await editor.call<{ items: SkippedDocument[] }>("skippedRepos");
  return items.map(({ path, reason }) => `${path} ${reason}`).join(", ");
}

const text = "= main: First\na.txt\n| a needle\n";
const one = (name: string, content = text) => repo(content, { path: join(temporaryFolder(), name) });

test("folders are indexed only if they are trusted and discovery is on", async (t) => {
  const editor = await open(t, [one("app").path], { isTrusted: false, discovery: "workspace" });
  await editor.call("indexing");
  assert.equal(await names(editor), "");
  await editor.configure({ isTrusted: true, discovery: "off" });
  await editor.call("indexing");
  assert.equal(await names(editor), "");
  await editor.configure({ isTrusted: true, discovery: "siblings" });
  await eventuallyEqual(() => names(editor), "app");
  await editor.configure({ isTrusted: true, discovery: "off" });
  const other = one("other").path;
  await editor.client.sendNotification("workspace/didChangeWorkspaceFolders", {
    event: { added: [{ uri: pathToFileURL(other).href, name: "other" }], removed: [] },
  });
  await editor.call("indexing");
  assert.equal(await names(editor), "app");
});

test("a removed repository is not indexed again until it is added", async (t) => {
  const dataDir = newDataDir();
  const folder = temporaryFolder();
  const app = repo(text, { path: join(folder, "app") }).path;
  repo(text, { path: join(folder, "other") });
  const editor = await open(t, [app], {}, dataDir);
  await eventuallyEqual(() => names(editor), "app");
  await editor.call("removeRepositories", { repositories: ["app"] });
  await editor.close();
  const again = await open(t, [folder, app], {}, dataDir);
  await eventuallyEqual(() => names(again), "other");
  await again.call("addPaths", { paths: [app] });
  assert.equal(await names(again), "app other");
  await again.close();
  const third = await open(t, [], {}, dataDir);
  assert.equal(await names(third), "app other");
});

test("opening a folder inside a repository indexes the repository, unless git ignores the folder", async (t) => {
  const repository = one(
    "app",
    "= main: First\n.gitignore\n| out\nsrc/a.txt\n| a needle\nb.txt\n| another needle\n",
  );
  repository.write("out/c.txt", "no needle\n");
  const editor = await open(t, [join(repository.path, "src")], {});
  await eventuallyEqual(() => names(editor), "app");
  await eventuallyEqual(() => count(editor, "needle"), 2);
  const second = await open(t, [join(repository.path, "out")], {});
  await eventuallyEqual(() => names(second), "out");
});

test("roots are indexed, and removed with the setting", async (t) => {
  const [app, first, second] = [one("app"), one("first"), one("second")].map(({ path }) => path) as [
    string,
    string,
    string,
  ];
  const editor = await open(t, [app], { roots: [first, second, "/nowhere"], isTrusted: false });
  await eventuallyEqual(() => names(editor), "first second");
  await eventually(() => editor.log.some((line) => /^error .*\/nowhere does not exist/.test(line)));
  await editor.configure({ roots: [second], isTrusted: true });
  await eventuallyEqual(() => names(editor), "app second");
});

test("branches and tags are indexed according to the settings", async (t) => {
  const repository = one(
    "app",
    "= main: First\na.txt\n| a needle\n= topic from main: More\nb.txt\n| b\ntag v1\n= main: Last\nc.txt\n| c\ntag v2\n",
  );
  repository.git("update-ref", "refs/remotes/origin/far", "topic");
  repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/far");
  const editor = await open(t, [repository.path], { branches: "default", newestTags: 0 });
  const revisions = async () =>
    ((await repositories(editor))[0]?.revisions ?? []).map(({ name }) => name).join(" ");
  await eventuallyEqual(revisions, "refs/heads/main");
  await editor.configure({ branches: "local", newestTags: 1 });
  await eventuallyEqual(revisions, "refs/heads/main refs/heads/topic refs/tags/v2");
  await editor.configure({ branches: "all", newestTags: 0 });
  await eventuallyEqual(revisions, "refs/heads/main refs/heads/topic refs/remotes/origin/far");
  assert.equal(
    (await editor.call<SearchResult>("search", { query: "b rev:origin/far file:b.txt" })).files.length,
    1,
  );
});

const contents = `
  = main: First
  a.txt
  | a needle
  docs/b.txt
  | another needle in a rather long line of text, so that it is over the limit
  a.min.js
  | needle
`;

for (const kind of ["clone", "folder"] as const) {
  test(`files of a ${kind} that are too large or excluded are found by name only, also after a restart`, async (t) => {
    const repository = kind === "clone" ? one("app", contents) : undefined;
    const path = repository?.path ?? join(temporaryFolder(), "plain");
    const write = (name: string, content: string) => {
      mkdirSync(join(path, name, ".."), { recursive: true });
      writeFileSync(join(path, name), content);
    };
    if (kind === "folder") {
      write("a.txt", "a needle\n");
      write("docs/b.txt", `another needle${" and more".repeat(10)}\n`);
      write("a.min.js", "needle\n");
    }
    const dataDir = newDataDir();
    const editor = await open(t, [path], {}, dataDir);
    await eventuallyEqual(() => count(editor, "needle"), 3);
    await editor.configure({ maxFileBytes: 40 });
    await eventuallyEqual(() => skipped(editor), "docs/b.txt tooLarge");
    await editor.configure({ maxFileBytes: 40, indexExclude: ["*.min.js"] });
    await eventuallyEqual(() => skipped(editor), "a.min.js excluded, docs/b.txt tooLarge");
    assert.equal(await count(editor, "needle"), 1);
    assert.equal(await count(editor, "file:min.js"), 1);
    write("b.min.js", "needle\n");
    write("c.txt", `needle${" and more".repeat(10)}\n`);
    write("d.txt", "a needle\n");
    await eventuallyEqual(() => count(editor, "needle"), 2);
    await eventuallyEqual(() => count(editor, "type:file file:/(b.min.js|c.txt)/"), 2);
    await editor.close();

    const again = await open(t, [], { indexExclude: ["docs/"] }, dataDir);
    await eventuallyEqual(() => count(again, "needle"), 5);
    await eventuallyEqual(() => skipped(again), "docs/b.txt excluded");
  });
}

test("a changed time limit of git takes effect at once", async (t) => {
  const app = one("app").path;
  replaceGit('case "$*" in *" log "*) sleep 1;; esac\nreal');
  t.after(restoreGit);
  const editor = await open(t, [app], { gitTimeLimitMs: 200 });
  await eventuallyEqual(() => names(editor), "app");
  const authors = () =>
    editor.call("authors", { repo: "app" }).then(
      () => "succeeded",
      (error: Error) => error.message,
    );
  assert.match(await authors(), /took longer than 0\.2 s/);
  await editor.configure({ gitTimeLimitMs: 20_000, maxGitProcesses: 1 });
  await eventuallyEqual(authors, "succeeded");
});

test("repositories are discovered according to the settings", async (t) => {
  const folder = temporaryFolder();
  const at = (path: string) => repo(text, { path: join(folder, path) });
  at("near");
  at("some/where/deep");
  at("old/one");
  const outer = at("outer");
  const inner = at("outer/inner");
  outer.write(".gitmodules", `[submodule "inner"]\n\tpath = inner\n\turl = ${inner.path}\n`);
  const editor = await open(t, [folder], { scanDepth: 1, exclude: ["old"], submodules: false });
  await eventuallyEqual(() => names(editor), "near outer");
  await editor.configure({ scanDepth: 4, exclude: ["old"], submodules: true });
  await eventuallyEqual(() => names(editor), "deep inner near outer");
  await editor.configure({ scanDepth: 4, exclude: ["**/some/**"], submodules: false });
  await eventuallyEqual(() => names(editor), "near one outer");
});

test("unsaved documents are searched only with includeUnsaved", async (t) => {
  const repository = one("app");
  const editor = await open(t, [repository.path], { includeUnsaved: false });
  await eventuallyEqual(() => count(editor, "needle"), 1);
  const uri = pathToFileURL(join(repository.path, "a.txt")).href;
  await editor.client.sendNotification("textDocument/didOpen", {
    textDocument: { uri, version: 1, languageId: "plaintext", text: "a thimble\n" },
  });
  assert.equal(await count(editor, "thimble"), 0);
  await editor.configure({ includeUnsaved: true });
  await eventuallyEqual(() => count(editor, "thimble"), 1);
});

test("the REST endpoint follows the setting, also after a takeover", async (t) => {
  const dataDir = newDataDir();
  const url = async (editor: Editor) => (await editor.call<InstanceState>("instance")).url;
  const free = { isEnabled: true, port: 0, allowedOrigins: [] };
  const editor = await open(t, [], { endpoint: { ...free, isEnabled: false } }, dataDir);
  assert.equal(await url(editor), undefined);
  await editor.configure({ endpoint: free });
  await eventuallyEqual(async () => (await url(editor)) === undefined, false);
  const second = await open(t, [], { endpoint: free }, dataDir);
  assert.equal(await url(second), await url(editor));
  await editor.configure({ endpoint: { ...free, isEnabled: false } });
  await eventuallyEqual(() => url(second), undefined);
  await editor.kill();
  await eventuallyEqual(async () => (await url(second)) === undefined, false);
  assert.equal(JSON.parse(readFileSync(join(dataDir, "endpoint.json"), "utf8")).url, await url(second));
});

test("an invalid setting is reported and ignored, and the others take effect", async (t) => {
  const repository = one("app");
  const settings = {
    maxFileBytes: 0,
    scanDepth: "deep",
    endpoint: { isEnabled: 1, port: 99999 },
    branches: "some",
  };
  const editor = await open(t, [repository.path], {
    ...settings,
    indexExclude: ["a.txt"],
  } as unknown as EditorSettings);
  await eventuallyEqual(() => skipped(editor), "a.txt excluded");
  const errors = editor.log.filter((line) => line.startsWith("error"));
  assert.deepEqual(
    errors.map((line) => /^error Ignored a setting: "([\w.[\]]+)" /.exec(line)?.[1]),
    ["scanDepth", "branches", "endpoint.isEnabled", "endpoint.port", "endpoint.allowedOrigins"],
  );
});

test("the editor's log reports indexing, the endpoint and takeovers", async (t) => {
  const dataDir = newDataDir();
  const repository = one("app");
  const editor = await open(t, [repository.path], {}, dataDir);
  const second = await open(t, [], {}, dataDir);
  await eventuallyEqual(() => names(editor), "app");
  await editor.call("indexing");
  await editor.call("startEndpoint", { port: 0 });
  await editor.call("removeRepositories", { repositories: ["app"] });
  const patterns = [
    /^info Trawl \d.* leads \//,
    /^info Found 1 repositories in /,
    /^info Indexed app in \d/,
    /^info The REST endpoint listens at http:\/\/127/,
    /^info Removed app/,
  ];
  await eventually(() => patterns.every((pattern) => editor.log.some((line) => pattern.test(line))));
  await eventually(() => second.log.some((line) => line.includes(`follows process ${editor.pid}`)));
  await editor.kill();
  await eventually(() => second.log.some((line) => /^info Trawl .* leads/.test(line)));
});

test("indexed code that is too large to be parsed is listed as unparsed", async (t) => {
  const { path } = one("app", "= main: First\na.go\n| package a\n");
  const editor = await open(t, [path], { maxFileBytes: 4 * 1024 * 1024 });
  writeFileSync(join(path, "large.go"), `package a\n${"// Nothing of note.\n".repeat(120_000)}`);
  runGit(path, ["add", "."]);
  runGit(path, ["commit", "-q", "-m", "Add a large file"]);
  const unparsed = async () => {
    const { items, total } = await editor.call<{ items: UnparsedDocument[]; total: number }>("unparsedRepos");
    return [total, ...items.map((each) => `${each.repoName}/${each.path} ${each.language} ${each.reason}`)];
  };
  await eventuallyEqual(unparsed, [1, "app/large.go Go tooLarge"]);
  assert.equal(await skipped(editor), "");
});

test("a limit of the disk space of the index applies at once, and 0 removes it", async (t) => {
  const repository = one("app", `= main: First\na.txt\n${"| a needle\n".repeat(1000)}`);
  const editor = await open(t, [repository.path], {});
  await editor.call("indexing");
  assert.equal((await editor.call<InstanceState>("instance")).maxIndexBytes, undefined);
  await editor.configure({ maxIndexBytes: 1000 });
  const space = async () => {
    const { indexBytes, maxIndexBytes, evicted } = await editor.call<InstanceState>("instance");
    return { indexBytes, maxIndexBytes, evicted };
  };
  // The files are removed after the catalog has recorded the eviction.
  await eventuallyEqual(space, { indexBytes: 0, maxIndexBytes: 1000, evicted: 1 });
  await editor.configure({ maxIndexBytes: 0 });
  await eventually(async () => (await count(editor, "needle")) === 1000);
});

test("a setting that changes while another process is replaced applies", async (t) => {
  const dataDir = newDataDir();
  const first = await open(t, [], {}, dataDir);
  await first.call("instance");
  const canLead = join(temporaryFolder(), "canLead");
  replaceGit(`while [ ! -e ${canLead} ]; do sleep 0.01; done\nreal`);
  t.after(restoreGit);
  const second = await open(t, [], {}, dataDir);
  await first.kill();
  await eventually(() => {
    try {
      return JSON.parse(readFileSync(join(dataDir, "owner.lock"), "utf8")).pid === second.pid;
    } catch {
      // For a moment, there is none.
      return false;
    }
  });
  await second.configure({ maxIndexBytes: 123_456 });
  // Requests are handled in the order in which they arrive.
  await assert.rejects(second.client.sendRequest("unknown"));
  writeFileSync(canLead, "");
  await eventuallyEqual(async () => (await second.call<InstanceState>("instance")).maxIndexBytes, 123_456);
});
