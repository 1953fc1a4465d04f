/** Events of indexing reach a client that follows them, and its end one that waits for it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { CallContext } from "#contract/service";
import { localOperations } from "#instance/localOperations";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { ShardDirectory } from "#shard/directory/directory";
import type { SymbolIndexer } from "#sync/symbolIndexer";
import { Sync } from "#sync/sync";
import { workerTask } from "#sync/workerTasks";
import { eventuallyEqual } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";

async function open(t: TestContext) {
  const folder = temporaryFolder();
  const catalog = Catalog.open(folder, { log: silentLog });
  const sync = new Sync({
    catalog,
    directory: await ShardDirectory.open(join(folder, "shards")),
    pool: inlineThread(workerTask()),
    settings: {},
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay() {},
  });
  t.after(async () => {
    await sync.close();
    catalog.close();
  });
  const { indexing } = localOperations(catalog, sync, { isSettled: true } as SymbolIndexer);
  return { folder, catalog, sync, indexing };
}

const untilIndexed = { follow: false, withSymbols: false, withDependencies: false, withMirrors: false };

test("what changes while an event is sent is in the next one", async (t) => {
  const { folder, catalog, indexing } = await open(t);
  const add = (name: string) =>
    catalog.upsert([{ kind: "clone", path: join(folder, name), codeHostType: "genericGitHost" }]);
  const events: (readonly string[])[] = [];
  const closing = new AbortController();
  const context = {
    signal: closing.signal,
    async emit({ repositories }) {
      events.push(repositories.map(({ repository }) => repository));
      if (events.length === 1) add("second");
    },
  } satisfies Partial<CallContext<"indexing">>;
  add("first");
  const ended = indexing(
    { ...untilIndexed, follow: true },
    context as unknown as CallContext<"indexing">,
  ).catch(() => undefined);
  await eventuallyEqual(() => events, [["first"], ["second"]]);
  closing.abort();
  await ended;
});

test("the end of indexing is reported without waiting for the next event", async (t) => {
  const { catalog, sync, indexing } = await open(t);
  const { path } = repo("= main: First\na.txt\n| one");
  // Only the timer of events: it never fires.
  const realTimeout = setTimeout;
  t.mock.method(globalThis, "setTimeout", (run: () => void, ms?: number) =>
    ms === 150 ? realTimeout(() => undefined, 0) : realTimeout(run, ms),
  );
  const { signal } = new AbortController();
  const adding = sync.addPaths([path], signal);
  const end = await indexing(untilIndexed, { signal } as unknown as CallContext<"indexing">);
  assert.deepEqual(end.failed, []);
  assert.deepEqual(
    catalog.all().map(({ state }) => state),
    ["ready"],
  );
  await adding;
});
