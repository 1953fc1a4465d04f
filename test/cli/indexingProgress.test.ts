import assert from "node:assert/strict";
import { test } from "node:test";
import { reportProgress } from "#cli/indexingProgress";
import type { IndexingProgress } from "#contract/local";

function linesReport() {
  const printed: string[] = [];
  const report = reportProgress({
    print: async () => {},
    printError: (text) => printed.push(text),
    isTty: false,
    isErrorTty: false,
    hasColors: false,
    isClosed: false,
    hasFailed: false,
  });
  return { report, text: () => printed.join("") };
}

test("packages are announced once, when the repositories are ready", () => {
  const { report, text } = linesReport();
  const update = (ready: number, packages: IndexingProgress["packages"]) =>
    report.update({ repositories: [], ready, total: 2, ...(packages === undefined ? {} : { packages }) });
  update(2, undefined);
  update(1, { ready: 0, total: 5 });
  update(2, { ready: 0, total: 0 });
  assert.equal(text(), "");
  update(2, { ready: 4, total: 5 });
  update(2, { ready: 4, total: 9 });
  assert.equal(text(), "Indexing packages that lock files name\n");
});

test("a repository is announced when it is cloned, when it is indexed, and when it is ready", () => {
  const { report, text } = linesReport();
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
    text(),
    "Cloning acme/\u241bshop\nIndexing acme/\u241bshop\nIndexed acme/\u241bshop (1 of 1)\n",
  );
});
