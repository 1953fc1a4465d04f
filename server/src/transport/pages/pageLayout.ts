/** The layout of every page, and the policy that allows their style and their scripts only. */
import { createHash } from "node:crypto";
import { fileScript } from "./fileScript";
import { fileStyle } from "./fileStyle";
import { type Html, type HtmlPart, html, Html as Markup } from "./html";
import { pageScript } from "./pageScript";
import { pageStyle } from "./pageStyle";
import { searchScript } from "./searchScript";
import { searchStyle } from "./searchStyle";
import type { ViewSettings } from "./viewSettings";

const style = pageStyle + searchStyle + fileStyle;
const commonScript = compact(pageScript);
const searchPageScript = commonScript + compact(searchScript);
const filePageScript = commonScript + compact(fileScript);
const scripts = [commonScript, searchPageScript, filePageScript];

/** Removes comments and indentation. */
function compact(script: string): string {
  return script.replace(/^\s*\/\/.*\n/gm, "").replace(/^\s+/gm, "");
}

/**
 * The `Content-Security-Policy` of pages: allows this style, these scripts, and images and requests of this origin only. It
 * forbids markup that a script makes from text. `http/embedding.ts` adds who may embed a page.
 */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${sourceHash(style)}`,
  `script-src ${scripts.map(sourceHash).join(" ")}`,
  // Browsers request the icon.
  "img-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** A page without its content. */
export interface PageFrame {
  readonly title: string;
  /** The bar with the search box. Default: none. */
  readonly bar?: Html;
  /** Default: the title. */
  readonly heading?: HtmlPart;
  /** Links and buttons below the heading, which stay visible. */
  readonly actions?: HtmlPart;
  /** Shown in a row above the content. */
  readonly facts?: readonly Html[];
  /** Whether it is the search page, which has a script of its own and whose heading is its search box. */
  readonly isSearch?: boolean;
  /** Whether it is the page of a file, which has a script of its own. */
  readonly isFile?: boolean;
}

export function renderLayout(page: PageFrame & { readonly content: HtmlPart }): string {
  const { start, end } = renderFrame(page);
  return `${start}${html`${page.content}`.text}${end}`;
}

const mainStart = html`<main id="main">
`;
const htmlTag = `<html lang="en">`;

/** Returns a rendered page, or its start, with the theme that the user has chosen. */
export function withTheme(page: string, { theme }: ViewSettings): string {
  return theme === "system" ? page : page.replace(htmlTag, `<html lang="en" data-theme="${theme}">`);
}

/** Renders what precedes and what follows the content of a page. */
export function renderFrame(page: PageFrame): { readonly start: string; readonly end: string } {
  const { title, bar, heading = title, actions, facts = [], isSearch = false, isFile = false } = page;
  const factsRow = facts.length === 0 ? undefined : html`<p class="facts">${facts}</p>\n`;
  const actionList = actions && html`<nav aria-label="Page">${actions}</nav>`;
  const message = html`<span id="message" role="status"></span>`;
  const top = isSearch
    ? html`${bar}${mainStart}<h1 id="heading" class="hidden">${heading}</h1><div>${message}</div>\n`
    : html`${bar}<header><h1>${heading}</h1><div class="actions">${actionList}${message}</div></header>\n${mainStart}`;
  const start = html`<!doctype html>
${new Markup(htmlTag)}
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body${isSearch ? html` class="search"` : undefined}>
<a class="skip hidden" href="#main">Skip to the content</a>
${top}${factsRow}`;
  const end = html`
</main>
<script>${new Markup(isSearch ? searchPageScript : isFile ? filePageScript : commonScript)}</script>
</body>
</html>
`;
  return { start: start.text, end: end.text };
}
