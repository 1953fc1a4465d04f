import assert from "node:assert/strict";
import { test } from "node:test";
import type { Certainty } from "#contract/symbols";
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
  const engine = engineOf(async (_plan, _signal, onFiles) => {
    await onFiles?.([fileMatch(1, "a.ts", { chunks: encodeChunks([]) })]);
    return engineResult([]);
  });
  const caller = callerOf({ engine, repositories: viewOf([repository(1, "github.com/o/alpha")]) });
  const call = { credentials: { kind: "none" as const }, signal: new AbortController().signal };
  const { files, stats } = await caller("findReferences", { symbolName: "retry" }, call);
  assert.deepEqual([files, stats.isExhaustive], [[], false]);
});
