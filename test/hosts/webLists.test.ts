/** Lists of Gitiles and cgit, for hosts without an API. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { openHost } from "#hosts/openHost";
import { parseConnections } from "#hosts/parseConnections";
import { jumpingClock } from "./fakeHost";
import { listOnly, never } from "./openFake";

interface Served {
  readonly type?: string;
  readonly body: string;
  readonly status?: number;
}

/** Serves these bodies by path and query. */
async function serve(t: TestContext, files: Readonly<Record<string, Served>>, include: object, prefix = "") {
  const requests: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    const { type = "text/html; charset=UTF-8", body, status } = files[url] ?? { body: "gone", status: 404 };
    response.writeHead(status ?? 200, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
  const { web } = parseConnections({ web: { type: "genericGitHost", url, allowHttp: true, include } });
  assert.ok(web);
  const host = openHost("web", web, { clock: jumpingClock() });
  t.after(async () => {
    await host.close();
    server.closeAllConnections();
    server.close();
  });
  return { host, url, requests };
}

/** A page as cgit 1.2.3 prints it. */
function cgitPage(links: readonly string[], pager = "", end = "</div> <!-- id=cgit -->"): Served {
  const rows = links.map(
    (href) =>
      `<tr><td class='toplevel-repo'><a href='${href}'>x</a></td><td><a href='${href}'>Unnamed
</a></td><td><a href='/cgit/?q=root'>root</a></td><td></td></tr>\n`,
  );
  return {
    body: `<!DOCTYPE html>\n<html lang='en'><body>\n<div id='cgit'><table id='header'>
<td class='logo'><a href='/cgit/'><img src='/cgit.png'/></a></td></table><div class='content'><table summary='repository list' class='list nowrap'>
<tr class='nohover'><th class='left'><a href='/cgit/?s=name'>Name</a></th></tr>
${rows.join("")}</table>${pager}</div>${end}`,
  };
}

const pager = (current: number, ...others: readonly number[]) =>
  `<ul class='pager'>${[0, ...others]
    .map((offset, at) => {
      const href = offset === 0 ? "/cgit/" : `/cgit/?ofs=${offset}`;
      return `<li><a title='Page ${at + 1}'${offset === current ? " class='current'" : ""} href='${href}'>[${at + 1}]</a></li>`;
    })
    .join("")}</ul>`;

test("all index pages of cgit are read, and names are decoded", async (t) => {
  const { host, url, requests } = await serve(
    t,
    {
      "/cgit/": cgitPage(["/cgit/team/it%27s.git/", "/cgit/team/one.git/", "/cgit/a&amp;b/"], pager(0, 3, 6)),
      "/cgit/?ofs=3": cgitPage(
        ["/cgit/team/sp%20ace.git/", "/cgit/two/", "/cgit/%E2%82%AC/"],
        pager(3, 3, 6),
      ),
      "/cgit/?ofs=6": cgitPage(["/cgit/last.git/"], pager(6, 3, 6)),
    },
    { cgit: "/" },
    "/cgit",
  );
  assert.deepEqual(await host.identify(never), {});
  const { scope, outcome, problems, repositories } = await listOnly(host);
  assert.deepEqual([scope, outcome, problems], ["cgit", "complete", []]);
  assert.deepEqual(
    repositories.map(({ path }) => path),
    ["team/it's", "team/one", "a&b", "team/sp ace", "two", "€", "last"],
  );
  assert.equal(repositories[3]?.cloneUrl, `${url}/team/sp%20ace.git`);
  assert.deepEqual(requests.slice(1), ["/cgit/", "/cgit/?ofs=3", "/cgit/?ofs=6"]);
  // A list that only people read proves nothing.
  assert.equal((await host.lookUp({ hostId: "two", path: "two" }, never)).kind, "unknown");
});

test("what is not an index page, or leads elsewhere, does not make a list of cgit complete", async (t) => {
  const long = "x".repeat(5000);
  const cases: readonly [string, Readonly<Record<string, Served>>, string, number][] = [
    ["a page to sign in", { "/": { body: "<form>Password</form>" } }, "failed", 0],
    ["a page that is cut", { "/": cgitPage(["/a/"], "", "") }, "failed", 0],
    ["JSON", { "/": { type: "application/json", body: "{}" } }, "failed", 0],
    ["a missing page", { "/": cgitPage(["/a/"], pager(0, 1)) }, "partial", 1],
    [
      "links elsewhere",
      {
        "/": cgitPage([
          "https://evil.example.com/a/",
          "/../../etc/%2e%2e/%2e%2e/",
          "/a/%2e%2e%2fb/",
          "/bad%encoding/",
          `/${long}/`,
          "javascript:alert(1)",
          "/?url=b",
          "/good/",
        ]),
      },
      "partial",
      1,
    ],
    [
      "many unclosed rows",
      { "/": cgitPage([], "<td class='toplevel-repo'><a title='".repeat(200_000)) },
      "partial",
      0,
    ],
  ];
  for (const [name, files, outcome, count] of cases) {
    const { host } = await serve(t, files, { cgit: "/" });
    const listing = await listOnly(host);
    assert.deepEqual([name, listing.outcome, listing.repositories.length], [name, outcome, count]);
    assert.notEqual(listing.problems.length, 0);
  }
});

const json = "application/json; charset=utf-8";

test("the repositories of Gitiles are listed, and cloned from the host", async (t) => {
  const list = {
    "team/app": { name: "team/app", clone_url: "https://elsewhere.example.com/x", description: "App" },
    top: { name: "top", clone_url: "ext::sh -c id" },
  };
  const { host, url } = await serve(
    t,
    { "/plugins/gitiles/?format=JSON": { type: json, body: `)]}'\n${JSON.stringify(list)}` } },
    { gitiles: "/plugins/gitiles/" },
  );
  assert.deepEqual(await host.identify(never), {});
  const { scope, outcome, repositories } = await listOnly(host);
  assert.deepEqual([scope, outcome], ["gitiles", "complete"]);
  assert.deepEqual(
    repositories.map(({ cloneUrl }) => cloneUrl),
    [`${url}/team/app`, `${url}/top`],
  );
});

test("other responses are no complete list of Gitiles", async (t) => {
  const cases: readonly [Served, string, number][] = [
    [{ type: json, body: "{}" }, "failed", 0],
    [{ type: json, body: ")]}'\n[]" }, "failed", 0],
    [{ type: json, body: `)]}'\n{"a":{"name":"a"` }, "failed", 0],
    [{ body: ")]}'\n{}" }, "failed", 0],
    [{ type: json, body: `)]}'\n{"../up":{},"a":5,"good":{}}` }, "partial", 1],
  ];
  for (const [served, outcome, count] of cases) {
    const { host } = await serve(t, { "/?format=JSON": served }, { gitiles: "/" });
    const listing = await listOnly(host);
    assert.deepEqual(
      [served.body, listing.outcome, listing.repositories.length],
      [served.body, outcome, count],
    );
  }
});
