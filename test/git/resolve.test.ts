import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { isServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { ObjectBatches, ObjectReader } from "#git/objectReader";
import { findPlace } from "#git/place";
import type { Question } from "#git/question";
import { checkRef, resolveRef } from "#git/resolve";
import { hostileHistory } from "#test/support/history";

const past = hostileHistory();
past.git("update-ref", "refs/remotes/origin/far", "main~2");
past.git("symbolic-ref", "refs/heads/alias", "refs/heads/left");
past.git("tag", "packed", "main~1");
past.git("pack-refs", "--all");
past.git("branch", "loose", "main~3");
past.git("branch", "deadbee", "main~4");
past.git("branch", "odd#%&(),;=!'\"$|<>{}", "main~4");
past.git("branch", "with.dots", "main~4");
const batches = new ObjectBatches();
after(() => batches.close());

function question(): Question {
  const place = findPlace(past.path);
  assert.ok(place);
  const { signal } = new AbortController();
  return { place, signal, client: "", timeLimitMs: 10_000, turns: new Limiter(4) };
}

async function resolved(ref: string) {
  const asked = question();
  return resolveRef(asked, new ObjectReader(asked, batches), ref);
}

/** What git says itself; `undefined` where it says nothing. */
function inGit(ref: string): string | undefined {
  try {
    return past.git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`);
  } catch {
    return undefined;
  }
}

const main = past.git("rev-parse", "main");
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
    past.git("rev-parse", "v1.0"),
    past.git("rev-parse", "tag-of-tag"),
  ],
  ...[
    "nothing",
    "main~9999",
    "v1.0^9",
    "a-tree",
    "f".repeat(40),
    "abcdef1",
    past.git("rev-parse", "main:README.md"),
  ],
  ...["refs/heads/nothing", "MAIN/x", "refs/heads", "refs/tags/", "heads", "packed-refs"],
];

for (const name of names) {
  test(`${name} is what it is for git`, async () => {
    assert.equal((await resolved(name))?.commit, inGit(name));
  });
}

test("full names are told of branches and tags", async () => {
  const known = async (ref: string) => (await resolved(ref))?.name;
  assert.equal(await known("main"), "refs/heads/main");
  assert.equal(await known("HEAD"), "refs/heads/main");
  assert.equal(await known("v1.0"), "refs/tags/v1.0");
  assert.equal(await known("ambiguous"), "refs/tags/ambiguous");
  assert.equal(await known("refs/heads/ambiguous"), "refs/heads/ambiguous");
  assert.equal(await known(main), undefined);
  assert.equal(await known("main~1"), undefined);
});

test("a commit is not told by fewer than seven digits", async () => {
  assert.equal(await resolved(main.slice(0, 6)), undefined);
  assert.notEqual(inGit(main.slice(0, 6)), undefined);
});

const wrong = [
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

for (const ref of wrong) {
  test(`${JSON.stringify(ref).slice(0, 40)} is refused`, () => {
    assert.throws(() => checkRef(ref), { code: "INVALID_GIT_REF", message: /^Invalid git reference/ });
  });
}

test("whatever is asked for, it is refused, not there, or a commit of git's", async () => {
  const piece = fc.oneof(
    fc.constantFrom(...names, ...wrong),
    fc.string({ maxLength: 6 }),
    fc.constantFrom("~1", "^2", "^{}"),
  );
  const some = fc.sample(fc.array(piece, { minLength: 1, maxLength: 3 }), { numRuns: 150, seed: 11 });
  for (const ref of some.map((pieces) => pieces.join(""))) {
    const found = await resolved(ref).catch((error: unknown) => {
      assert.ok(isServiceError(error, "INVALID_GIT_REF"), String(error));
      return undefined;
    });
    if (found !== undefined) assert.equal(found.commit, inGit(ref), ref);
  }
});
