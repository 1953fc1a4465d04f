import { okPage, type PageResponse, type ServiceContext } from "./context";
import { type Html, html } from "./html";
import { renderLayout } from "./pageLayout";
import { queryUrl } from "./searchUrl";
import { siteBar } from "./siteBar";
import { keySection, type SyntaxSection, syntaxSections } from "./syntaxSections";

export function syntaxPage(context: ServiceContext): PageResponse {
  const content = html`<p>A file matches if it contains every word, in its text or in its name. Quote an exact phrase. Follow a query to try it.</p>
${[...syntaxSections, keySection].map((section) => html`<h2>${section.title}</h2>\n${syntaxTable(section, context.base)}`)}
<p>If <em>Regular expression</em> is on, words are regular expressions in RE2 syntax. Spaces still separate words, so write <code>\\s</code> for whitespace.</p>`;
  return okPage(renderLayout({ title: "Query syntax", bar: siteBar(context, "./"), content }));
}

export function syntaxTable({ rows, isQuery }: SyntaxSection, base: string): Html {
  const lines = rows.map(([example, meaning]) => {
    const shown = html`<code>${example}</code>`;
    const cell = isQuery ? html`<a href="${queryUrl(base, example)}">${shown}</a>` : shown;
    return html`<tr><th scope="row">${cell}</th><td>${meaning}</td></tr>\n`;
  });
  return html`<table class="syntax">${lines}</table>\n`;
}
