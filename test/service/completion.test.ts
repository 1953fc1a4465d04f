import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as fc from "fast-check";
import type { QueryCompletions } from "#contract/queries";
import type { Caller } from "#contract/service";
import type { Repository } from "#model/repository";
import { outlineQuery, parseQuery } from "#query/parser/parse";
import type { Query } from "#query/query";
import { compileExpression } from "#query/regexp/regexp";
import { openEngine, openIndex, type TestDocument, type TestEngine } from "#test/support/engines";
import { callerOf, repository, viewOf } from "#test/support/service";

const commit = "c".repeat(40) as Repository["revisions"][0]["commit"];
const refs = (...names: string[]) => ({ revisions: names.map((name) => ({ name, commit })) });
const document = (path: string, language = "", slots = [0]): TestDocument => ({
  path,
  content: "x\n",
  language,
  slots,
});

const contexts = { web: ["github.com/o/*"], "two words": ["*"] };
const repositories = [
  repository(1, "github.com/o/orders-api", {
    ...refs("refs/heads/dev/x", "refs/heads/main", "refs/tags/v1.0"),
    documentCount: 7,
    topics: ["web"],
  }),
  repository(2, "github.com/orders/ui", {
    ...refs("refs/heads/main", "refs/tags/v2"),
    topics: ["search", "Web"],
  }),
  repository(3, "my (old) notes@home", {
    ...refs(),
    state: "indexing",
    documentCount: 0,
    path: "/src/notes",
  }),
];

let opened: TestEngine;
let caller: Caller;
before(async () => {
  const slots = [
    { name: "refs/heads/main", commit, slot: 0 },
    { name: "refs/tags/v1.0", commit, slot: 1 },
  ];
  const directory = await openIndex([
    {
      id: 1,
      revisions: slots,
      segments: [
        [
          document("README.md", "Markdown", [0, 1]),
          document("src/main.ts", "TypeScript"),
          document("src/a b/(x).ts", "TypeScript"),
          document("src/a b/y.ts", "TypeScript"),
          document("src.old/z.js", "JavaScript", [1]),
          document("Séance.lisp", "Common Lisp"),
        ],
      ],
    },
    { id: 2, segments: [[document("src/ui/view.ts", "TypeScript"), document("style.css", "CSS")]] },
  ]);
  opened = openEngine(directory, { workerCount: 2 });
  caller = callerOf({ engine: opened.engine, repositories: viewOf(repositories), contexts });
});
after(() => opened.engine.close());

/** Completes a query with its cursor at `|`. */
async function complete(marked: string, request: Record<string, unknown> = {}): Promise<QueryCompletions> {
  const offset = marked.indexOf("|");
  const query = marked.replace("|", "");
  return caller(
    "completeQuery",
    { query, offset, ...request },
    {
      credentials: { kind: "local" },
      signal: new AbortController().signal,
      folders: ["/src/notes"],
    },
  );
}

function applied(marked: string, { offset, length }: QueryCompletions, text: string): string {
  const query = marked.replace("|", "");
  return query.slice(0, offset) + text + query.slice(offset + length);
}

/** A row is a query and the expected queries after each suggestion, with its detail, if any, after `#`. */
function check(rows: Readonly<Record<string, readonly string[]>>): void {
  for (const [marked, expected] of Object.entries(rows)) {
    test(marked, async () => {
      const completions = await complete(marked);
      const lines = completions.items.map(({ text, detail }) => {
        const query = applied(marked, completions, text);
        return detail === "" ? query : `${query}  # ${detail}`;
      });
      assert.deepEqual(lines, expected);
    });
  }
}

// Filter names.
check({
  "l|": ["lang:  # Files in a language"],
  "foo fo|": ["foo fork:  # Forks: yes, no or only"],
  "foo -fi|": ["foo -file:  # Paths that match an expression or a glob"],
  "NOT langu|": ["NOT lang:  # Files in a language"],
  "(a or re|": [
    "(a or repo:  # Repositories whose names match an expression",
    "(a or rev:  # Branches, tags or commits",
    "(a or reposet:  # Repositories by their exact names",
  ],
  "(re|)": [
    "(repo:)  # Repositories whose names match an expression",
    "(rev:)  # Branches, tags or commits",
    "(reposet:)  # Repositories by their exact names",
  ],
  "br|anch:x": ["rev:x  # Branches, tags or commits"],
  "ty|po": ["type:po  # What to list: file, symbol, repo or commit"],
  "-ty|": [],
  "foo |": [],
  "foo| bar": [],
  "Re|": [],
  '"re|': [],
  '"re|"': [],
  '"x\n  re|\n"': [],
  'content:"x\n  re|\n"': [],
  "x-re|": [],
  "http://re|": [],
  "quux|": [],
});

test("every filter is suggested for an empty query and after a lone dash", async () => {
  assert.equal((await complete("|")).items.length, 17);
  assert.equal((await complete("foo -|")).items.length, 14);
  assert.deepEqual(
    (await complete("|", { limit: 2 })).items.map(({ label }) => label),
    ["file:", "repo:"],
  );
});

// Values of an enumeration.
check({
  "type:|": [
    "type:file  # Names of files",
    "type:repo  # Names of repositories",
    "type:symbol  # Definitions",
    "type:commit  # Commits",
  ],
  "case:a| x": ["case:auto x  # Match case in words with capitals"],
  "dependencies:o|": ["dependencies:only  # Only these"],
  "-fork:o|": ["-fork:only  # Only these"],
  "topic:|": ["topic:web  # 2 repositories", "topic:search  # 1 repository"],
  "topic:web,|": ["topic:web,search  # 1 repository"],
  "repo:ui topic:SEA|": ["repo:ui topic:search  # 1 repository"],
  "visibility:pub|lic": ["visibility:public  # Public"],
  "archived:x|": [],
  "content:|": [],
  "sym:a|": [],
  "context:|": ['context:"two words"', "context:web"],
  'scope:"two w|': ['scope:"two words"'],
  'context:"tw|o w" x': ['context:"two words" x'],
});

// Searches for commits.
check({
  "type:commit si|": ["type:commit since:  # Commits from this date on"],
  "bef| type:commit": ["until: type:commit  # Commits up to this date"],
  "until:1| type:commit": [
    'until:"1 week ago" type:commit',
    'until:"1 month ago" type:commit',
    'until:"1 year ago" type:commit',
  ],
  'type:commit since:"1 y|': ['type:commit since:"1 year ago"'],
  "type:commit fi|": [],
  "type:commit author:|": [],
  "au|": [],
});

// Repositories.
check({
  "repo:|": [
    "repo:^my\\ \\(old\\)\\ notes\\@home$  # indexing",
    "repo:^github\\.com/o/orders-api$  # 7 files",
    "repo:^github\\.com/orders/ui$  # 3 files",
  ],
  "r:orders|": ["r:^github\\.com/o/orders-api$  # 7 files", "r:^github\\.com/orders/ui$  # 3 files"],
  "-repo:ORDERS/| x": ["-repo:^github\\.com/orders/ui$ x  # 3 files"],
  "(repo:ui|)": ["(repo:^github\\.com/orders/ui$)  # 3 files"],
  "(repo:ui|": ["(repo:^github\\.com/orders/ui$  # 3 files"],
  "repo:^github\\.com/o/|": ["repo:^github\\.com/o/orders-api$  # 7 files"],
  "repo:^github\\.com/o/ord|ers-api$ x": ["repo:^github\\.com/o/orders-api$ x  # 7 files"],
  "repo:| foo": [
    "repo:^my\\ \\(old\\)\\ notes\\@home$ foo  # indexing",
    "repo:^github\\.com/o/orders-api$ foo  # 7 files",
    "repo:^github\\.com/orders/ui$ foo  # 3 files",
  ],
  'repo:"old) n|': ["repo:^my\\ \\(old\\)\\ notes\\@home$  # indexing"],
  "repo:orders|.*x": [
    "repo:^github\\.com/o/orders-api$  # 7 files",
    "repo:^github\\.com/orders/ui$  # 3 files",
  ],
  "reposet:orders-a|": ["reposet:github.com/o/orders-api"],
  "reposet:github.com/o/orders-api,ui|": ["reposet:github.com/o/orders-api,github.com/orders/ui"],
  "reposet:notes|": ['reposet:"my (old) notes@home"'],
});

// Revisions.
check({
  "rev:|": [
    "rev:HEAD  # Default revision of each repository",
    "rev:*  # All indexed revisions",
    "rev:main  # branch in 2 repositories",
    "rev:dev/x  # branch in 1 repository",
    "rev:v1.0  # tag in 1 repository",
    "rev:v2  # tag in 1 repository",
  ],
  "repo:api b:|": [
    "repo:api b:HEAD  # Default revision of each repository",
    "repo:api b:*  # All indexed revisions",
    "repo:api b:main  # branch",
    "repo:api b:dev/x  # branch",
    "repo:api b:v1.0  # tag",
  ],
  "rev:v| -repo:api": ["rev:v2 -repo:api  # tag in 1 repository"],
  "repo:ui@m|": ["repo:ui@main  # branch"],
  "rev:refs/tags/v2|": ["rev:refs/tags/v2  # tag in 1 repository"],
  "rev:he|": ["rev:HEAD  # Default revision of each repository"],
});

// Languages.
check({
  "lang:|": [
    "lang:TypeScript  # 4 files",
    "lang:CSS  # 1 file",
    'lang:"Common Lisp"  # 1 file',
    "lang:Markdown  # 1 file",
  ],
  "repo:ui lang:|": ["repo:ui lang:CSS  # 1 file", "repo:ui lang:TypeScript  # 1 file"],
  "-l:ts| x": ["-l:TypeScript x  # 4 files"],
  "lang:cobo|": ["lang:COBOL"],
  'lang:"common l|': ['lang:"Common Lisp"  # 1 file'],
  "rev:v1.0 lang:j|": ["rev:v1.0 lang:JavaScript  # 1 file"],
});

// Paths.
check({
  "file:|": ["file:^src/  # 4 files", "file:^README\\.md$", "file:^style\\.css$", "file:^Séance\\.lisp$"],
  "path:S|": ["path:^src/  # 4 files", "path:^style\\.css$", "path:^Séance\\.lisp$"],
  "file:^src/|": ["file:^src/a\\ b/  # 2 files", "file:^src/ui/  # 1 file", "file:^src/main\\.ts$"],
  "-file:src/a\\ b/| x": ["-file:^src/a\\ b/\\(x\\)\\.ts$ x", "-file:^src/a\\ b/y\\.ts$ x"],
  'file:"src/a b/y|': ["file:^src/a\\ b/y\\.ts$"],
  "repo:ui file:|": ["repo:ui file:^src/  # 1 file", "repo:ui file:^style\\.css$"],
  "rev:v1.0 file:|": ["rev:v1.0 file:^src\\.old/  # 1 file", "rev:v1.0 file:^README\\.md$"],
  "file:VI|": ["file:^src/ui/view\\.ts$"],
  "file:src/vi|": ["file:^src/ui/view\\.ts$"],
  "file:ma|": ["file:^src/main\\.ts$"],
  "file:src/ma|": ["file:^src/main\\.ts$"],
  "file:*.t|": [],
  "file:nowhere/|": [],
});

/** Returns the value of a completed filter. */
function meaningOf(node: Query): string {
  if (node.kind === "not") return meaningOf(node.child);
  if (node.kind === "language" || node.kind === "revision" || node.kind === "repositorySet")
    return node.names.join();
  if (node.kind === "context") return node.name;
  const pattern = node.kind === "repository" || node.kind === "text" ? node.pattern : undefined;
  return pattern?.kind === "regexp" ? pattern.source : JSON.stringify(node);
}

const hard = fc
  .stringMatching(/^[-a-zA-Z0-9 ._/@()[\]{}"\\^$*+?|,:'é😀]{1,12}$/u)
  .filter((name) => name.trim() === name);
const around = fc.constantFrom(
  ["", ""],
  ["foo ", " bar"],
  ["(a or ", ")"],
  ["-", ""],
  ["NOT ", " x"],
  ["(", " b)"],
);
const filters = ["repo", "reposet", "rev", "context"] as const;

test("every suggested query means what its label says", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(hard, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...filters),
      around,
      fc.nat(3),
      fc.constantFrom("", '"'),
      fc.boolean(),
      async (names, filter, [left, right], typedLength, quote, isRegexEnabled) => {
        const named = callerOf({
          engine: opened.engine,
          repositories: viewOf(names.map((name, at) => repository(at + 1, name, refs(`refs/heads/${name}`)))),
          contexts: Object.fromEntries(names.map((name) => [name, []])),
        });
        const typed = /^[a-zA-Z0-9]*/.exec(names[0] ?? "")?.[0].slice(0, typedLength);
        const head = `${left}${filter}:${quote}${typed}`;
        const query = head + right;
        const { offset, length, items } = await named(
          "completeQuery",
          { query, offset: head.length, isRegexEnabled },
          { credentials: { kind: "local" }, signal: new AbortController().signal },
        );
        for (const { label, text } of items) {
          const next = query.slice(0, offset) + text + query.slice(offset + length);
          const flags = { isRegexEnabled, isCaseSensitivityEnabled: false, contexts: new Set(names) };
          parseQuery(next, flags);
          const { leaves } = outlineQuery(next, flags);
          const leaf = leaves.find(({ prefix }) => prefix?.name === filter);
          assert.ok(leaf, next);
          const meaning = meaningOf(parseQuery(next.slice(leaf.termStart, leaf.end), flags).query);
          if (filter !== "repo") assert.equal(meaning, label, next);
          else {
            const { findLinear } = compileExpression(meaning, true);
            assert.deepEqual(findLinear(label, 0), [0, label.length], next);
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("any text and any cursor are accepted", async () => {
  const pieces = [
    "repo:",
    "file:",
    '"',
    "(",
    ")",
    "-",
    "NOT ",
    " ",
    "or ",
    "lang:",
    "@",
    "\\",
    "a",
    "*",
    "[",
    "😀",
  ];
  const query = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(query, fc.nat(30), fc.boolean(), async (text, offset, isRegexEnabled) => {
      const found = await caller(
        "completeQuery",
        { query: text, offset, isRegexEnabled },
        { credentials: { kind: "local" }, signal: new AbortController().signal },
      );
      assert.ok(found.offset + found.length <= text.length);
      assert.ok(found.offset <= Math.min(offset, text.length));
      assert.ok(found.offset + found.length >= Math.min(offset, text.length));
    }),
    {
      numRuns: 500,
      examples: [
        ["or lang:[(repo:repo:@or -", 24, false],
        ["or lang:[(repo:repo:@or -", 24, true],
      ],
    },
  );
});
