import assert from "node:assert/strict";
import { test } from "node:test";
import { isRateLimited, quotaOf, RateLimits, retryAfter } from "#hosts/rateLimit";
import { manualClock } from "#test/support/clock";

const now = Date.parse("2026-01-31T12:00:00Z");

const retryAfterRows: readonly [value: string, seconds: number | undefined][] = [
  ["0", 0],
  ["120", 120],
  [" 7 ", 7],
  ["Sat, 31 Jan 2026 12:01:00 GMT", 60],
  ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
  ["", undefined],
  ["-5", undefined],
  ["soon", undefined],
];

for (const [value, seconds] of retryAfterRows) {
  test(`Retry-After: ${value}`, () => {
    const expected = seconds === undefined ? undefined : now + seconds * 1000;
    assert.equal(retryAfter({ "retry-after": value }, now), expected);
  });
}

const unixReset = String(now / 1000 + 600);
const quotaRows: readonly [
  title: string,
  headers: Readonly<Record<string, string>>,
  quota: object | undefined,
][] = [
  [
    "GitHub",
    { "x-ratelimit-remaining": "4", "x-ratelimit-limit": "60", "x-ratelimit-reset": unixReset },
    { remaining: 4, limit: 60, resetAt: now + 600_000 },
  ],
  [
    "GitLab",
    { "ratelimit-remaining": "4", "ratelimit-limit": "60", "ratelimit-reset": unixReset },
    { remaining: 4, limit: 60, resetAt: now + 600_000 },
  ],
  [
    "the Internet-Draft",
    { "ratelimit-remaining": "4", "ratelimit-limit": "60, 60;w=600", "ratelimit-reset": "600" },
    { remaining: 4, limit: 60, resetAt: now + 600_000 },
  ],
  ["no reset", { "x-ratelimit-remaining": "4", "x-ratelimit-limit": "60" }, undefined],
  ["a reset in years", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "4000000000" }, undefined],
  ["no numbers", { "x-ratelimit-remaining": "many", "x-ratelimit-reset": unixReset }, undefined],
];

for (const [title, headers, quota] of quotaRows) {
  test(`quota of ${title}`, () => assert.deepEqual(quotaOf(headers, now), quota));
}

test("403 is a rate limit only if a header or the body says so", () => {
  const isLimited = (headers: Readonly<Record<string, string>>, body: string) =>
    isRateLimited(403, headers, body, now);
  assert.equal(isLimited({}, "Resource not accessible by integration"), false);
  assert.equal(isLimited({ "x-ratelimit-remaining": "59", "x-ratelimit-reset": unixReset }, ""), false);
  assert.equal(isLimited({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": unixReset }, ""), true);
  assert.equal(isLimited({ "retry-after": "60" }, ""), true);
  assert.equal(isLimited({}, "You have exceeded a secondary rate limit"), true);
});

test("a host cannot block requests for years", () => {
  const limits = new RateLimits(manualClock(now));
  limits.block(now + 1e12);
  assert.equal(limits.nextAllowed("core") - now, 25 * 3_600_000);
});

test("the last fifth of a quota is spread until its reset", () => {
  const limits = new RateLimits(manualClock(now));
  const observe = (remaining: number) =>
    limits.observe("core", {
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-limit": "100",
      "x-ratelimit-reset": unixReset,
    });
  const delayMs = (bucket = "core") => Math.max(0, limits.nextAllowed(bucket) - now);
  observe(20);
  assert.equal(delayMs(), 0);
  observe(9);
  assert.equal(delayMs(), 60_000);
  assert.equal(delayMs("search"), 0);
  observe(0);
  assert.equal(delayMs(), 600_000);
});
