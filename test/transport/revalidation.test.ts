/** Responses that depend only on a commit have an ETag. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hostileHistory, importOn } from "#test/support/history";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const past = hostileHistory();
const caller = callerOf({ repositories: viewOf([repository(1, "past", { path: past.path })]) });
let listener: TestListener;
before(async () => {
  listener = await openListener(caller);
});
after(() => listener.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${listener.url}/api/${path}`, { headers });

for (const path of [
  "source?repo=past&path=README.md",
  "blame?repo=past&path=README.md",
  "commits?repo=past&perPage=2",
  "commits/authors?repo=past",
  "commit?repo=past&ref=v1.0",
  "diff?repo=past&base=v0.1&head=v1.0",
]) {
  test(`${path} is not sent again until something changes`, async () => {
    const first = await get(path);
    const tag = first.headers.get("etag") ?? "";
    assert.match(tag, /^W\/"[\w-]+"$/);
    assert.equal(first.headers.get("cache-control"), "private, no-cache");
    assert.equal((await get(path)).headers.get("etag"), tag);
    for (const known of [tag, `"other", ${tag}`, tag.replace("W/", ""), "*"]) {
      const again = await get(path, { "if-none-match": known });
      assert.deepEqual([again.status, await again.text()], [304, ""]);
      assert.equal(again.headers.get("etag"), tag);
    }
    assert.equal((await get(path, { "if-none-match": '"other"' })).status, 200);
    const packed = await get(path, { "accept-encoding": "gzip" });
    assert.equal(packed.headers.get("etag"), tag);
  });
}

test("a new commit changes the ETag", async () => {
  const path = "source?repo=past&path=README.md";
  const tag = (await get(path)).headers.get("etag") ?? "";
  importOn(past.path, "main", { on: "main", message: "Change", files: [["README.md", "# Changed\n"]] });
  const after = await get(path, { "if-none-match": tag });
  assert.equal(after.status, 200);
  assert.notEqual(after.headers.get("etag"), tag);
});

test("other responses and errors are not cached", async () => {
  for (const path of ["repos", "version", "repos/branches?repo=past", "source?repo=past&path=nothing"]) {
    const response = await get(path, { "if-none-match": "*" });
    assert.equal(response.headers.get("etag"), null);
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.notEqual(response.status, 304);
  }
});
