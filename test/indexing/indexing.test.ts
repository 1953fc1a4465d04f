import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { readRefs } from "#git/refs/refs";
import { chooseRevisions, defaultRevisionSettings } from "#git/refs/revisions";
import { Indexer } from "#indexing/indexing";
import { indexTask } from "#indexing/indexTask";
import type { Repository, RepositoryId } from "#model/repository";
import { inlineThread } from "#platform/inlineThread";
import { ShardDirectory } from "#shard/directory/directory";
import { defaultContentSettings } from "#shard/format/skipReason";
import { indexedLines } from "#test/support/indexed";
import { gitRepositoryOf, repo, type TestRepository, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;

async function openIndex() {
  const directory = await ShardDirectory.open(temporaryFolder());
  const indexer = new Indexer(inlineThread(indexTask()), directory);
  return { directory, indexer };
}

function known(path: string, kind: Repository["kind"] = "clone"): Repository {
  return {
    id: 7 as RepositoryId,
    name: "r",
    path,
    kind,
    codeHostType: "genericGitHost",
    isFork: false,
    isArchived: false,
    isPublic: true,
    revisions: [],
    state: "queued",
    documentCount: 0,
    skippedCount: 0,
    contentBytes: 0,
    indexBytes: 0,
  };
}

async function indexNow({ indexer }: Awaited<ReturnType<typeof openIndex>>, repository: TestRepository) {
  const gitRepository = gitRepositoryOf(repository);
  const chosen = await chooseRevisions(gitRepository, await readRefs(gitRepository), defaultRevisionSettings);
  return indexer.index(known(repository.path, gitRepository.workTree ? "clone" : "bare"), chosen, {
    signal,
    settings: defaultContentSettings,
  });
}

const first = `
  = main: First
  README.md
  | # Title
  src/a.ts
  | const a = 1;
  src/b.ts
  | same
  link -> src/a.ts
  blob.bin [hex]
  | 41 00 42
  "caf\\303\\251 \\377" [no newline]
  | latin
  = feature from main: Other
  src/a.ts
  | const a = 2;
  - src/b.ts
  tag v1
`;

const everywhere = [
  "README.md [feature main v1]: # Title|",
  "blob.bin [feature main v1]: (binary)",
  "caf\u00e9 \ufffd [feature main v1]: latin",
  "link [feature main v1]: src/a.ts",
];

test("all branches and tags are indexed, and share equal contents", async () => {
  const index = await openIndex();
  const manifest = await indexNow(index, repo(first));
  assert.deepEqual(await indexedLines(index.directory, 7), [
    "README.md [feature main v1]: # Title|",
    "blob.bin [feature main v1]: (binary)",
    "caf\u00e9 \ufffd [feature main v1]: latin",
    "link [feature main v1]: src/a.ts",
    "src/a.ts [feature v1]: const a = 2;|",
    "src/a.ts [main]: const a = 1;|",
    "src/b.ts [main]: same|",
  ]);
  assert.equal(manifest.defaultRevision, "refs/heads/main");
  assert.equal(manifest.segments.length, 1);
});

const changes: Record<
  string,
  { change: (repository: TestRepository) => void; lines: string[]; segments: number }
> = {
  nothing: {
    change: () => {},
    segments: 1,
    lines: [
      ...everywhere,
      "src/a.ts [feature v1]: const a = 2;|",
      "src/a.ts [main]: const a = 1;|",
      "src/b.ts [main]: same|",
    ],
  },
  "a commit": {
    change: (repository) =>
      repository.more(`
      = main: Second
      src/a.ts
      | const a = 3;
      new.txt
      | new
    `),
    segments: 2,
    lines: [
      ...everywhere,
      "new.txt [main]: new|",
      "src/a.ts [feature v1]: const a = 2;|",
      "src/a.ts [main]: const a = 3;|",
      "src/b.ts [main]: same|",
    ],
  },
  "a commit that brings another branch's content": {
    change: (repository) =>
      repository.more(`
      = main: Second
      src/a.ts
      | const a = 2;
    `),
    segments: 2,
    lines: [...everywhere, "src/a.ts [feature main v1]: const a = 2;|", "src/b.ts [main]: same|"],
  },
  "a branch that goes": {
    change: (repository) => repository.git("branch", "-D", "feature"),
    segments: 1,
    lines: [
      ...everywhere.map((line) => line.replace("feature ", "")),
      "src/a.ts [main]: const a = 1;|",
      "src/a.ts [v1]: const a = 2;|",
      "src/b.ts [main]: same|",
    ],
  },
  "a new branch like another": {
    change: (repository) => repository.git("branch", "zzz", "feature"),
    segments: 2,
    lines: [
      ...everywhere.map((line) => line.replace("v1", "v1 zzz")),
      "src/a.ts [feature v1 zzz]: const a = 2;|",
      "src/a.ts [main]: const a = 1;|",
      "src/b.ts [main]: same|",
    ],
  },
  "a new branch with its own commit, and a moved one": {
    change: (repository) =>
      repository.more(`
      = zzz from feature: Own
      src/b.ts
      | own
      = feature: Away
      - link
    `),
    segments: 2,
    lines: [
      "README.md [feature main v1 zzz]: # Title|",
      "blob.bin [feature main v1 zzz]: (binary)",
      "caf\u00e9 \ufffd [feature main v1 zzz]: latin",
      "link [main v1 zzz]: src/a.ts",
      "src/a.ts [feature v1 zzz]: const a = 2;|",
      "src/a.ts [main]: const a = 1;|",
      "src/b.ts [main]: same|",
      "src/b.ts [zzz]: own|",
    ],
  },
};

for (const [name, { change, lines, segments }] of Object.entries(changes)) {
  test(`after ${name}`, async () => {
    const index = await openIndex();
    const repository = repo(first);
    await indexNow(index, repository);
    change(repository);
    const manifest = await indexNow(index, repository);
    assert.deepEqual(await indexedLines(index.directory, 7), [...lines].sort());
    assert.equal(manifest.segments.length, segments);
    assert.deepEqual(
      readdirSync(index.directory.folder).filter((file) => file.includes("draft")),
      [],
    );
  });
}
