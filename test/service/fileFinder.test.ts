/** "Go to file" of the pages: which paths typed letters find, and in which order. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { rankPaths } from "#service/search/rankPaths";
import { openEngine, openIndex } from "#test/support/engines";
import { entriesOf, getPage } from "#test/support/page";
import { temporaryFolder } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

/** A page shows no more paths. */
const maxShown = 100;
const many = Array.from({ length: 800 }, (_, at) => `generated/fxp/f${at}x${at}p.txt`);
/** Maps typed letters to the paths that must come first, in this order. */
const rows: Readonly<Record<string, readonly string[]>> = {
  page: [
    "web/page.ts",
    "web/pageStyle.ts",
    "web/filePage.ts",
    "web/fileStaticPage.ts",
    "web/homepage.ts",
    "page/index.ts",
  ],
  FILEPAGE: ["web/filePage.ts", "web/fileStaticPage.ts"],
  fipa: ["web/filePage.ts", "web/fileStaticPage.ts"],
  // There are more files with these letters than are shown.
  fp: ["web/filePage.ts", "web/fileStaticPage.ts"],
  "web/page": ["web/page.ts", "web/pageStyle.ts", "web/filePage.ts"],
  "web\\fp": ["web/filePage.ts"],
  "style web": ["web/pageStyle.ts"],
  pgsty: ["web/pageStyle.ts"],
  "[id].t": ["web/[id].ts"],
  "a-]^b": ["web/a-]^b.txt"],
  "x*@(#": ['web/x*@(#") y.txt'],
  "é🙂": ["web/été🙂.txt"],
};
const paths = [...new Set(Object.values(rows).flat()), ...many].sort();

let listener: TestListener;
let close: () => unknown;

before(async () => {
  const documents = paths.map((path) => ({ path, content: "x\n" }));
  const { engine } = openEngine(await openIndex([{ id: 1, segments: [documents] }]), { workerCount: 1 });
  close = () => engine.close();
  const path = temporaryFolder();
  const repositories = viewOf([repository(1, "shop", { path, kind: "folder", documentCount: paths.length })]);
  listener = await openListener(callerOf({ repositories, engine }));
});
after(async () => {
  await listener.close();
  await close();
});

async function find(text: string) {
  const page = await getPage(`${listener.url}/browse/shop/-/find/?filter=${encodeURIComponent(text)}`);
  assert.equal(page.status, 200);
  return { found: entriesOf(page), summary: /id="summary"[^>]*>([^<]*)/.exec(page.text)?.[1] };
}

for (const [text, expected] of Object.entries(rows)) {
  test(`${text} finds ${expected[0]} first`, async () => {
    const { found } = await find(text);
    assert.deepEqual(found.slice(0, expected.length), expected);
  });
}

test("finds each path by some of its characters in order, and no other path", async () => {
  const isFound = (path: string, text: string) => {
    const wanted = text.toLowerCase();
    let at = 0;
    for (const letter of path.toLowerCase()) if (letter === wanted[at]) at++;
    return at === wanted.length;
  };
  const few = paths.filter((path) => !many.includes(path));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...few), fc.infiniteStream(fc.boolean()), async (path, choice) => {
      const text = [...path]
        .filter((character) => /[^\s"\\]/.test(character) && choice.next().value)
        .join("");
      const matching = paths.filter((each) => isFound(each, text));
      fc.pre(text.length > 3 && /^[ -~]*$/.test(text) && matching.length <= maxShown);
      const { found } = await find(text);
      assert.deepEqual(found.sort(), matching, text);
    }),
    { numRuns: 50 },
  );
});

test("says what it found", async () => {
  assert.match((await find("page")).summary ?? "", /^\d files$/);
  assert.match((await find("f")).summary ?? "", /^100 files; there are more/);
  assert.match((await find("pagezz")).summary ?? "", /^No path contains these letters/);
  assert.match((await find("ab ".repeat(900))).summary ?? "", /^No path contains/);
  assert.match((await find("x".repeat(10_000))).summary ?? "", /^No path is that long/);
});

test("long paths of many similar letters are ranked in little time", () => {
  const hostile = Array.from({ length: 1000 }, (_, at) => `${"xa".repeat(2000)}${at}`);
  const before = process.cpuUsage();
  assert.equal(rankPaths(hostile, "a".repeat(64)).length, hostile.length);
  const { user } = process.cpuUsage(before);
  // Without a limit, it takes half a minute.
  assert.ok(user < 2_000_000, `${user} µs`);
});
