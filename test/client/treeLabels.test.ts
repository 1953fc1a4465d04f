/** Every tree item has a label and an accessibility label, whatever the data is: VS Code drops rows without them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiKeysRow } from "#client/endpoint/apiKeyRows";
import { AuthorList } from "#client/history/authorList";
import { CommitDetails } from "#client/history/commitDetails";
import { CommitList } from "#client/history/commitList";
import { Comparison } from "#client/history/comparison";
import { repositoryRow } from "#client/repositories/repositoryRows";
import { resultItem } from "#client/results/resultItems";
import type { ResultNode } from "#client/results/resultNodes";
import { SavedSearches } from "#client/saved/savedSearches";
import { SavedTree } from "#client/saved/savedTree";
import { SearchHistory } from "#client/search/searchHistory";
import { childrenOf, type Row, treeItemOf, withLabels } from "#client/workbench/rows";
import { clientSources } from "#test/support/client";
import { fileMatch } from "#test/support/fileMatch";
import { memoryMemento } from "#test/support/memoryMemento";

interface Item {
  readonly label?: unknown;
  readonly accessibilityInformation?: { readonly label: string } | undefined;
}

/** Also fails for labels that VS Code accepts but nobody sees. */
function checkItem(item: Item, where: string): void {
  const { label, accessibilityInformation } = item;
  const text = typeof label === "string" ? label : (label as { label?: string } | undefined)?.label;
  assert.ok(text !== undefined && text !== "", `${where}: label ${JSON.stringify(label)}`);
  const spoken = accessibilityInformation?.label ?? "";
  assert.match(spoken, /[^\s\u200B,]/, `${where}: accessibility label of ${JSON.stringify(text)}`);
}

interface Provider<Node> {
  readonly getChildren: (node?: Node) => readonly Node[] | Promise<readonly Node[]>;
  readonly getTreeItem: (node: Node) => Item;
}

/** Returns the labels of all rows. */
async function checkTree<Node>(tree: Provider<Node>, where: string, parent?: Node): Promise<string[]> {
  const labels: string[] = [];
  for (const node of await tree.getChildren(parent)) {
    const item = tree.getTreeItem(node);
    checkItem(item, where);
    labels.push(String(item.label), ...(await checkTree(tree, where, node)));
  }
  return labels;
}

function checkRows(root: Row, where: string): Promise<string[]> {
  return checkTree<Row>(
    {
      getChildren: (row) => (row === undefined ? [root] : childrenOf(row)),
      getTreeItem: (row) => treeItemOf(row, "view"),
    },
    where,
  );
}

const texts = ["", " ", "\t", "\u200B", "\uFEFF", "\n", "\r\n\r\n", "one\n\n \t\ntwo\r\n\r\nthree\n"];

for (const text of texts) {
  const name = JSON.stringify(text);
  const commit = {
    hash: "0123456789",
    date: text,
    message: text,
    body: `${text}\n${text}one\n\n${text}\nlast`,
    refs: `HEAD -> ${text}, tag: ${text}`,
    authorName: text,
    authorEmail: text,
    path: text,
    oldPath: `${text}x`,
  };
  const page = { items: [commit], total: 3 };
  const file = {
    oldPath: text,
    newPath: `${text}/${text}`,
    hunks: [],
    isBinary: false,
    added: 1,
    removed: 0,
  };
  const responses: Readonly<Record<string, unknown>> = {
    commit: {
      ...commit,
      parents: ["1"],
      committerName: `${text} `,
      committerEmail: "",
      commitDate: "",
      containedIn: { branches: [text], tag: text },
    },
    commits: page,
    authors: { items: [{ name: text, email: text, commitCount: 1, lastActiveAt: "" }], total: 1 },
    diff: { files: [file, { ...file, newPath: text }] },
  };
  const service = { call: (operation: string) => Promise.resolve(responses[operation]) } as never;
  const label = () => text;
  const openCommit = () => Promise.resolve();

  test(`history of commits and files named ${name}`, async () => {
    const details = new CommitDetails(service, label);
    await details.show({ repository: text, ref: text });
    await checkTree(details.tree, "Commit");
    const commits = new CommitList({ service, label, openCommit });
    await commits.show({ repository: text, filter: {} });
    await checkTree(commits.tree, "Commits");
    const authors = new AuthorList({ service, label, showCommits: openCommit });
    await authors.show({ repository: text });
    await checkTree(authors.tree, "Authors");
    const comparison = new Comparison({ service, label, openCommit, revisions: undefined as never });
    await comparison.show({ repository: text, base: text, head: text, isSinceMergeBase: false, path: text });
    await checkTree(comparison.tree, "Compare");
  });

  test(`a repository named ${name}, its branches and files`, async () => {
    const document = { repoId: 1, repoName: text, path: text, reason: "binary", sizeBytes: 1 };
    let depth = 0;
    const source = {
      item: () => ({
        repoId: 1,
        repoName: text,
        state: "failed",
        lastError: text,
        skippedCount: 1,
        defaultBranch: text,
        documentCount: 1,
        contentBytes: 1,
        indexBytes: 1,
      }),
      clone: () => undefined,
      label,
      isPaused: () => false,
      skipped: () => Promise.resolve({ items: [document], total: 1 }),
      unparsed: () => Promise.resolve({ items: [{ ...document, reason: "tooLarge" }], total: 2 }),
      fileOf: () => undefined,
      show: () => undefined,
      branches: () =>
        Promise.resolve({
          items: [false, true].map((isTag) => ({
            name: text,
            fullName: text,
            commit: "c",
            date: "",
            isTag,
            isDefault: false,
          })),
          isComplete: true,
        }),
      named: () => [{ name: text, commit: "c" }],
      askRevision: openCommit,
      folder: () =>
        Promise.resolve(
          ["tree", "blob", "commit"]
            .slice(depth++ < 4 ? 0 : 1)
            .map((type) => ({ name: text, path: text, type })),
        ),
    } as never;
    await checkRows(repositoryRow(1, text, { id: "", item: () => ({}) }, source), "Repositories");
  });

  test(`results in files and lines of ${name}`, () => {
    const found = fileMatch(text, text, { number: 1, text });
    const state = { query: text, narrowed: [], caseSensitivity: "smart", isWholeWord: false, isRegex: false };
    const set = { state, startedAt: 0, files: [], commits: [] };
    const repository = {
      kind: "repository",
      name: text,
      displayName: text,
      files: [found],
      matchCount: 1,
      fileCount: 1,
    };
    const node = { kind: "file", file: found, parent: repository, lineCount: 1, matchCount: 1, copies: [] };
    const nodes: readonly object[] = [
      { kind: "set", set },
      repository,
      node,
      { kind: "line", parent: node, line: { lineNumber: 1, text, matches: [[0, text.length]] } },
      { kind: "copies", files: [found], parent: node },
      { kind: "commit", commit: { ...commit, repository: text } },
    ];
    const sources = {
      repositories: { items: undefined },
      shortName: label,
      locationOf: () => undefined,
      columns: undefined,
    };
    for (const each of nodes) checkItem(withLabels(resultItem(each as ResultNode, sources)), "Results");
  });

  test(`searches and keys named ${name}`, async () => {
    const state = {
      query: text,
      narrowed: [],
      caseSensitivity: "smart",
      isWholeWord: false,
      isRegex: false,
    } as const;
    const saved = new SavedSearches(memoryMemento());
    await saved.save({ name: text, state });
    const history = new SearchHistory(memoryMemento());
    await history.add({ id: "1", state, ranAt: 0, matchCount: 0, fileCount: 0, isExhaustive: true });
    const team = {
      onChange: () => undefined,
      files: () =>
        Promise.resolve([{ folder: { name: text }, searches: [{ name: text, state, description: text }] }]),
    };
    await checkTree(new SavedTree(saved, history, team as never), "Saved & Recent");
    const times = { lastUsedAt: null, expiresAt: null, createdAt: "2026-01-01T00:00:00Z" };
    const key = { id: "1", name: text, ...times, isReadOnly: true, repositories: [text] };
    const keys = { known: undefined, load: () => Promise.resolve([key]), ownerOf: () => text };
    await checkRows(apiKeysRow(keys as never), "API & Agents");
  });
}

test("a commit message keeps its blank lines, and what is blank says so", async () => {
  const commit = {
    hash: "0123456789",
    message: "Subject",
    body: "one\r\n\r\ntwo\n",
    refs: "",
    parents: [],
    authorName: "",
  };
  const responses: Readonly<Record<string, unknown>> = {
    commit: { ...commit, authorEmail: "", date: "" },
    diff: { files: [] },
  };
  const service = { call: (operation: string) => Promise.resolve(responses[operation]) } as never;
  const details = new CommitDetails(service, () => "repository");
  await details.show({ repository: "repository", ref: "main" });
  const labels = await checkTree(details.tree, "Commit");
  assert.deepEqual(labels.slice(0, 5), ["Subject", "one", "\u00A0", "two", "(blank)"]);
});

test("every tree passes its items through withLabels", () => {
  const trees = clientSources().filter(({ text }) => /\bgetTreeItem\(/.test(text));
  assert.deepEqual(
    trees
      .filter(({ text }) => !/\bgetTreeItem\(.*?\b(?:withLabels|treeItemOf)\(/s.test(text))
      .map(({ path }) => path),
    [],
  );
  assert.ok(trees.length >= 6);
});
