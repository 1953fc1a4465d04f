/** What is shown above the results of a search: their number, why they may be incomplete, and what else to search for. */
import type { QueryExplanation } from "#contract/queries";
import { withFilter, withoutFilters, withWordsToggled } from "#contract/queryText";
import type { SearchResult } from "#contract/search";
import { countOf } from "./context";
import { type Html, html } from "./html";
import { isLinkable, type SearchPosition, searchUrl } from "./searchUrl";

/** Returns the counts and the duration as one line. `isOfRepositories` is whether files stand for repositories. */
export function summaryOf(
  { stats, isSearchExhaustive, commits, files }: SearchResult,
  isOfRepositories: boolean,
): string {
  const { totalMatchCount, fileCount, duration } = stats;
  const ms = Math.max(1, Math.round(duration / 1e6));
  const time = ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
  const about = isSearchExhaustive ? "" : "About ";
  if (commits !== undefined)
    return commits.length === 0 ? "No commits" : `${about}${countOf(totalMatchCount, "commit")} · ${time}`;
  if (files.length === 0) return `No results · ${time}`;
  const repositories = new Set(files.map(({ repository }) => repository)).size;
  if (isOfRepositories) return `${about}${countOf(repositories, "repository", "repositories")} · ${time}`;
  const counts = [
    `${about}${countOf(totalMatchCount, "match", "matches")}`,
    countOf(Math.max(fileCount, files.length), "file"),
    countOf(repositories, "repository", "repositories"),
    time,
  ];
  return counts.join(" · ");
}

/** Says why the results may be incomplete; nothing if they are complete. */
export function incompleteNote(
  {
    isSearchExhaustive,
    stats,
    files,
    commits,
  }: Pick<SearchResult, "isSearchExhaustive" | "stats" | "files" | "commits">,
  base: string,
): Html | undefined {
  if (isSearchExhaustive) return undefined;
  const shown = commits === undefined ? countOf(files.length, "file") : countOf(commits.length, "commit");
  const isUsual = stats.flushReason === "MATCH_LIMIT";
  return html`<p class="${isUsual ? "limit" : "note"}">${reasonOf(stats, shown, base)}</p>\n`;
}

function reasonOf(
  { flushReason, filesMissing, repositoriesEvicted }: SearchResult["stats"],
  shown: string,
  base: string,
): Html {
  switch (flushReason) {
    case "MATCH_LIMIT":
      return html`Limited to the best ${shown}; there are more. Add words or filters to the query.`;
    case "TIME_LIMIT":
      return html`The time limit ended the search early. Add words or filters, or reload the page.`;
    case "BYTE_LIMIT":
      return html`The results reached their size limit. Add words or filters to the query.`;
    case "INDEXING":
      return html`Indexing is not finished, so results may be missing. See the <a href="${base}/repositories">state of the repositories</a>.`;
    case "RIGHTS_UNKNOWN":
      return html`It is not known yet which repositories you may see, so results may be missing. Reload the page later.`;
    case "REPOSITORY_EVICTED":
      return html`${countOf(repositoriesEvicted, "repository has", "repositories have")} no index, because the disk space of the index is limited. Name one with <code>repo:</code> to index it again, or raise <code>maxIndexBytes</code>. See the <a href="${base}/repositories">state of the repositories</a>.`;
    case "REVISION_NOT_INDEXED":
      return html`A revision is not indexed yet, so results may be missing. Reload the page later.`;
    case "SHARD_DAMAGED":
      return html`Part of the index is damaged and is being rebuilt, so results may be missing.`;
    case "ENGINE_PARTIAL":
    case "NONE":
      if (filesMissing > 0)
        return html`${countOf(filesMissing, "file")} could not be searched, because the content is missing from the repository.`;
      return html`Part of the query could not be evaluated, so results may be missing.`;
  }
}

/** Renders a link to the matches of the words as one phrase, if there are any. */
export function phraseNote(
  { phraseMatchCount = 0, isSearchExhaustive }: SearchResult,
  { phraseQuery }: QueryExplanation,
  position: SearchPosition,
  base: string,
): Html | undefined {
  if (phraseQuery === undefined || phraseMatchCount === 0 || !isLinkable(position)) return undefined;
  const count = `${phraseMatchCount.toLocaleString("en")}${isSearchExhaustive ? "" : "+"}`;
  const url = searchUrl(base, position, { query: phraseQuery });
  return html`<p class="dim"><a href="${url}">Only the exact phrase</a> (${count})</p>\n`;
}

/** Says what was searched without results, and offers searches that find more. */
export function nothingFound(
  repositoryCount: number,
  { filters }: QueryExplanation,
  position: SearchPosition,
  base: string,
): Html {
  const where = filters.some(({ prefix }) => /^(?:repo|context|reposet)$/.test(prefix))
    ? "the repositories that the query selects"
    : countOf(repositoryCount, "repository", "repositories");
  const links = (isLinkable(position) ? widerSearches(filters, position) : []).map(
    ([label, change]) => html`<li><a href="${searchUrl(base, position, change)}">${label}</a></li>\n`,
  );
  const also = links.length === 0 ? undefined : html`<p>Also try:</p>\n<ul>${links}</ul>`;
  return html`<div class="nothing"><h2>Nothing found</h2>
<p>Trawl searched ${where} at ${revisionsOf(filters)}.</p>
${also}</div>`;
}

function revisionsOf(filters: QueryExplanation["filters"]): string {
  const names = filters.filter(({ prefix }) => prefix === "rev").map(({ value }) => value);
  return names.length === 0 ? "the default revision" : names.join(", ");
}

const indexedRevisions = { prefix: "rev", value: "*", isNegated: false };
const maxWider = 8;

function widerSearches(
  filters: QueryExplanation["filters"],
  position: SearchPosition,
): readonly (readonly [label: string, change: Partial<SearchPosition>])[] {
  const { query, isWholeWord, isRegex } = position;
  const isOfType = filters.some(({ prefix }) => prefix === "type");
  const described = withWordsToggled(query, filters);
  const wider: (readonly [string, Partial<SearchPosition>] | false)[] = [
    isWholeWord && ["Parts of words", { isWholeWord: false }],
    isRegex && ["Without regular expressions", { isRegex: false }],
    ...filters.map(
      (filter) =>
        [
          `Without ${query.slice(filter.offset, filter.offset + filter.length)}`,
          { query: withoutFilters(query, [filter]) },
        ] as const,
    ),
    !filters.some(({ prefix }) => prefix === "rev") &&
      !isOfType && ["All indexed branches and tags", { query: withFilter(query, indexedRevisions) }],
    described !== undefined &&
      !isRegex &&
      !isOfType &&
      /\S\s+\S/.test(withoutFilters(query, filters)) && [
        "The best matches for these words, even if some are missing",
        { query: described },
      ],
  ];
  return wider.filter((each) => each !== false).slice(0, maxWider);
}
