/** Examples of queries, or keys, with their meanings. */
import { type Html, html } from "./html";
import { queryUrl } from "./searchUrl";
import type { SyntaxSection } from "./syntaxSections";

export function syntaxTable({ title, rows, isQuery }: SyntaxSection, base: string, hasCaption = false): Html {
  const lines = rows.map(([example, meaning]) => {
    const shown = html`<code>${example}</code>`;
    const cell = isQuery ? html`<a href="${queryUrl(base, example)}">${shown}</a>` : shown;
    return html`<tr><th scope="row">${cell}</th><td>${meaning}</td></tr>\n`;
  });
  const caption = hasCaption ? html`<caption>${title}</caption>\n` : undefined;
  return html`<table class="syntax">${caption}${lines}</table>\n`;
}
