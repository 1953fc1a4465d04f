import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldName } from "#base/foldCase";

test("names are folded by their ASCII letters only", () => {
  // The Kelvin sign and the dotted I have lower-case forms in ASCII or of another length.
  assert.equal(foldName("MAX_\u212a_\u0130_É"), "max_\u212a_\u0130_É");
  const texts = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(fc.oneof(texts, fc.string()), (text) => {
      const folded = Array.from(text, (each) => (each >= "A" && each <= "Z" ? each.toLowerCase() : each));
      assert.equal(foldName(text), folded.join(""));
    }),
  );
});
