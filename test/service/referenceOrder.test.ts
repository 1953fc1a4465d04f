import assert from "node:assert/strict";
import { test } from "node:test";
import type { Certainty } from "#contract/symbols";
import type { Engine } from "#engine/engine";
import { encodeChunks } from "#model/match";
import type { RepositoryId } from "#model/repository";
import type { ReferencingFile } from "#service/navigation/references";
import { sortByConfidence } from "#service/navigation/symbolResults";
import { Random } from "#test/support/corpus";
import { callerOf, engineOf, engineResult, fileMatch, repository, viewOf } from "#test/support/service";

const position = { byteOffset: 0, lineNumber: 1, column: 1 };

/** Returns a file with one reference; `name` is `repository/path`. */
function referencingFile(
  name: string,
  certainty: Certainty,
  score: number,
  isParsed = true,
): ReferencingFile {
  const [repository = "", path = ""] = name.split("/");
  const commit = { commit: "", blobSha: name, origin: "commit" as const, branches: [] };
  return {
    file: { repositoryId: Number(repository) as RepositoryId, path, language: "TypeScript", ...commit },
    references: [{ range: { start: position, end: position }, lineContent: "", certainty }],
    isParsed,
    score,
  };
}

test("references are sorted the same way, whatever the order in which they were found", () => {
  const expected = [
    referencingFile("9/exact", "exact", 1),
    referencingFile("2/own", "import", 1),
    referencingFile("1/best", "import", 5),
    referencingFile("1/a", "import", 3),
    referencingFile("1/b", "import", 3),
    referencingFile("3/a", "import", 3),
    referencingFile("1/text", "import", 9, false),
    referencingFile("1/name", "name", 9),
  ];
  const random = new Random(1);
  for (let round = 0; round < 50; round++) {
    const found = [...expected];
    for (let index = found.length - 1; index > 0; index--) {
      const [moved] = found.splice(random.between(0, index), 1);
      if (moved !== undefined) found.push(moved);
    }
    assert.deepEqual(
      sortByConfidence(found, 2).map(({ file }) => `${file.repositoryId}/${file.path}`),
      expected.map(({ file }) => `${file.repositoryId}/${file.path}`),
    );
  }
});

test("references are incomplete if the text of a file cannot be read", async () => {
  const engine = engineOf(async () =>
    engineResult([fileMatch(1, "a.ts", { chunks: encodeChunks([]), language: "TypeScript" })]),
  );
  const { files, stats } = await findReferences(engine, {});
  assert.deepEqual([files, stats.isExhaustive], [[], false]);
});

test("the best files fill a limit, however long they take to read", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `${String(at).padStart(2, "0")}.ts`);
  const found = names.map((name, at) =>
    fileMatch(1, name, { language: "TypeScript", blobSha: name, score: names.length - at }),
  );
  let requestCount = 0;
  let release = () => {};
  const laterOnes = new Promise<void>((resolve) => {
    release = resolve;
  });
  const engine: Engine = {
    ...engineOf(async () => engineResult(found)),
    async readDocuments(requests) {
      requestCount++;
      if (requestCount === 3) release();
      if (requestCount === 1) await laterOnes;
      return requests.map(({ path }) => {
        const file = found.find((each) => each.path === path);
        return file && { ...file, content: Buffer.from("retry();\n") };
      });
    },
  };
  const caller = callerFor(engine);
  for (let round = 0; round < 2; round++) {
    const { files, stats } = await findReferences(engine, { matches: 10 }, caller);
    assert.deepEqual(
      files.map(({ fileName }) => fileName),
      names.slice(0, 10),
    );
    assert.deepEqual([stats.matchCount, stats.isExhaustive], [10, false]);
  }
});

test("no file is read if cached ones fill the limit", async () => {
  const all = Array.from({ length: 9 }, (_, at) =>
    fileMatch(1, `${at}.ts`, { language: "TypeScript", blobSha: String(at), score: 9 - at }),
  );
  let found = all.slice(0, 4);
  const read: string[] = [];
  const engine: Engine = {
    ...engineOf(async () => engineResult(found)),
    async readDocuments(requests) {
      read.push(...requests.map(({ path }) => path));
      return requests.map(({ path }) => {
        const file = all.find((each) => each.path === path);
        return file && { ...file, content: Buffer.from("retry();\n") };
      });
    },
  };
  const caller = callerFor(engine);
  await findReferences(engine, { matches: 4 }, caller);
  found = all;
  const { stats } = await findReferences(engine, { matches: 4 }, caller);
  assert.deepEqual([stats.matchCount, stats.isExhaustive], [4, false]);
  assert.deepEqual(read, ["0.ts", "1.ts", "2.ts", "3.ts"]);
});

const callerFor = (engine: Engine) =>
  callerOf({ engine, repositories: viewOf([repository(1, "github.com/o/alpha")]) });

async function findReferences(engine: Engine, limits: { matches?: number }, caller = callerFor(engine)) {
  const call = { credentials: { kind: "none" as const }, signal: new AbortController().signal };
  return await caller("findReferences", { symbolName: "retry", ...limits }, call);
}
