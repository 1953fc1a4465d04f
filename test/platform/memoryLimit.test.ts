import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteCache } from "#base/byteCache";
import { MemoryLimit } from "#platform/memoryLimit";

test("while the process takes more than the limit, it is exceeded, and caches are emptied", () => {
  const cache = new ByteCache<string>(1000);
  const set = () => cache.set("key", "value", 10);
  set();
  assert.equal(new MemoryLimit().isExceeded, false);
  assert.equal(new MemoryLimit(500, () => 500).isExceeded, false);
  assert.equal(cache.get("key"), "value");
  const limit = new MemoryLimit(500, () => 501);
  assert.equal(limit.isExceeded, true);
  assert.deepEqual([cache.get("key"), cache.bytes], [undefined, 0]);
  // Not emptied again so soon: they would be of no use.
  set();
  assert.equal(limit.isExceeded, true);
  assert.equal(cache.get("key"), "value");
});
