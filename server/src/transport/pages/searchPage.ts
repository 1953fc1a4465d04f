/**
 * The start page: the search box, and what the query finds. It is complete without script.
 *
 * The box is sent before the search runs. The summary and the filters follow when they are known, and then a few files at
 * a time as they are rendered.
 */
import { isServiceError } from "#base/error";
import type { QueryExplanation } from "#contract/queries";
import { withFiltersReplaced } from "#contract/queryText";
import type { SearchResult } from "#contract/search";
import { okPage, type PageResponse, redirect, revisionLabel, type ServiceContext } from "./context";
import { type Html, type HtmlPart, html } from "./html";
import { type PageFrame, renderFrame, renderLayout } from "./pageLayout";
import { renderProblems } from "./queryProblems";
import { renderActiveFilters, renderFacets } from "./searchFacets";
import { searchForm } from "./searchForm";
import { isRepository, maxLinesPerFile, renderRepositories, renderResults } from "./searchResults";
import { incompleteNote, nothingFound, phraseNote, summaryOf } from "./searchSummary";
import { changedCase, isTyping, parseSearchUrl, type SearchPosition, searchUrl } from "./searchUrl";
import { siteBar } from "./siteBar";
import { startContent } from "./startContent";

/** Maximum number of ranges, on all pages of results. */
const maxMatches = 1000;
/** The number of lines that are shown of a file. If only one file matches, the search is repeated without this limit. */
const maxMatchesPerFile = maxLinesPerFile;
const minTypedLength = 3;
/** Smaller pieces, in UTF-16 units, take longer to send than to render. */
const minPieceLength = 8000;

interface SearchContext extends ServiceContext {
  readonly position: SearchPosition;
}

interface Found {
  /** One line about the results, which screen readers announce. */
  readonly summary: string;
  readonly facets?: Html | undefined;
  /** Above the results. */
  readonly notes: HtmlPart;
  readonly results?: AsyncIterable<HtmlPart>;
  /** Below the results. */
  readonly paging?: Html | undefined;
}

export async function searchPage(service: ServiceContext, url: string): Promise<PageResponse> {
  const position = parseSearchUrl(url);
  const { query, isRegex: isRegexEnabled } = position;
  if (query === "") {
    const content = html`${foundStart({ summary: "", notes: await startContent(service) })}${foundEnd(undefined)}`;
    return okPage(renderLayout({ ...frameOf(service, position, false), content }));
  }
  // Also refuses callers and queries before the start of the page is sent, which includes its status.
  const read = await service.caller("readQuery", { query, isRegexEnabled }, service.call);
  const newCase = changedCase(url);
  if (newCase !== undefined) return redirect(urlWithCase(position, read, newCase, isTyping(url)));
  const isCaseSensitive = read.filters.some(({ prefix, value }) => prefix === "case" && value === "yes");
  const { start, end } = renderFrame(frameOf(service, position, isCaseSensitive));
  // The style hides it as soon as the summary follows.
  const pending = html`<p class="pending" aria-hidden="true">Searching…</p>\n`;
  return {
    status: 200,
    body: {
      start: start + pending.text,
      pieces: piecesOf({ ...service, position }, read, isTyping(url)),
      end,
    },
  };
}

function frameOf(service: ServiceContext, position: SearchPosition, isCaseSensitive: boolean): PageFrame {
  return {
    title: position.query === "" ? "Trawl" : `${position.query} · Trawl`,
    bar: siteBar(service, "./", searchForm(position, isCaseSensitive)),
    isSearch: true,
  };
}

/** Returns the URL of the search with `case:yes` or without it, relative to the page. */
function urlWithCase(
  position: SearchPosition,
  { filters }: QueryExplanation,
  isCaseSensitive: boolean,
  isTyped: boolean,
): string {
  const added = isCaseSensitive ? [{ prefix: "case", value: "yes", isNegated: false } as const] : [];
  const query = withFiltersReplaced(position.query, filters, ["case"], added);
  const url = searchUrl(".", position, { query });
  return isTyped && query !== "" ? `${url}&typing=1` : url;
}

async function* piecesOf(
  context: SearchContext,
  read: QueryExplanation,
  isTyped: boolean,
): AsyncGenerator<string> {
  const found = await findByQuery(context, read, isTyped);
  yield foundStart(found).text;
  let text = "";
  for await (const piece of found.results ?? []) {
    text += html`${piece}`.text;
    if (text.length < minPieceLength) continue;
    yield text;
    text = "";
  }
  yield text + foundEnd(found.paging).text;
}

function foundStart({ summary, facets, notes }: Found): Html {
  return html`<p id="summary" role="status">${summary}</p>
<div id="results"${facets && html` class="columns"`}>${facets}<div class="matches">${notes}`;
}

function foundEnd(paging: Html | undefined): Html {
  return html`${paging}</div></div>`;
}

async function findByQuery(context: SearchContext, read: QueryExplanation, isTyped: boolean): Promise<Found> {
  const { caller, call, position, base, settings } = context;
  const { query, isRegex: isRegexEnabled, isWholeWord: isWholeWordEnabled } = position;
  const notes = [
    renderActiveFilters(read.filters, position, base),
    renderProblems(read.problems, position, base),
  ];
  if (read.problems.some(({ severity }) => severity === "error"))
    return { summary: "The query has an error.", notes };
  if (isTyped && !read.isCheap) {
    const isShort = query.length < minTypedLength;
    return {
      summary: isShort
        ? "Type three characters, or press Enter to search."
        : "Press Enter to search: this query reads every file.",
      notes,
    };
  }
  try {
    const request = {
      query,
      isRegexEnabled,
      isWholeWordEnabled,
      matches: maxMatches,
      contextLines: settings.contextLines,
    };
    const limited = await caller("search", { ...request, matchesPerFile: maxMatchesPerFile }, call);
    const [first, second] = limited.files;
    const isCutFile = second === undefined && first?.matchCount !== undefined;
    const result = isCutFile ? await caller("search", request, call) : limited;
    return await showResult(context, read, result, notes);
  } catch (error) {
    if (!isServiceError(error) || error.code === "CANCELLED") throw error;
    const isQuery = error.code === "FAILED_TO_PARSE_QUERY";
    const note = html`<p class="note"${isQuery ? undefined : html` role="alert"`}><bdi>${error.message}</bdi></p>`;
    return { summary: isQuery ? "The query has an error." : "The search failed.", notes: [notes, note] };
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
    return { summary, notes: [notes, nothingFound(total, read, position, base)] };
  }
  if (isOfRepositories) return { summary, notes: [notes, renderRepositories(files, base)] };
  const { pieces, nextStart } = renderResults(result, position, context);
  return {
    summary,
    facets: renderFacets(result, read.filters, position, base, await otherRevisions(context, read, result)),
    notes,
    results: pieces,
    paging: pagingLinks(context, nextStart),
  };
}

/** Returns the indexed revisions of the only repository with results that the query does not select. */
async function otherRevisions(
  { caller, call }: SearchContext,
  { filters }: QueryExplanation,
  { files, commits }: SearchResult,
): Promise<readonly string[]> {
  const [name, ...others] = new Set([...files, ...(commits ?? [])].map(({ repository }) => repository));
  if (name === undefined || others.length > 0) return [];
  const { items } = await caller("repos", { name }, call);
  const [{ revisions = [], defaultBranch = "" } = {}] = items;
  const named = filters.filter(({ prefix }) => prefix === "rev").map(({ value }) => value);
  // A pattern selects several.
  if (named.some((value) => value.includes("*"))) return [];
  const selected = new Set((named.length === 0 ? [defaultBranch] : named).map(revisionLabel));
  return revisions.map((revision) => revision.name).filter((each) => !selected.has(revisionLabel(each)));
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
