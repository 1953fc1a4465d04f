/** The style of the search page and of the bar above every page. */
export const searchStyle = `
:root { --hit: light-dark(#fff0a8, #5c4503); --hit-line: light-dark(#d4a72c, #d29922); }
.hidden:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: fixed; z-index: 5; top: 4px; left: 4px; padding: 8px 16px; background: var(--bg); }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 8px 16px; border-bottom: 1px solid var(--line); }
.bar .home { font-weight: 600; font-size: 16px; color: var(--fg); }
.bar form { flex: 1 1 240px; max-width: 480px; display: flex; gap: 8px; } .bar form input[type=search] { width: 100%; }
.site { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; margin-left: auto; } .site > a { display: inline-flex; align-items: center; min-height: 24px; }
html:has(.search) { scrollbar-gutter: stable; } .search .bar { position: sticky; top: 0; z-index: 2; background: var(--bg); } .search { scroll-padding-top: 72px; }
#search { flex: 1 1 480px; max-width: 960px; flex-wrap: wrap; } .box { position: relative; flex: 1 1 280px; }
#q { padding: 6px 12px; border-color: var(--dim); font: 14px/20px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.options { display: flex; gap: 4px; } .options button { padding: 0 16px; }
.options label { position: relative; display: inline-flex; align-items: center; justify-content: center; min-width: 34px; min-height: 34px;
  border: 1px solid var(--line); border-radius: 6px; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; cursor: pointer; }
.options .word span { text-decoration: underline; }
.options input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
.options label:hover { background: var(--soft); }
.options label:has(:checked) { color: var(--link); border-color: var(--link); background: var(--soft); font-weight: 700; }
.options label:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: 1px; }
#completions { position: absolute; z-index: 3; left: 0; right: 0; top: calc(100% + 4px); margin: 0; padding: 4px; list-style: none;
  background: var(--bg); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 8px 24px #0003; max-height: 60vh; overflow-y: auto; }
#completions[hidden] { display: none; }
#completions li { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 4px 8px; border-radius: 4px; cursor: pointer; overflow-wrap: anywhere; }
#completions bdi { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
#completions li:hover { background: var(--soft); } #completions [aria-selected=true] { background: var(--soft); outline: 2px solid var(--link); outline-offset: -2px; }
.search main { max-width: 1440px; margin: 0 auto; }
#summary { margin: 0 0 12px; color: var(--dim); } .search #summary:empty, .pending:has(+ #summary) { display: none; } .pending { margin: 0 0 12px; color: var(--dim); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 232px; gap: 0 32px; align-items: start; } .matches { min-width: 0; }
#facets { grid-column: 2; grid-row: 1; position: sticky; top: 72px; max-height: calc(100vh - 88px); overflow-y: auto; font-size: 13px; padding: 2px; }
#facets h2 { margin: 16px 0 4px; font-size: 12px; color: var(--dim); } #facets h2:first-child { margin-top: 0; }
#facets ul { list-style: none; margin: 0; padding: 0; } #facets li { display: flex; justify-content: space-between; gap: 8px; padding: 2px 0; }
#facets a { overflow-wrap: anywhere; min-height: 24px; }
ul.filters { list-style: none; margin: 0 0 12px; padding: 0; display: flex; flex-wrap: wrap; gap: 8px; }
.filters a { display: inline-block; min-height: 24px; padding: 1px 10px; border: 1px solid var(--line); border-radius: 12px; background: var(--soft); color: var(--fg);
  font: 12px/20px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; } .filters a::after { content: "\\00a0\\00d7" / ""; color: var(--dim); }
.query { font: 14px/20px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } .query mark { background: var(--del); text-decoration: underline wavy var(--minus); }
.fix { display: inline-block; min-height: 24px; margin-left: 8px; }
.matches section > h2 { margin: 20px 0 8px; } .matches section:first-of-type > h2 { margin-top: 0; } .matches h2 a { color: var(--fg); text-decoration: none; } .matches h2 a:hover { text-decoration: underline; }
.file { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 12px; overflow: hidden; }
.file h3 { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 16px; margin: 0; padding: 6px 12px; font-size: 13px; font-weight: 600; background: var(--soft); overflow-wrap: anywhere; }
.file h3 .dim { font-weight: 400; } .file .note { margin: 0; border-width: 1px 0 0; } .file .code { border-top: 1px solid var(--line); padding: 4px 0; }
.file .n { width: 56px; min-width: 56px; padding-right: 12px; } .file tr:not(.gap) { cursor: pointer; } .file tr:hover:not(.gap) td { background: var(--soft); }
.file tr:focus-within td { background: var(--soft); box-shadow: inset 3px 0 var(--hit-line); } .file tr:focus-within td + td { box-shadow: none; }
.file .n .hit { color: var(--fg); } .kind { margin-left: 24px; padding: 0 6px; border: 1px solid var(--line); border-radius: 8px; color: var(--dim); font: 11px/16px system-ui, sans-serif; user-select: none; } .gap td { line-height: 14px; color: var(--dim); } .more { margin: 0; padding: 4px 12px; border-top: 1px solid var(--line); font-size: 13px; }
mark { background: var(--hit); color: var(--fg); border-radius: 2px; box-shadow: 0 0 0 1px var(--hit); }
.nothing h2 { margin-top: 16px; } .nothing ul { margin: 0; padding-left: 20px; } .nothing p { margin: 8px 0; } .limit { margin: 0 0 12px; color: var(--dim); } .nothing li, .examples li { padding: 2px 0; overflow-wrap: anywhere; } .examples code, .syntax code { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
ul.examples { list-style: none; padding: 0; margin: 0; }
.examples li { display: flex; flex-wrap: wrap; gap: 0 16px; } .examples a { min-width: 38ch; }
.syntax { max-width: 800px; } .syntax th { text-align: left; font-weight: 400; padding: 3px 16px 3px 0; width: 45%; overflow-wrap: anywhere; vertical-align: top; } .syntax td { padding: 3px 0; }
dialog { max-width: min(560px, calc(100vw - 32px)); color: var(--fg); background: var(--bg); border: 1px solid var(--line); border-radius: 8px; padding: 16px 24px; }
dialog::backdrop { background: #0006; } dialog .syntax th { width: 30%; } caption { padding: 12px 0 4px; text-align: left; font-weight: 600; } dialog button { min-height: 32px; margin-top: 12px; padding: 0 16px; } dialog label { margin-right: 8px; }
@media (max-width: 800px) { .columns { display: block; } #facets { position: static; display: flex; align-items: center; gap: 12px; overflow-x: auto; margin: 0 0 12px; white-space: nowrap; }
  #facets h2 { margin: 0; } #facets ul { display: flex; gap: 12px; } #facets a { overflow-wrap: normal; } }
@media (pointer: coarse) { .code tr:not(.gap) { line-height: 24px; } .n a { min-width: 24px; } }
@media (max-width: 480px) { #show-keys, #show-line { display: none; } .search .bar { position: static; } .bar, main { padding-left: 12px; padding-right: 12px; } 
  .bar form { order: 3; flex-basis: 100%; } .bar { gap: 8px; } .site { gap: 4px 8px; font-size: 13px; } .file .n { width: 40px; min-width: 40px; padding: 0 8px 0 4px; } .examples a { min-width: 0; } }
@media (max-height: 400px) { .search .bar { position: static; } }
@media (forced-colors: active) { mark { background: Mark; color: MarkText; forced-color-adjust: none; } #completions [aria-selected=true] { outline: 2px solid Highlight; }
  .options label:has(:checked), button[aria-pressed=true] { background: Highlight; color: HighlightText; border-color: Highlight; outline-color: Highlight; forced-color-adjust: none; } }
@media print { :root:root { color-scheme: light; } .search h1.hidden { position: static; width: auto; height: auto; clip-path: none; white-space: normal; margin: 0 0 8px; } .bar, #facets, .more, .paging, .actions { display: none; } header { position: static; } .columns { display: block; } .file { break-inside: avoid; } .change { content-visibility: visible; } .code td:last-child { white-space: pre-wrap; overflow-wrap: anywhere; } mark { outline: 1px solid; } }
`;
