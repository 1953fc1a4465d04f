import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteCache } from "#base/byteCache";
import { zonedDate } from "#base/zonedDate";

test("what was not asked for longest goes first", () => {
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

test("what is set again counts once, and what is large is not kept", () => {
  const cache = new ByteCache<number>(100);
  cache.set("a", 1, 20);
  cache.set("a", 2, 25);
  assert.deepEqual([cache.get("a"), cache.bytes], [2, 25]);
  cache.set("a", 3, 26);
  assert.deepEqual([cache.get("a"), cache.bytes], [undefined, 0]);
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
