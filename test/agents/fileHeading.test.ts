import assert from "node:assert/strict";
import { test } from "node:test";
import { fileHeading } from "#agents/fileHeading";

const file = { repository: "r", path: "a.ts" };
const cases: readonly (readonly [Parameters<typeof fileHeading>[0], string])[] = [
  [file, "r a.ts"],
  [{ ...file, branches: ["refs/heads/feature/x", "refs/tags/v1"] }, "r a.ts@feature/x"],
  [{ ...file, branches: ["refs/tags/v1"], origin: "commit" }, "r a.ts@v1"],
  [{ ...file, branches: ["refs/heads/main"], origin: "workingTree" }, "r a.ts (uncommitted)"],
  [{ ...file, origin: "unsaved" }, "r a.ts (unsaved)"],
  [{ ...file, path: "a\nError: b" }, "r a␊Error: b"],
];
for (const [found, heading] of cases) {
  test(heading, () => assert.equal(fileHeading(found), heading));
}
