import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { browseUrl } from "#service/webLinks";
import { hostileHistory } from "#test/support/history";
import { temporaryFolder } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";
import { highlightedLines } from "#transport/http/highlight";
import { escapeText, html } from "#transport/http/html";
import { readPageAddress } from "#transport/http/pageAddress";

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

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function get(address: string, options: RequestInit = {}): Promise<Page> {
  const url = address.startsWith("http") ? address : `${listener.url}/browse/${address}`;
  const response = await fetch(url, { redirect: "manual", ...options });
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("text/html") && text !== "")
    checkPage(text, response.headers);
  return { status: response.status, headers: response.headers, text };
}

const ownTags = new Set(
  "html head meta title style body header h1 h2 p span a main div table tr td bdi ul li pre section script".split(
    " ",
  ),
);

/** Only our own elements, one script and one style, which are those that the policy names, and no address elsewhere. */
function checkPage(text: string, headers: Headers): void {
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
  const [, script = ""] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
  const policy = headers.get("content-security-policy") ?? "";
  for (const part of [style, script]) {
    assert.ok(policy.includes(`'sha256-${createHash("sha256").update(part).digest("base64")}'`));
  }
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:/);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  const content = text.replace(style, "").replace(script, "");
  for (const [, tag = ""] of content.matchAll(/<\/?([^\s>/]+)/g))
    assert.ok(ownTags.has(tag) || tag === "!doctype", tag);
  assert.equal(content.match(/<script/g)?.length, 1);
  assert.doesNotMatch(content, /<[^>]*\s(?:on\w+|style|src)=/);
  for (const [, address = ""] of content.matchAll(/href="([^"]*)"/g)) {
    assert.match(address, /^(?:#L\d+$|http:\/\/127\.0\.0\.1:\d+\/|https:\/\/github\.com\/)/);
  }
}

/** The lines of the file that a page shows. */
function linesOf({ text }: Page): string[] {
  return [...text.matchAll(/<tr id="L\d+"[^>]*>.*?<td>(.*?)<\/td><\/tr>/gs)].map(([, line = ""]) =>
    plain(line),
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  "#x27": "'",
};

function plain(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, "")
    .replace(/&([#\w]+);/g, (_, name: string) => entities[name] ?? `&${name};`);
}

test("each file's own address opens it", async () => {
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

test("every link of a folder leads somewhere", async () => {
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

const past1 = "github.com/o/past";
const rows: readonly [address: string, status: number, says: RegExp][] = [
  [past1, 200, /music\//],
  [`${past1}/`, 200, /music\//],
  [`${past1}@v1.0/-/tree/deep`, 200, /er\//],
  [`${past1}@refs%2Ftags%2Fv1.0/-/tree/`, 200, /deep\//],
  [`${past1}@feature/%C3%BCn%C3%AFcode/-/blob/feature.txt`, 200, /id="L3"/],
  [`${past1}/-/tree/vendor`, 200, /module \(submodule\)/],
  [`${past1}/-/blob/music%2Fsong.txt?blame=1`, 200, /Zoë Ω/],
  [`${past1}/-/blob/README.md?blame=1`, 200, /Hide blame/],
  [`${past1}/-/blob/data.bin`, 200, /binary/],
  [`${past1}/-/blob/empty`, 200, /empty/],
  [`${past1}/-/blob/music`, 302, /^$/],
  [`${past1}/-/tree/README.md`, 302, /^$/],
  [`${past1}/-/tree/nothing`, 404, /nothing/],
  [`${past1}/-/blob/nothing%3Cb%3E`, 404, /nothing&lt;b&gt;/],
  [`${past1}@nothing/-/blob/README.md`, 400, /nothing/],
  [`${past1}@--all/-/blob/README.md`, 400, /--all/],
  [`${past1}/-/blob/a/..%2F..%2Fb`, 400, /path/],
  ["nobody/nothing/-/blob/x", 404, /Repository &quot;nobody\/nothing&quot; not found/],
  ["%3Cscript%3E/-/tree/", 404, /&lt;script&gt;/],
  [`${past1}/-/commit/main`, 200, /name the formatting commit/i],
  [`${past1}/-/commit/v0.1`, 200, /first commit/],
  [`${past1}/-/commit/v1.0`, 200, /Parent/],
  [`${past1}/-/commit/feature/%C3%BCn%C3%AFcode`, 200, /&lt;b&gt;markup&lt;\/b&gt; &amp;/],
  [`${past1}/-/commit/main~6`, 200, /Binary file.*Mode 100755 became 100644/s],
  [`${past1}/-/commit/main~7`, 200, /song\.txt → music\/song\.txt.*Same content/s],
  [`${past1}/-/commit/nothing`, 404, /nothing/],
  ["folder/-/blob/in%20side/note.md", 200, /A note/],
  ["folder/-/tree/in%20side", 200, /note\.md/],
  ["folder/-/commit/HEAD", 400, /no history/],
  [`${past1}/-/blob/${"a/".repeat(1500)}b`, 404, /not found/],
];

for (const [address, status, says] of rows) {
  test(`${address.slice(0, 80)}: ${status}`, async () => {
    const page = await get(address);
    assert.equal(page.status, status, page.text.slice(-500));
    assert.match(page.text.replace(/<style>.*?<\/style>|<script>.*?<\/script>/gs, ""), says);
  });
}

test("a folder asked for as a file is shown as one, and the other way round", async () => {
  const there = (await get(`${past1}@v2.0/-/blob/music`)).headers.get("location");
  assert.equal(there, `${listener.url}/browse/${past1}@v2.0/-/tree/music`);
  const back = (await get(`${past1}/-/tree/README.md`)).headers.get("location");
  assert.equal(back, `${listener.url}/browse/${past1}/-/blob/README.md`);
});

test("pages have the rules of the interface: hosts, origins, keys, methods", async () => {
  const url = `${listener.url}/browse/${past1}`;
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
  const refused = await fetch(`${closed.url}/browse/${past1}`);
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  assert.match(await refused.text(), /<h1>Sign in/);
  await closed.close();
});

test("characters that change the direction of text are pointed out", async () => {
  const plainFile = await get(`${past1}/-/blob/README.md`);
  assert.doesNotMatch(plainFile.text, /direction of text/);
  writeFileSync(join(folder, "trojan.js"), "/* \u202e } \u2066if (admin)\u2069 */\n");
  assert.match((await get("folder/-/blob/trojan.js")).text, /direction of text/);
});

test("addresses are read as they are written", () => {
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
      assert.deepEqual(readPageAddress(url), { ...expected, withBlame: false });
    }),
  );
});

test("whatever stands in a file, its lines are shown as text", () => {
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
      const shown = source.replaceAll("\r\n", "\n").split("\n");
      assert.deepEqual(
        lines.map(plain),
        shown.map((line) => plain(escapeText(line))),
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

test("no file holds up the service by its colours", () => {
  const started = performance.now();
  for (const language of ["TypeScript", "HTML", "Markdown", "C++", "Perl", "PHP", "Swift", "SQL"]) {
    for (const part of ["(", "<a ", "`${", "/* ", "\\", "a".repeat(100), "[[", "1e", "<!--"]) {
      const text = `${part.repeat(40)}\n`.repeat(Math.floor(400_000 / (part.length * 40)));
      assert.ok(highlightedLines(text, language).length > 10);
    }
  }
  // Each is stopped after a quarter of a second; reading and splitting the text comes on top.
  assert.ok(performance.now() - started < 72 * 1500);
});

test("what is put into a template is text", () => {
  const evil = `<img src=x onerror="a('b')">&\u0000`;
  assert.equal(
    html`<p title="${evil}">${[evil, 1, undefined, html`<b>${"<"}</b>`]}</p>`.text,
    `<p title="${escapeText(evil)}">${escapeText(evil)}1<b>&lt;</b></p>`,
  );
  assert.equal(escapeText(`<>&"'\u0000\t\n`), "&lt;&gt;&amp;&quot;&#39;\u2400\t\n");
});
