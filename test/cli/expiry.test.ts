import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExpiry } from "#cli/keysCommand";

const now = Date.UTC(2026, 0, 31, 12);

const cases: Readonly<Record<string, string | undefined>> = {
  "30d": "2026-03-02T12:00:00.000Z",
  "4w": "2026-02-28T12:00:00.000Z",
  "1y": "2027-01-31T12:00:00.000Z",
  "2027-01-31": "2027-01-31T00:00:00.000Z",
  "2027-01-31T10:00:00+02:00": "2027-01-31T08:00:00.000Z",
  never: undefined,
};
for (const [text, expected] of Object.entries(cases)) {
  test(text, () => assert.equal(parseExpiry(text, now), expected));
}

for (const text of ["soon", "30", "-1d", "1e9d", "99999d", "2027-13-01", "1 y", "30D", "January 1, 2027"]) {
  test(`refused: ${text}`, () => assert.throws(() => parseExpiry(text, now), { code: "USAGE" }));
}
