import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestNames } from "#base/nearestNames";

const known = ["port", "host", "json", "context", "count", "public-url"];

const cases: Record<string, string[]> = {
  prot: ["port"],
  Jsn: ["json"],
  hots: ["host"],
  contxt: ["context"],
  cuont: ["count"],
  "public-ulr": ["public-url"],
  x: [],
  directory: [],
};

for (const [word, names] of Object.entries(cases)) {
  test(`nearest to ${word}`, () => assert.deepEqual(nearestNames(word, known), names));
}
