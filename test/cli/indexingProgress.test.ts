import assert from "node:assert/strict";
import { test } from "node:test";
import { reportProgress } from "#cli/indexingProgress";
import type { IndexingProgress } from "#contract/local";

test("a repository is announced when it is cloned, when it is indexed, and when it is ready", () => {
  let printed = "";
  const report = reportProgress({
    print: async () => {},
    printError: (text) => {
      printed += text;
    },
    isTty: false,
    isErrorTty: false,
    hasColors: false,
    isClosed: false,
    hasFailed: false,
  });
  const update = (state: IndexingProgress["repositories"][number]["state"], ready: number) =>
    report.update({
      repositories: [{ repositoryId: 1, repository: "acme/\u001bshop", state, progress: 0 }],
      ready,
      total: 1,
    });
  for (const state of ["queued", "cloning", "cloning", "queued", "indexing", "indexing"] as const)
    update(state, 0);
  update("ready", 1);
  update("ready", 1);
  assert.equal(
    printed,
    "Cloning acme/\u241bshop\nIndexing acme/\u241bshop\nIndexed acme/\u241bshop (1 of 1)\n",
  );
});
