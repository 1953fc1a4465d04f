/** The layout of every page, and the policy that allows its style and its script only. */
import { createHash } from "node:crypto";
import { type Html, type HtmlPart, html, Html as Markup } from "./html";
import { pageScript } from "./pageScript";
import { pageStyle } from "./pageStyle";

/**
 * The `Content-Security-Policy` of pages: allows this style, this script and requests to this origin only, and forbids
 * embedding.
 */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${sourceHash(pageStyle)}`,
  `script-src ${sourceHash(pageScript)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

export interface PageContent {
  readonly title: string;
  /** Default: the title. */
  readonly heading?: HtmlPart;
  /** Links and buttons below the heading, which stay visible. */
  readonly actions?: HtmlPart;
  /** Shown in a row above the content. */
  readonly facts?: readonly Html[];
  readonly content: HtmlPart;
}

export function renderLayout({ title, heading = title, actions, facts = [], content }: PageContent): string {
  const factsRow = facts.length === 0 ? undefined : html`<p class="facts">${facts}</p>\n`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(pageStyle)}</style>
</head>
<body>
<header><h1>${heading}</h1><nav class="actions" aria-label="Page">${actions}<span id="message" role="status"></span></nav></header>
<main>
${factsRow}${content}
</main>
<script>${new Markup(pageScript)}</script>
</body>
</html>
`.text;
}
