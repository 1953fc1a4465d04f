/** The search page, of a server that has indexed real repositories. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TestBrowser, type Visit } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { importCommits } from "#test/support/history";
import { getPage, linksOf, linkTo, type Page, plain } from "#test/support/page";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const calls = Array.from({ length: 40 }, (_, at) => `| retryRequest(${at});`);
const pages = Array.from({ length: 70 }, (_, at) => `pages/p${at}.txt\n| a common word`);
const longLine = `${"var a=1;".repeat(120_000)}deepNeedle();${"var b=2;".repeat(120_000)}`;

/** Percent-encoding makes it three times as long. */
const deepPath = `deeply/${"äöü/".repeat(450)}many.txt`;

let server: Served;
before(async () => {
  const folder = temporaryFolder();
  const shop = repo(
    [
      "= main: Retry failed requests",
      "src/retry.ts",
      "| // Sends it again.",
      "| export function retryRequest() {}",
    ]
      .concat(["| const Total = 1;", "| const total = 2;", "| const subtotal = 3;"])
      .concat(["src/calls.ts", ...calls, ...pages.flatMap((page) => page.split("\n"))])
      .concat(['"src/<img src=x onerror=alert(1)>.txt"', '| <script>alert("hostile")</script>'])
      .concat([deepPath, ...Array.from({ length: 200 }, () => "| deeply")])
      .concat(["flood.txt", ...Array.from({ length: 1500 }, () => "| inundation"), "dry.txt", "| inundation"])
      .concat(["trojan.js", "| /* hostile \u202e } \u2066if (admin)\u2069 */"])
      .join("\n"),
    { path: `${folder}/shop` },
  );
  shop.write("bundle.min.js", `${longLine}\n`);
  shop.write("controls.txt", "hostile \u0001\u001b[31m text\n");
  repo(
    "= main: Begin\ntools/again.py\n| def retryRequest(): pass\n= old: Stay behind\nlegacy.py\n| archaicWord = 1",
    {
      path: `${folder}/tools`,
    },
  );
  importCommits(shop.path, [
    { on: "quality", message: "Check retries", author: "Ann Author (QA) <qa@example.com>" },
    { on: "quality", message: "Try without a name", author: "<nobody@example.com>" },
  ]);
  server = await serve(temporaryFolder(), [folder]);
  await server.ready();
});
after(async () => {
  await server.stop();
});

async function get(path: string): Promise<Page> {
  const page = await getPage(path.startsWith("http") ? path : `${server.url}${path}`);
  assert.ok(page.text.length < 300_000, `${page.text.length} bytes`);
  return page;
}

async function search(query: string, options = ""): Promise<Page> {
  const page = await get(`/?q=${encodeURIComponent(query)}${options}`);
  assert.equal(page.status, 200, page.text.slice(-500));
  return page;
}

function summaryOf({ text }: Page): string {
  return plain(/<p id="summary" role="status">(.*?)<\/p>/s.exec(text)?.[1] ?? "");
}

function filesOf({ text }: Page): string[] {
  return [...text.matchAll(/<h3>(?:<a [^>]*>)(.*?)<\/a>/gs)].map(([, path = ""]) => plain(path));
}

function marksOf({ text }: Page): string[] {
  return [...text.matchAll(/<mark>(.*?)<\/mark>/gs)].map(([, mark = ""]) => plain(mark));
}

/** Returns the rows of the results as `12 text`. */
function rowsOf({ text }: Page): string[] {
  const rows = text.replace(/ <span class="kind">.*?<\/span>/g, "");
  return [...rows.matchAll(/<tr><td class="n">(.*?)<\/td><td>(.*?)<\/td><\/tr>/gs)].map(
    ([, number = "", line = ""]) => `${plain(number)} ${plain(line)}`,
  );
}

function queryOf(page: Page): string {
  return plain(/<input type="search" id="q" name="q" value="([^"]*)"/.exec(page.text)?.[1] ?? "");
}

test("an empty query shows examples that can be run, and the repositories", async () => {
  const page = await get("/");
  assert.match(page.headers.get("vary") ?? "", /accept,/);
  assert.match(plain(page.text), /2 repositories.*shop main · \d+ files.*tools main/s);
  assert.equal((await get(linkTo(page, "shop"))).status, 200);
  const examples = linksOf(page).filter(({ url }) => url.includes("/?q="));
  assert.ok(examples.length >= 5);
  for (const { url, text } of examples) {
    const example = await get(url);
    assert.equal(queryOf(example), text);
    assert.doesNotMatch(summaryOf(example), /error/);
  }
});

test("results are grouped by repository, with marked matches and links to their lines", async () => {
  const page = await search("retryRequest");
  assert.match(summaryOf(page), /^42 matches · 3 files · 2 repositories · \d+ ms$/);
  const repositories = [...page.text.matchAll(/<section><h2>(.*?)<\/h2>/g)].map(([, name = ""]) =>
    plain(name),
  );
  assert.deepEqual(repositories.sort(), ["shop", "tools"]);
  assert.deepEqual(filesOf(page).sort(), ["src/calls.ts", "src/retry.ts", "tools/again.py"]);
  assert.deepEqual([...new Set(marksOf(page))], ["retryRequest"]);
  assert.ok(rowsOf(page).includes("2 export function retryRequest() {}"));
  // The line before is context.
  assert.ok(rowsOf(page).includes("1 // Sends it again."));
  const line = linksOf(page).find(({ url }) => url.includes("retry.ts#L2"));
  assert.match(line?.url ?? "", /\/browse\/shop@[0-9a-f]{40}\/-\/blob\/src\/retry\.ts#L2$/);
  const file = await get(line?.url ?? "");
  assert.match(plain(/<tr id="L2">.*?<\/tr>/s.exec(file.text)?.[0] ?? ""), /export function retryRequest/);
});

test("a file with very many matches leaves room for other files", async () => {
  const page = await search("inundation");
  assert.match(summaryOf(page), /^1,501 matches · 2 files · 1 repository · /);
  assert.deepEqual(filesOf(page).sort(), ["dry.txt", "flood.txt"]);
  const rest = linksOf(page).find(({ text }) => /more in this file$/.test(text));
  assert.equal(rest?.text, "1,484 more in this file");
  const alone = await get(rest?.url ?? "");
  assert.deepEqual(filesOf(alone), ["flood.txt"]);
  assert.ok(marksOf(alone).length > 200);
});

test("a file with many matches links the rest of them", async () => {
  const page = await search("retryRequest file:calls");
  // It is the only file, so all of its lines are shown.
  assert.equal(marksOf(page).length, 40);
  const short = await search("retryRequest");
  const rest = linksOf(short).find(({ text }) => /^\d+ more in this file$/.test(text));
  assert.equal(Number.parseInt(rest?.text ?? "", 10), 42 - marksOf(short).length);
  const whole = await get(rest?.url ?? "");
  assert.deepEqual(filesOf(whole), ["src/calls.ts"]);
  assert.equal(marksOf(whole).length, 40);
});

test("facets write into the query, and filters of the query can be removed", async () => {
  const page = await search("retryRequest");
  const narrowed = await get(linkTo(page, "Python"));
  assert.equal(queryOf(narrowed), "retryRequest lang:Python");
  assert.deepEqual(filesOf(narrowed), ["tools/again.py"]);
  assert.equal(queryOf(await get(linkTo(narrowed, "lang:Python"))), "retryRequest");
  const inTools = await get(
    linksOf(page).filter(({ text, url }) => text === "tools" && url.includes("?q="))[0]?.url ?? "",
  );
  assert.deepEqual(filesOf(inTools), ["tools/again.py"]);
  // Only one repository is left, so its other revisions are offered.
  const older = await get(linkTo(inTools, "old"));
  assert.match(queryOf(older), /^retryRequest repo:\S+ rev:refs\/heads\/old$/);
  const archaic = await search("archaicWord rev:old");
  assert.deepEqual(filesOf(archaic), ["legacy.py"]);
  assert.equal(queryOf(await get(linkTo(archaic, "main"))), "archaicWord rev:refs/heads/main");
  const commits = await search("Retry type:commit repo:shop");
  assert.match(queryOf(await get(linkTo(commits, "quality"))), /rev:refs\/heads\/quality$/);
});

test("the options change what is found, and stay on", async () => {
  assert.match(summaryOf(await search("total file:retry")), /^3 matches/);
  const exact = await search("total file:retry case:yes", "&word=1");
  assert.match(summaryOf(exact), /^1 match /);
  assert.match(exact.text, /name="case" value="1" [^>]*checked/);
  assert.match(exact.text, /name="word" value="1" [^>]*checked/);
  assert.doesNotMatch(exact.text, /name="regex" value="1" [^>]*checked/);
  const expression = await search("tot.l file:retry case:yes", "&regex=1");
  assert.deepEqual(marksOf(expression), ["total", "total"]);
  const narrowed = linksOf(expression).find(({ text }) => text === "file:retry");
  assert.match(narrowed?.url ?? "", /case%3Ayes&regex=1/);
});

test("an error is marked in the query, and its fixes are links", async () => {
  const page = await search("retryRequest lang:pythn");
  assert.match(summaryOf(page), /error/);
  assert.deepEqual(marksOf(page), ["pythn"]);
  assert.deepEqual(filesOf(page), []);
  const fixed = await get(linkTo(page, 'Use "Python"'));
  assert.deepEqual(filesOf(fixed), ["tools/again.py"]);
});

test("if nothing is found, the page says what was searched and offers wider queries", async () => {
  const page = await search("ARCHAICWORD case:yes");
  assert.match(plain(page.text), /Nothing found\s*Trawl searched 2 repositories at the default revision\./);
  const ignored = await get(linkTo(page, "Without case:yes"));
  assert.deepEqual(filesOf(ignored), []);
  const everywhere = await get(linkTo(ignored, "All indexed branches and tags"));
  assert.match(queryOf(everywhere), /rev:\*/);
  const filtered = await search("retryRequest file:nowhere");
  assert.equal(filesOf(await get(linkTo(filtered, "Without file:nowhere"))).length, 3);
});

test("every file is on exactly one page of results", async () => {
  let page = await search("common word file:pages");
  const found = filesOf(page);
  assert.ok(found.length < 70);
  for (;;) {
    const next = linksOf(page).find(({ text }) => text === "More results");
    if (next === undefined) break;
    page = await get(next.url);
    found.push(...filesOf(page));
  }
  assert.equal(found.length, 70);
  assert.equal(new Set(found).size, 70);
});

test("commits, repositories, definitions and names of files are found", async () => {
  const commits = await search("retry type:commit");
  assert.match(summaryOf(commits), /^1 commit/);
  assert.match((await get(linkTo(commits, "Retry failed requests"))).text, /export function/);
  const anyAuthor = await search("retr type:commit rev:*");
  for (const [author, message] of [
    ["Ann Author", "Retry failed requests"],
    ["Ann Author (QA)", "Check retries"],
  ] as const) {
    const narrowed = await get(linkTo(anyAuthor, author));
    assert.match(summaryOf(narrowed), /^1 commit/);
    assert.ok(narrowed.text.includes(message));
  }
  const authors = await get("/browse/shop@quality/-/authors/");
  const nameless = await get(linkTo(authors, "nobody@example.com"));
  assert.match(summaryOf(nameless), /^1 commit/);
  assert.ok(nameless.text.includes("Try without a name"));
  const repositories = await search("too type:repo");
  assert.match(summaryOf(repositories), /^1 repository · \d+ ms$/);
  assert.match((await get(linkTo(repositories, "tools"))).text, /again\.py|tools\//);
  assert.deepEqual(filesOf(await search("(too type:repo) retryRequest")), ["tools/again.py"]);
  await eventually(async () => (await server.repositories()).every(({ symbolsReady }) => symbolsReady));
  assert.deepEqual(filesOf(await search("sym:retryRequest")).sort(), ["src/retry.ts", "tools/again.py"]);
  assert.match((await search("sym:retryRequest")).text, /<span class="kind">function<\/span>/);
  const names = await search("calls type:file");
  assert.deepEqual([filesOf(names), marksOf(names)], [["src/calls.ts"], ["calls"]]);
});

test("the case toggle writes into the query, which alone reproduces the results", async () => {
  const toggled = async (address: string) => {
    const { status, headers } = await get(address);
    assert.equal(status, 302);
    return await get(new URL(headers.get("location") ?? "", server.url).href);
  };
  const isChecked = ({ text }: Page) => /name="case" value="1"[^>]* checked/.test(text);
  const on = await toggled("/?q=total+file%3Aretry&case=1");
  assert.equal(queryOf(on), "total file:retry case:yes");
  assert.deepEqual([isChecked(on), new Set(marksOf(on))], [true, new Set(["total"])]);
  const same = await get("/?q=total+file%3Aretry+case%3Ayes&cased=1&case=1");
  assert.deepEqual([isChecked(same), marksOf(same)], [true, marksOf(on)]);
  const off = await toggled("/?q=total+file%3Aretry+case%3Ayes&cased=1");
  assert.equal(queryOf(off), "total file:retry");
  assert.deepEqual([isChecked(off), new Set(marksOf(off))], [false, new Set(["Total", "total"])]);
  const typed = await get("/?q=total&case=1&typing=1");
  assert.equal(typed.headers.get("location"), "./?q=total+case%3Ayes&typing=1");
});

test("the box arrives before the results, with and without compression", async () => {
  for (const encoding of ["gzip", "identity"]) {
    const { headers, text } = await getPage(`${server.url}/?q=retryRequest`, {
      headers: { accept: "text/html", "accept-encoding": encoding },
    });
    assert.equal(headers.get("content-encoding"), encoding === "gzip" ? "gzip" : null);
    assert.equal(headers.get("content-length"), null);
    assert.ok(text.indexOf("Searching…") < text.indexOf('id="summary"'));
    assert.ok(text.indexOf('id="facets"') < text.indexOf("<article"));
    assert.match(text, /<\/html>\s*$/);
  }
  const head = await fetch(`${server.url}/?q=retryRequest`, {
    method: "HEAD",
    headers: { accept: "text/html" },
  });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

test("while a query is typed, it runs only if it is cheap", async () => {
  assert.match(summaryOf(await search("re", "&typing=1")), /Type three characters/);
  assert.match(summaryOf(await search("d.f", "&regex=1&typing=1")), /Press Enter/);
  assert.deepEqual(marksOf(await search("d.f", "&regex=1")), ["def"]);
  assert.match(summaryOf(await search("retryRequest", "&typing=1")), /^42 matches/);
});

test("hostile names and contents are shown as text", async () => {
  const page = await search("hostile");
  assert.ok(filesOf(page).includes("src/<img src=x onerror=alert(1)>.txt"));
  assert.ok(rowsOf(page).includes('1 <script>alert("hostile")</script>'));
  assert.ok(rowsOf(page).includes("1 hostile \u2401\u241b[31m text"));
  assert.match(page.text, /direction of text/);
  const markup = '"><script>alert(1)</script>';
  assert.equal(queryOf(await search(markup)), markup);
});

test("a line of two megabytes is cut around its match", async () => {
  const page = await search("deepNeedle");
  assert.deepEqual(marksOf(page), ["deepNeedle"]);
  const [row = ""] = rowsOf(page);
  assert.match(row, /^1 ….*deepNeedle\(\);.*…$/);
  assert.ok(row.length < 400);
});

test("a page with a long query or a long path stays small", async () => {
  // `get` checks the size of each page.
  const query = `${"lang:python ".repeat(400)}retryRequest`;
  assert.equal(filesOf(await search(query)).length, 1);
  assert.match(summaryOf(await search('file:x"'.repeat(1000))), /./);
  assert.match(summaryOf(await search(`${"lang:nope ".repeat(900)}x`)), /error/);
  const deep = await search("deeply file:deeply");
  assert.equal(filesOf(deep)[0], deepPath);
  const rest = linksOf(deep).find(({ text }) => /^\d+ more in this file$/.test(text));
  assert.match(rest?.url ?? "", /\/-\/blob\/deeply\//);
});

test("the cursor is offered filters and values", async () => {
  const optionsAt = async (query: string) => {
    const response = await fetch(
      `${server.url}/complete?q=${encodeURIComponent(query)}&offset=${query.length}`,
    );
    const text = await response.text();
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.doesNotMatch(text, /<style|<script/);
    return [...text.matchAll(/<li role="option" [^>]*data-text="([^"]*)"/g)].map(([, option = ""]) =>
      plain(option),
    );
  };
  assert.ok((await optionsAt("retry la")).includes("lang:"));
  assert.ok((await optionsAt("retry lang:pyt")).includes("Python"));
  assert.ok((await optionsAt("repo:too")).some((text) => text.includes("tools")));
  assert.deepEqual(await optionsAt("retry "), []);
});

test("the syntax page runs its examples", async () => {
  const page = await get("/syntax");
  const examples = linksOf(page).filter(({ url }) => url.includes("/?q="));
  assert.ok(examples.length > 15);
  for (const { url } of examples) assert.doesNotMatch(summaryOf(await get(url)), /error/);
});

test("settings are kept by the browser, and apply to every page", async () => {
  const browser = new TestBrowser();
  const choose = (choice: string, headers: Record<string, string> = { origin: server.url }) =>
    browser.request(`${server.url}/settings?${choice}`, { method: "POST", headers });
  const open = (path: string) => browser.open(server.url + path);
  const before = linesIn(await open("/?q=retryRequest"));
  assert.doesNotMatch((await open("/settings")).text, /<html [^>]*data-theme/);
  const chosen = await choose("theme=dark");
  assert.deepEqual([chosen.status, chosen.headers.get("location")], [303, `${server.url}/settings`]);
  assert.match(chosen.headers.get("set-cookie") ?? "", /^trawl_view_\d+=dark\.1; Path=\/; Max-Age=31536000;/);
  await choose("contextLines=3");
  for (const path of [
    "/",
    "/?q=retryRequest",
    "/settings",
    "/browse/shop/-/blob/src/retry.ts",
    "/browse/none",
  ])
    assert.match((await open(path)).text, /<html lang="en" data-theme="dark">/, path);
  const page = await open("/settings");
  const pressed = [...page.text.matchAll(/aria-pressed="true">([^<]*)</g)].map(([, label]) => label);
  assert.deepEqual(pressed, ["Dark", "3"]);
  assert.ok(linesIn(await open("/?q=retryRequest")) > before);
  await choose("contextLines=0");
  assert.ok(linesIn(await open("/?q=retryRequest")) < before);
  // Anything else changes nothing.
  for (const wrong of ["theme=%22%3E%3Cscript%3E", "theme=dark&theme=light", "contextLines=1e9", ""])
    await choose(wrong);
  assert.equal([...browser.cookies.values()][0], "dark.0");
  assert.equal((await choose("theme=light", { origin: "http://evil.example" })).status, 403);
  assert.equal((await choose("theme=light", {})).status, 403);
  browser.cookies.set([...browser.cookies.keys()][0] ?? "", '"><script>.9');
  assert.doesNotMatch((await open("/settings")).text, /<html [^>]*data-theme/);
  await choose("theme=system");
  assert.equal([...browser.cookies.values()][0], "system.1");
});

const linesIn = ({ text }: Visit): number => text.match(/<tr/g)?.length ?? 0;

test("every page has a search box that leads to the search page", async () => {
  for (const path of [
    "/repositories",
    "/syntax",
    "/settings",
    "/browse/shop",
    "/browse/shop/-/blob/src/retry.ts",
  ]) {
    const page = await get(path);
    const action = /<form role="search"[^>]* action="([^"]*)"/.exec(page.text)?.[1] ?? "";
    assert.equal(new URL(action, `${server.url}${path}`).href, `${server.url}/`);
  }
});

test("invalid requests are refused, and odd parameters ignored", async () => {
  assert.equal((await get(`/?q=${"x".repeat(10_001)}`)).status, 400);
  assert.equal((await get("/?q=retryRequest&start=-1&case=maybe")).status, 200);
  assert.deepEqual(filesOf(await search("retryRequest", "&start=999999")), []);
  assert.equal((await get("/complete?offset=-3")).status, 400);
  for (const path of ["/", "/repositories", "/syntax", "/complete"]) {
    const headers = { "content-type": "application/json" };
    const posted = await fetch(`${server.url}${path}`, { method: "POST", headers, body: "{}" });
    assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  }
});
