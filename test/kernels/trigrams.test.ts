import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { encodeGaps } from "#kernels/gaps";
import { PlainTrigrams, type TrigramKernel, trigramKernel } from "#kernels/trigrams";
import { Random } from "#test/support/corpus";

/** Computes trigrams by their definition: every three consecutive bytes, with A to Z folded. */
function trigramsOf(bytes: Uint8Array): Set<number> {
  const small = bytes.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
  const trigrams = new Set<number>();
  for (let at = 0; at + 3 <= small.length; at++) {
    trigrams.add((small[at]! << 16) | (small[at + 1]! << 8) | small[at + 2]!);
  }
  return trigrams;
}

/** Each trigram with the bytes of its list, in hexadecimal. A block may have two forms. */
type Lists = readonly (readonly [trigram: number, list: string])[];

function expected(blocks: readonly (readonly Uint8Array[])[]): Lists {
  const lists = new Map<number, number[]>();
  for (const [block, forms] of blocks.entries()) {
    for (const trigram of new Set(forms.flatMap((bytes) => [...trigramsOf(bytes)])))
      lists.set(trigram, [...(lists.get(trigram) ?? []), block]);
  }
  return [...lists]
    .toSorted(([left], [right]) => left - right)
    .map(([trigram, numbers]) => [trigram, hex(encodeGaps(numbers))]);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

const kernels: Record<string, () => TrigramKernel> = {
  WebAssembly: trigramKernel,
  plain: () => new PlainTrigrams(),
};

for (const [name, make] of Object.entries(kernels)) {
  describe(name, () => {
    const kernel = make();
    const listsOf = (): Lists => {
      const lists: [number, string][] = [];
      kernel.forEachList((trigram, list) => {
        lists.push([trigram, hex(list)]);
      });
      return lists;
    };
    const collect = (blocks: readonly (readonly Uint8Array[])[]): Lists => {
      kernel.reset();
      for (const forms of blocks) {
        for (const bytes of forms) kernel.collect(bytes, 0, bytes.length);
        kernel.next();
      }
      return listsOf();
    };

    test("lists the blocks of each trigram", () => {
      const any = fc.uint8Array({ maxLength: 300, max: 255 });
      const alike = fc.uint8Array({ maxLength: 12, max: 3 });
      const blocks = fc.array(fc.oneof(any, alike), { maxLength: 60 });
      fc.assert(
        fc.property(blocks, (all) => {
          const forms = all.map((bytes) => [bytes]);
          assert.deepEqual(collect(forms), expected(forms));
        }),
      );
    });

    test("two forms of one block share trigrams", () => {
      const forms = ["sKelvin", "skelvix"].map((text) => Buffer.from(text));
      assert.deepEqual(collect([forms, forms]), expected([forms, forms]));
    });

    test("blocks around one of two mebibytes are unaffected", () => {
      const large = Uint8Array.from({ length: 2 << 20 }, (_, at) => (at * 7919) >>> 5);
      const blocks = [[Buffer.from("abcd")], [large], [Buffer.from("abc")]];
      assert.deepEqual(collect(blocks), expected(blocks));
      assert.deepEqual(collect([[Buffer.from("abc")]]), [[0x616263, "00"]]);
    });

    test("lists of all lengths, from a few bytes to many chunks", () => {
      const random = new Random(1);
      const texts = ["abc", "bcd", "cde", "def"].map((text) => Buffer.from(text));
      const blocks = Array.from({ length: 30_000 }, () =>
        texts.filter((_, index) => random.chance(4 ** -(index + 1))),
      );
      assert.deepEqual(collect(blocks), expected(blocks));
    });

    test("blocks far from each other", () => {
      kernel.reset();
      const found: number[] = [];
      for (let block = 0; block < 2_200_001; block++) {
        if ([0, 1, 70_000, 70_001, 1_099_999].includes(block)) {
          kernel.collect(Buffer.from("abc"), 0, 3);
          found.push(block);
        }
        kernel.next();
      }
      kernel.collect(Buffer.from("xyz"), 0, 3);
      kernel.next();
      assert.deepEqual(listsOf(), [
        [0x616263, hex(encodeGaps(found))],
        [0x78797a, hex(encodeGaps([2_200_001]))],
      ]);
    });

    test("a block that was not ended leaves nothing behind", () => {
      kernel.reset();
      kernel.collect(Buffer.from("abcd"), 0, 4);
      const blocks = [[Buffer.from("abxy")], [Buffer.from("abcd")]];
      assert.deepEqual(collect(blocks), expected(blocks));
    });

    for (const text of ["", "a", "ab"])
      test(`finds none in "${text}"`, () => assert.deepEqual(collect([[Buffer.from(text)]]), []));
  });
}
