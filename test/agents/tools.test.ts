/** What each tool prints, on real repositories. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { estimateTokens } from "#agents/printListing";
import { runTool } from "#agents/runTool";
import { toolDefinitions } from "#agents/toolDefinitions";
import { type AgentServer, startAgentServer } from "#test/support/agentServer";
import { eventually } from "#test/support/eventually";
import { checkStructuredContent } from "#test/support/structuredContent";

let server: AgentServer;
before(async () => {
  server = await startAgentServer();
});
after(() => server.close());

async function run(name: string, args: unknown): Promise<string> {
  const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
  const onDefect = (error: unknown) => {
    throw error;
  };
  const { text, isError } = await runTool(name, args, server.caller, call, { onDefect });
  assert.equal(isError, text.startsWith("Error: "), text);
  const options = { onDefect, isStructured: true };
  const { structured, text: sameText } = await runTool(name, args, server.caller, call, options);
  assert.equal(structured === undefined, isError);
  const { maxTokens } = args as { readonly maxTokens?: number };
  if (structured !== undefined) checkStructuredContent(name, structured, sameText, maxTokens);
  return text.replace(/\b[0-9a-f]{12}\b/g, "SHA");
}

const shop = "github.com/acme/shop";

const cases: readonly (readonly [name: string, args: object, expected: string])[] = [
  [
    "grep",
    { pattern: "total" },
    `
2 matches in 2 files.

github.com/acme/shop src/cart.ts@main
in class Cart:
11:  total(): number {

github.com/acme/shop src/checkout.ts@main
in function checkOut:
4:  return cart.total();
`,
  ],
  [
    "grep",
    { pattern: "how are the prices rounded", mode: "words" },
    `
7 matches in 2 files.

github.com/acme/money round.ts@main
1:export function round(amount: number): number {
in function round:
2:  return Math.round(amount);

github.com/acme/shop src/cart.ts@main
1:import { round } from "money";
in class Cart:
7:  addItem(price: number): void {
in method addItem:
8:    this.#items.push(price);
in method total:
12:    return round(this.#items.reduce((sum, price) => sum + price, 0));
`,
  ],
  [
    "grep",
    { patterns: ["addItem", "Math.round"], context: 1 },
    `
2 matches in 2 files.

github.com/acme/shop src/cart.ts@main
in class Cart:
6-
7:  addItem(price: number): void {
8-    this.#items.push(price);

github.com/acme/money round.ts@main
1-export function round(amount: number): number {
2:  return Math.round(amount);
3-}
`,
  ],
  [
    "grep",
    { pattern: "sum \\+ \\w+|checkOut", regex: true, lang: "typescript", exclude: "check" },
    `
1 match in 1 file.

github.com/acme/shop src/cart.ts@main
in method total:
12:    return round(this.#items.reduce((sum, price) => sum + price, 0));
`,
  ],
  [
    "grep",
    { pattern: "class Cart", rev: "v1" },
    `
1 match in 1 file.

github.com/acme/shop src/cart.ts@v1
4:export class Cart {
`,
  ],
  [
    "grep",
    { pattern: "needle" },
    `
1 match in 1 file.

github.com/acme/shop src/generated.js@main
1:…x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; needle
`,
  ],
  [
    "grep",
    { pattern: "reversed" },
    `
1 match in 1 file.

github.com/acme/shop docs/hostile.txt@main
1:red ␛[31m and reversed � and invisible �
`,
  ],
  [
    "grep",
    { pattern: "cart", mode: "files" },
    `
6 matches in 2 files.
github.com/acme/shop src/cart.ts@main (1)
github.com/acme/shop src/checkout.ts@main (5)
`,
  ],
  [
    "grep",
    { pattern: "cart", case: true, mode: "count" },
    `
3 matches in 1 file.
`,
  ],
  [
    "grep",
    { pattern: "no such text", repo: "shop" },
    `
Nothing found.
Searched github.com/acme/shop at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "grep",
    { pattern: "x", repo: "shp" },
    `
Nothing found.
No repository contains "shp". Did you mean github.com/acme/shop?
`,
  ],
  [
    "grep",
    { pattern: "x", path: "srx/*.ts" },
    `
Nothing found.
No path matches "srx/*.ts". Did you mean src?
Searched 2 repositories at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "find",
    { name: "src/chekout" },
    `
No file found.
No path matches "src/chekout". Did you mean src/checkout.ts?
Searched 2 repositories at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "find",
    { name: "/SRC/chekout" },
    `
No file found.
No path matches "/SRC/chekout". Did you mean src/checkout.ts?
Searched 2 repositories at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "grep",
    { pattern: "x", path: "src/*.rs" },
    `
Nothing found.
No path matches "src/*.rs".
Searched 2 repositories at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "uses",
    { symbol: "Cart", rev: "v2" },
    `
No references of "Cart".
It is defined: role "definitions" shows where.
No branch or tag matches "v2". Did you mean "v1"?
`,
  ],
  [
    "uses",
    { symbol: "Cart", lang: "typescipt" },
    `
Error: "lang" must be a known language, but is "typescipt". Did you mean TypeScript?
`,
  ],
  [
    "read",
    { files: [{ repo: "shop", path: "src" }] },
    `
Error: "path": "src" is a folder in github.com/acme/shop. The tool "outline" lists it.
`,
  ],
  [
    "read",
    { files: [{ repo: "shop", path: "/src/" }] },
    `
Error: "path": "/src/" is a folder in github.com/acme/shop. The tool "outline" lists it.
`,
  ],
  [
    "read",
    { files: [{ repo: "shop", path: "vendor/money" }] },
    `
Error: "path": "vendor/money" is a submodule in github.com/acme/shop. Its files are in another repository.
`,
  ],
  [
    "history",
    { repo: "shop", message: "\0" },
    `
Error: "message" must not contain a NUL character.
`,
  ],
  [
    "diff",
    { repo: "shop", base: "v1", head: "main", path: "src/cart.ts" },
    `
0 changed files in github.com/acme/shop.
`,
  ],
  [
    "diff",
    { repo: "shop", head: "mian" },
    `
Error: Revision "mian" not found in repository "github.com/acme/shop". The tool "repos" lists indexed revisions.
`,
  ],
  [
    "diff",
    { repo: "shop", head: "main", path: "src/cat.ts" },
    `
Error: "path": no file "src/cat.ts" in github.com/acme/shop@main. Did you mean src/cart.ts?
`,
  ],
  [
    "grep",
    { pattern: "x", rev: "v2" },
    `
Nothing found.
No branch or tag matches "v2". Did you mean "v1"?
`,
  ],
  [
    "grep",
    { pattern: "(", regex: true },
    `
Error: "pattern" is not a valid RE2 expression: missing closing ). Escape it, or set regex to false to search for the text.
`,
  ],
  [
    "grep",
    {},
    `
Error: "pattern" is missing: give the text to search for.
`,
  ],
  [
    "grep",
    { patern: "x" },
    `
Error: grep has no argument "patern". Did you mean "pattern"?
`,
  ],
  [
    "grep",
    { pattern: "x", lang: "typescipt" },
    `
Error: Unknown language "typescipt". Did you mean TypeScript? Check pattern, repo, path, lang and rev.
`,
  ],
  [
    "grep",
    { pattern: "x", context: 99 },
    `
Error: "context" must be an integer from 0 to 20, but is 99.
`,
  ],
  [
    "find",
    { name: "cart" },
    `
1 file.
github.com/acme/shop src/cart.ts@main
`,
  ],
  [
    "grep",
    { pattern: "x", repo: "acme.shop" },
    `
Nothing found.
No repository contains "acme.shop". Indexed: github.com/acme/money, github.com/acme/shop.
`,
  ],
  [
    "find",
    { name: "lang:ts" },
    `
No file found.
No path matches "lang:ts".
Searched 2 repositories at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "find",
    { name: "topic: x" },
    `
No file found.
No path matches "topic: x".
Searched 2 repositories at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "find",
    { name: "**/*.ts", rev: "v1" },
    `
1 file.
github.com/acme/shop src/cart.ts@v1
`,
  ],
  [
    "find",
    { name: "crt", type: "symbols" },
    `
1 definition.

github.com/acme/shop src/cart.ts
4:export class Cart {   [class]
`,
  ],
  [
    "find",
    { name: "zzz" },
    `
No file found.
No path matches "zzz".
Searched 2 repositories at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "read",
    { files: [{ repo: "shop", path: "src/checkout.ts" }] },
    `
github.com/acme/shop src/checkout.ts: 5 lines.

github.com/acme/shop src/checkout.ts
1:import { Cart } from "./cart";
2:
3:export function checkOut(cart: Cart): number {
4:  return cart.total();
5:}
`,
  ],
  [
    "read",
    {
      files: [
        { repo: shop, path: "src/cart.ts", symbol: "Cart.total" },
        { repo: "money", path: "round.ts", lines: "2-9" },
      ],
    },
    `
github.com/acme/shop src/cart.ts: 1 definition of Cart.total.
github.com/acme/money round.ts: 3 lines.

github.com/acme/shop src/cart.ts
11:  total(): number {
12:    return round(this.#items.reduce((sum, price) => sum + price, 0));
13:  }

github.com/acme/money round.ts
2:  return Math.round(amount);
3:}
`,
  ],
  [
    "read",
    { files: [{ repo: "shop", path: "src/checkout.ts", symbol: "checkOut" }] },
    `
github.com/acme/shop src/checkout.ts: 1 definition of checkOut.

github.com/acme/shop src/checkout.ts
3:export function checkOut(cart: Cart): number {
4:  return cart.total();
5:}
`,
  ],
  [
    "read",
    { files: [{ repo: "money", path: "currencies.ts" }] },
    `
github.com/acme/money currencies.ts: 502 lines, so this is its outline.
To read a part, give lines or a symbol.

github.com/acme/money currencies.ts
1-502: export function listCurrencies(): readonly string[] {
`,
  ],
  [
    "read",
    { files: [{ repo: shop, path: "src/cart.ts", symbol: "totl" }] },
    `
Error: "symbol": github.com/acme/shop src/cart.ts does not define "totl". Did you mean total?
`,
  ],
  [
    "read",
    { files: [{ repo: shop, path: "src/card.ts" }] },
    `
Error: "path": no file "src/card.ts" in github.com/acme/shop. Did you mean src/cart.ts?
`,
  ],
  [
    "read",
    { files: [{ repo: shop, path: "checkout.ts", rev: "v1" }] },
    `
Error: "path": no file "checkout.ts" in github.com/acme/shop@v1. The tool "find" finds files by part of their path.
`,
  ],
  [
    "read",
    { files: [{ repo: "shoop", path: "src/cart.ts" }] },
    `
Error: "repo": no repository "shoop". Did you mean github.com/acme/shop?
`,
  ],
  [
    "read",
    { files: [{ repo: shop, path: "src/cart.ts", rev: "v9" }] },
    `
Error: Git reference "v9" could not be resolved. The tool "repos" lists indexed revisions.
`,
  ],
  [
    "read",
    {
      files: [
        { repo: shop, path: "docs/hostile.txt" },
        { repo: shop, path: "nope" },
      ],
    },
    `
github.com/acme/shop docs/hostile.txt: 1 line.
Not read: "path": no file "nope" in github.com/acme/shop. The tool "find" finds files by part of their path.

github.com/acme/shop docs/hostile.txt
1:red ␛[31m and reversed � and invisible �
`,
  ],
  [
    "outline",
    { repo: "shop", path: "src/cart.ts" },
    `
4 definitions in 14 lines.

github.com/acme/shop src/cart.ts
4-14: export class Cart {
5:   #items: number[] = [];
7-9:   addItem(price: number): void {
11-13:   total(): number {
`,
  ],
  [
    "outline",
    { repo: "shop" },
    `
3 entries.

github.com/acme/shop /
docs/
src/
vendor/
`,
  ],
  [
    "outline",
    { repo: "shop", path: "src/" },
    `
3 entries.

github.com/acme/shop src
cart.ts
checkout.ts
generated.js
`,
  ],
  [
    "outline",
    { repo: "shop", path: "srx" },
    `
Error: "path": no file "srx" in github.com/acme/shop. Did you mean src?
`,
  ],
  [
    "uses",
    { symbol: "round" },
    `
3 references in 2 files.

github.com/acme/money round.ts
in function round:
2:  return Math.round(amount);   [repository]

github.com/acme/shop src/cart.ts
1:import { round } from "money";   [name]
in method total:
12:    return round(this.#items.reduce((sum, price) => sum + price, 0));   [name]
`,
  ],
  [
    "uses",
    { symbol: "Cart", role: "definitions" },
    `
1 definition in 1 file.

github.com/acme/shop src/cart.ts
4:export class Cart {   [class]
`,
  ],
  [
    "uses",
    { symbol: "Catr" },
    `
No references of "Catr".
Did you mean Cart?
Searched 2 repositories at the default revisions, with uncommitted changes. Everything is indexed, so there is no more.
`,
  ],
  [
    "uses",
    { symbol: "total", from: { repo: shop, path: "src/checkout.ts", line: 4 }, role: "definitions" },
    `
1 definition in 1 file.

github.com/acme/shop src/cart.ts
in class Cart:
11:  total(): number {   [method, repository]
`,
  ],
  [
    "history",
    { repo: "shop" },
    `
2 commits.

github.com/acme/shop
SHA 2020-01-01 Ann Author: Check out (HEAD -> main)
SHA 2020-01-01 Ann Author: Start the shop (tag: v1)
`,
  ],
  [
    "history",
    { repo: "shop", text: "total(): number" },
    `
1 commit.

github.com/acme/shop
SHA 2020-01-01 Ann Author: Start the shop (tag: v1)
`,
  ],
  [
    "history",
    { repo: "shop", path: "src/cart.ts", blame: true, lines: "4-5" },
    `
2 lines, 1 commit.

github.com/acme/shop src/cart.ts@HEAD
SHA 2020-01-01 Ann Author: Start the shop
4:export class Cart {
5:  #items: number[] = [];
`,
  ],
  [
    "history",
    { repo: "shop", path: "src/cat.ts" },
    `
Error: "path": no file "src/cat.ts" in github.com/acme/shop. Did you mean src/cart.ts?
`,
  ],
  [
    "history",
    { repo: "shop", blame: true },
    `
Error: "path" is missing: "blame" needs the path of a file.
`,
  ],
  [
    "history",
    { repo: "shop", author: "nobody" },
    `
No commit found.
Searched github.com/acme/shop at HEAD.
`,
  ],
  [
    "diff",
    { repo: "shop", base: "v1", head: "main", path: "src/checkout.ts" },
    `
1 changed file in github.com/acme/shop.

src/checkout.ts (added)
@@ -0,0 +1,5 @@
+import { Cart } from "./cart";
+
+export function checkOut(cart: Cart): number {
+  return cart.total();
+}
`,
  ],
  [
    "diff",
    { repo: "shop", head: "HEAD", namesOnly: true },
    `
commit SHA 2020-01-01 Ann Author: Check out
4 changed files in github.com/acme/shop.
docs/hostile.txt (added) +1 -0
src/checkout.ts (added) +5 -0
src/generated.js (added) +1 -0
vendor/money (added) +1 -0
`,
  ],
  [
    "diff",
    { repo: "shop", head: "v1", namesOnly: true },
    `
commit SHA 2020-01-01 Ann Author: Start the shop
1 changed file in github.com/acme/shop.
src/cart.ts (added) +14 -0
`,
  ],
  [
    "repos",
    {},
    `
2 repositories.
github.com/acme/money  default main; last commit 2020-01-01; ready
github.com/acme/shop  default main; also v1; last commit 2020-01-01; ready
`,
  ],
  [
    "repos",
    { name: "zz" },
    `
No repository contains "zz".
Indexed: github.com/acme/money, github.com/acme/shop.
`,
  ],
];

for (const [name, args, expected] of cases) {
  test(`${name} ${JSON.stringify(args)}`, async () => {
    assert.equal(await run(name, args), expected.trim());
  });
}

const more: readonly (readonly [name: string, args: object, expected: RegExp])[] = [
  [
    "uses",
    { symbol: "round", role: "callers", depth: 2 },
    /callers of function round github\.com\/acme\/money round\.ts:1:\n[\s\S]* {2}method Cart\.total github\.com\/acme\/shop src\/cart\.ts:\d+ calls at line 12 {3}\[name\]/,
  ],
  [
    "uses",
    { symbol: "Math", role: "callers" },
    /^No indexed definition of "Math", so its callers are unknown\.\nRole "references" shows where/,
  ],
  [
    "uses",
    { symbol: "checkOut" },
    /^No references of "checkOut"\.\nIt is defined: role "definitions" shows where\./,
  ],
  [
    "uses",
    { symbol: "round", from: { repo: "shp", path: "a", line: 1 } },
    /Did you mean github\.com\/acme\/shop\?/,
  ],
  [
    "uses",
    { symbol: "round", from: { repo: "shop", path: "src/cat.ts", line: 1 } },
    /^Error: "path": no file "src\/cat\.ts" in .* Did you mean src\/cart\.ts\?/,
  ],
  [
    "history",
    { repo: "shop", path: "src/cart.ts", lines: "1,2" },
    /^Error: "lines" must be a string such as "12-40", but is "1,2"\.$/,
  ],
  ["uses", { symbol: "Cart.total" }, /Give the name without its type: "total"\./],
  ["find", { name: "Cart", type: "symbols", kinds: ["klass"] }, /"kinds" may be wrong/],
  [
    "grep",
    { patterns: Array.from({ length: 8 }, () => '"'.repeat(1000)) },
    /^Error: "patterns" are too long/,
  ],
];
for (const [name, args, expected] of more) {
  test(`${name} ${JSON.stringify(args).slice(0, 100)}`, async () => {
    assert.match(await run(name, args), expected);
  });
}

test("uncommitted changes are found and read, until they are committed", async () => {
  const file = { repo: shop, path: "src/checkout.ts" };
  server.shop.write("src/checkout.ts", "export const draft = true;\n");
  await eventually(async () => (await run("grep", { pattern: "draft" })).includes("(uncommitted)"));
  assert.equal(
    await run("read", { files: [file] }),
    `${shop} src/checkout.ts (uncommitted): 1 line.\n\n${shop} src/checkout.ts (uncommitted)\n1:export const draft = true;`,
  );
  assert.match(await run("outline", file), /^1 definition in 1 line\.\n\n.*\n1: export const draft = true;$/);
  assert.match(await run("read", { files: [{ ...file, rev: "HEAD" }] }), /checkOut/);
  server.shop.git("checkout", "-q", "--", "src/checkout.ts");
  await eventually(async () => (await run("grep", { pattern: "draft" })).startsWith("Nothing found."));
});

test("a file counts once, however often its path contains the name", async () => {
  const folder = "q".repeat(200);
  server.shop.write(`${Array.from({ length: 11 }, () => folder).join("/")}/file.txt`, "text\n");
  await eventually(async () => (await run("find", { name: "q" })).startsWith("1 file."));
  server.shop.git("clean", "-qfd");
  await eventually(async () => (await run("find", { name: "q" })).startsWith("No file found."));
});

test("following the cursor returns each line once, in the same order", async () => {
  const args = { files: [{ repo: "money", path: "rates.txt" }] };
  const pages: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const text = await run("read", { ...args, maxTokens: 200, ...(cursor === undefined ? {} : { cursor }) });
    assert.ok(estimateTokens(text) <= 200, text);
    pages.push(text);
    cursor = /Next page: cursor "(\S+)"/.exec(text)?.[1];
    if (cursor === undefined) break;
  }
  assert.ok(pages.length > 1);
  const lines = pages.flatMap((page) => page.split("\n").filter((line) => /^\d+:/.test(line)));
  assert.deepEqual(
    lines,
    Array.from({ length: 60 }, (_, index) => `${index + 1}:rate of day ${index + 1}`),
  );
  const [cursor = ""] = /(?<=cursor ")\S+(?=")/.exec(pages[0] ?? "") ?? [];
  assert.match(await run("grep", { pattern: "rate", cursor }), /^Error: "cursor" does not belong/);
});

test("structured content has all lines of a result, page by page", async () => {
  const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
  const lines: object[] = [];
  let cursor: string | undefined;
  do {
    const args = { pattern: "rate of day", maxTokens: 400, ...(cursor === undefined ? {} : { cursor }) };
    const options = { isStructured: true, onDefect: assert.ifError };
    const { text, structured } = await runTool("grep", args, server.caller, call, options);
    assert.ok(structured);
    checkStructuredContent("grep", structured, text, 400);
    const page = structured as { cursor?: string; files: { path: string; lines: object[] }[] };
    assert.deepEqual(
      page.files.map(({ path }) => path),
      ["rates.txt"],
    );
    lines.push(...page.files.flatMap((file) => file.lines));
    cursor = page.cursor;
  } while (cursor !== undefined);
  assert.deepEqual(
    JSON.parse(JSON.stringify(lines)),
    Array.from({ length: 60 }, (_, index) => ({
      line: index + 1,
      text: `rate of day ${index + 1}`,
      isMatch: true,
    })),
  );
});

test("the same call has the same result", async () => {
  for (const [name, args] of cases) assert.equal(await run(name, args), await run(name, args), name);
});

test("a call that is canceled stops", async () => {
  const controller = new AbortController();
  const call = { credentials: { kind: "local" }, signal: controller.signal } as const;
  const running = runTool("grep", { pattern: "cart" }, server.caller, call, { onDefect: () => {} });
  controller.abort();
  await assert.rejects(running, { code: "CANCELLED" });
});

test("the definitions of all tools are short", () => {
  const definitions = toolDefinitions();
  assert.deepEqual(
    definitions.map(({ name }) => name),
    ["grep", "find", "read", "outline", "uses", "history", "diff", "repos"],
  );
  const tokens = estimateTokens(JSON.stringify(definitions));
  assert.ok(tokens <= 2500, `${tokens} tokens`);
  assert.ok(definitions.every(({ outputSchema }) => outputSchema === undefined));
});
