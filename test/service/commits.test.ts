/** Commits, authors and their pages, compared with git's own output on histories of every kind. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CommitDetails, CommitItem } from "#contract/commits";
import type { OperationName } from "#contract/operations";
import type { Page, ResponseOf } from "#contract/service";
import { hostileHistory, importOn, ownHistory, shallowClone, spread } from "#test/support/history";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";

const hostile = hostileHistory().path;
const bare = hostileHistory({ bare: true }).path;
addHostileMessages(hostile);
const shallow = temporaryFolder();
shallowClone(hostile, shallow, 4);
const empty = repo("").path;
const folder = temporaryFolder();
const own = ownHistory();

const histories = { hostile, bare, shallow, ...(own === undefined ? {} : { own }) };
const call = callerOf({
  repositories: viewOf([
    ...Object.entries({ ...histories, empty }).map(([name, path], at) =>
      repository(at + 1, name, { path, gitDir: `${path}/.git`, defaultRevision: "refs/heads/main" }),
    ),
    repository(9, "folder", { path: folder, kind: "folder" }),
  ]),
});
const context = { credentials: { kind: "local" } as const, signal: new AbortController().signal };

function ask<Name extends OperationName>(
  name: Name,
  request: Record<string, unknown>,
): Promise<ResponseOf<Name>> {
  return call(name, request, context);
}

/** Adds messages that look like git's output, control characters, bytes that are not UTF-8, and long messages. */
function addHostileMessages(path: string): void {
  const fake = `commit ${"a".repeat(40)}\nAuthor: Eve <eve@example.com>\n\n    not a commit\n`;
  const messages = [
    fake,
    `Subject over\ntwo lines\n\n${fake}\ndiff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n`,
    "No newline at the end",
    "Control \u0001\u0007\u001b[31mred\u001b[0m\r characters\u0085\u2028",
    `Huge\n\n${"All work and no play. ".repeat(20_000)}`,
    "\ufeffMarked \u{1f600} \u0301\n\n\n\nblank lines  \n\n\n",
  ];
  for (const message of messages) importOn(path, "main", { on: "main", message });
  const tree = "main^{tree}";
  const raw = Buffer.from("Bytes \xff\xfe\xc3 and \xe9\n\n\xf0\x28\x8c\x28 body\n", "latin1");
  const broken = runGit(path, ["commit-tree", tree, "-p", "main"], raw).toString().trim();
  const encoded = ["-c", "i18n.commitEncoding=ISO-8859-1", "commit-tree", tree, "-p", broken];
  const latin = runGit(path, encoded, Buffer.from("Encoded caf\xe9\n", "latin1")).toString().trim();
  runGit(path, ["update-ref", "refs/heads/main", latin]);
}

/** Returns one field of every commit, from a separate command. */
function field(path: string, format: string, args: readonly string[]): string[] {
  const output = runGit(path, [
    "log",
    "-z",
    `--format=${format}`,
    "--encoding=UTF-8",
    "--decorate=short",
    ...args,
  ]);
  return output.toString("utf8").split("\0").slice(0, -1);
}

/** Returns the author date of each person's newest commit. */
function newestOf(path: string, args: readonly string[]): Map<string, string> {
  const [people = [], dates = []] = ["%aN <%aE>", "%aI"].map((format) => field(path, format, args));
  const newest = new Map<string, string>();
  for (const [at, person] of people.entries()) {
    const date = (dates[at] ?? "").replace(/Z$/, "+00:00");
    if (Date.parse(date) > Date.parse(newest.get(person) ?? "0000-01-01")) newest.set(person, date);
  }
  return newest;
}

function expectedCommits(path: string, args: readonly string[]): CommitItem[] {
  const formats = ["%H", "%aI", "%s", "%D", "%b", "%aN", "%aE"];
  const [hash = [], ...fields] = formats.map((format) => field(path, format, args));
  return hash.map((_, at) => {
    const [date = "", message = "", refs = "", body = "", authorName = "", authorEmail = ""] = fields.map(
      (values) => values[at] ?? "",
    );
    return {
      hash: hash[at] ?? "",
      date: date.replace(/Z$/, "+00:00"),
      message,
      refs,
      body,
      authorName,
      authorEmail,
    };
  });
}

async function allPages<Item>(
  page: (page: number, perPage: number) => Promise<Page<Item>>,
  perPage: number,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let number = 1; ; number++) {
    const { items: more, total } = await page(number, perPage);
    items.push(...more);
    if (more.length === 0) {
      assert.equal(items.length, total);
      return items;
    }
  }
}

function withoutNames({ path: _, oldPath: __, ...commit }: CommitItem): CommitItem {
  return commit;
}

for (const [name, path] of Object.entries(histories)) {
  test(`${name}: every commit is listed with the fields that git reports`, async () => {
    const found = await allPages((page, perPage) => ask("commits", { repo: name, page, perPage }), 37);
    assert.deepEqual(found, expectedCommits(path, ["HEAD"]));
  });

  test(`${name}: every commit of every ref has the details that git reports`, async () => {
    const hashes = field(path, "%H", ["--all"]);
    const expected = expectedCommits(path, ["--all"]);
    const more = ["%P", "%cN", "%cE", "%cI"].map((format) => field(path, format, ["--all"]));
    const step = Math.ceil(hashes.length / 60);
    const boundaries = name === "shallow" ? readFileSync(join(path, ".git/shallow"), "utf8") : "";
    for (let at = 0; at < hashes.length; at += step) {
      const { incomplete, ...found } = await ask("commit", { repo: name, ref: hashes[at] ?? "" });
      assert.equal(incomplete !== undefined, boundaries.includes(hashes[at] ?? ""));
      const [parents = "", committerName, committerEmail, commitDate = ""] = more.map((values) => values[at]);
      assert.deepEqual(found, {
        ...expected[at],
        parents: parents === "" ? [] : parents.split(" "),
        committerName,
        committerEmail,
        commitDate: commitDate.replace(/Z$/, "+00:00"),
        webUrl: "",
        externalWebUrl: `https://${name}/commit/${hashes[at]}`,
      } satisfies Record<keyof CommitDetails, unknown> | object);
    }
  });

  test(`${name}: authors are those of shortlog`, async () => {
    const found = await allPages((page, perPage) => ask("authors", { repo: name, page, perPage }), 3);
    const lines = runGit(path, ["shortlog", "-sne", "HEAD"]).toString("utf8").split("\n").slice(0, -1);
    assert.deepEqual(
      found.map(
        ({ name: person, email, commitCount }) => `${`${commitCount}`.padStart(6)}\t${person} <${email}>`,
      ),
      lines,
    );
    assert.equal(
      found.reduce((sum, { commitCount }) => sum + commitCount, 0),
      field(path, "%H", ["HEAD"]).length,
    );
    const newest = newestOf(path, ["HEAD"]);
    for (const { name: person, email, lastActiveAt } of found) {
      assert.equal(lastActiveAt, newest.get(`${person} <${email}>`));
    }
  });

  test(`${name}: a file's commits are followed across its renames`, async () => {
    const files = runGit(path, ["ls-tree", "-r", "-z", "--name-only", "HEAD"]).toString("utf8").split("\0");
    const readable = files.slice(0, -1).filter((file) => !file.includes("\ufffd"));
    for (const file of spread(readable, name === "own" ? 12 : 40)) {
      const { items, total } = await ask("commits", { repo: name, path: file, perPage: 100 });
      // `--follow` needs a literal pathspec.
      const literal = ["--literal-pathspecs", "log", "--format=%H", "--follow", "HEAD", "--", file];
      const expected = runGit(path, literal).toString().split("\n").slice(0, -1);
      assert.equal(total, expected.length, file);
      assert.deepEqual(
        items.map(({ hash }) => hash),
        expected.slice(0, 100),
        file,
      );
      assert.equal(items[0]?.path, file);
      for (const { hash, path: name = "" } of spread(items, 5)) {
        // The commit contains the file under this name, or removed it.
        const listed = runGit(path, ["--literal-pathspecs", "ls-tree", "-z", hash, "--", name]);
        const touched = runGit(path, [
          "--literal-pathspecs",
          "diff-tree",
          "-r",
          "-m",
          "--root",
          "-z",
          hash,
          "--",
          name,
        ]);
        assert.ok(listed.length + touched.length > 0, `${hash} ${name}`);
      }
    }
  });
}

const filters: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
  [{ query: "BODY" }, ["-i", "--grep=BODY"]],
  [{ query: "^subject over" }, ["-i", "--grep=^subject over"]],
  [{ query: "m[eo]rge.*\\(branches\\|history\\)" }, ["-i", "--grep=m[eo]rge.*\\(branches\\|history\\)"]],
  [{ query: "a+" }, ["-i", "--grep=a+"]],
  [{ query: "--all" }, ["-i", "--grep=--all"]],
  [{ author: "BOB" }, ["-i", "--author=BOB"]],
  [{ author: "newname <" }, ["-i", "--author=newname <"]],
  [{ author: "ann", query: "rename" }, ["-i", "--author=ann", "--grep=rename"]],
  [{ author: "zoë" }, ["-i", "--author=zoë"]],
  [{ author: "ZOË ω" }, ["--author=Zoë Ω"]],
  [{ query: "ENCODED CAFÉ" }, ["--grep=Encoded café"]],
  [{ query: "nothing like this" }, ["--grep=nothing like this"]],
  [{ since: "2017-07-14T04:00:00Z" }, ["--since=2017-07-14T04:00:00Z"]],
  [{ until: "2017-07-14T05:00:00+01:00" }, ["--until=2017-07-14T05:00:00+01:00"]],
  [
    { since: "1500003600", until: "2020-09-30" },
    ["--since=2017-07-14T03:40:00Z", "--until=2020-09-30 00:00:00"],
  ],
  [{ since: "10 years ago" }, ["--since=10 years ago"]],
  [{ since: "yesterday" }, ["--since=yesterday"]],
  [{ until: "july 15, 2017" }, ["--until=2017-07-15 00:00:00"]],
  [{ ref: "v1.0" }, ["v1.0"]],
  [{ ref: "tag-of-tag~1" }, ["tag-of-tag~1"]],
  [{ ref: "refs/heads/feature/ünïcode" }, ["refs/heads/feature/ünïcode"]],
  [{ ref: "orphan" }, ["orphan"]],
  [{ notIn: "v1.0" }, ["v1.0..HEAD"]],
  [{ ref: "v1.0", notIn: "main" }, ["main..v1.0"]],
  [{ ref: "feature/ünïcode", notIn: "left" }, ["left..feature/ünïcode"]],
  [{ ref: "left", notIn: "orphan" }, ["orphan..left"]],
  [{ notIn: "HEAD" }, ["HEAD..HEAD"]],
  [{ notIn: "v1.0^2" }, ["HEAD", "^v1.0^2"]],
  [{ notIn: "v0.1", query: "r", author: "ann" }, ["-i", "--grep=r", "--author=ann", "v0.1..HEAD"]],
  [{ notIn: "v1.0", path: "music" }, ["v1.0..HEAD", "--", "music"]],
  [{ notIn: "v0.1", path: "music/song.txt" }, ["--follow", "v0.1..HEAD", "--", "music/song.txt"]],
  [{ notIn: "v0.1", path: "music/song.txt", lines: "3-4" }, ["-s", "-L3,4:music/song.txt", "v0.1..HEAD"]],
  [{ notIn: "HEAD", path: "music/song.txt", lines: "3-4" }, ["HEAD..HEAD"]],
  [{ path: "music" }, ["HEAD", "--", "music"]],
  [{ path: "/shallow/" }, ["HEAD", "--", "shallow"]],
  [{ path: "" }, []],
  [{ query: "", author: "", since: "", until: "" }, []],
  [{ path: "nowhere" }, ["HEAD", "--", "nowhere"]],
  [{ path: "*.txt" }, ["HEAD", "--", "nowhere"]],
  [{ path: ":(glob)*.txt" }, ["--follow", "HEAD", "--", ":(literal):(glob)*.txt"]],
  [{ path: "left.txt" }, ["--follow", "HEAD", "--", "left.txt"]],
  [
    { path: "music/song.txt", author: "zo" },
    ["--follow", "-i", "--author=zo", "HEAD", "--", "music/song.txt"],
  ],
  [{ path: "music/song.txt", lines: "3-4" }, ["-s", "-L3,4:music/song.txt"]],
  [{ path: "music/song.txt", lines: "20" }, ["-s", "-L20,20:music/song.txt"]],
  [
    { path: "renamed.txt", lines: "1-4", query: "change" },
    ["-s", "-i", "--grep=change", "-L1,4:renamed.txt"],
  ],
  [{ path: "song.txt", lines: "3", ref: "v1.0" }, ["-s", "-L3,3:song.txt", "v1.0"]],
];

for (const [request, args] of filters) {
  test(`commits ${JSON.stringify(request)}`, async () => {
    const found = await allPages(
      (page, perPage) => ask("commits", { repo: "hostile", ...request, page, perPage }),
      5,
    );
    assert.deepEqual(found.map(withoutNames), expectedCommits(hostile, args));
  });
}

test("commits of a followed file have the names of the file", async () => {
  const { items } = await ask("commits", { repo: "hostile", path: "music/song.txt" });
  const names = items.map(({ path, oldPath }) => (oldPath === undefined ? path : `${oldPath} -> ${path}`));
  assert.deepEqual(names, [
    "music/song.txt",
    "music/song.txt",
    "song.txt -> music/song.txt",
    "song.txt",
    "song.txt",
  ]);
});

test("a file whose name is not UTF-8 has a history", async () => {
  for (const path of ["latin1-\ufffd.txt", "\ufffd\ufffd/broken-\ufffd.txt", "\ufffd\ufffd"]) {
    const { items, total } = await ask("commits", { repo: "hostile", path });
    assert.deepEqual([total, items[0]?.message], [1, "Hostile names"], path);
    const authors = await ask("authors", { repo: "hostile", path });
    assert.deepEqual(authors.items, [
      {
        name: 'Müller, "Ö"',
        email: "muller@example.com",
        commitCount: 1,
        lastActiveAt: "2017-07-14T10:25:00+05:45",
      },
    ]);
  }
  await assert.rejects(ask("commits", { repo: "hostile", path: "latin1-\ufffd.txt", lines: "1" }), {
    code: "INVALID_QUERY_PARAMS",
  });
});

test("commits of a range of lines have the names of the file", async () => {
  const request = { repo: "hostile", path: "music/song.txt", lines: "3-4" };
  const { items } = await ask("commits", request);
  assert.deepEqual(
    items.map(({ message, path }) => `${path}: ${message}`),
    ["music/song.txt: Reformat everything", "song.txt: Change verses 3 and 4", "song.txt: First: begin"],
  );
});

for (const [path, args] of [
  ["music/song.txt", ["--follow", "HEAD", "--", "music/song.txt"]],
  ["music/", ["HEAD", "--", "music"]],
  ["renamed.txt", ["--follow", "HEAD", "--", "renamed.txt"]],
  ["nowhere", ["HEAD", "--", "nowhere"]],
] as const) {
  test(`authors of ${path}`, async () => {
    const { items } = await ask("authors", { repo: "hostile", path });
    const counts = new Map<string, number>();
    for (const person of field(hostile, "%aN <%aE>", args)) counts.set(person, (counts.get(person) ?? 0) + 1);
    const newest = newestOf(hostile, args);
    assert.deepEqual(
      items.map(({ name, email, ...rest }) => [`${name} <${email}>`, rest]).sort(),
      [...counts]
        .map(([person, commitCount]) => [person, { commitCount, lastActiveAt: newest.get(person) }])
        .sort(),
    );
    const order = items.map(({ commitCount }) => commitCount);
    assert.deepEqual(
      order,
      order.toSorted((one, other) => other - one),
    );
  });
}

const ofFile: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
  [{ author: "bob" }, ["-i", "--author=bob"]],
  [{ until: "2017-07-14T05:00:00Z" }, ["--until=2017-07-14T05:00:00Z"]],
  [{ since: "2017-07-14T03:00:00Z", query: "verse" }, ["--since=2017-07-14T03:00:00Z", "-i", "--grep=verse"]],
  [{ query: "^First", notIn: "orphan" }, ["-i", "--grep=^First", "^orphan"]],
  [{ author: "nobody at all" }, ["--author=nobody at all"]],
];

for (const [request, args] of ofFile) {
  test(`commits of a file from before its rename: ${JSON.stringify(request)}`, async () => {
    const path = "music/song.txt";
    const found = await allPages(
      (page, perPage) => ask("commits", { repo: "hostile", path, ...request, page, perPage }),
      2,
    );
    const followed = new Set(field(hostile, "%H", ["--follow", "HEAD", "--", path]));
    const expected = expectedCommits(hostile, [...args, "HEAD"]).filter(({ hash }) => followed.has(hash));
    assert.deepEqual(found.map(withoutNames), expected);
    assert.equal(
      found.every((commit) => commit.path !== undefined),
      true,
    );
  });
}

test("with followRenames: false, commits from before a rename are excluded", async () => {
  const path = "music/song.txt";
  const { items, total } = await ask("commits", { repo: "hostile", path, followRenames: false });
  assert.deepEqual(items, expectedCommits(hostile, ["--no-follow", "HEAD", "--", path]));
  assert.equal(total, items.length);
  const followed = await ask("commits", { repo: "hostile", path, followRenames: true });
  assert.ok(total < followed.total);
  const authors = await ask("authors", { repo: "hostile", path, followRenames: false });
  assert.deepEqual(
    authors.items.reduce((sum, { commitCount }) => sum + commitCount, 0),
    total,
  );
});

for (const [name, path] of Object.entries(histories)) {
  test(`${name}: branches and tag that contain a commit`, async () => {
    const list = (...args: string[]) =>
      runGit(path, ["for-each-ref", ...args])
        .toString("utf8")
        .split("\n")
        .slice(0, -1);
    const hashes = field(path, "%H", ["--all"]);
    const step = Math.ceil(hashes.length / 30);
    for (let at = 0; at < hashes.length; at += step) {
      const ref = hashes[at] ?? "";
      const { containedIn } = await ask("commit", { repo: name, ref, containedIn: true });
      const branches = list(
        "--format=%(symref)%(refname:lstrip=2)",
        `--contains=${ref}`,
        "refs/heads",
        "refs/remotes",
      );
      const tags = list(
        "--format=%(refname:lstrip=2)",
        `--contains=${ref}`,
        "--sort=creatordate",
        "refs/tags",
      );
      assert.deepEqual(containedIn, {
        branches: branches.filter((branch) => !branch.startsWith("refs/")),
        tag: tags[0] ?? "",
      });
    }
  });
}

test("a repository without commits has no commits and no authors", async () => {
  for (const request of [{}, { ref: "HEAD" }, { ref: "main" }, { path: "a", query: "x" }]) {
    assert.deepEqual(await ask("commits", { repo: "empty", ...request }), { items: [], total: 0 });
  }
  assert.deepEqual(await ask("authors", { repo: "empty" }), { items: [], total: 0 });
});

for (const [name, path] of Object.entries(histories)) {
  test(`${name}: commits of each ref that are not in another`, async () => {
    const heads = runGit(path, ["for-each-ref", "--format=%(objectname)", "refs/heads", "refs/tags"]);
    const commits = new Set(
      heads
        .toString()
        .trim()
        .split("\n")
        .filter((hash) => isCommit(path, hash)),
    );
    const some = [...commits].slice(0, 6);
    for (const ref of some) {
      for (const notIn of some) {
        const { items, total } = await ask("commits", { repo: name, ref, notIn, perPage: 100 });
        const expected = runGit(path, ["rev-list", `${notIn}..${ref}`])
          .toString()
          .split("\n")
          .slice(0, -1);
        assert.deepEqual([items.map(({ hash }) => hash), total], [expected.slice(0, 100), expected.length]);
      }
    }
  });
}

for (const [name, path] of Object.entries(histories)) {
  test(`${name}: the first page and the total of one commit after another`, async () => {
    const commits = runGit(path, ["rev-list", "--max-count=40", "--all"]).toString().trim().split("\n");
    const perPage = 4;
    // From the oldest to the newest, as a branch moves, then the others from the newest to the oldest.
    const older = commits.filter((_, at) => at % 2 === 0).reverse();
    for (const ref of new Set([...older, ...commits])) {
      const { items, total } = await ask("commits", { repo: name, ref, perPage });
      const expected = runGit(path, ["rev-list", ref]).toString().trim().split("\n");
      assert.deepEqual([items.map(({ hash }) => hash), total], [expected.slice(0, perPage), expected.length]);
    }
  });
}

function isCommit(path: string, hash: string): boolean {
  return runGit(path, ["cat-file", "-t", hash]).toString().trim() !== "tree";
}

test("a page past the end is empty", async () => {
  const { items, total } = await ask("commits", { repo: "hostile", page: 1000, perPage: 100 });
  assert.deepEqual(items, []);
  assert.equal(total, field(hostile, "%H", ["HEAD"]).length);
});
