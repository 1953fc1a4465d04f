import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ByteCache, objectBytes } from "#base/byteCache";
import { zonedDate } from "#base/zonedDate";

test("the least recently used value is evicted first", () => {
  const cache = new ByteCache<string>(100);
  for (const key of ["a", "b", "c", "d"]) cache.set(key, key, 25);
  assert.equal(cache.get("a"), "a");
  cache.set("e", "e", 20);
  assert.deepEqual(
    ["a", "b", "c", "d", "e"].map((key) => cache.get(key)),
    ["a", undefined, "c", "d", "e"],
  );
  assert.equal(cache.bytes, 95);
});

test("a replaced value counts once, and a large one is not cached", () => {
  const cache = new ByteCache<number>(100);
  cache.set("a", 1, 20);
  cache.set("a", 2, 25);
  assert.deepEqual([cache.get("a"), cache.bytes], [2, 25]);
  cache.set("a", 3, 26);
  assert.deepEqual([cache.get("a"), cache.bytes], [undefined, 0]);
});

test("the estimated size of commits is at least what they take, and at most four times as much", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heapBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  // Otherwise, collecting the commits of the previous round would reduce those of the next one.
  const kept: unknown[] = [];
  for (const subject of ["Fix", "Fix the thing", "Répare 名前 in all files, and their tests"]) {
    const before = heapBytes();
    const commits = Array.from({ length: 10_000 }, (_, at) => {
      // Parsed from one text, as git prints it.
      const printed = `${String(at).padStart(40, "a")}|2026-01-02T03:04:05+01:00|Ada Lovelace|ada${at}@example.com|${subject} ${at}`;
      const [hash = "", date = "", authorName = "", authorEmail = "", message = ""] = printed.split("|");
      return { hash, date, authorName, authorEmail, message };
    });
    kept.push(commits);
    const takenBytes = heapBytes() - before;
    const estimatedBytes = commits.reduce((sum, commit) => sum + objectBytes(Object.values(commit)), 0);
    const ratio = estimatedBytes / takenBytes;
    assert.ok(ratio >= 1 && ratio <= 4, `"${subject}": ${ratio}`);
  }
  assert.equal(kept.length, 3);
});

function checkDate(seconds: number, zone: string, expected: string): void {
  test(`${seconds} ${zone} is ${expected}`, () => assert.equal(zonedDate(seconds, zone), expected));
}

checkDate(1_500_000_000, "+0200", "2017-07-14T04:40:00+02:00");
checkDate(1_500_000_000, "-0730", "2017-07-13T19:10:00-07:30");
checkDate(0, "+0000", "1970-01-01T00:00:00+00:00");
checkDate(-1, "+0000", "1969-12-31T23:59:59+00:00");
checkDate(5, "nonsense", "1970-01-01T00:00:05+00:00");
checkDate(Number.NaN, "+0000", "");
checkDate(1e15, "+0000", "");
