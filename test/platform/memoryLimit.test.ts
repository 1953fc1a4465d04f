import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteCache } from "#base/byteCache";
import { MemoryLimit } from "#platform/memoryLimit";

test("while the process uses more than the limit, caches are cleared", () => {
  const cache = new ByteCache<string>(1000);
  const set = () => cache.set("key", "value", 10);
  set();
  assert.equal(new MemoryLimit().check(), false);
  assert.equal(new MemoryLimit(500, () => 500).check(), false);
  assert.equal(cache.get("key"), "value");
  const limit = new MemoryLimit(500, () => 501);
  assert.equal(limit.check(), true);
  assert.deepEqual([cache.get("key"), cache.bytes], [undefined, 0]);
  // Clearing again so soon would make caching useless.
  set();
  assert.equal(limit.check(), true);
  assert.equal(cache.get("key"), "value");
});
