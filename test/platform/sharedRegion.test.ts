import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type LeasedBytes, releaseBytes, SharedRegion, SharedRegions } from "#platform/sharedRegion";
import { eventually } from "#test/support/eventually";

const limits = { maxBytes: 64, maxLeaseMs: 60_000, idleMs: 60_000 };

function bytesOf(value: number, length = 20): Uint8Array {
  return new Uint8Array(length).fill(value);
}

function copied(region: SharedRegion, value: number, length?: number): LeasedBytes {
  return region.copy(bytesOf(value, length)) ?? assert.fail("no space is free");
}

test("bytes stay the same until they are released, in any order and any number of times", () => {
  const actions = fc.array(
    fc.record({ length: fc.integer({ min: 0, max: 30 }), copies: fc.boolean(), at: fc.nat() }),
    { maxLength: 100 },
  );
  fc.assert(
    fc.property(actions, (all) => {
      const region = new SharedRegion(limits);
      const held: { readonly leased: LeasedBytes; readonly value: number }[] = [];
      const released: LeasedBytes[] = [];
      for (const [value, { length, copies, at }] of all.entries()) {
        if (copies) {
          const leased = region.copy(bytesOf(value, length));
          const heldBytes = held.reduce((sum, each) => sum + each.leased.bytes.length, 0);
          if (heldBytes + length > limits.maxBytes) assert.equal(leased, undefined);
          if (held.length === 0) assert.notEqual(leased, undefined);
          if (leased !== undefined) held.push({ leased, value });
        } else {
          const [done] = held.splice(at % (held.length + 1), 1);
          if (done !== undefined) released.push(done.leased);
          // The space of some of these is in use again.
          for (const each of released) releaseBytes(each);
        }
        for (const { leased, value } of held)
          assert.deepEqual(new Uint8Array(leased.bytes), bytesOf(value, leased.bytes.length));
      }
    }),
  );
});

test("space between others is used again", () => {
  const region = new SharedRegion(limits);
  const [, second] = [1, 2, 3].map((value) => copied(region, value));
  assert.equal(region.copy(bytesOf(4)), undefined);
  releaseBytes(second ?? assert.fail());
  assert.equal(region.copy(bytesOf(5, 21)), undefined);
  assert.equal(copied(region, 6).bytes.byteOffset, second?.bytes.byteOffset);
});

test("bytes that are too long, or too many, are not copied", () => {
  const region = new SharedRegion({ ...limits, maxBytes: 10_000 });
  assert.equal(region.copy(bytesOf(1, 10_001)), undefined);
  releaseBytes(copied(region, 1, 10_000));
  const all: LeasedBytes[] = [];
  for (let leased = region.copy(bytesOf(1, 1)); leased !== undefined; leased = region.copy(bytesOf(1, 1)))
    all.push(leased);
  assert.ok(all.length >= 1000 && all.length < 10_000, `${all.length}`);
  releaseBytes(all[500] ?? assert.fail());
  copied(region, 2);
});

test("a region whose bytes are not released is abandoned, and never used again", async () => {
  const region = new SharedRegion({ ...limits, maxLeaseMs: 10 });
  const lost = [1, 2, 3].map((value) => copied(region, value));
  assert.equal(region.copy(bytesOf(4)), undefined);
  await eventually(() => region.copy(bytesOf(5)) !== undefined);
  for (const each of lost) releaseBytes(each);
  for (const value of [6, 7]) copied(region, value);
  assert.deepEqual(
    lost.map(({ bytes }) => bytes[0]),
    [1, 2, 3],
  );
});

test("after some time without use, the region is new", async () => {
  const region = new SharedRegion({ ...limits, idleMs: 10 });
  const { buffer } = copied(region, 1).bytes;
  for (const value of [2, 3]) copied(region, value);
  await eventually(() => {
    const leased = region.copy(bytesOf(4));
    if (leased === undefined) return false;
    assert.notEqual(leased.bytes.buffer, buffer);
    return true;
  });
});

test("there are as many regions as needed, and only those with lost bytes are abandoned", async () => {
  const regions = new SharedRegions(2, { ...limits, maxLeaseMs: 10 });
  const copy = (value: number) => regions.copy(bytesOf(value, 40)) ?? assert.fail();
  const first = copy(1);
  releaseBytes(first);
  assert.equal(copy(2).bytes.buffer, first.bytes.buffer);
  const second = copy(3);
  assert.notEqual(second.bytes.buffer, first.bytes.buffer);
  assert.equal(regions.copy(bytesOf(4, 65)), undefined);
  // The bytes in the first region are lost.
  await eventually(() => {
    releaseBytes(second);
    const leased = regions.copy(bytesOf(5, 40));
    if (leased === undefined) return false;
    releaseBytes(leased);
    return leased.bytes.buffer !== first.bytes.buffer && leased.bytes.buffer !== second.bytes.buffer;
  });
});
