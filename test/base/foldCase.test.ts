import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldName } from "#base/foldCase";

test("names are folded by their ASCII letters only", () => {
  // In lower case, the Kelvin sign is an ASCII letter, and the dotted I is two characters.
  assert.equal(foldName("MAX_\u212a_\u0130_É"), "max_\u212a_\u0130_É");
  const texts = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(fc.oneof(texts, fc.string()), (text) => {
      const folded = Array.from(text, (each) => (each >= "A" && each <= "Z" ? each.toLowerCase() : each));
      assert.equal(foldName(text), folded.join(""));
    }),
  );
});
