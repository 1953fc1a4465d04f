import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { browseUrl } from "#service/repositories/webLinks";
import { hostileHistory } from "#test/support/history";
import { getPage, linksOf, type Page, plain } from "#test/support/page";
import { temporaryFolder } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";
import { highlightedLines } from "#transport/pages/highlight";
import { escapeText, html } from "#transport/pages/html";
import { parsePageUrl } from "#transport/pages/pageUrl";

const past = hostileHistory();
const folder = temporaryFolder();
mkdirSync(join(folder, "in side"));
writeFileSync(join(folder, "in side", "note.md"), "# A note\n");
const repositories = viewOf([
  repository(1, "github.com/o/past", { path: past.path, revisions: [] }),
  repository(2, "folder", { path: folder, kind: "folder", codeHostType: "genericGitHost" }),
]);
const caller = callerOf({ repositories });

let listener: TestListener;
before(async () => {
  listener = await openListener(caller);
});
after(() => listener.close());

function get(address: string, options?: RequestInit): Promise<Page> {
  return getPage(address.startsWith("http") ? address : `${listener.url}/browse/${address}`, options);
}

/** Returns the lines of the file on a page. */
function linesOf({ text }: Page): string[] {
  return [...text.matchAll(/<tr id="L\d+"[^>]*>.*?<td>(.*?)<\/td><\/tr>/gs)].map(([, line = ""]) =>
    plain(line),
  );
}

test("the URL of each file opens its page", async () => {
  const paths = past
    .git("ls-tree", "-r", "-z", "--name-only", "main")
    .split("\0")
    .filter((path) => path !== "");
  const context = {
    credentials: { kind: "local" },
    signal: new AbortController().signal,
    baseUrl: listener.url,
  } as const;
  let opened = 0;
  for (const path of paths.filter((name) => name !== "vendor/module")) {
    const { source, webUrl } = await caller("source", { repo: "github.com/o/past", path }, context);
    const page = await get(webUrl);
    assert.equal(page.status, 200, webUrl);
    assert.ok(plain(/<title>(.*?)<\/title>/s.exec(page.text)?.[1] ?? "").includes(path));
    if (!source.includes("\0"))
      assert.deepEqual(
        linesOf(page),
        source
          .replace(/\r/g, "")
          .replace(/\n$/, "")
          .split("\n")
          .slice(0, source === "" ? 0 : undefined),
      );
    opened++;
  }
  assert.ok(opened > 30);
});

test("every link on a folder page works", async () => {
  const seen = new Set<string>();
  const waiting = [`${listener.url}/browse/github.com/o/past/-/tree/`];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const page = await get(next);
    assert.equal(page.status, 200, next);
    const entries = /<ul class="entries">(.*?)<\/ul>/s.exec(page.text)?.[1] ?? "";
    waiting.push(...[...entries.matchAll(/href="([^"]*)"/g)].map(([, address = ""]) => plain(address)));
  }
  assert.ok(seen.size > 40);
});

const repositoryName = "github.com/o/past";
const rows: readonly [address: string, status: number, content: RegExp][] = [
  [repositoryName, 200, /music\//],
  [`${repositoryName}/`, 200, /music\//],
  [`${repositoryName}@v1.0/-/tree/deep`, 200, /er\//],
  [`${repositoryName}@refs%2Ftags%2Fv1.0/-/tree/`, 200, /deep\//],
  [`${repositoryName}@feature/%C3%BCn%C3%AFcode/-/blob/feature.txt`, 200, /id="L3"/],
  [`${repositoryName}/-/tree/vendor`, 200, /module<\/bdi> \(submodule\)/],
  [`${repositoryName}/-/blob/music%2Fsong.txt?blame=1`, 200, /Zoë Ω/],
  [`${repositoryName}/-/blob/README.md?blame=1`, 200, /Hide blame/],
  [`${repositoryName}/-/blob/latin1-%EF%BF%BD.txt?blame=1`, 200, /blame cannot be run.* id="L1"/s],
  [`${repositoryName}/-/blob/data.bin`, 200, /binary/],
  [`${repositoryName}/-/blob/empty`, 200, /empty/],
  [`${repositoryName}/-/blob/music`, 302, /^$/],
  [`${repositoryName}/-/tree/README.md`, 302, /^$/],
  [`${repositoryName}/-/tree/nothing`, 404, /nothing/],
  [`${repositoryName}/-/blob/nothing%3Cb%3E`, 404, /nothing&lt;b&gt;/],
  [`${repositoryName}@nothing/-/blob/README.md`, 400, /Search code.*<h1>Invalid request<.*nothing/s],
  [`${repositoryName}@--all/-/blob/README.md`, 400, /--all/],
  [`${repositoryName}/-/blob/a/..%2F..%2Fb`, 400, /path/],
  [
    "nobody/nothing/-/blob/x",
    404,
    /Search code.*<h1>Not found<.*Repository &quot;nobody\/nothing&quot; not found/s,
  ],
  ["%3Cscript%3E/-/tree/", 404, /&lt;script&gt;/],
  [`${repositoryName}/-/commit/main`, 200, /name the formatting commit/i],
  [`${repositoryName}/-/commit/v0.1`, 200, /This commit has no parent/],
  [`${repositoryName}/-/commit/v1.0`, 200, /Parent/],
  [`${repositoryName}/-/commit/feature/%C3%BCn%C3%AFcode`, 200, /&lt;b&gt;markup&lt;\/b&gt; &amp;/],
  [`${repositoryName}/-/commit/main~6`, 200, /Binary file.*Mode changed from 100755 to 100644/s],
  [
    `${repositoryName}/-/commit/main~7`,
    200,
    /song\.txt<\/bdi> → .*music\/song\.txt<\/bdi>.*The content did not change/s,
  ],
  [`${repositoryName}/-/commit/nothing`, 404, /nothing/],
  [`${repositoryName}/-/compare/`, 200, /From <input/],
  [`${repositoryName}/-/compare/v1.0...main`, 200, /value="v1\.0".*value="main".*\d+ files changed/s],
  [`${repositoryName}/-/compare/?base=main&head=main`, 200, /0 files changed/],
  [`${repositoryName}/-/compare/main...no%3Cthing`, 400, /no&lt;thing/],
  [
    `${repositoryName}/-/authors/`,
    200,
    /\d+ authors.*type%3Acommit\+repo%3A.*author%3A.* commits · last on \d{4}-/s,
  ],
  [`${repositoryName}/-/authors/nothing`, 200, /There are no commits of this path/],
  ["folder/-/authors/", 400, /no history/],
  ["folder/-/blob/in%20side/note.md", 200, /A note/],
  ["folder/-/tree/in%20side", 200, /note\.md/],
  ["folder/-/commit/HEAD", 400, /no history/],
  [`${repositoryName}/-/blob/${"a/".repeat(1500)}b`, 404, /not found/],
];

for (const [address, status, content] of rows) {
  test(`${address.slice(0, 80)}: ${status}`, async () => {
    const page = await get(address);
    assert.equal(page.status, status, page.text.slice(-500));
    assert.match(page.text.replace(/<style>.*?<\/style>|<script>.*?<\/script>/gs, ""), content);
  });
}

test("the blob URL of a folder redirects to its tree URL, and the other way around", async () => {
  const treeUrl = (await get(`${repositoryName}@v2.0/-/blob/music`)).headers.get("location");
  assert.equal(treeUrl, `${listener.url}/browse/${repositoryName}@v2.0/-/tree/music`);
  const blobUrl = (await get(`${repositoryName}/-/tree/README.md`)).headers.get("location");
  assert.equal(blobUrl, `${listener.url}/browse/${repositoryName}/-/blob/README.md`);
});

test("pages follow the rules of the API for hosts, origins, keys and methods", async () => {
  const url = `${listener.url}/browse/${repositoryName}`;
  assert.equal((await fetch(url, { headers: { origin: "https://evil.example" } })).status, 403);
  assert.equal((await fetch(url, { headers: { authorization: "Bearer wrong" } })).status, 401);
  const posted = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  assert.equal(posted.status, 405);
  assert.equal(posted.headers.get("allow"), "GET, HEAD, OPTIONS");
  const head = await fetch(url, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  const closed = await openListener(callerOf({ repositories }), { anonymous: "off" });
  const icon = await fetch(`${closed.url}/favicon.ico`);
  assert.deepEqual([icon.status, icon.headers.get("content-type")], [200, "image/svg+xml"]);
  const refused = await fetch(`${closed.url}/browse/${repositoryName}`);
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  assert.match(refused.headers.get("content-security-policy") ?? "", /; frame-ancestors 'none'$/);
  assert.match(await refused.text(), /<h1>Log in/);
  await closed.close();
});

test("editors may embed pages, and other pages only if their origin is configured", async () => {
  const allowedOrigins = ["https://code.example", "custom://a;sandbox"];
  const other = await openListener(callerOf({ repositories }), { allowedOrigins });
  const embedders = async (path: string, url = other.url) => {
    const { headers } = await fetch(`${url}${path}`, { headers: { accept: "text/html" } });
    return /; frame-ancestors ([^;]*)$/.exec(headers.get("content-security-policy") ?? "")?.[1];
  };
  const editors = "vscode-webview: vscode-file:";
  const paths = ["/", "/?q=a", "/repositories", "/syntax", "/settings", `/browse/${repositoryName}`];
  for (const path of [...paths, `/browse/${repositoryName}/-/raw/README.md`, "/browse/none"]) {
    assert.equal(await embedders(path), `${editors} https://code.example`, path);
    assert.equal(await embedders(path, listener.url), editors, path);
  }
  // A click there could end a session, or let an editor log in.
  for (const path of ["/sessions", "/editor"]) assert.equal(await embedders(path), "'none'", path);
  await other.close();
});

test("a page warns about bidirectional control characters", async () => {
  const plainFile = await get(`${repositoryName}/-/blob/README.md`);
  assert.doesNotMatch(plainFile.text, /direction of text/);
  writeFileSync(join(folder, "trojan.js"), "/* \u202e } \u2066if (admin)\u2069 */\n");
  assert.match((await get("folder/-/blob/trojan.js")).text, /direction of text/);
  for (const content of ["MZ\n", "MZ\0"]) {
    writeFileSync(join(folder, "photo\u202egpj.exe"), content);
    assert.match(
      (await get("folder/-/blob/photo%E2%80%AEgpj.exe")).text,
      /path contains .* direction of text/,
    );
  }
});

test("a plain folder has no links to a history or to revisions", async () => {
  writeFileSync(join(folder, "note.md"), "A note.\n");
  for (const page of [await get("folder/-/blob/note.md"), await get("folder")]) {
    const links = linksOf(page).map(({ text }) => text);
    assert.ok(links.includes("Go to file"));
    assert.ok(!links.includes("History") && !links.includes("default revision"), `${links}`);
  }
});

test("page URLs are parsed as they are built", () => {
  const name = fc
    .string({ minLength: 1, maxLength: 12, unit: "grapheme" })
    .filter((text) => !/[/\0]|^\.+$/.test(text) && !/\p{Surrogate}/u.test(text));
  const names = fc.array(name, { minLength: 1, maxLength: 3 }).map((all) => all.join("/"));
  fc.assert(
    fc.property(names, fc.option(names, { nil: undefined }), names, (repo, revision, path) => {
      const url = browseUrl("", repo, revision, path);
      const expected = {
        repository: repo,
        ...(revision === undefined ? {} : { revision }),
        view: "blob",
        path,
      };
      const position = { filter: "", page: 1 };
      assert.deepEqual(parsePageUrl(url), { ...expected, withBlame: false, position });
    }),
    {
      examples: [
        ["o/-/tree/a", "wip/-/blob/x", "a/-/raw/b"],
        ["-", "-", "-"],
      ],
    },
  );
});

test("any content is highlighted as plain text without markup of its own", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(
        fc.constantFrom(
          "<b>",
          "</span>",
          '"',
          "'",
          "/*",
          "*/",
          "`",
          "${",
          "}",
          "\n",
          "\r\n",
          "&amp;",
          "<!--",
          "\u0000",
          "x = 1;",
        ),
        { maxLength: 40 },
      )
      .map((all) => all.join("")),
  );
  const language = fc.constantFrom("TypeScript", "HTML", "Python", "C++", "Markdown", "Shell", "", "Nothing");
  fc.assert(
    fc.property(text, language, (source, named) => {
      const lines = highlightedLines(source, named).map((line) => line.text);
      const expected = source.replaceAll("\r\n", "\n").split("\n");
      assert.deepEqual(
        lines.map(plain),
        expected.map((line) => plain(escapeText(line))),
      );
      for (const line of lines) {
        const opened = line.match(/<span /g)?.length ?? 0;
        assert.equal(line.match(/<\/span>/g)?.length ?? 0, opened);
        assert.doesNotMatch(line.replace(/<span class="[\w -]*">|<\/span>/g, ""), /[<>]/);
      }
    }),
    { numRuns: 500 },
  );
});

test("highlighting time is bounded for any file", () => {
  const before = process.cpuUsage();
  for (const language of ["TypeScript", "HTML", "Markdown", "C++", "Perl", "PHP", "Swift", "SQL"]) {
    for (const part of ["(", "<a ", "`${", "/* ", "\\", "a".repeat(100), "[[", "1e", "<!--"]) {
      const text = `${part.repeat(40)}\n`.repeat(Math.floor(400_000 / (part.length * 40)));
      assert.ok(highlightedLines(text, language).length > 10);
    }
  }
  // Each is stopped after 250 ms, plus the time to read and split the text. On a busy machine they compute less by then.
  const { user, system } = process.cpuUsage(before);
  const spentMs = (user + system) / 1000;
  assert.ok(spentMs < 72 * 500, `${spentMs} ms of processor time`);
});

test("values in a template are escaped", () => {
  const evil = `<img src=x onerror="a('b')">&\u0000`;
  assert.equal(
    html`<p title="${evil}">${[evil, 1, undefined, html`<b>${"<"}</b>`]}</p>`.text,
    `<p title="${escapeText(evil)}">${escapeText(evil)}1<b>&lt;</b></p>`,
  );
  assert.equal(escapeText(`<>&"'\u0000\t\n`), "&lt;&gt;&amp;&quot;&#39;\u2400\t\n");
});
