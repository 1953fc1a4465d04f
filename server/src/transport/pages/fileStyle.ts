/** The style of the panes beside the text of a file. */
export const fileStyle = `
.panes { display: grid; grid-template: "tree text side" / 240px minmax(0, 1fr) 300px; gap: 0 16px; align-items: start; }
.text { grid-area: text; } #side { grid-area: side; } #tree { grid-area: tree; }
#side, #tree { position: sticky; top: 96px; max-height: calc(100vh - 108px); overflow: auto; font-size: 13px; padding: 2px; }
#side h2, #tree h2 { margin: 16px 0 4px; font-size: 12px; color: var(--dim); } #tree h2, #panel h2, #panel:empty + nav h2 { margin-top: 0; }
#side h3 { margin: 12px 0 4px; font-size: 12px; } #side ul, #tree ul { list-style: none; margin: 0; padding: 0; } #side ul ul, #tree ul ul { padding-left: 12px; }
#side li, #tree li { overflow-wrap: anywhere; } #side a, #tree a { display: inline-block; min-height: 24px; padding: 2px 0; }
#tree a { color: var(--fg); } #tree [aria-current] { font-weight: 600; color: var(--link); } .folder::before { content: "\\25b8\\00a0" / ""; color: var(--dim); } .folder[aria-expanded=true]::before, .folder:has(+ ul:not([hidden]))::before { content: "\\25be\\00a0" / ""; }
#lookup { display: flex; gap: 8px; margin: 0 0 12px; } #lookup input { flex: 1; min-width: 0; }
#panel:not(:empty) { border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; margin: 0 0 12px; } #panel h2 { display: flex; justify-content: space-between; gap: 8px; align-items: baseline; font-size: 14px; color: var(--fg); overflow-wrap: anywhere; }
#panel h3 { color: var(--dim); } #panel li > bdi { font-weight: 600; } #panel li + li:has(> ul) { margin-top: 4px; } #panel li li { display: flex; gap: 8px; align-items: baseline; } #panel li li a { flex: none; }
#panel code { min-width: 0; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; font: 12px/18px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } #panel .close { font-weight: 400; font-size: 12px; min-height: 24px; }
.signature, .doc { font: 12px/18px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; margin: 0 0 8px; } .doc { color: var(--dim); }
#tip { position: fixed; z-index: 4; max-width: min(640px, calc(100vw - 16px)); max-height: 50vh; overflow: auto; padding: 8px 12px; background: var(--bg); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 8px 24px #0003; }
#tip pre:last-child { margin: 0; } .jump { display: none; } .before { text-decoration: none; }
@media (max-width: 1200px) {
  .panes { display: block; } .actions .jump { display: inline-flex; } #side, #tree { position: static; max-height: none; margin-top: 24px; border-top: 1px solid var(--line); padding-top: 16px; scroll-margin-top: 112px; }
  #panel:has(.close:not([hidden])) { position: fixed; z-index: 3; left: 0; right: 0; bottom: 0; max-height: 45vh; overflow: auto; margin: 0; background: var(--bg); border-radius: 6px 6px 0 0; box-shadow: 0 -8px 24px #0003; }
}
@media print { #side, #tree, #tip { display: none; } .panes { display: block; } }
`;
