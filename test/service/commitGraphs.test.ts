/** With a commit-graph in the data directory, totals and commits are still those of git, and repositories unchanged. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { History } from "#service/history/history";
import { eventually } from "#test/support/eventually";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";

const commitCount = 1700;

/** Commits in a line, with a merge of an earlier one every hundred commits. */
function longHistory(): string {
  const { path } = repo("");
  const parts: string[] = [];
  for (let mark = 1; mark <= commitCount; mark++) {
    const person = `A <a@example.com> ${1_600_000_000 + mark * 60} +0000`;
    parts.push(
      `commit refs/heads/main\nmark :${mark}\ncommitter ${person}\ndata ${String(mark).length}\n${mark}\n`,
    );
    if (mark > 1) parts.push(`from :${mark - 1}\n`);
    if (mark % 100 === 0) parts.push(`merge :${mark - 50}\n`);
    parts.push(`M 100644 inline f${mark % 5}\ndata ${String(mark).length}\n${mark}\n`);
  }
  runGit(path, ["fast-import", "--quiet"], Buffer.from(parts.join("")));
  return path;
}

const path = longHistory();
const older = ["main~60", "main~100^2", "main~1600"].map((name) =>
  runGit(path, ["rev-parse", name]).toString().trim(),
);
const graphFolder = join(temporaryFolder(), "graphs");
const graph = join(graphFolder, "1/info/commit-graph");

function open(options: { readonly graphFolder?: string } = { graphFolder }) {
  const repositories = viewOf([repository(1, "long", { path, revisions: [] })]);
  const history = new History({ repositories, ...options });
  return { history, caller: callerOf({ repositories, history }) };
}

const call = () => ({ credentials: { kind: "local" as const }, signal: new AbortController().signal });

/** Compares the first page, the total, the commits of a file and blame at a revision with git's. */
async function check({ caller }: ReturnType<typeof open>, ref: string): Promise<void> {
  const list = (...args: string[]) =>
    runGit(path, ["log", "--format=%H", ...args])
      .toString()
      .trim()
      .split("\n");
  const { items, total } = await caller("commits", { repo: "long", ref }, call());
  assert.equal(total, Number(runGit(path, ["rev-list", "--count", ref])), ref);
  assert.deepEqual(
    items.map(({ hash }) => hash),
    list("--max-count=50", ref),
  );
  for (const notIn of [...older, ref]) {
    const ahead = await caller("commits", { repo: "long", ref, notIn }, call());
    assert.equal(
      ahead.total,
      Number(runGit(path, ["rev-list", "--count", ref, `^${notIn}`])),
      `${ref} ^${notIn}`,
    );
  }
  const ofFile = await caller("commits", { repo: "long", ref, path: "f3", perPage: 100 }, call());
  const expected = list(ref, "--", "f3");
  assert.deepEqual(
    [ofFile.items.map(({ hash }) => hash), ofFile.total],
    [expected.slice(0, 100), expected.length],
  );
  const { ranges } = await caller("blame", { repo: "long", ref, path: "f3" }, call());
  assert.equal(
    ranges[0]?.hash,
    runGit(path, ["blame", "-l", "-s", ref, "--", "f3"]).toString().split(" ")[0],
  );
}

test("the first count writes a graph to the data directory, and not to the repository", async () => {
  const service = open();
  await check(service, "main");
  await eventually(() => existsSync(graph) && service.history.graphs.objectsOf(repository(1, "long")));
  assert.deepEqual(readdirSync(join(path, ".git/objects/info")), []);
  for (const ref of ["main~3", "main~52", "main~777", "main~1440", "main~100^2"]) await check(service, ref);
});

test("blame of a long history writes a graph too, and a later process verifies it at once", async () => {
  rmSync(graphFolder, { recursive: true });
  for (const _ of ["writes", "verifies"]) {
    const { caller, history } = open();
    await caller("blame", { repo: "long", path: "f3" }, call());
    await eventually(() => history.graphs.objectsOf(repository(1, "long")) !== undefined);
    assert.ok(existsSync(graph));
  }
});

test("a later process uses it, for commits that it lacks too", async () => {
  const service = open();
  await check(service, "main~20");
  assert.equal(service.history.graphs.objectsOf(repository(1, "long")), join(graphFolder, "1"));
  const tree = runGit(path, ["rev-parse", "main^{tree}"]).toString().trim();
  let tip = runGit(path, ["rev-parse", "main"]).toString().trim();
  for (let at = 0; at < 60; at++) {
    const parents = at === 30 ? ["-p", tip, "-p", "main~400"] : ["-p", tip];
    tip = runGit(path, [
      "-c",
      "user.name=A",
      "-c",
      "user.email=a@b",
      "commit-tree",
      tree,
      ...parents,
      "-m",
      `${at}`,
    ])
      .toString()
      .trim();
    if (at % 29 === 0) await check(service, tip);
  }
  await check(service, tip);
});

test("replaced commits are counted by git", async () => {
  runGit(path, ["replace", "--graft", "main~10", "main~900"]);
  try {
    await check(open(), "main~5");
  } finally {
    runGit(path, ["replace", "-d", runGit(path, ["rev-parse", "main~10"]).toString().trim()]);
    rmSync(join(path, ".git/refs/replace"), { recursive: true, force: true });
  }
});

test("a damaged graph is deleted, and written again", async () => {
  const bytes = readFileSync(graph);
  for (let at = 2000; at < bytes.length; at += 37) bytes[at] = 7;
  rmSync(graph);
  writeFileSync(graph, bytes);
  const service = open();
  await check(service, "main~31");
  await eventually(() => service.history.graphs.objectsOf(repository(1, "long")) !== undefined);
  assert.notDeepEqual(readFileSync(graph), bytes);
  await check(service, "main~33");
});

test("the graph of a repository that no longer exists is deleted", () => {
  const history = new History({ repositories: viewOf([]), graphFolder });
  assert.deepEqual(readdirSync(graphFolder), []);
  history.close();
});

test("without a folder there are no graphs", async () => {
  const service = open({});
  await check(service, "main~7");
  assert.equal(service.history.graphs.objectsOf(repository(1, "long")), undefined);
});
