import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { intersectBits, intersectGalloping, lowerBound, unite } from "#kernels/gallop";

const lists = fc
  .uniqueArray(fc.oneof(fc.nat(80), fc.nat(10_000), fc.constant(0xffffffff)), { maxLength: 80 })
  .map((list) => Uint32Array.from(list).sort());

test("galloping intersects two lists into a third one, or in place", () => {
  fc.assert(
    fc.property(lists, lists, (a, b) => {
      const inB = new Set(b);
      const expected = a.filter((number) => inB.has(number));
      const into = new Uint32Array(a.length);
      assert.deepEqual(into.slice(0, intersectGalloping(a, b, into)), expected);
      const ownA = a.slice();
      assert.deepEqual(ownA.slice(0, intersectGalloping(ownA, b, ownA)), expected);
      const ownB = b.slice();
      assert.deepEqual(ownB.slice(0, intersectGalloping(a, ownB, ownB)), expected);
    }),
  );
});

test("a union contains each number once", () => {
  fc.assert(
    fc.property(lists, lists, (a, b) => {
      const into = new Uint32Array(a.length + b.length);
      assert.deepEqual(into.slice(0, unite(a, b, into)), Uint32Array.from(new Set([...a, ...b])).sort());
    }),
  );
});

test("a bitmap keeps the numbers whose bit is set", () => {
  fc.assert(
    fc.property(lists, fc.uint32Array({ maxLength: 20 }), (list, bits) => {
      const isSet = (number: number) => (((bits[Math.floor(number / 32)] ?? 0) >>> (number % 32)) & 1) === 1;
      const own = list.slice();
      assert.deepEqual(own.slice(0, intersectBits(own, bits, own)), list.filter(isSet));
    }),
  );
});

test("the lower bound is the index of the first number that is not less", () => {
  const list = Uint32Array.of(2, 4, 4_000_000_000);
  const bounds = [0, 2, 3, 4, 5, 4_000_000_000, 4_294_967_296].map((n) => lowerBound(list, n, 0, 3));
  assert.deepEqual(bounds, [0, 0, 1, 1, 2, 2, 3]);
});
