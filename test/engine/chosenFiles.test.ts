import assert from "node:assert/strict";
import { test } from "node:test";
import { isServiceError, ServiceError } from "#base/error";
import { packFile } from "#engine/embedded/resultPiece";
import type { SearchThread } from "#engine/embedded/searchMessages";
import { runSearch, type SearchRun } from "#engine/embedded/searchRun";
import { fieldCount, type PackedFiles, PackedList } from "#model/packedFile";
import { noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { SharedRegion } from "#platform/sharedRegion";
import { literal, planOf } from "#test/support/engines";
import { eventually } from "#test/support/eventually";
import { fileMatch } from "#test/support/service";

const regionBytes = 1000;

/** Returns a piece with the same file again and again, in a region that it fills. */
function pieceOf(region: SharedRegion, count: number): PackedFiles {
  const piece = packFile(fileMatch(1, "a", { chunks: Buffer.from("[]") }));
  const bytes = new Uint8Array(regionBytes);
  bytes.set(piece.bytes);
  return {
    ...piece,
    numbers: Uint32Array.from({ length: count * fieldCount }, (_, at) => piece.numbers[at % fieldCount] ?? 0),
    scores: new Float64Array(count),
    ...(region.copy(bytes) ?? assert.fail()),
  };
}

/** A search on one worker, which has found `count` documents. `load` returns their files. */
function searchOf(count: number, load: (onPartial: (piece: PackedFiles) => void) => PackedFiles): SearchRun {
  const hits = {
    order: [7, 1, 1],
    matchCount: count,
    limitedMatchCount: count,
    fileCount: count,
    phraseMatchCount: 0,
    documents: Uint32Array.from({ length: count }, (_, at) => at),
    scores: new Float64Array(count),
    matchCounts: new Uint32Array(count).fill(1),
  };
  const found = {
    kind: "hits",
    token: 1,
    hits: [hits],
    loadedCount: 0,
    stats: noStats,
    isTruncated: false,
    damagedFiles: [],
  };
  const thread = {
    run: async (call: { kind: string }, _: AbortSignal, onPartial: (piece: PackedFiles) => void) =>
      call.kind === "search"
        ? found
        : { kind: "files", last: load(onPartial), isLate: false, damagedFiles: [] },
  };
  const { limits } = planOf(literal("a"), { maxMatches: 1e6, maxDisplayedMatches: 1e6 });
  const until = monotonicNow() + 60_000;
  return {
    threads: [thread as unknown as SearchThread],
    callFor: () => ({ kind: "search" }) as ReturnType<SearchRun["callFor"]>,
    limits,
    stages: { searchUntil: until, respondUntil: until, filesUntil: until },
    acceptsPacked: true,
    emit: undefined,
    onDamage: () => {},
  };
}

test("a search that is canceled while its files are counted releases them", async () => {
  const region = new SharedRegion({ maxBytes: regionBytes, maxLeaseMs: 60_000, idleMs: 60_000 });
  const controller = new AbortController();
  const run = searchOf(500_000, () => {
    setImmediate(() => controller.abort());
    return pieceOf(region, 500_000);
  });
  await assert.rejects(runSearch(run, controller.signal), (error) => isServiceError(error, "CANCELLED"));
  await eventually(() => region.copy(new Uint8Array(regionBytes)) !== undefined);
});

test("if a worker exits, the files that it has sent are part of the result", async () => {
  const region = new SharedRegion({ maxBytes: regionBytes, maxLeaseMs: 60_000, idleMs: 60_000 });
  const run = searchOf(5, (onPartial) => {
    onPartial(pieceOf(region, 3));
    throw new ServiceError("ENGINE_UNAVAILABLE", "A worker thread has stopped.");
  });
  const result = await runSearch(run, new AbortController().signal);
  assert.ok(result !== "tooSlow");
  assert.deepEqual(
    [[...(result.packed ?? [])].length, result.stats.actualMatchCount, result.stats.crashes],
    [3, 3, 1],
  );
  result.release?.();
  assert.ok(region.copy(new Uint8Array(regionBytes)));
});

test("a list has packed files of several pieces at any positions", () => {
  const pieces = ["a", "b", "c"].map((path) => packFile(fileMatch(1, path)));
  const list = new PackedList();
  for (const [piece, position] of [4, 0, 3, 1].entries())
    list.set(position, pieces[piece % 3] ?? assert.fail(), 0);
  const paths = () => Array.from(list, (file) => file.unpack().path);
  assert.deepEqual(
    [list.length, list.at(2), list.at(9), paths()],
    [5, undefined, undefined, ["b", "a", "c", "a"]],
  );
  list.truncate(4);
  assert.deepEqual([list.length, paths()], [4, ["b", "a", "c"]]);
});
