/** Problems of a query: marked in its text, each with fixes as links. */
import type { QueryExplanation } from "#contract/queries";
import { type Html, html } from "./html";
import { isLinkable, type SearchPosition, searchUrl } from "./searchUrl";

const maxProblems = 10;

type Problem = QueryExplanation["problems"][number];

/** Renders errors with the query, and hints without it; nothing if there are none. */
export function renderProblems(
  problems: readonly Problem[],
  position: SearchPosition,
  base: string,
): Html | undefined {
  if (problems.length === 0) return undefined;
  const errors = problems.filter(({ severity }) => severity === "error");
  const marked =
    errors.length === 0 ? undefined : html`<pre class="query">${markedQuery(position.query, errors)}</pre>\n`;
  const items = problems.slice(0, maxProblems).map(({ message, fixes }) => {
    const links = (isLinkable(position) ? fixes : []).map(
      ({ title, query, isRegexEnabled = position.isRegex }) => {
        const url = searchUrl(base, position, { query, isRegex: isRegexEnabled });
        return html` <a class="fix" href="${url}" title="${query}">${title}</a>`;
      },
    );
    return html`<p><bdi>${message}</bdi>${links}</p>\n`;
  });
  return html`<div class="note problems">${marked}${items}</div>\n`;
}

/** A range without text is marked at the next character, or with a space at the end. */
function markedQuery(query: string, errors: readonly Problem[]): readonly (string | Html)[] {
  const parts: (string | Html)[] = [];
  let at = 0;
  for (const { offset, length } of errors.toSorted((left, right) => left.offset - right.offset)) {
    const start = Math.max(at, offset);
    const end = Math.max(start, offset + Math.max(1, length));
    if (start < at || start > query.length) continue;
    parts.push(query.slice(at, start), html`<mark>${query.slice(start, end) || " "}</mark>`);
    at = end;
  }
  return [...parts, query.slice(at)];
}
