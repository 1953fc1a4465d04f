/** What a git server passes on to indexers while repositories exchange names. */
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type FedRevisions, IndexFeed } from "#instance/indexFeed";
import type { Repository, RepositoryId } from "#model/repository";
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

async function openFeed(t: TestContext, onStore: (name: string) => void = () => {}) {
  const queue = await openIndexQueue(embeddedFile(join(temporaryFolder(), "queue.db")), systemClock);
  const feed = new IndexFeed({
    queue: async () => queue,
    async store({ repository: { id, name }, chosen: { revisions }, maxFileBytes }) {
      onStore(name);
      await queue.want([{ repositoryId: id, node: "one", name, source: "/git", maxFileBytes, revisions }]);
    },
    all: () => [],
    keepMs: 0,
    clock: systemClock,
    log: silentLog,
  });
  t.after(async () => {
    feed.close();
    await queue.close();
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
  feed.setFeeder(true);
  return { feed, wanted };
}

test("a repository whose name belonged to another one stays wanted by nodes", async (t) => {
  const { feed, wanted } = await openFeed(t);
  feed.add(fed(1, "a"));
  feed.add(fed(2, "b"));
  await eventuallyEqual(wanted, ["a 1", "b 2"]);
  feed.add(fed(1, "b"));
  feed.add(fed(2, "a"));
  feed.add(fed(3, "c"));
  await eventuallyEqual(wanted, ["a 2", "b 1", "c 3"]);
});

test("a repository that is removed while its new name is stored is not wanted under either name", async (t) => {
  const { feed, wanted } = await openFeed(t, (name) => {
    if (name === "b") feed.remove(1 as RepositoryId);
  });
  feed.add(fed(1, "a"));
  await eventuallyEqual(wanted, ["a 1"]);
  feed.add(fed(1, "b"));
  feed.add(fed(3, "c"));
  await eventuallyEqual(wanted, ["c 3"]);
});
