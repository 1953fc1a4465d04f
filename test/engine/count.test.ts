import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { CountRequest } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import type { Query } from "#query/query";
import {
  openEngine,
  openIndex,
  search,
  shardDocument,
  type TestDocument,
  type TestRepositoryIndex,
} from "#test/support/engines";
import { shardBytes } from "#test/support/shards";

const revisions = [
  { name: "refs/heads/main", commit: "a".repeat(40), slot: 0 },
  { name: "refs/tags/v1", commit: "b".repeat(40), slot: 1 },
];
const languages = ["", "Go", "TypeScript"];

const paths = fc
  .array(fc.constantFrom("a", "ab", "b.ts", "é", "src"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));
const documents = fc.uniqueArray(
  fc.record({
    path: paths,
    content: fc.constant("x\n"),
    language: fc.constantFrom(...languages),
    slots: fc.constantFrom([0], [1], [0, 1]),
  }),
  { selector: ({ path }) => path, maxLength: 30 },
);
const requests = fc.record({
  by: fc.oneof(
    fc.constant({ kind: "language" } as const),
    fc
      .constantFrom("", "a/", "src/", "src/a/", "é/")
      .map((folder) => ({ kind: "name", folder, part: "" }) as const),
    fc.record({
      kind: fc.constant("path" as const),
      folder: fc.constantFrom("", "a/", "src/"),
      start: fc.constantFrom("A", "ab", "b", "S", "é", "x"),
    }),
  ),
  repositories: fc.constantFrom<CountRequest["repositories"]>("all", new Set([2 as RepositoryId])),
  revisions: fc.constantFrom([], ["*"], ["main"], ["v1", "main"]),
});

/** Counts with a search that returns every document. */
async function counted(engine: EmbeddedEngine, { by, repositories, revisions: names }: CountRequest) {
  const all: Query = { kind: "const", value: true };
  const child: Query = names.length === 0 ? all : { kind: "revision", names };
  const { files } = await search(engine, { kind: "type", type: "file", child }, {}, { repositories });
  const counts = new Map<string, number>();
  for (const { path, language } of files) {
    const key = keyOf(by, path, language);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function keyOf(by: CountRequest["by"], path: string, language: string): string | undefined {
  if (by.kind === "language") return language;
  if (!path.startsWith(by.folder)) return undefined;
  if (by.kind === "name") return /^[^/]*\/?/.exec(path.slice(by.folder.length))?.[0];
  const at = path.lastIndexOf("/") + 1;
  if (at === by.folder.length) return undefined;
  return path.slice(at).toLowerCase().startsWith(by.start.toLowerCase()) ? path : undefined;
}

const sorted = (counts: ReadonlyMap<string, number>) =>
  [...counts].sort(([left], [right]) => (left < right ? -1 : 1));

test("counts equal those of a search for all files", async () => {
  await fc.assert(
    fc.asyncProperty(
      documents,
      documents,
      documents,
      documents,
      requests,
      async (first, late, other, edited, request) => {
        const segments: TestRepositoryIndex["segments"] = [first, { documents: late.slice(0, 3) }];
        const directory = await openIndex([
          { id: 1, revisions, segments },
          { id: 2, revisions, segments: [other] },
        ]);
        const { engine } = openEngine(directory, { workerCount: 2 });
        try {
          await engine.setOverlay(1, await overlay(edited.slice(0, 4)));
          const { counts: found } = await engine.count(request, new AbortController().signal);
          assert.deepEqual(sorted(found), sorted(await counted(engine, request)));
        } finally {
          await engine.close();
        }
      },
    ),
    { numRuns: 100 },
  );
});

async function overlay(changed: readonly TestDocument[]) {
  return {
    bytes: await shardBytes((writer) => {
      writer.beginRepository(1);
      for (const document of changed) writer.add({ ...shardDocument({ ...document, slots: [] }), blob: "" });
    }),
    hiddenPaths: changed.map(({ path }) => Buffer.from(path)),
  };
}
