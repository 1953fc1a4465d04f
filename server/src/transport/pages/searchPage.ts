/** The start page: the search box, and what the query finds. It is complete without script. */
import { isServiceError } from "#base/error";
import type { QueryExplanation } from "#contract/queries";
import type { SearchResult } from "#contract/search";
import { okPage, type PageResponse, type ServiceContext } from "./context";
import { type Html, type HtmlPart, html } from "./html";
import { renderLayout } from "./pageLayout";
import { renderProblems } from "./queryProblems";
import { renderActiveFilters, renderFacets } from "./searchFacets";
import { searchForm } from "./searchForm";
import { isRepository, maxLinesPerFile, renderRepositories, renderResults } from "./searchResults";
import { incompleteNote, nothingFound, phraseNote, summaryOf } from "./searchSummary";
import { isTyping, parseSearchUrl, type SearchPosition, searchUrl } from "./searchUrl";
import { siteBar } from "./siteBar";
import { startContent } from "./startContent";
import { syntaxTable } from "./syntaxPage";
import { keySection } from "./syntaxSections";

/** Maximum number of ranges, on all pages of results. */
const maxMatches = 2000;
/** As many as there are lines of one of several files. A file has more matches only if it is the only one. */
const maxMatchesPerFile = maxLinesPerFile;
const contextLines = 1;
const minTypedLength = 3;

interface SearchContext extends ServiceContext {
  readonly position: SearchPosition;
}

interface Found {
  /** One line about the results, which screen readers announce. */
  readonly summary: string;
  readonly content: HtmlPart;
  readonly facets?: Html | undefined;
}

export async function searchPage(service: ServiceContext, url: string): Promise<PageResponse> {
  const position = parseSearchUrl(url);
  const context = { ...service, position };
  const { summary, content, facets } =
    position.query === ""
      ? { summary: "", content: await startContent(service) }
      : await findByQuery(context, isTyping(url));
  return okPage(
    renderLayout({
      title: position.query === "" ? "Trawl" : `${position.query} · Trawl`,
      bar: siteBar(service, "./", searchForm(position)),
      isSearch: true,
      content: html`<p id="summary" role="status">${summary}</p>
<div id="results"${facets && html` class="columns"`}>${facets}<div class="matches">${content}</div></div>
${keysDialog(service.base)}`,
    }),
  );
}

/** Script shows it. */
function keysDialog(base: string): Html {
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">${keySection.title}</h2>
${syntaxTable(keySection, base)}<p><a href="${base}/syntax">Query syntax</a></p>
<form method="dialog"><button autofocus>Close</button></form></dialog>`;
}

async function findByQuery(context: SearchContext, isTyped: boolean): Promise<Found> {
  const { caller, call, position, base } = context;
  const { query, isRegex: isRegexEnabled, isCaseSensitive: isCaseSensitivityEnabled } = position;
  const read = await caller("readQuery", { query, isRegexEnabled, isCaseSensitivityEnabled }, call);
  const above = [
    renderActiveFilters(read.filters, position, base),
    renderProblems(read.problems, position, base),
  ];
  if (read.problems.some(({ severity }) => severity === "error"))
    return { summary: "The query has an error.", content: above };
  if (isTyped && !read.isCheap) {
    const isShort = query.length < minTypedLength;
    return {
      summary: isShort
        ? "Type three characters, or press Enter to search."
        : "Press Enter to search: this query reads every file.",
      content: above,
    };
  }
  try {
    const request = {
      query,
      isRegexEnabled,
      isCaseSensitivityEnabled,
      isWholeWordEnabled: position.isWholeWord,
      matches: maxMatches,
      contextLines,
    };
    const several = await caller("search", { ...request, matchesPerFile: maxMatchesPerFile }, call);
    const [first, second] = several.files;
    const isCutFile = second === undefined && first?.matchCount !== undefined;
    const result = isCutFile ? await caller("search", request, call) : several;
    return await showResult(context, read, result, above);
  } catch (error) {
    if (!isServiceError(error, "FAILED_TO_PARSE_QUERY")) throw error;
    const note = html`<p class="note"><bdi>${error.message}</bdi></p>`;
    return { summary: "The query has an error.", content: [above, note] };
  }
}

async function showResult(
  context: SearchContext,
  read: QueryExplanation,
  result: SearchResult,
  above: HtmlPart,
): Promise<Found> {
  const { position, base } = context;
  const notes = [above, incompleteNote(result, base), phraseNote(result, read, position, base)];
  const { files, commits = [] } = result;
  const hasType = read.filters.some(({ prefix, value }) => prefix === "type" && value === "repo");
  const isOfRepositories = hasType && files.every(isRepository);
  const summary = summaryOf(result, isOfRepositories);
  if (files.length === 0 && commits.length === 0) {
    const { total } = await context.caller("repos", { perPage: 1 }, context.call);
    return { summary, content: [notes, nothingFound(total, read, position, base)] };
  }
  if (isOfRepositories) return { summary, content: [notes, renderRepositories(files, base)] };
  const { content, nextStart } = await renderResults(result, position, base);
  return {
    summary,
    content: [notes, content, pagingLinks(context, nextStart)],
    facets: renderFacets(files, read.filters, position, base),
  };
}

function pagingLinks({ position, base }: SearchContext, nextStart: number | undefined): Html | undefined {
  if (nextStart === undefined && position.start === 0) return undefined;
  const first =
    position.start === 0
      ? undefined
      : html`<a href="${searchUrl(base, position)}">Back to the best results</a>`;
  const next =
    nextStart === undefined
      ? undefined
      : html`<a href="${searchUrl(base, position, { start: nextStart })}" rel="next">More results</a>`;
  return html`<nav class="paging" aria-label="Pages">${first}${next}</nav>`;
}
