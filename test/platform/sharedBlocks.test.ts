import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type LeasedBytes, releaseBytes, SharedBlocks } from "#platform/sharedBlocks";
import { eventually } from "#test/support/eventually";

const limits = { blockBytes: 64, maxCount: 3, maxLeaseMs: 60_000, idleMs: 60_000 };

function bytesOf(value: number, length = 10): Uint8Array {
  return new Uint8Array(length).fill(value);
}

function copied(blocks: SharedBlocks, value: number): LeasedBytes {
  return blocks.copy(bytesOf(value)) ?? assert.fail("no block is free");
}

test("bytes stay the same until they are released, in any order and any number of times", () => {
  const actions = fc.array(fc.record({ copies: fc.boolean(), at: fc.nat() }), { maxLength: 100 });
  fc.assert(
    fc.property(actions, (all) => {
      const blocks = new SharedBlocks(limits);
      const held: { readonly leased: LeasedBytes; readonly value: number }[] = [];
      const released: LeasedBytes[] = [];
      for (const [value, { copies, at }] of all.entries()) {
        if (copies) {
          const leased = blocks.copy(bytesOf(value));
          assert.equal(leased === undefined, held.length === limits.maxCount);
          if (leased !== undefined) held.push({ leased, value });
        } else {
          const [done] = held.splice(at % (held.length + 1), 1);
          if (done !== undefined) released.push(done.leased);
          // Some of these blocks are in use again.
          for (const each of released) releaseBytes(each);
        }
        for (const each of held) assert.deepEqual(new Uint8Array(each.leased.bytes), bytesOf(each.value));
      }
    }),
  );
});

test("bytes that are too long get no block", () => {
  const blocks = new SharedBlocks(limits);
  assert.equal(blocks.copy(bytesOf(1, 57)), undefined);
  assert.equal(blocks.copy(bytesOf(1, 56))?.bytes.length, 56);
});

test("blocks that are not released are given up, and never used again", async () => {
  const blocks = new SharedBlocks({ ...limits, maxLeaseMs: 10 });
  const lost = [1, 2, 3].map((value) => copied(blocks, value));
  assert.equal(blocks.copy(bytesOf(4)), undefined);
  await eventually(() => blocks.copy(bytesOf(5)) !== undefined);
  for (const each of lost) releaseBytes(each);
  for (const value of [6, 7]) copied(blocks, value);
  assert.deepEqual(
    lost.map(({ bytes }) => bytes[0]),
    [1, 2, 3],
  );
});

test("after some time without use, blocks are new", async () => {
  const blocks = new SharedBlocks({ ...limits, idleMs: 10 });
  const { buffer } = copied(blocks, 1).bytes;
  for (const value of [2, 3]) copied(blocks, value);
  await eventually(() => {
    const leased = blocks.copy(bytesOf(4));
    if (leased === undefined) return false;
    assert.notEqual(leased.bytes.buffer, buffer);
    return true;
  });
});
