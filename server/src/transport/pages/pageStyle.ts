/** The style of every page, for light and dark themes and narrow screens. `data-theme` is the theme that the user chose. */
export const pageStyle = `
:root { color-scheme: light dark; }
:root[data-theme=light] { color-scheme: light; } :root[data-theme=dark] { color-scheme: dark; }
:root { --bg: light-dark(#fff, #0d1117); --fg: light-dark(#1f2328, #e6edf3); --dim: light-dark(#59636e, #9198a1); --line: light-dark(#d1d9e0, #3d444d);
  --soft: light-dark(#f6f8fa, #161b22); --link: light-dark(#0550ae, #79b8ff); --mark: light-dark(#fff8c5, #3a3410); --add: light-dark(#dafbe1, #12361f);
  --del: light-dark(#ffebe9, #46171a); --plus: light-dark(#116329, #7ee787); --minus: light-dark(#a0111f, #ff8f86); --kw: light-dark(#a0111f, #ff8f86);
  --str: light-dark(#0a3069, #a5d6ff); --num: light-dark(#0550ae, #79c0ff); --com: light-dark(#59636e, #9198a1); --fn: light-dark(#6639ba, #d2a8ff);
  --tag: light-dark(#116329, #7ee787); }
* { box-sizing: border-box; }
html { scroll-padding-top: 112px; scrollbar-color: var(--dim) transparent; }
body { margin: 0; background: var(--bg); color: var(--fg); font: 14px/1.5 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; } a:hover, h1 a, h2 a, .facts a, .dim a, p a, .who a { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
header { position: sticky; top: 0; z-index: 1; max-height: 50vh; overflow-y: auto; padding: 8px 16px; border-bottom: 1px solid var(--line); background: var(--soft); }
@media (max-height: 400px) { header { position: static; max-height: none; } }
h1 { font-size: 16px; font-weight: 600; margin: 0; max-height: 72px; overflow-y: auto; overflow-wrap: anywhere; unicode-bidi: isolate; }
.actions { margin: 4px 0 0; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; }
.actions nav { display: contents; } .actions :where(nav > *) { display: inline-flex; align-items: center; min-height: 24px; overflow-wrap: anywhere; } .actions [hidden] { display: none; }
@media (scripting: enabled) { .scripted[hidden] { display: inline-block; visibility: hidden; } #filter button { display: none; } }
.pick { padding: 0 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--bg); }
.pick::after { content: "\\00a0\\25be" / ""; }
button[aria-pressed=true] { border-color: var(--link); background: var(--soft); font-weight: 600; }
button, input { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 6px; background: var(--bg); padding: 0 8px; }
input { padding: 4px 8px; max-width: 100%; } button:hover { background: var(--soft); }
#filter, .compare { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 8px; } #filter label { flex: 1; min-width: 0; display: flex; align-items: center; gap: 8px; } #filter input { flex: 0 1 40ch; min-width: 0; } .compare input { width: 24ch; }
.facts { margin: 0 0 12px; color: var(--dim); display: flex; flex-wrap: wrap; gap: 4px 16px; }
.facts > * { overflow-wrap: anywhere; unicode-bidi: isolate; } .dim, #message { color: var(--dim); }
#message:not(:empty) { position: fixed; z-index: 4; left: 16px; bottom: 16px; max-width: calc(100vw - 32px); padding: 8px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--bg); }
fieldset { border: 0; margin: 0 0 16px; padding: 0; } legend { padding: 0; margin: 0 0 4px; font-weight: 600; } fieldset button { min-height: 28px; }
main { padding: 12px 16px 16px; } .note { padding: 8px 12px; border: 1px solid var(--line); background: var(--soft); margin: 0 0 12px; }
.note p { margin: 0 0 4px; } .paging { display: flex; gap: 16px; padding: 12px 0; }
table { border-collapse: collapse; width: 100%; } td { padding: 0 8px; vertical-align: top; }
.code { font: 12px/20px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; tab-size: 4; overflow-x: auto; }
.code td { white-space: pre; } .code tr:target td, .code tr.chosen td { background: var(--mark); }
.n { width: 1%; min-width: calc(4ch + 16px); text-align: right; user-select: none; } .n, .n a { color: var(--dim); } .n a { display: block; }
.who { width: 1%; max-width: 32ch; overflow: hidden; text-overflow: ellipsis; color: var(--dim); font-family: system-ui, sans-serif; border-right: 1px solid var(--line); }
.first td { border-top: 1px solid var(--line); }
@media (max-width: 640px) {
  .blame table, .blame tbody { display: block; width: max-content; min-width: 100%; }
  .blame tr { display: grid; grid-template-columns: calc(6ch + 8px) 1fr; } .blame .n { width: auto; }
  .blame .who { display: none; }
  .blame .first .who { display: block; grid-column: 1 / -1; justify-self: start; position: sticky; left: 0; width: auto;
    max-width: calc(100vw - 32px); white-space: normal; overflow-wrap: anywhere; border-right: 0; }
  .blame .first td:not(.who) { border-top: 0; }
  .blame .first .who { border-top: 0; } .blame .first { border-top: 1px solid var(--line); }
}
@media (forced-colors: active) { .code tr:target, .code tr.chosen { outline: 2px solid Highlight; outline-offset: -2px; } }
ul.entries { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 6px; }
ul.entries li { padding: 4px 12px; border-top: 1px solid var(--line); overflow-wrap: anywhere; unicode-bidi: isolate; }
ul.entries bdi { white-space: pre-wrap; }
ul.entries li:first-child { border-top: 0; } ul.entries li > a + .dim { display: block; font-size: 12px; } ul.entries li > a:has(+ .dim) { font-weight: 600; }
ul.entries .in::before { content: "\\25b8\\00a0" / ""; color: var(--dim); } ul.entries [aria-current] { font-weight: 600; }
ul.access li { display: flex; flex-wrap: wrap; align-items: center; gap: 0 16px; } ul.access li > :last-child { margin-left: auto; }
ul.access button { min-height: 28px; } ul.access time { white-space: nowrap; } .current { font-weight: 600; line-height: 28px; } form > h2:first-child { margin-top: 0; }
h2 { font-size: 14px; margin: 24px 0 8px; overflow-wrap: anywhere; unicode-bidi: isolate; } main > h2:first-child { margin-top: 0; }
.change { content-visibility: auto; contain-intrinsic-size: auto 500px; margin: 0 -4px -4px; padding: 0 4px 4px; } p + .change { margin-top: -14px; } .change .note { margin: 0; }
.counts { font-weight: 600; white-space: nowrap; } .plus { color: var(--plus); } .minus { color: var(--minus); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 12px; unicode-bidi: isolate; }
.add td { background: var(--add); } .del td { background: var(--del); } .at td { color: var(--dim); background: var(--soft); }
.hljs-keyword, .hljs-literal, .hljs-meta, .hljs-selector-tag, .hljs-doctag, .hljs-type { color: var(--kw); }
.hljs-string, .hljs-regexp, .hljs-char { color: var(--str); }
.hljs-number, .hljs-attr, .hljs-attribute, .hljs-variable, .hljs-symbol, .hljs-selector-class { color: var(--num); }
.hljs-comment, .hljs-quote { color: var(--com); } .hljs-title, .hljs-section { color: var(--fn); }
.hljs-tag, .hljs-name, .hljs-built_in, .hljs-addition { color: var(--tag); } .hljs-deletion { color: var(--kw); }
.hljs-emphasis { font-style: italic; } .hljs-strong { font-weight: 600; }
`;
