import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { isServiceError, type ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import type { GitRequest } from "#git/gitRequest";
import { CatFilePool, ObjectReader } from "#git/objects/objectReader";
import { checkRef, resolveRef } from "#git/refs/resolveRef";
import { hostileHistory, shallowClone } from "#test/support/history";
import { gitRepositoryOf, repo, runGit, temporaryFolder } from "#test/support/repo";

const repository = hostileHistory();
repository.git("update-ref", "refs/remotes/origin/far", "main~2");
repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/left");
repository.git("tag", "packed", "main~1");
repository.git("pack-refs", "--all");
repository.git("branch", "loose", "main~3");
repository.git("branch", "deadbee", "main~4");
repository.git("branch", "odd#%&(),;=!'\"$|<>{}", "main~4");
repository.git("branch", "with.dots", "main~4");
const pool = new CatFilePool();
after(() => pool.close());

function newRequest(): GitRequest {
  const { signal } = new AbortController();
  return {
    gitRepository: gitRepositoryOf(repository),
    signal,
    client: "",
    timeLimitMs: 10_000,
    limiter: new Limiter(4),
  };
}

/** Starts no process until it is freed. */
function busyLimiter() {
  const limiter = new Limiter(1);
  let free = () => {};
  void limiter.run(
    () =>
      new Promise<void>((resolve) => {
        free = resolve;
      }),
  );
  return { limiter, free: () => free() };
}

async function resolve(ref: string, options: Partial<GitRequest> = {}) {
  const request = { ...newRequest(), ...options };
  return resolveRef(request, new ObjectReader(request, pool), ref);
}

/** The commit that git itself resolves a ref to, or undefined. */
function revParse(ref: string, { path }: { readonly path: string } = repository): string | undefined {
  const expression = `${ref}^{commit}`;
  try {
    return runGit(path, ["rev-parse", "--verify", "--quiet", "--end-of-options", expression])
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

const main = repository.git("rev-parse", "main");
const names = [
  ...["main", "HEAD", "@", "refs/heads/main", "heads/main", "feature/ünïcode", "refs/heads/feature/ünïcode"],
  ...["v0.1", "v1.0", "refs/tags/v1.0", "tag-of-tag", "packed", "loose", "alias", "ambiguous", "same-name"],
  ...["origin/far", "refs/remotes/origin/far", "main~3", "main^", "v1.0^2", "v1.0^3~1", "main^0", "v1.0^{}"],
  ...[
    "v1.0^{commit}",
    "tag-of-tag^{}~1",
    "HEAD~2^",
    main,
    main.slice(0, 7),
    main.slice(0, 12),
    main.toUpperCase(),
  ],
  ...[
    "deadbee",
    "with.dots",
    "odd#%&(),;=!'\"$|<>{}",
    repository.git("rev-parse", "v1.0"),
    repository.git("rev-parse", "tag-of-tag"),
  ],
  ...[
    "nothing",
    "main~9999",
    "v1.0^9",
    "a-tree",
    "f".repeat(40),
    "abcdef1",
    repository.git("rev-parse", "main:README.md"),
  ],
  ...["refs/heads/nothing", "MAIN/x", "refs/heads", "refs/tags/", "heads", "packed-refs"],
];

for (const name of names) {
  test(`resolves ${name} as git does`, async () => {
    assert.equal((await resolve(name))?.commit, revParse(name));
  });
}

test("an ancestor is found without a git process", async () => {
  const { limiter } = busyLimiter();
  for (const ref of ["HEAD~2^", "v1.0^2", "v1.0^3~1", "tag-of-tag^{}~1", `${main}~0^0`]) {
    assert.equal((await resolve(ref, { limiter }))?.commit, revParse(ref), ref);
  }
});

test("a distant ancestor is left to git", async () => {
  const { path, git } = repo();
  const commits = Array.from(
    { length: 110 },
    (_, n) => `commit refs/heads/long\ncommitter A <a@b> ${n} +0000\ndata 0\n`,
  );
  runGit(path, ["fast-import", "--quiet"], Buffer.from(commits.join("\n")));
  git("symbolic-ref", "HEAD", "refs/heads/long");
  const gitRepository = gitRepositoryOf({ path });
  for (const ref of ["HEAD~100", "HEAD~101", "HEAD~50^~49", "HEAD~109", "HEAD~110"])
    assert.equal((await resolve(ref, { gitRepository }))?.commit, revParse(ref, { path }), ref);
  const { limiter, free } = busyLimiter();
  assert.notEqual(await resolve("HEAD~100", { gitRepository, limiter }), undefined);
  let isFound = false;
  const distant = resolve("HEAD~101", { gitRepository, limiter }).then(() => {
    isFound = true;
  });
  await new Promise((done) => setImmediate(done));
  assert.equal(isFound, false);
  free();
  await distant;
});

test("names are looked up in git's order", async () => {
  const { path, git } = repo("= main: One\na.txt\n| one\n= main: Two\na.txt\n| two");
  git("branch", "heads/main", "main~1");
  git("update-ref", "ORIG_HEAD", "main~1");
  git("branch", "ORIG_HEAD", "main");
  git("update-ref", "refs/other", "main~1");
  git("branch", "other", "main");
  git("branch", "config", "main");
  git("branch", "objects", "main");
  const gitRepository = gitRepositoryOf({ path });
  for (const command of [["status"], ["pack-refs", "--all"]]) {
    git(...command);
    for (const name of [
      "heads/main",
      "heads/heads/main",
      "ORIG_HEAD",
      "other",
      "config",
      "objects",
      "main",
    ]) {
      for (const ref of [name, `${name}^`])
        assert.equal((await resolve(ref, { gitRepository }))?.commit, revParse(ref, { path }), ref);
    }
  }
  // Not refs, although there are such files.
  assert.equal((await resolve("config", { gitRepository }))?.name, "refs/heads/config");
  assert.equal((await resolve("objects", { gitRepository }))?.name, "refs/heads/objects");
});

test("an ancestor is the one that git finds where parents are replaced, cut off or missing", async () => {
  const { path, git } = hostileHistory();
  const shallow = temporaryFolder();
  shallowClone(path, shallow);
  const check = async (folder: { readonly path: string }) => {
    const gitRepository = gitRepositoryOf(folder);
    const expected = [];
    for (const ref of ["HEAD", "HEAD^", "HEAD~2", "HEAD~3", "HEAD~4^0"]) {
      const found = await resolve(ref, { gitRepository }).catch(({ code }: ServiceError) => code);
      expected.push(revParse(ref, folder));
      assert.equal(typeof found === "object" ? found.commit : undefined, expected.at(-1), ref);
    }
    return expected;
  };
  const original = await check({ path });
  assert.deepEqual(await check({ path: shallow }), [...original.slice(0, 3), undefined, undefined]);
  const [head = "", , , old = ""] = original;
  git("replace", "--graft", head, old);
  assert.equal((await check({ path }))[1], old);
  rmSync(join(path, ".git/refs/replace"), { recursive: true });
  mkdirSync(join(path, ".git/info"), { recursive: true });
  writeFileSync(join(path, ".git/info/grafts"), `${head} ${old}\n`);
  assert.equal((await check({ path }))[1], old);
  rmSync(join(path, ".git/info/grafts"));
  // As if it ended there, although the other objects exist.
  writeFileSync(join(path, ".git/shallow"), `${original[1]}\n`);
  assert.deepEqual(await check({ path }), [...original.slice(0, 2), undefined, undefined, undefined]);
  rmSync(join(path, ".git/shallow"));
  assert.deepEqual(await check({ path }), original);
  rmSync(join(path, ".git/objects", old.slice(0, 2), old.slice(2)));
  await check({ path });
});

test("full names of branches and tags are returned", async () => {
  const known = async (ref: string) => (await resolve(ref))?.name;
  assert.equal(await known("main"), "refs/heads/main");
  assert.equal(await known("HEAD"), "refs/heads/main");
  assert.equal(await known("v1.0"), "refs/tags/v1.0");
  assert.equal(await known("ambiguous"), "refs/tags/ambiguous");
  assert.equal(await known("refs/heads/ambiguous"), "refs/heads/ambiguous");
  assert.equal(await known(main), undefined);
  assert.equal(await known("main~1"), undefined);
});

test("abbreviated hashes need at least seven digits", async () => {
  assert.equal(await resolve(main.slice(0, 6)), undefined);
  assert.notEqual(revParse(main.slice(0, 6)), undefined);
});

const invalid = [
  ...[
    "",
    "-x",
    "--all",
    "a..b",
    "a...b",
    "..",
    "^main",
    ":/x",
    "HEAD:x",
    "main:",
    "@{1}",
    "main@{u}",
    "HEAD^{/x}",
  ],
  ...[
    "HEAD^{tree}",
    "HEAD^{blob}",
    "main^@",
    "main^!",
    "main^-",
    "a b",
    "a\n",
    "a\u0000b",
    "a\\b",
    "a*",
    "a?",
    "[a]",
  ],
  ...["~", "^", "~2", "/main", "a//b", "main.lock", "x".repeat(251), "\ud800", "main~99999999999"],
];

for (const ref of invalid) {
  test(`rejects ${JSON.stringify(ref).slice(0, 40)}`, () => {
    assert.throws(() => checkRef(ref), { code: "INVALID_GIT_REF", message: /^Invalid git reference/ });
  });
}

test("any input is rejected, not found, or the commit that git resolves", async () => {
  const piece = fc.oneof(
    fc.constantFrom(...names, ...invalid),
    fc.string({ maxLength: 6 }),
    fc.constantFrom("~1", "^2", "^{}"),
  );
  const some = fc.sample(fc.array(piece, { minLength: 1, maxLength: 3 }), { numRuns: 150, seed: 11 });
  for (const ref of some.map((pieces) => pieces.join(""))) {
    const found = await resolve(ref).catch((error: unknown) => {
      assert.ok(isServiceError(error, "INVALID_GIT_REF"), String(error));
      return undefined;
    });
    if (found !== undefined) assert.equal(found.commit, revParse(ref), ref);
  }
});
