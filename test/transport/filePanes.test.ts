/** The panes beside the text of a file: the tree, the definitions, and the meaning of a name. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "#test/support/eventually";
import { getPage, linksOf, linkTo, type Page, plain } from "#test/support/page";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

let server: Served;
before(async () => {
  const folder = temporaryFolder();
  repo(
    `
    = main: Begin
    src/cart/add.ts
    | /** Adds an item. */
    | export function addItem(name: string): void {}
    src/cart/use.ts
    | import { addItem } from "./add";
    | export class Shop {
    |   buy() { addItem("tea"); }
    | }
    "src/<b>.ts"
    | export const hostile = 1;
    docs/guide.md
    | # Guide
    = main: Greet
    src/cart/add.ts
    | /** Adds an item. */
    | export function addItem(name: string, count = 1): void {}
  `,
    { path: `${folder}/shop` },
  );
  server = await serve(temporaryFolder(), [folder]);
  await server.ready();
  await eventually(async () => (await server.repositories()).every(({ symbolsReady }) => symbolsReady));
});
after(async () => {
  await server.stop();
});

const use = "/browse/shop/-/blob/src/cart/use.ts";

async function get(path: string): Promise<Page> {
  const page = await getPage(path.startsWith("http") ? path : `${server.url}${path}`);
  assert.equal(page.status, 200, page.text.slice(-500));
  return page;
}

/** Requests a part of a page, as its script does. */
async function getFragment(path: string): Promise<string> {
  const response = await fetch(`${server.url}${path}`);
  assert.equal(response.status, 200);
  const text = await response.text();
  assert.doesNotMatch(text, /<script|<style/);
  return text;
}

function partOf({ text }: Page, start: string): string {
  const from = text.indexOf(start);
  assert.ok(from >= 0, `no ${start}`);
  return text.slice(from);
}

test("the tree is open down to the file, and other folders are links", async () => {
  const page = await get(use);
  const tree = partOf(page, '<nav id="tree"');
  assert.match(tree, /<a href="[^"]*use\.ts" aria-current="page">/);
  assert.deepEqual(
    [...tree.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, name = ""]) => plain(name)),
    ["docs", "src", "cart", "add.ts", "use.ts", "<b>.ts"],
  );
  const docs = linkTo(page, "docs/");
  assert.match((await get(docs)).text, /guide\.md/);
  const loaded = await getFragment(`${new URL(docs).pathname}?pane=tree`);
  assert.match(plain(loaded), /guide\.md/);
});

test("definitions are listed in their order, nested, and link to their lines", async () => {
  const page = await get(use);
  const [outline = ""] = /<nav aria-label="Definitions">.*?<\/nav>/s.exec(page.text) ?? [];
  assert.match(outline, /#L2"><bdi>Shop<\/bdi>.*?<ul>.*?#L3"><bdi>buy<\/bdi>.*?<\/ul>/s);
  assert.doesNotMatch((await get("/browse/shop/-/blob/docs/guide.md")).text, /no definitions/);
});

test("a name leads to its definition and its uses, by its location or by itself", async () => {
  for (const parameters of ["at=3:13", "symbol=addItem"]) {
    const page = await get(`${use}?${parameters}`);
    const [panel = ""] = /<div id="panel".*?<nav/s.exec(page.text) ?? [];
    assert.match(plain(panel), /addItem.*Definitions.*src\/cart\/add\.ts.*Uses.*This file/s, parameters);
    const definition = linksOf({ ...page, text: panel })[0];
    assert.match(definition?.url ?? "", /add\.ts#L2$/);
    assert.match((await get(definition?.url ?? "")).text, /id="L2"/);
    const alone = await getFragment(`${use}?${parameters}&pane=panel`);
    assert.match(plain(alone), /Definitions.*Uses/s);
    assert.match(alone, /data-summary="addItem: 1 definition, \d uses?"/);
  }
  assert.match(
    plain((await get(`${use}?at=3:13`)).text),
    /addItem\(name: string, count = 1\).*Adds an item\./s,
  );
  assert.match(plain(await getFragment(`${use}?at=3:13&pane=hover`)), /function addItem\(name: string/);
});

test("a place without a name, and odd parameters, show no symbol", async () => {
  assert.match(plain((await get(`${use}?at=4:1`)).text), /There is no symbol here/);
  for (const parameters of ["at=x", "at=0:0", "symbol=", "at=99999:1"])
    assert.doesNotMatch((await get(`${use}?${parameters}`)).text, /Definitions <span/);
  const markup = encodeURIComponent('"><b>bold</b>');
  assert.match((await get(`${use}?symbol=${markup}`)).text, /&quot;&gt;&lt;b&gt;bold/);
  assert.match(await getFragment(`${use}?at=4:1&pane=hover`), /<div id="hover"><\/div>/);
});

test("blame steps back to the file before a change", async () => {
  const blamed = await get("/browse/shop/-/blob/src/cart/add.ts?blame=1");
  const back = linksOf(blamed).find(({ text }) => text === "↶");
  assert.match(back?.url ?? "", /\?blame=1#L2$/);
  const before = await get(back?.url ?? "");
  assert.match(plain(before.text), /addItem\(name: string\): void/);
  assert.equal(
    linksOf(before).find(({ text }) => text === "↶"),
    undefined,
  );
});
