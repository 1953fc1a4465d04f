/** Checks of the HTML pages that the service renders. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Requests a page as a browser would, and checks what holds for each. */
export async function getPage(url: string, options: RequestInit = {}): Promise<Page> {
  const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const response = await fetch(url, { redirect: "manual", headers, ...options });
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("text/html") && text !== "")
    checkPage(text, response.headers);
  return { status: response.status, headers: response.headers, text };
}

const ownTags = new Set(
  "html head meta title style body header nav aside h1 h2 h3 p span a main div table caption tr th td bdi ul li pre code em mark section article dialog script form fieldset legend label input button".split(
    " ",
  ),
);

/** Checks that a page has only known elements, the script and style of its policy, and no foreign URLs. */
function checkPage(text: string, headers: Headers): void {
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
  const [, script = ""] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
  assert.ok(script.length <= 12 * 1024, `${script.length} bytes of script`);
  const policy = headers.get("content-security-policy") ?? "";
  for (const part of [style, script]) {
    assert.ok(policy.includes(`'sha256-${createHash("sha256").update(part).digest("base64")}'`));
  }
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:/);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  const content = text.replace(style, "").replace(script, "");
  for (const [, tag = ""] of content.matchAll(/<\/?([^\s>/]+)/g))
    assert.ok(ownTags.has(tag) || tag === "!doctype", tag);
  assert.equal(content.match(/<script/g)?.length, 1);
  assert.doesNotMatch(content, /<[^>]*\s(?:on\w+|style|src)=/);
  for (const [, address = ""] of content.matchAll(/(?:href|action)="([^"]*)"/g)) {
    assert.match(
      address,
      /^(?:#(?:L\d+|main|side|tree)$|(?:\.\.?\/)+$|http:\/\/127\.0\.0\.1:\d+\/|https:\/\/github\.com\/|vscode:\/\/trawl\.trawl\/open\?\S+$)/,
    );
  }
}

/** Returns the URL of the link with this text; fails if there is none. */
export function linkTo(page: Page, text: string): string {
  const link = linksOf(page).find((each) => each.text === text);
  assert.ok(link, `no link "${text}"`);
  return link.url;
}

export function linksOf({ text }: Page): { readonly text: string; readonly url: string }[] {
  return [...text.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, url = "", label = ""]) => ({
    text: plain(label),
    url: plain(url),
  }));
}

/** Returns the texts of the entries of the page's list. */
export function entriesOf({ text }: Page): string[] {
  const list = /<ul class="entries">(.*?)<\/ul>/s.exec(text)?.[1] ?? "";
  return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, entry = ""]) => plain(entry).replace(/\s+/g, " "));
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  "#x27": "'",
};

/** Returns the text of markup. */
export function plain(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, "")
    .replace(/&([#\w]+);/g, (_, name: string) => entities[name] ?? `&${name};`);
}
