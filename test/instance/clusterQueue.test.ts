import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { ClusterQueue } from "#instance/clusterQueue";
import { silentLog } from "#platform/log";
import type { ClusterNode, IndexQueue, QueueTopic } from "#store/indexQueue";

test("an answer of the database that arrives late does not hide which nodes are drained", async () => {
  const answers: ((nodes: readonly ClusterNode[]) => void)[] = [];
  const wake = new Map<QueueTopic, () => void>();
  const queue = {
    subscribe: (topic: QueueTopic, call: () => void) => wake.set(topic, call),
    nodes: () => new Promise<readonly ClusterNode[]>((resolve) => answers.push(resolve)),
    becomeFeeder: (onChange: (isFeeder: boolean) => void) => onChange(true),
    async close() {},
  } as unknown as IndexQueue;
  const clusterQueue = new ClusterQueue({
    open: async () => queue,
    onReported() {},
    onDrained() {},
    onFeeder() {},
    log: silentLog,
  });
  const opening = clusterQueue.open();
  await setImmediate();
  wake.get("nodes")?.();
  wake.get("nodes")?.();
  const [first, second, third] = answers;
  first?.([]);
  await opening;
  third?.([{ name: "one", isDrained: true }]);
  second?.([]);
  await setImmediate();
  assert.equal(clusterQueue.isDrained("one"), true);
  await clusterQueue.close();
});
