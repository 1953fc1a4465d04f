import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commitsMarkdown,
  hashesText,
  jsonText,
  lineUrl,
  markdownText,
  pathsText,
} from "#client/results/copyText";
import type { ResultSet } from "#client/search/resultSet";
import type { CodeHostType, RepositoryInfo } from "#contract/repositories";
import type { FileMatch, FoundCommit } from "#contract/search";
import { fileMatch } from "#test/support/fileMatch";

function set(files: readonly FileMatch[], info?: Partial<RepositoryInfo>): ResultSet {
  const whole: RepositoryInfo = {
    id: 1,
    name: "r",
    displayName: "r",
    webUrl: "",
    externalWebUrl: "",
    codeHostType: "github",
    ...info,
  };
  return {
    id: 1,
    state: { query: "m", caseSensitivity: "smart", isRegex: false, isWholeWord: false, narrowed: [] },
    request: { query: "m" },
    startedAt: 0,
    files,
    repositories: new Map([[1, whole]]),
    outcome: "done",
  };
}

test("paths are copied once each", () => {
  const files = [fileMatch("a/b", "x.ts"), fileMatch("a/b", "x.ts"), fileMatch("c", "y\nz")];
  assert.equal(pathsText(files), "a/b/x.ts\nc/y\uFFFDz\n");
});

function checkMarkdown(
  name: string,
  files: readonly FileMatch[],
  info: Partial<RepositoryInfo>,
  expected: string,
) {
  test(name, () => assert.equal(markdownText(set(files, info), files), expected));
}

checkMarkdown(
  "links to the code host",
  [
    {
      ...fileMatch("r", "x.ts", { number: 3, text: "  a `b`" }),
      externalWebUrl: "https://h/r/blob/main/x.ts",
    },
  ],
  { externalWebUrl: "https://h/r" },
  "- [r](<https://h/r>)\n" +
    "  - [x\\.ts](<https://h/r/blob/main/x.ts>)\n" +
    "    - [3](<https://h/r/blob/main/x.ts#L3>): `` a `b` ``\n",
);
checkMarkdown(
  "names and lines are escaped, and only http and https URLs become links",
  [
    {
      ...fileMatch("r", "[x](y)\n# z", { number: 1, text: "](command:evil) <img>" }),
      externalWebUrl: "javascript:alert(1)",
    },
  ],
  { displayName: "*r*" },
  "- \\*r\\*\n  - \\[x\\]\\(y\\)\uFFFD\\# z\n    - 1: `](command:evil) <img>`\n",
);

const hosts: Readonly<Record<CodeHostType, string>> = {
  github: "U#L7",
  gitlab: "U#L7",
  gitea: "U#L7",
  gerrit: "U#7",
  bitbucketServer: "U#7",
  bitbucketCloud: "U#lines-7",
  azuredevops: "U&line=7&lineEnd=8&lineStartColumn=1&lineEndColumn=1",
  genericGitHost: "U",
};
for (const [host, expected] of Object.entries(hosts)) {
  test(`a line on ${host}`, () => assert.equal(lineUrl("U", host as CodeHostType, 7), expected));
}

test("JSON equals the response of the service", () => {
  const files = [fileMatch("r", "x", { number: 1, text: "m" })];
  assert.deepEqual(JSON.parse(jsonText(set(files), files)), {
    files,
    repositoryInfo: [...set(files).repositories.values()],
    isSearchExhaustive: false,
  });
});

function commit(hash: string, message: string, change: Partial<FoundCommit> = {}): FoundCommit {
  return {
    repository: "a/r",
    repositoryId: 1,
    hash,
    date: "2026-02-03T10:00:00+01:00",
    message,
    refs: "",
    body: "",
    authorName: "Ada",
    authorEmail: "ada@example.com",
    commitDate: "2026-02-03T10:00:00+01:00",
    webUrl: "",
    externalWebUrl: "",
    ...change,
  };
}

const one = commit("1".repeat(40), "Wait *less*", { externalWebUrl: "https://h/r/commit/1" });
const two = commit("2".repeat(40), "", { authorName: "[x](y)", externalWebUrl: "javascript:alert(1)" });

test("commits are copied as SHAs", () => {
  assert.equal(hashesText([one, two]), `${one.hash}\n${two.hash}\n`);
});

test("commits are copied as a Markdown list, with text from repositories escaped", () => {
  assert.equal(
    commitsMarkdown(set([], { externalWebUrl: "https://h/r" }), [one, two]),
    "- [r](<https://h/r>)\n" +
      "  - [`1111111`](<https://h/r/commit/1>): Wait \\*less\\* · Ada · 2026\\-02\\-03\n" +
      "  - `2222222`: \\[x\\]\\(y\\) · 2026\\-02\\-03\n",
  );
});

test("commits are copied as JSON as in the response of the service", () => {
  const response = JSON.parse(jsonText({ ...set([]), commits: [one] }, []));
  assert.deepEqual(response.commits, [one]);
  assert.deepEqual(response.files, []);
  assert.equal("commits" in JSON.parse(jsonText({ ...set([]), commits: [] }, [])), false);
});
