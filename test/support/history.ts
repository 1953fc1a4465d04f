/**
 * A repository with every unusual kind of history, byte-for-byte reproducible.
 *
 * It has merges (one with four parents), renames, changes of mode and type, a submodule, binary and empty files, empty
 * commits, authors who changed their names, formatting-only commits, and pathological messages and names.
 * `hostileHistory` creates it; `importCommits` creates others.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#test/support/house";
import { type RepoOptions, repo, runGit, type TestRepository, temporaryFolder } from "#test/support/repo";

/** A file name as text, or as bytes that are not valid UTF-8. */
export type Name = string | Buffer;

export interface CommitLiteral {
  /** Short name of the branch that it is added to. */
  readonly on: string;
  readonly message: string;
  /** `Name <email>`, and a time in git's format: seconds and zone. */
  readonly author?: string;
  readonly date?: string;
  readonly committer?: string;
  readonly committed?: string;
  /** Parent, as a 1-based index into the list; the last commit of the branch by default. */
  readonly from?: number;
  readonly merge?: readonly number[];
  /** A string or bytes; `link` and `module` for symbolic links and submodules. */
  readonly files?: readonly (readonly [Name, Content])[];
  readonly remove?: readonly Name[];
  readonly rename?: readonly (readonly [Name, Name])[];
  readonly tag?: string;
  readonly annotatedTag?: string;
}

type Content =
  | string
  | Uint8Array
  | { readonly executable: string }
  | { readonly link: string }
  | { readonly module: string };

/** Imports commits into a repository that does not have these branches yet. */
export function importCommits(path: string, commits: readonly CommitLiteral[]): void {
  const parts: (string | Uint8Array)[] = [];
  const ends = new Map<string, number>();
  for (const [index, commit] of commits.entries()) {
    const mark = index + 1;
    const { author = "Ann Author <ann@example.com>", date = `${1_600_000_000 + 3600 * index} +0000` } =
      commit;
    const { committer = author, committed = date, on } = commit;
    parts.push(`commit refs/heads/${on}\nmark :${mark}\nauthor ${author} ${date}\n`);
    parts.push(`committer ${committer} ${committed}\n`, ...counted(Buffer.from(commit.message)));
    const from = commit.from ?? ends.get(on);
    if (from !== undefined) parts.push(`from :${from}\n`);
    for (const other of commit.merge ?? []) parts.push(`merge :${other}\n`);
    for (const [old, now] of commit.rename ?? []) parts.push(`R ${quoted(old)} ${quoted(now)}\n`);
    for (const name of commit.remove ?? []) parts.push(`D ${quoted(name)}\n`);
    for (const [name, content] of commit.files ?? []) parts.push(...fileLines(name, content));
    parts.push("\n");
    ends.set(on, mark);
    if (commit.tag !== undefined) parts.push(`reset refs/tags/${commit.tag}\nfrom :${mark}\n\n`);
    if (commit.annotatedTag !== undefined) {
      parts.push(`tag ${commit.annotatedTag}\nfrom :${mark}\ntagger ${author} ${date}\n`);
      parts.push(...counted(Buffer.from(`About ${commit.annotatedTag}\n`)));
    }
  }
  const bytes = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  runGit(path, ["fast-import", "--quiet", "--force"], bytes);
}

function fileLines(name: Name, content: Content): (string | Uint8Array)[] {
  if (typeof content === "string")
    return [`M 100644 inline ${quoted(name)}\n`, ...counted(Buffer.from(content))];
  if (content instanceof Uint8Array) return [`M 100644 inline ${quoted(name)}\n`, ...counted(content)];
  if ("executable" in content)
    return [`M 100755 inline ${quoted(name)}\n`, ...counted(Buffer.from(content.executable))];
  if ("link" in content) return [`M 120000 inline ${quoted(name)}\n`, ...counted(Buffer.from(content.link))];
  return [`M 160000 ${content.module} ${quoted(name)}\n`];
}

function counted(bytes: Uint8Array): (string | Uint8Array)[] {
  return [`data ${bytes.length}\n`, bytes, "\n"];
}

/** Quotes a name as git does, with special bytes as octal numbers. */
function quoted(name: Name): string {
  const bytes = typeof name === "string" ? Buffer.from(name) : name;
  const escaped = [...bytes].map((byte) =>
    /[\w./-]/.test(String.fromCharCode(byte)) && byte < 0x80
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return `"${escaped.join("")}"`;
}

/** File names that are hard to pass through a command line or parse from its output. */
export const hostileNames: readonly Name[] = [
  "with space.txt",
  'quote".txt',
  "apostrophe'.txt",
  "tab\there.txt",
  "new\nline.txt",
  "back\\slash.txt",
  "-option.txt",
  ":(glob)*.txt",
  "star*.txt",
  "[a-z].txt",
  "trailing space ",
  "café/ünïcode \u{1f600}.txt",
  "cafe\u0301.txt",
  Buffer.from("latin1-\xe9.txt", "latin1"),
  Buffer.from("\xff\xfe/broken-\xc3.txt", "latin1"),
  "deep/er/and/deeper/still/file.txt",
  "percent%20#hash?.txt",
  "<script>alert(1)</script>.html",
];

const submodule = "1234567890123456789012345678901234567890";
const song = Array.from({ length: 30 }, (_, at) => `verse ${at + 1} of the song`);
const code = (lines: readonly string[]) => `${lines.join("\n")}\n`;
const changed = (lines: readonly string[], at: number, ...replacement: readonly string[]) =>
  lines.toSpliced(at - 1, replacement.length, ...replacement);

const reindented = song.map((line) => `  ${line}`);

/** In order; `from` and `merge` refer to 1-based indexes in this list. */
const hostileCommits: readonly CommitLiteral[] = [
  {
    on: "main",
    message: "First: begin\n\nWith a body\nof two lines.\n",
    date: "1500000000 +0200",
    files: [
      ["README.md", "# Title\n"],
      ["song.txt", code(song)],
      [
        ".mailmap",
        "Ann Author <ann@example.com> <ann@old.example>\nBob Newname <bob@example.com> Bob Old <bob@old.example>\n",
      ],
      ["src/run.sh", { executable: "#!/bin/sh\necho hi\n" }],
      ["data.bin", Buffer.from([0, 255, 1, 254, 10, 0])],
      ["empty", ""],
      ["no newline", "last line without end"],
      ["latest", { link: "song.txt" }],
      ["vendor/module", { module: submodule }],
      ["crlf.txt", "one\r\ntwo\r\nthree\r\n"],
      ["latin1.txt", Buffer.from("caf\xe9\nna\xefve\n", "latin1")],
    ],
    tag: "v0.1",
  },
  {
    on: "main",
    message: "Change verses 3 and 4",
    author: "Bob Old <bob@old.example>",
    date: "1500003600 -0730",
    files: [["song.txt", code(changed(song, 3, "verse three, changed", "verse four, changed"))]],
  },
  {
    on: "main",
    message: "Hostile names\n",
    author: 'Müller, "Ö" <muller@example.com>',
    date: "1500007200 +0545",
    files: hostileNames.map((name, at) => [name, `first ${at}\nsecond ${at}\n`] as const),
  },
  {
    on: "feature/ünïcode",
    from: 2,
    message: "A branch\twith <b>markup</b> & \u202eodd\u202c text",
    author: "Ann Author <ann@old.example>",
    files: [["feature.txt", "a\nb\nc\n"]],
  },
  { on: "left", from: 2, message: "Left", files: [["left.txt", "left\n"]] },
  { on: "right", from: 2, message: "Right", files: [["right.txt", "right\n"]] },
  {
    on: "main",
    message: "Octopus: merge three branches\n",
    merge: [4, 5, 6],
    files: [
      ["feature.txt", "a\nb\nc\n"],
      ["left.txt", "left\n"],
      ["right.txt", "right\n"],
    ],
    annotatedTag: "v1.0",
  },
  { on: "main", message: "An empty commit" },
  { on: "main", message: "\n\n" },
  {
    on: "main",
    message: "Rename the song and move a folder",
    rename: [
      ["song.txt", "music/song.txt"],
      ["deep/er", "shallow"],
    ],
  },
  {
    on: "main",
    message: "Make it a plain file, make a file of the link",
    files: [
      ["src/run.sh", "#!/bin/sh\necho hi\n"],
      ["latest", "now a file\n"],
      ["data.bin", Buffer.from([0, 255, 2, 254, 10, 0])],
      ["vendor/module", { module: submodule.split("").reverse().join("") }],
    ],
  },
  {
    on: "main",
    message: "Reformat everything",
    author: "Robot <robot@example.com>",
    files: [
      ["music/song.txt", code(changed(reindented, 3, "  verse three, changed", "  verse four, changed"))],
    ],
  },
  {
    on: "main",
    message: "Say which commits only format",
    files: [[".git-blame-ignore-revs", "# formatted\n"]],
  },
  {
    on: "main",
    message: "Change one verse after the formatting",
    author: "Zoë Ω <zoe@example.com>",
    committer: "Bob Old <bob@old.example>",
    committed: "1600100000 +0100",
    files: [
      [
        "music/song.txt",
        code(
          changed(
            changed(reindented, 3, "  verse three, changed", "  verse four, changed"),
            20,
            "  verse 20 again",
          ),
        ),
      ],
    ],
    remove: ["left.txt"],
  },
  {
    on: "main",
    message: "Rename with a change; copy\n\nSigned-off-by: Ann <ann@example.com>\n",
    rename: [["feature.txt", "renamed.txt"]],
    files: [
      ["renamed.txt", "a\nB\nc\nd\n"],
      ["copy of song.txt", code(song)],
    ],
    tag: "v2.0",
  },
  { on: "orphan", message: "Another root", files: [["alone.txt", "alone\n"]] },
  { on: "main", message: "Merge an unrelated history", merge: [16], files: [["alone.txt", "alone\n"]] },
  { on: "same-name", from: 2, message: "A branch and a tag of one name", tag: "same-name-tag" },
  { on: "ambiguous", from: 4, message: "The branch of this name" },
];

/** Creates the whole repository; `.git-blame-ignore-revs` lists the formatting commit. */
export function hostileHistory(options: RepoOptions = {}): TestRepository {
  const repository = repo("", options);
  importCommits(repository.path, hostileCommits);
  const formatted = repository.git("log", "--format=%H", "--grep=^Reformat everything", "main");
  importOn(repository.path, "main", {
    on: "main",
    message: "Name the formatting commit",
    date: "1600200000 +0000",
    files: [[".git-blame-ignore-revs", `# formatted\n${formatted}\n`]],
  });
  repository.git("tag", "ambiguous", "main~3");
  repository.git("tag", "-m", "Two steps to a commit", "tag-of-tag", "v1.0");
  repository.git("tag", "a-tree", "main^{tree}");
  if (!options.bare) repository.git("reset", "-q", "--hard");
  return repository;
}

/** Adds a commit to an existing branch. */
export function importOn(path: string, branch: string, commit: CommitLiteral): void {
  const { author = "Ann Author <ann@example.com>", date = "1700000000 +0000", message, files = [] } = commit;
  const parts = [
    `commit refs/heads/${branch}\nauthor ${author} ${date}\ncommitter ${author} ${date}\n`,
    ...counted(Buffer.from(message)),
    `from refs/heads/${branch}^0\n`,
    ...files.flatMap(([name, content]) => fileLines(name, content)),
  ];
  runGit(
    path,
    ["fast-import", "--quiet", "--force"],
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part))),
  );
}

/** Clones only the newest commits of a repository. */
export function shallowClone(of: string, path: string, depth = 3): void {
  runGit(path, ["clone", "-q", "--depth", String(depth), `file://${of}`, "."]);
}

/**
 * Returns at most `count` commits of all refs: the newest, roots, merges, and others, each evenly spaced. The same for
 * the same history, and all commits if there are no more than `count`.
 */
export function sampleCommits(path: string, count: number): readonly string[] {
  const commits = runGit(path, ["rev-list", "--parents", "--all"])
    .toString("latin1")
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  if (commits.length <= count) return commits.map(([hash = ""]) => hash);
  const part = Math.floor(count / 4);
  const chosen = [
    ...commits.slice(0, part),
    ...spread(
      commits.filter(({ length }) => length === 1),
      part,
    ),
    ...spread(
      commits.filter(({ length }) => length > 2),
      part,
    ),
  ];
  const others = spread(commits, count - chosen.length);
  return [...new Set([...chosen, ...others].map(([hash = ""]) => hash))];
}

/** Returns at most `count` items, evenly spaced: the first, the last (if `count` exceeds 1), and some between. */
export function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  const step = (items.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, at) => items[Math.round(at * step)] as Item);
}

/** Returns a clone of this project's own history, or undefined if the project has no repository. */
export function ownHistory(): string | undefined {
  if (!existsSync(join(projectRoot(), ".git"))) return undefined;
  const path = temporaryFolder();
  // A clone, so that work on the project meanwhile does not change it.
  runGit(path, ["clone", "-q", "--bare", "--no-tags", "--shared", projectRoot(), "."]);
  return path;
}
