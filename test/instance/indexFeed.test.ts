/** What a git server passes on to indexers while repositories exchange names. */
import { join } from "node:path";
import { test } from "node:test";
import { type FedRevisions, IndexFeed } from "#instance/indexFeed";
import type { Repository } from "#model/repository";
import { systemClock } from "#platform/clock";
import { silentLog } from "#platform/log";
import { openIndexQueue } from "#store/openIndexQueue";
import { embeddedFile } from "#test/support/embeddedFile";
import { eventuallyEqual } from "#test/support/eventually";
import { temporaryFolder } from "#test/support/repo";

function fed(id: number, name: string): FedRevisions {
  const chosen = { revisions: [{ name: "refs/heads/main", commit: `${id}`.repeat(40) }] };
  return { repository: { id, name } as Repository, chosen, maxFileBytes: 1, isForced: false } as FedRevisions;
}

test("a repository whose name belonged to another one stays wanted by nodes", async () => {
  const queue = await openIndexQueue(embeddedFile(join(temporaryFolder(), "queue.db")), systemClock);
  const feed = new IndexFeed({
    queue: async () => queue,
    store: async ({ repository: { id, name }, chosen: { revisions }, maxFileBytes }) =>
      queue.want([{ repositoryId: id, node: "one", name, source: "/git", maxFileBytes, revisions }]),
    all: () => [],
    clock: systemClock,
    log: silentLog,
  });
  /** The names of the wanted repositories, each with the first digit of its commit. */
  const wanted = async () => {
    const ids = await queue.idsOf(["a", "b", "c"]);
    const names = new Map([...ids].map(([name, id]) => [id, name]));
    const reports = await queue.reports([...names.keys()]);
    return reports
      .flatMap(({ repositoryId, wanted: [first] }) =>
        first === undefined ? [] : [`${names.get(repositoryId)} ${first.commit[0]}`],
      )
      .sort();
  };
  try {
    feed.setFeeder(true);
    feed.add(fed(1, "a"));
    feed.add(fed(2, "b"));
    await eventuallyEqual(wanted, ["a 1", "b 2"]);
    feed.add(fed(1, "b"));
    feed.add(fed(2, "a"));
    feed.add(fed(3, "c"));
    await eventuallyEqual(wanted, ["a 2", "b 1", "c 3"]);
  } finally {
    feed.close();
    await queue.close();
  }
});
