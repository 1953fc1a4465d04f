import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type Decompressor,
  maxDictionaryBytes,
  newCompressor,
  newDecompressor,
  PlainLz4,
} from "#kernels/lz4";
import { Random } from "#test/support/corpus";

const compressor = newCompressor();
const decompressors: Readonly<Record<string, Decompressor>> = {
  WebAssembly: newDecompressor(),
  plain: new PlainLz4(),
};

/** How far copies may overrun a text. */
const slack = 16;

/**
 * Returns `undefined` if the text cannot be compressed. Asserts that nothing past the room for that is changed. `rest` is in
 * memory after the text.
 */
function compressed(text: Uint8Array, dictionary: Uint8Array, rest = 0x55): Uint8Array | undefined {
  compressor.reserve(text.length, 2 * text.length + 1000);
  compressor.useDictionary(dictionary);
  const { bytes, compressedStart, textStart } = compressor;
  bytes.fill(rest, textStart);
  bytes.set(text, textStart);
  const length = compressor.compress(text.length);
  assert.ok(bytes.subarray(compressedStart + text.length + slack).every((byte) => byte === rest));
  return length === 0 ? undefined : bytes.slice(compressedStart, compressedStart + length);
}

/** Returns `undefined` for a damaged frame. Asserts that nothing outside the text and the slack after it is changed. */
function decompressed(
  lz4: Decompressor,
  input: Uint8Array,
  textBytes: number,
  dictionary: Uint8Array,
): Uint8Array | undefined {
  lz4.reserve(textBytes + 1000, input.length);
  lz4.useDictionary(dictionary.slice());
  const { bytes, compressedStart, textStart } = lz4;
  bytes.fill(0x55, textStart);
  bytes.set(input, compressedStart);
  const before = bytes.slice(textStart + textBytes + slack);
  const isValid = lz4.decompress(compressedStart, input.length, textBytes);
  assert.deepEqual(bytes.slice(textStart + textBytes + slack), before);
  assert.deepEqual(bytes.slice(textStart - dictionary.length, textStart), Uint8Array.from(dictionary));
  return isValid ? bytes.slice(textStart, textStart + textBytes) : undefined;
}

const random = new Random(1);

/** Texts with repetitions near and far, as in source code. */
const words = fc.constantFrom("static ", "int ", "return 0;\n", "if (x) {\n", "\t", "aaaa", "ab", "x");
const texts = fc
  .array(fc.oneof(words, fc.string({ maxLength: 12 })), { maxLength: 400, size: "max" })
  .map((parts) => new Uint8Array(Buffer.from(parts.join(""))));

for (const [name, lz4] of Object.entries(decompressors)) {
  describe(name, () => {
    test("restores what was compressed, with any dictionary", () => {
      let count = 0;
      fc.assert(
        fc.property(texts, texts, (text, dictionary) => {
          const packed = compressed(text, dictionary);
          if (packed === undefined) return;
          count++;
          assert.ok(packed.length < text.length);
          assert.deepEqual(decompressed(lz4, packed, text.length, dictionary), text);
        }),
      );
      assert.ok(count > 20, `${count}`);
    });

    test("restores long literals, long matches and matches that overlap themselves", () => {
      const noise = random.bytes(5000);
      for (const period of [1, 2, 3, 7, 15, 16, 17, 33]) {
        const repeated = Uint8Array.from({ length: 3000 }, (_, at) => noise[at % period] ?? 0);
        const text = new Uint8Array(Buffer.concat([noise, repeated, noise]));
        const packed = compressed(text, new Uint8Array()) ?? assert.fail();
        assert.ok(packed.length < 5200, `${packed.length}`);
        assert.deepEqual(decompressed(lz4, packed, text.length, new Uint8Array()), text);
      }
    });

    test("restores texts that are longer than matches can reach, with any dictionary", () => {
      const line = random.bytes(500);
      const noise = random.bytes(maxDictionaryBytes);
      const nuls = new Uint8Array(3000);
      const text = new Uint8Array(Buffer.concat([line, noise, line, nuls, noise.subarray(-500), nuls, line]));
      for (const dictionary of [new Uint8Array(), noise, nuls]) {
        const packed = compressed(text, dictionary) ?? assert.fail();
        assert.deepEqual(decompressed(lz4, packed, text.length, dictionary), text);
      }
    });

    test("uses a dictionary of the largest size, but only as far as matches reach", () => {
      const dictionary = random.bytes(maxDictionaryBytes);
      const text = new Uint8Array(Buffer.concat([dictionary.subarray(0, 2000), dictionary.subarray(-2000)]));
      const packed = compressed(text, dictionary) ?? assert.fail();
      assert.ok(packed.length < 2100, `${packed.length}`);
      assert.deepEqual(decompressed(lz4, packed, text.length, dictionary), text);
      assert.throws(() => lz4.useDictionary(new Uint8Array(maxDictionaryBytes + 1)), RangeError);
    });

    test("restores a frame of the reference implementation", () => {
      const dictionary = Buffer.from("static int probe(struct platform_device *pdev)\n");
      const text =
        "static int probe(struct device *dev) { return 0; }\n".repeat(6) +
        "-".repeat(400) +
        "\nThe quick brown fox jumps over the lazy dog, and then some more words which do not repeat: " +
        "0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ!\n";
      // Written by LZ4_compress_fast_continue of LZ4 1.9.4.
      const packed = Buffer.from(
        "0f2f0005042600ff0464657629207b2072657475726e20303b207d0a3300ec1f2d0100ff7df0740a5468652071" +
          "7569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672c20616e642074" +
          "68656e20736f6d65206d6f726520776f72647320776869636820646f206e6f74207265706561743a2030313233" +
          "343536373839204142434445464748494a4b4c4d4e4f505152535455565758595a210a",
        "hex",
      );
      const restored = decompressed(lz4, packed, text.length, dictionary);
      assert.equal(Buffer.from(restored ?? []).toString(), text);
    });

    test("rejects frames that are damaged, or texts of another length, like the other implementation", () => {
      const change = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.nat(3), longer: fc.nat(3) });
      fc.assert(
        fc.property(texts, texts, change, (text, dictionary, { at, byte, cut, longer }) => {
          const packed = compressed(text, dictionary)?.slice(0, cut > 0 ? -cut : undefined);
          if (packed === undefined || packed.length === 0) return;
          packed[at % packed.length] = byte;
          const results = Object.values(decompressors).map((each) =>
            decompressed(each, packed, text.length + longer - 1, dictionary),
          );
          assert.deepEqual(results[0], results[1]);
        }),
        { numRuns: 500 },
      );
      const text = Buffer.from(`${"abc".repeat(30)}${"-".repeat(30)}`);
      const packed = compressed(text, new Uint8Array()) ?? assert.fail();
      assert.equal(decompressed(lz4, packed, text.length + 1, new Uint8Array()), undefined);
      assert.equal(decompressed(lz4, packed, text.length - 1, new Uint8Array()), undefined);
      assert.equal(decompressed(lz4, packed.slice(0, -1), text.length, new Uint8Array()), undefined);
      // A match before the start of the text.
      assert.equal(decompressed(lz4, Uint8Array.of(0x10, 0x61, 2, 0, 0x00), 5, new Uint8Array()), undefined);
    });

    test("refuses bytes outside the reserved range, and goes on after memory could not grow", () => {
      assert.throws(() => lz4.reserve(2 ** 53, 10));
      assert.equal(decompressed(lz4, Uint8Array.of(0x10, 0x61), 1, new Uint8Array())?.[0], 0x61);
      lz4.reserve(100, 100);
      assert.throws(() => lz4.decompress(lz4.compressedStart - 1, 10, 10), RangeError);
      assert.throws(() => lz4.decompress(lz4.compressedStart, 1 << 30, 10), RangeError);
      assert.throws(() => lz4.decompress(lz4.compressedStart, 10, 1 << 30), RangeError);
    });
  });
}

test("a text that would not become shorter is not compressed", () => {
  assert.equal(compressed(random.bytes(4096), new Uint8Array()), undefined);
  for (const short of ["", "a", "abcabcabcabc"]) {
    assert.equal(compressed(Buffer.from(short), new Uint8Array()), undefined);
  }
});

test("compresses a text to the same bytes, whatever follows it in memory", () => {
  const word = "abcdefghijklm";
  const text = Buffer.from(`${word}${"0".repeat(40)}-${word}`);
  const dictionary = Buffer.from(`${word}xxxxxxxxxxxx`);
  const [first, ...others] = [..."0x-"].map((rest) => compressed(text, dictionary, rest.charCodeAt(0)));
  assert.ok(first);
  for (const other of others) assert.deepEqual(other, first);
});
