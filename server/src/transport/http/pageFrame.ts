/** What every page has around its content: head, colours for light and dark, and the little that a script does. */
import { createHash } from "node:crypto";
import { type Html, html, Html as Markup, type Part } from "./html";

const style = `
:root { color-scheme: light dark; --bg: #fff; --fg: #1f2328; --dim: #59636e; --line: #d1d9e0; --soft: #f6f8fa;
  --link: #0550ae; --mark: #fff8c5; --add: #dafbe1; --del: #ffebe9; --kw: #a0111f; --str: #0a3069; --num: #0550ae;
  --com: #59636e; --fn: #6639ba; --tag: #116329; }
@media (prefers-color-scheme: dark) { :root { --bg: #0d1117; --fg: #e6edf3; --dim: #9198a1; --line: #3d444d;
  --soft: #161b22; --link: #79b8ff; --mark: #3a3410; --add: #12361f; --del: #46171a; --kw: #ff8f86; --str: #a5d6ff;
  --num: #79c0ff; --com: #9198a1; --fn: #d2a8ff; --tag: #7ee787; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--fg); font: 14px/1.5 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
header { padding: 12px 16px; border-bottom: 1px solid var(--line); background: var(--soft); }
h1 { font-size: 16px; font-weight: 600; margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
.facts { margin: 4px 0 0; color: var(--dim); display: flex; flex-wrap: wrap; gap: 4px 16px; }
.facts > * { overflow-wrap: anywhere; unicode-bidi: isolate; }
main { padding: 16px; } .note { padding: 8px 12px; border: 1px solid var(--line); background: var(--soft); margin: 0 0 12px; }
table { border-collapse: collapse; width: 100%; } td { padding: 0 8px; vertical-align: top; }
.code { font: 12px/20px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; tab-size: 4; overflow-x: auto; }
.code td { white-space: pre; } .code tr:target td, .code tr.chosen td { background: var(--mark); }
.n { width: 1%; text-align: right; user-select: none; } .n a { color: var(--dim); }
.who { width: 1%; max-width: 32ch; overflow: hidden; text-overflow: ellipsis; color: var(--dim); font-family: system-ui, sans-serif; border-right: 1px solid var(--line); }
.first td { border-top: 1px solid var(--line); }
ul.entries { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); }
ul.entries li { padding: 4px 12px; border-top: 1px solid var(--line); overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: isolate; }
ul.entries li:first-child { border-top: 0; }
h2 { font-size: 14px; margin: 24px 0 8px; overflow-wrap: anywhere; unicode-bidi: isolate; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 12px; unicode-bidi: isolate; }
.add td { background: var(--add); } .del td { background: var(--del); } .at td { color: var(--dim); background: var(--soft); }
.hljs-keyword, .hljs-literal, .hljs-meta, .hljs-selector-tag, .hljs-doctag, .hljs-type { color: var(--kw); }
.hljs-string, .hljs-regexp, .hljs-char { color: var(--str); }
.hljs-number, .hljs-attr, .hljs-attribute, .hljs-variable, .hljs-symbol, .hljs-selector-class { color: var(--num); }
.hljs-comment, .hljs-quote { color: var(--com); } .hljs-title, .hljs-section { color: var(--fn); }
.hljs-tag, .hljs-name, .hljs-built_in, .hljs-addition { color: var(--tag); } .hljs-deletion { color: var(--kw); }
.hljs-emphasis { font-style: italic; } .hljs-strong { font-weight: 600; }
`;

/**
 * `#L10-L20` marks these lines; a click on a number chooses it, and with the shift key all up to it. Signing in and out
 * asks this service, which answers with a cookie.
 */
const script = `
const lines = () => { const m = /^#L(\\d+)(?:-L?(\\d+))?$/.exec(location.hash); return m && [+m[1], +(m[2] || m[1])].sort((a, b) => a - b); };
const show = () => {
  for (const row of document.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
  const range = lines();
  if (!range) return;
  for (let at = range[0]; at <= range[1]; at++) { const row = document.getElementById("L" + at); if (!row) break; row.classList.add("chosen"); }
  document.getElementById("L" + range[0])?.scrollIntoView({ block: "center" });
};
addEventListener("hashchange", show);
addEventListener("click", (event) => {
  const link = event.target.closest?.(".n a");
  const range = event.shiftKey && link && lines();
  if (!range) return;
  event.preventDefault();
  const to = +link.textContent;
  location.hash = "L" + Math.min(range[0], to) + "-L" + Math.max(range[0], to);
});
show();
const address = location.pathname.slice(0, location.pathname.indexOf("/browse/")) + "/session";
const session = (method, key) => fetch(address, { method, headers: { "content-type": "application/json", ...key && { authorization: "Bearer " + key } }, ...key && { body: "{}" } });
document.getElementById("sign-in")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const tell = (text) => { document.getElementById("refusal").textContent = text; };
  try {
    const answer = await session("POST", event.target.elements.key.value.trim());
    if (answer.ok) location.reload();
    else tell((await answer.json()).message);
  } catch { tell("The service does not answer. Try again."); }
});
document.getElementById("sign-out")?.addEventListener("click", async (event) => {
  await session("DELETE").catch(() => undefined);
  location.reload();
});
`;

/** Only our own style and script run, nothing is fetched from elsewhere, and no page may hold this one. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${sourceHash(style)}`,
  `script-src ${sourceHash(script)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

export interface PageContent {
  readonly title: string;
  /** What the heading holds; the title where it is absent. */
  readonly heading?: Part;
  /** Below the heading, one beside the other. */
  readonly facts?: readonly Html[];
  readonly content: Part;
}

export function page({ title, heading = title, facts = [], content }: PageContent): string {
  const under = facts.length === 0 ? undefined : html`<p class="facts">${facts}</p>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header><h1>${heading}</h1>${under}</header>
<main>
${content}
</main>
<script>${new Markup(script)}</script>
</body>
</html>
`.text;
}
