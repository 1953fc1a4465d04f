/** What the search page says if results are incomplete or there is nothing to search, and to whom it responds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "#base/error";
import type { FlushReason } from "#model/stats";
import { getPage, plain } from "#test/support/page";
import {
  callerOf,
  engineOf,
  engineResult,
  fileMatch,
  openListener,
  repository,
  viewOf,
} from "#test/support/service";

const repositories = viewOf([repository(1, "github.com/o/r"), repository(2, "late", { state: "queued" })]);

const reasons: readonly [FlushReason, RegExp][] = [
  ["MATCH_LIMIT", /Limited to the best 1 file; there are more/],
  ["TIME_LIMIT", /time limit ended the search early/],
  ["BYTE_LIMIT", /reached their size limit/],
  ["INDEXING", /Indexing is not finished/],
  ["REVISION_NOT_INDEXED", /revision is not indexed yet/],
  ["SHARD_DAMAGED", /index is damaged/],
  ["ENGINE_PARTIAL", /could not be evaluated/],
];

test("incomplete results say why, above the results", async () => {
  let flushReason: FlushReason = "NONE";
  let searches = 0;
  const complete = engineResult([fileMatch(1, "a.ts")]);
  const engine = engineOf(async () => {
    searches++;
    return {
      ...complete,
      stats: { ...complete.stats, flushReason },
      isExhaustive: flushReason === "NONE",
    };
  });
  const ready = viewOf([repository(1, "github.com/o/r")]);
  const listener = await openListener(callerOf({ repositories: ready, engine }));
  const url = `${listener.url}/?q=found`;
  const whole = await getPage(url);
  assert.match(plain(whole.text), /1 match · 1 file · 1 repository/);
  assert.doesNotMatch(whole.text, /About 1 match/);
  const searchesOfPage = searches;
  const head = await getPage(url, { method: "HEAD", headers: { accept: "text/html" } });
  assert.deepEqual([head.status, head.text, searches], [200, "", searchesOfPage]);
  for (const name of ["content-type", "content-security-policy", "content-encoding", "cache-control", "vary"])
    assert.equal(head.headers.get(name), whole.headers.get(name), name);
  for (const [reason, text] of reasons) {
    flushReason = reason;
    const page = await getPage(url);
    assert.match(page.text, /About 1 match/);
    const [, above = ""] = /<div id="results"[^>]*>(.*?)<article/s.exec(page.text) ?? [];
    assert.match(plain(above), text, reason);
  }
  await listener.close();
});

test("an error after the start of the page is shown in place", async () => {
  const engine = engineOf(() => Promise.reject(new ServiceError("TIMED_OUT", "The search took too long.")));
  const ready = viewOf([repository(1, "github.com/o/r")]);
  const listener = await openListener(callerOf({ repositories: ready, engine }));
  const page = await getPage(`${listener.url}/?q=found`);
  assert.equal(page.status, 200);
  assert.match(page.text, /<p class="note" role="alert"><bdi>The search took too long\.<\/bdi><\/p>/);
  assert.match(page.text, /value="found".*<\/html>\s*$/s);
  await listener.close();
});

test("the state of each repository is on the start page", async () => {
  const listener = await openListener(callerOf({ repositories }));
  const page = await getPage(`${listener.url}/`);
  assert.match(plain(page.text), /late main · 3 files · queued/);
  await listener.close();
});

test("the start page says what to do if there are no repositories", async () => {
  const listener = await openListener(callerOf());
  const page = await getPage(`${listener.url}/`);
  assert.match(plain(page.text), /no repositories yet.*trawl serve ~\/src.*Add Folder/s);
  await listener.close();
});

test("the search page is for browsers that may see it", async () => {
  const listener = await openListener(callerOf({ repositories }));
  for (const accept of ["*/*", "application/json", "text/htmlx"]) {
    const response = await fetch(`${listener.url}/?q=x`, { headers: { accept } });
    assert.equal(response.status, 404);
    assert.match(response.headers.get("content-type") ?? "", /json/);
  }
  await listener.close();
  const closed = await openListener(callerOf({ repositories }), { anonymous: "off" });
  for (const path of ["/", "/?q=found", "/?q=lang:nothing", "/repositories", "/complete?q=repo:&offset=5"]) {
    const page = await getPage(`${closed.url}${path}`);
    assert.equal(page.status, 401, path);
    assert.match(page.text, /<h1>Log in/);
    assert.doesNotMatch(page.text, /github\.com/);
    // A form that is sent without script must not put the key into the URL.
    assert.doesNotMatch(page.text, /<input type="password"[^>]*name=/);
  }
  await closed.close();
});
