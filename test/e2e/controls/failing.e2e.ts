/** A test that fails: it must be red. */
import assert from "node:assert/strict";

describe("a test", () => {
  it("that passes", () => {});
  it("that fails", () => assert.fail("on purpose"));
});
