/** Random sequences of indexing, searching and limits: the limit holds, and no exhaustive answer misses a match. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  bytesOnDisk,
  type LimitedIndex,
  largestShard,
  openLimitedIndex,
  textWith,
} from "#test/support/limitedIndex";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";

const { signal } = new AbortController();

/** What a repository contains, by branch: how many lines have the word. */
interface Model {
  readonly repository: TestRepository;
  readonly lines: Record<"main" | "old", number>;
}

function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const countOf = (text: string) => text.split("\n").filter((line) => line.includes("needle")).length;
const fileOf = (text: string) => `text.txt\n${text.replaceAll(/^/gm, "| ")}\n`;

function create(folder: string, at: number, pick: (limit: number) => number): Model {
  const main = textWith("needle", 4 + pick(12), pick(1000));
  const old = textWith("needle", 4 + pick(8), pick(1000));
  const text = `= main: One\n${fileOf(main)}= old from main: Two\n${fileOf(old)}`;
  return {
    repository: repo(text, { path: join(folder, `r${at}`) }),
    lines: { main: countOf(main), old: countOf(old) },
  };
}

async function check(index: LimitedIndex, models: readonly Model[], query: string, expected: number) {
  const found = await index.search(query);
  if (found.isSearchExhaustive) assert.equal(found.stats.totalMatchCount, expected, query);
  assert.ok(found.stats.repositoriesEvicted <= models.length);
  return found.isSearchExhaustive;
}

for (const seed of [1, 2]) {
  test(`a random sequence of operations, ${seed}`, async (t) => {
    const pick = random(seed);
    const folder = temporaryFolder();
    const models: Model[] = [];
    let limit = 150_000 + pick(200_000);
    const index = await openLimitedIndex({ maxIndexBytes: limit });
    t.after(() => index.close());
    const holds = () => assert.ok(bytesOnDisk(index) <= limit + largestShard(index), "the limit holds");
    index.directory.onChange(holds);
    const any = () => models[pick(models.length)] as Model;
    const nameOf = ({ repository }: Model) => repository.path.slice(folder.length + 1);
    const idOf = (model: Model) => index.catalog.byName(nameOf(model))?.id;
    const total = () => models.reduce((sum, { lines }) => sum + lines.main, 0);
    let exhaustive = 0;
    for (let step = 0; step < 30; step++) {
      const kind = pick(10);
      if (models.length < 3 || (kind === 0 && models.length < 9)) {
        const model = create(folder, models.length, pick);
        models.push(model);
        await index.sync.addPaths([model.repository.path], signal);
      } else if (kind <= 2) {
        const model = any();
        const text = textWith("needle", 4 + pick(12), pick(1000));
        model.repository.more(`= main: More\n${fileOf(text)}`);
        model.lines.main = countOf(text);
        const id = idOf(model);
        if (id !== undefined) index.sync.refresh(id, "changed");
        // The index is not current, and the search says so.
        await check(index, models, "needle", total());
      } else if (kind === 3) {
        const next = 100_000 + pick(300_000);
        // It holds when everything beyond it has been evicted.
        limit = Math.max(limit, next);
        index.setLimit(next);
        await index.sync.storage.space.trim();
        limit = next;
      } else if (kind === 4) await check(index, models, "needle", total());
      else if (kind <= 6) {
        const model = any();
        exhaustive += Number(
          await check(index, models, `needle repo:^${nameOf(model)}$ rev:old`, model.lines.old),
        );
      } else {
        const [one, other] = [any(), any()];
        const names = [...new Set([one, other])];
        const expected = names.reduce((sum, { lines }) => sum + lines.main, 0);
        const query = `needle repo:^(${names.map(nameOf).join("|")})$`;
        exhaustive += Number(await check(index, models, query, expected));
      }
      await index.sync.idle();
      holds();
      assert.ok(index.directory.diskBytes <= limit, `after step ${step}`);
      assert.equal(index.directory.diskBytes, bytesOnDisk(index));
    }
    assert.ok(exhaustive > 0, "some searches were complete");
  });
}
