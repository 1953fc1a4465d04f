/** Packed files of the embedded engine: what the same search returns as objects, until they are released. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { EngineResult } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { PackedFile } from "#model/packedFile";
import { filesBelow } from "#test/support/corpus";
import {
  literal,
  openEngine,
  openIndex,
  planOf,
  regexp,
  search,
  type TestEngine,
} from "#test/support/engines";

const queries = [literal("e"), literal("import"), regexp("[a-z]+\\("), literal("server", { where: "both" })];
const limits = [Number.POSITIVE_INFINITY, 5000, 250, 7];

function unpackedFiles({ packed }: EngineResult): FileMatch[] {
  return Array.from(packed ?? [], (file) => file.unpack());
}

describe("packed files", () => {
  let opened: TestEngine;
  before(async () => {
    const directory = await openIndex([
      { id: 1, segments: [filesBelow("server/src", 1_000_000)] },
      { id: 2, segments: [filesBelow("node_modules/fastify", 1_000_000)] },
      { id: 3, segments: [[{ path: 'naïve "path" \n.txt', content: "import e(" }]] },
    ]);
    opened = openEngine(directory, { workerCount: 2, threads: true });
  });
  after(() => opened.engine.close());

  test("they are the same files", async () => {
    for (const query of queries) {
      for (const maxDisplayedMatches of limits) {
        const { files } = await search(opened.engine, query, { maxDisplayedMatches });
        const result = await search(opened.engine, query, { maxDisplayedMatches }, { acceptsPacked: true });
        assert.ok(files.length > 0);
        assert.deepEqual([result.files, unpackedFiles(result)], [[], files]);
        // Small results are copied.
        if (maxDisplayedMatches > 250)
          assert.ok([...(result.packed ?? [])].some((file) => file.files.lease > 0));
        result.release?.();
      }
    }
  });

  test("many searches at once keep their files until they release them", async () => {
    const expected = await Promise.all(queries.map((query) => search(opened.engine, query)));
    const held: { readonly result: EngineResult; readonly query: number }[] = [];
    const released: (EngineResult | undefined)[] = [];
    for (let round = 0; round < 12; round++) {
      const found = queries.map(async (query, at) => ({
        result: await search(opened.engine, query, {}, { acceptsPacked: true }),
        query: at,
      }));
      held.push(...(await Promise.all(found)));
      for (const [done] of [held.splice(round % held.length, 1), held.splice(-2, 1)]) {
        assert.deepEqual(done && unpackedFiles(done.result), expected[done?.query ?? 0]?.files);
        done?.result.release?.();
        // Releasing again does not affect searches that use the memory by now.
        released.push(done?.result);
        for (const each of released) each?.release?.();
      }
    }
    for (const { result, query } of held) {
      assert.deepEqual(unpackedFiles(result), expected[query]?.files);
      result.release?.();
    }
  });

  test("files that are emitted are objects", async () => {
    const plan = planOf(literal("import"), {}, { acceptsPacked: true });
    let isPacked = false;
    const result = await opened.engine.search(plan, new AbortController().signal, (files) => {
      isPacked ||= files.some((file) => file instanceof PackedFile);
    });
    assert.deepEqual([isPacked, result.packed], [false, undefined]);
  });
});
