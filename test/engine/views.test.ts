import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { UnsavedDocument } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { Query } from "#query/query";
import type { ShardDirectory } from "#shard/directory/directory";
import {
  hitLines,
  literal,
  openEngine,
  openIndex,
  planOf,
  publish,
  regexp,
  search,
  shardDocument,
  type TestDocument,
  type TestRepositoryIndex,
} from "#test/support/engines";
import { shardBytes } from "#test/support/shards";

const revisions = [
  { name: "refs/heads/main", commit: "a".repeat(40), slot: 0 },
  { name: "refs/heads/release/1", commit: "b".repeat(40), slot: 1 },
  { name: "refs/tags/v1", commit: "b".repeat(40), slot: 2 },
];

const clone: TestRepositoryIndex = {
  id: 1,
  revisions,
  segments: [
    [
      { path: "same.ts", content: "needle same\n", slots: [0, 1, 2] },
      { path: "edited.ts", content: "needle committed\n", slots: [0] },
      { path: "edited.ts", content: "needle released\n", slots: [1, 2] },
      { path: "gone.ts", content: "needle gone from the disk\n", slots: [0] },
    ],
    { documents: [{ path: "late.ts", content: "needle late\n", slots: [0] }] },
  ],
};
const folder: TestRepositoryIndex = {
  id: 2,
  kind: "folder",
  revisions: [],
  segments: [
    [
      { path: "notes.md", content: "needle in a folder\n" },
      { path: "b.md", content: "needle b\n" },
    ],
  ],
};

async function overlay(documents: readonly TestDocument[], hidden: readonly string[], repositoryId = 1) {
  return {
    bytes: await shardBytes((writer) => {
      writer.beginRepository(repositoryId);
      for (const document of documents)
        writer.add({ ...shardDocument({ ...document, slots: [] }), blob: "" });
    }),
    hiddenPaths: [...hidden, ...documents.map(({ path }) => path)].map((path) => Buffer.from(path)),
  };
}

function unsaved(path: string, text: string, repositoryId = 1): UnsavedDocument {
  return { repositoryId: repositoryId as never, path, text, language: "TypeScript", version: "1" };
}

/** `path (origin; refs): line`, sorted. */
function print(files: readonly FileMatch[]): string[] {
  return files
    .map((file) => {
      const refs = file.branches.map((ref) => ref.replace(/^refs\/(heads|tags)\//, "")).join(" ");
      const [line = file.path] = hitLines([file]);
      return `${line.replace(/:\d+: .*/, "")} (${file.origin}; ${refs}): ${line.replace(/^.*?: /, "")}`;
    })
    .sort();
}

async function searchLines(
  engine: EmbeddedEngine,
  query: Query,
  documents: readonly UnsavedDocument[] = [],
): Promise<string[]> {
  const { files, isExhaustive } = await engine.search(
    planOf(query, {}, { unsaved: documents }),
    new AbortController().signal,
  );
  assert.equal(isExhaustive, true);
  return print(files);
}

async function withEngine<Result>(
  repositories: readonly TestRepositoryIndex[],
  run: (engine: EmbeddedEngine, directory: ShardDirectory) => Promise<Result>,
): Promise<void> {
  const directory = await openIndex(repositories);
  for (const workerCount of [1, 2, 3]) {
    const { engine } = openEngine(directory, { workerCount });
    await run(engine, directory);
    await engine.close();
  }
}

const needle = literal("needle");
const committed = [
  "edited.ts (commit; main): needle committed",
  "gone.ts (commit; main): needle gone from the disk",
  "late.ts (commit; main): needle late",
  "same.ts (commit; main): needle same",
];

test("a clone is searched on its default revision", () =>
  withEngine([clone], async (engine) => assert.deepEqual(await searchLines(engine, needle), committed)));

test("a working tree can be added, replaced and removed", () =>
  withEngine([clone], async (engine) => {
    await engine.setOverlay(
      1 as never,
      await overlay(
        [
          { path: "edited.ts", content: "needle edited\n" },
          { path: "fresh.ts", content: "needle fresh\n" },
        ],
        ["gone.ts"],
      ),
    );
    const rest = ["late.ts (commit; main): needle late", "same.ts (commit; main): needle same"];
    assert.deepEqual(await searchLines(engine, needle), [
      "edited.ts (workingTree; main): needle edited",
      "fresh.ts (workingTree; main): needle fresh",
      ...rest,
    ]);
    // Paths are hidden like text.
    assert.deepEqual(await searchLines(engine, literal("gone", { where: "name" })), []);
    await engine.setOverlay(1 as never, await overlay([{ path: "late.ts", content: "nothing\n" }], []));
    assert.deepEqual(
      await searchLines(engine, needle),
      committed.filter((line) => !line.startsWith("late")),
    );
    await engine.setOverlay(1 as never, undefined);
    assert.deepEqual(await searchLines(engine, needle), committed);
  }));

test("a working tree does not affect requested revisions", () =>
  withEngine([clone], async (engine) => {
    await engine.setOverlay(
      1 as never,
      await overlay([{ path: "edited.ts", content: "needle edited\n" }], ["same.ts"]),
    );
    const revision = (...names: string[]): Query => ({
      kind: "and",
      children: [{ kind: "revision", names }, needle],
    });
    const documents = [unsaved("same.ts", "needle unsaved\n")];
    assert.deepEqual(await searchLines(engine, revision("main"), documents), committed);
    assert.deepEqual(await searchLines(engine, revision("HEAD")), committed);
    assert.deepEqual(await searchLines(engine, revision("refs/heads/release/1")), [
      "edited.ts (commit; release/1): needle released",
      "same.ts (commit; release/1): needle same",
    ]);
    assert.deepEqual(await searchLines(engine, revision("release/*", "v1")), [
      "edited.ts (commit; release/1 v1): needle released",
      "same.ts (commit; release/1 v1): needle same",
    ]);
    assert.deepEqual(await searchLines(engine, revision("bbbbbbb")), [
      "edited.ts (commit; release/1 v1): needle released",
      "same.ts (commit; release/1 v1): needle same",
    ]);
    assert.deepEqual(await searchLines(engine, revision("*")), [
      "edited.ts (commit; main): needle committed",
      "edited.ts (commit; release/1 v1): needle released",
      ...committed.slice(1, 3),
      "same.ts (commit; main release/1 v1): needle same",
    ]);
    assert.deepEqual(
      await searchLines(engine, {
        kind: "and",
        children: [needle, { kind: "not", child: { kind: "revision", names: ["main"] } }],
      }),
      ["edited.ts (commit; release/1 v1): needle released"],
    );
    assert.deepEqual(await searchLines(engine, revision("bbbbbb")), []);
    assert.deepEqual(await searchLines(engine, revision("gone")), []);
  }));

test("unsaved documents hide everything at their path", () =>
  withEngine([clone, folder], async (engine) => {
    await engine.setOverlay(
      1 as never,
      await overlay([{ path: "edited.ts", content: "needle edited\n" }], []),
    );
    const documents = [
      unsaved("edited.ts", "needle typed"),
      unsaved("same.ts", "nothing"),
      unsaved("untitled.ts", "a needle\r\nmore"),
      unsaved("notes.md", "needle in an editor", 2),
      unsaved("lost.ts", "needle of a repository that is not there", 9),
    ];
    const folderRest = "b.md (workingTree; ): needle b";
    assert.deepEqual(await searchLines(engine, needle, documents), [
      folderRest,
      "edited.ts (unsaved; main): needle typed",
      ...committed.slice(1, 3),
      "notes.md (unsaved; ): needle in an editor",
      "untitled.ts (unsaved; main): a needle",
    ]);
    const language: Query = { kind: "and", children: [needle, { kind: "language", names: ["TypeScript"] }] };
    assert.deepEqual((await searchLines(engine, language, documents)).length, 3);
    // The next search may have other documents, or none.
    assert.deepEqual(
      await searchLines(engine, literal("same.ts", { where: "name" }), documents.slice(1, 2)),
      ["same.ts (unsaved; main): same.ts"],
    );
    assert.deepEqual((await searchLines(engine, needle))[0], folderRest);
    const only = await engine.search(
      planOf(needle, {}, { unsaved: documents, repositories: new Set([2 as never]) }),
      new AbortController().signal,
    );
    assert.deepEqual(print(only.files), [folderRest, "notes.md (unsaved; ): needle in an editor"]);
  }));

test("unsaved documents can contain any text", () =>
  withEngine([clone], async (engine) => {
    for (const text of [
      "",
      "\n",
      "\ud800 needle",
      "\0needle\0",
      "needle".repeat(500_000),
      "é needle\u2028",
    ]) {
      const files = await searchLines(engine, needle, [unsaved("same.ts", text)]);
      assert.equal(
        files.filter((line) => line.startsWith("same.ts")).length,
        text.includes("needle") ? 1 : 0,
      );
    }
  }));

test("a working tree can be added before its repository is indexed", () =>
  withEngine([], async (engine, directory) => {
    await engine.setOverlay(1 as never, await overlay([{ path: "early.ts", content: "needle early\n" }], []));
    assert.deepEqual(await searchLines(engine, needle), []);
    await publish(directory, { id: 1, revisions, segments: [[]] });
    assert.deepEqual(await searchLines(engine, needle), ["early.ts (workingTree; main): needle early"]);
    await publish(directory, clone);
    assert.equal((await searchLines(engine, needle)).length, committed.length + 1);
    await directory.remove(1);
    assert.deepEqual(await searchLines(engine, needle), []);
    await publish(directory, clone);
    assert.deepEqual(await searchLines(engine, needle), committed);
    await directory.remove(1);
  }));

test("a repository without commits has only its working tree", () =>
  withEngine([{ id: 1, revisions: [], segments: [[]] }], async (engine) => {
    await engine.setOverlay(1 as never, await overlay([{ path: "a.ts", content: "needle\n" }], []));
    assert.deepEqual(await searchLines(engine, needle), ["a.ts (workingTree; ): needle"]);
  }));

test("repositories that a caller may not see are not searched", () =>
  withEngine(
    [clone, folder, { id: 3, segments: [[{ path: "secret", content: "needle secret\n" }]] }],
    async (engine) => {
      for (const [visible, paths] of [
        [
          [1, 2],
          ["b.md", "edited.ts", "gone.ts", "late.ts", "notes.md", "same.ts"],
        ],
        [[3], ["secret"]],
        [[], []],
      ] as const) {
        const plan = planOf(needle, {}, { repositories: new Set(visible as readonly number[] as never[]) });
        const { files } = await engine.search(plan, new AbortController().signal);
        assert.deepEqual(files.map(({ path }) => path).sort(), paths);
      }
    },
  ));

describe("ranking", () => {
  const rank = async (documents: readonly TestDocument[], query: Query) => {
    const directory = await openIndex([{ id: 1, segments: [documents] }]);
    const { engine } = openEngine(directory);
    const { files } = await search(engine, query, { explainsScores: true });
    await engine.close();
    for (const { explanation = "" } of files)
      assert.match(explanation, /^edges \d+, name \d+, definition \d+, near \d+, count [\d.]+/);
    return files.map(({ path }) => path);
  };
  const both = literal("walk", { where: "both" });
  const cases: readonly (readonly [name: string, documents: readonly TestDocument[], query: Query])[] = [
    [
      "a file name before text; in a name, the whole base name, then word edges, then the inside of a word",
      [
        { path: "src/walk.ts", content: "export const x = 1;\n" },
        { path: "src/walkers.ts", content: "none\n" },
        { path: "src/sleepwalkers.ts", content: "none\n" },
        { path: "src/a.ts", content: "walk walk walk\n" },
      ],
      both,
    ],
    [
      "whole words, then word edges, then the inside of words",
      [
        { path: "c.ts", content: "walk()\n" },
        { path: "b.ts", content: "walkers()\n" },
        { path: "a.ts", content: "sleepwalkers()\n" },
      ],
      literal("walk"),
    ],
    [
      "a camelCase hump is a word edge",
      [
        { path: "b.ts", content: "doWalk()\n" },
        { path: "a.ts", content: "dowalkers()\n" },
      ],
      literal("walk"),
    ],
    [
      "source, then documentation, tests, generated and vendored",
      [
        { path: "e", content: "walk\n", category: "source" },
        { path: "d", content: "walk\n", category: "documentation" },
        { path: "c", content: "walk\n", category: "test" },
        { path: "b", content: "walk\n", category: "generated" },
        { path: "a", content: "walk\n", category: "vendored" },
      ],
      literal("walk"),
    ],
    [
      "terms near each other first",
      [
        { path: "b", content: `walk run${"\n.".repeat(2000)}\n` },
        { path: "c", content: `walk${"\n.".repeat(300)}\nrun\n` },
        { path: "a", content: `walk${"\n.".repeat(2000)}\nrun\n` },
      ],
      { kind: "and", children: [literal("walk"), literal("run")] },
    ],
    [
      "more matches before fewer, shard order among equals",
      [
        { path: "z", content: "walk ".repeat(50) },
        { path: "b", content: "walk\n" },
        { path: "a", content: "walk\n" },
      ],
      literal("walk"),
    ],
    [
      "expressions are ranked like text",
      [
        { path: "b", content: "walk\n" },
        { path: "a", content: "sleepwalking\n" },
      ],
      regexp("wal[k]"),
    ],
  ];
  for (const [name, documents, query] of cases) {
    test(name, async () => {
      const expected = documents.map(({ path }) => path);
      assert.deepEqual(await rank(documents, query), expected);
      // The order in the shard matters only among equals.
      if (!name.includes("equals")) assert.deepEqual(await rank([...documents].reverse(), query), expected);
    });
  }

  test("repositories open in the editor come first", async () => {
    const directory = await openIndex(
      [1, 2, 3].map((id) => ({ id, segments: [[{ path: `${id}.ts`, content: "walk\n" }]] })),
    );
    const { engine } = openEngine(directory, { workerCount: 2 });
    for (const [preferred, order] of [
      [[], "1.ts 2.ts 3.ts"],
      [[3], "3.ts 1.ts 2.ts"],
      [[2, 3], "2.ts 3.ts 1.ts"],
    ] as const) {
      const plan = planOf(literal("walk"), {}, { preferred: preferred as readonly number[] as never[] });
      const { files } = await engine.search(plan, new AbortController().signal);
      assert.equal(files.map(({ path }) => path).join(" "), order);
    }
    await engine.close();
  });

  test("names matched by a failing `and` do not count", async () => {
    const documents = [{ path: "foo_bar.ts", content: "nothing here\n" }];
    const name = (text: string) => literal(text, { where: "name" });
    const query: Query = {
      kind: "or",
      children: [{ kind: "and", children: [name("foo"), literal("missing")] }, name("bar")],
    };
    const directory = await openIndex([{ id: 1, segments: [documents] }]);
    const { engine } = openEngine(directory);
    const { files } = await search(engine, query);
    await engine.close();
    assert.deepEqual(
      files[0]?.nameRanges.map(({ start, end }) => [start.byteOffset, end.byteOffset]),
      [[4, 7]],
    );
  });
});

test("long unsaved documents do not change what is found in paths and texts", async () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  const documents = numbers.map((number) => ({ path: `file${number}.md`, content: `text ${number}\n` }));
  await withEngine([{ id: 1, revisions, segments: [documents] }], async (engine) => {
    const long = unsaved("long.ts", "a line\n".repeat(3000));
    const paths = literal("file", { where: "name" });
    // It has no trigrams, so nothing else is loaded before the text.
    const texts: Query = { kind: "and", children: [literal("te"), { kind: "language", names: [""] }] };
    for (const query of [texts, paths]) {
      const expected = await searchLines(engine, query);
      assert.equal(expected.length, 100);
      assert.deepEqual(await searchLines(engine, query, [long]), expected);
    }
  });
});
