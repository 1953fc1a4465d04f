/** Events of indexing reach a client that follows them. */
import { join } from "node:path";
import { test } from "node:test";
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
import { temporaryFolder } from "#test/support/repo";

test("what changes while an event is sent is in the next one", async (t) => {
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
  const { indexing } = localOperations(catalog, sync, { isSettled: true } as SymbolIndexer);
  const request = { follow: true, withSymbols: false, withDependencies: false, withMirrors: false };
  const ended = indexing(request, context as unknown as CallContext<"indexing">).catch(() => undefined);
  await eventuallyEqual(() => events, [["first"], ["second"]]);
  closing.abort();
  await ended;
});
