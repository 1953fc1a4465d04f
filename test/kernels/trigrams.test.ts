import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { PlainTrigrams, type TrigramKernel, trigramKernel } from "#kernels/trigrams";

/** Computes trigrams by their definition: every three consecutive bytes, with A to Z folded. */
function expected(bytes: Uint8Array): Set<number> {
  const small = bytes.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
  const trigrams = new Set<number>();
  for (let at = 0; at + 3 <= small.length; at++) {
    trigrams.add((small[at]! << 16) | (small[at + 1]! << 8) | small[at + 2]!);
  }
  return trigrams;
}

const kernels: Record<string, () => TrigramKernel> = {
  WebAssembly: trigramKernel,
  plain: () => new PlainTrigrams(),
};

for (const [name, make] of Object.entries(kernels)) {
  describe(name, () => {
    const kernel = make();
    const collect = (bytes: Uint8Array): number[] => {
      const count = kernel.collect(bytes, 0, bytes.length);
      const found = [...kernel.found.subarray(0, count)];
      kernel.next();
      return found;
    };

    test("collects each trigram of a block once, block by block", () => {
      const blocks = fc.array(fc.uint8Array({ maxLength: 300, max: 255 }), { maxLength: 5 });
      fc.assert(
        fc.property(blocks, (all) => {
          for (const bytes of all) {
            const found = collect(bytes);
            assert.equal(new Set(found).size, found.length);
            assert.deepEqual(new Set(found), expected(bytes));
          }
        }),
      );
    });

    test("two forms of one block share trigrams", () => {
      const [first, second] = [Buffer.from("sKelvin"), Buffer.from("skelvix")];
      kernel.collect(first, 0, first.length);
      const count = kernel.collect(second, 0, second.length);
      const both = new Set([...expected(first), ...expected(second)]);
      assert.deepEqual(new Set(kernel.found.subarray(0, count)), both);
      assert.equal(count, both.size);
      kernel.next();
    });

    test("a small block after one of two mebibytes is unaffected", () => {
      const large = Uint8Array.from({ length: 2 << 20 }, (_, at) => (at * 7919) >>> 5);
      assert.deepEqual(new Set(collect(large)), expected(large));
      assert.deepEqual(collect(Buffer.from("abc")), [0x616263]);
    });

    for (const text of ["", "a", "ab"])
      test(`finds none in "${text}"`, () => assert.deepEqual(collect(Buffer.from(text)), []));
  });
}
