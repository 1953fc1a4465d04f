import { okPage, type PageResponse, type ServiceContext } from "./context";
import { html } from "./html";
import { renderLayout } from "./pageLayout";
import { siteBar } from "./siteBar";
import { keySections, syntaxSections } from "./syntaxSections";
import { syntaxTable } from "./syntaxTable";

export function syntaxPage(context: ServiceContext): PageResponse {
  const content = html`<p>A file matches if it contains every word, in its text or in its name. Quote an exact phrase. Follow a query to try it.</p>
${[...syntaxSections, ...keySections].map((section) => html`<h2>${section.title}</h2>\n${syntaxTable(section, context.base)}`)}
<p>If <em>Regular expression</em> is on, words are regular expressions in RE2 syntax. Spaces still separate words, so write <code>\\s</code> for whitespace.</p>`;
  return okPage(renderLayout({ title: "Query syntax", bar: siteBar(context, "./"), content }));
}
