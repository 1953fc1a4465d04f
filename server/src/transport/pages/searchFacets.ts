/** Filters that narrow a search, counted over its results. Each is a link that writes the filter into the query. */
import type { QueryFilter } from "#contract/queries";
import {
  exactAuthor,
  exactRepository,
  type Filter,
  inFolder,
  withFilter,
  withFiltersReplaced,
  withoutFilters,
} from "#contract/queryText";
import type { FileMatch, FoundCommit, SearchResult } from "#contract/search";
import { revisionLabel } from "./context";
import { type Html, html } from "./html";
import { isLinkable, type SearchPosition, searchUrl } from "./searchUrl";

/** More items would be a list to search in. */
const maxItems = 8;

interface Facet {
  readonly title: string;
  readonly items: readonly FacetItem[];
}

interface FacetItem {
  readonly label: string;
  /** Absent if it is not known what the filter would find. */
  readonly count?: number;
  readonly filter: Filter;
}

/** Returns the number of matches in a file, which is 1 if only its name matches. */
export function matchCountOf({ chunks, matchCount }: FileMatch): number {
  return matchCount ?? Math.max(1, rangeCountOf(chunks));
}

function rangeCountOf(chunks: FileMatch["chunks"]): number {
  return chunks.reduce((sum, { matchRanges }) => sum + matchRanges.length, 0);
}

/**
 * Renders the facets with at least two values, and the other revisions to search; nothing if there are none. `filters` are
 * those of the query.
 */
export function renderFacets(
  { files, commits }: Pick<SearchResult, "files" | "commits">,
  filters: readonly QueryFilter[],
  position: SearchPosition,
  base: string,
  otherRevisions: readonly string[] = [],
): Html | undefined {
  // Repositories differ in the name of the default branch, which nobody asked for.
  const hasRevisions = filters.some(({ prefix }) => prefix === "rev");
  const all = commits === undefined ? facetsOf(files, hasRevisions) : facetsOfCommits(commits);
  const facets = [
    ...all.filter(({ items }) => items.length > 1),
    ...(otherRevisions.length === 0 ? [] : [revisionFacet(otherRevisions)]),
  ];
  if (facets.length === 0 || !isLinkable(position)) return undefined;
  return html`<nav id="facets" aria-label="Narrow the results">${facets.map(({ title, items }) => {
    const entries = items.map(({ label, count, filter }) => {
      const url = searchUrl(base, position, { query: narrowed(position.query, filters, filter) });
      const number = count && html` <span class="dim">${count.toLocaleString("en")}</span>`;
      return html`<li><a href="${url}"><bdi>${label}</bdi></a>${number}</li>\n`;
    });
    return html`<h2>${title}</h2><ul>${entries}</ul>\n`;
  })}</nav>`;
}

function narrowed(query: string, filters: readonly QueryFilter[], filter: Filter): string {
  // Several revisions in a query widen it.
  if (filter.prefix === "rev") return withFiltersReplaced(query, filters, ["rev"], [filter]);
  return withFilter(query, filter);
}

function facetsOf(files: readonly FileMatch[], hasRevisions: boolean): readonly Facet[] {
  const top = commonFolder(files.map(({ fileName }) => fileName.text));
  return [
    facet("Repositories", "repo", files, ({ repository }) => [repository], exactRepository),
    facet("Languages", "lang", files, ({ language }) => (language === "" ? [] : [language])),
    facet(
      "Folders",
      "file",
      files,
      ({ fileName: { text } }) => {
        const end = text.indexOf("/", top.length);
        return end < 0 ? [] : [text.slice(0, end)];
      },
      inFolder,
      (folder) => `${folder}/`,
    ),
    facet(
      "Revisions",
      "rev",
      hasRevisions ? files : [],
      ({ branches }) => branches,
      undefined,
      revisionLabel,
    ),
  ];
}

function facetsOfCommits(commits: readonly FoundCommit[]): readonly Facet[] {
  return [
    facet("Repositories", "repo", commits, ({ repository }) => [repository], exactRepository),
    facet("Authors", "author", commits, ({ authorName }) => [authorName].filter(Boolean), exactAuthor),
  ];
}

function revisionFacet(names: readonly string[]): Facet {
  const items = names
    .slice(0, maxItems)
    .map((value) => ({ label: revisionLabel(value), filter: { prefix: "rev", value, isNegated: false } }));
  return { title: "Other revisions", items };
}

function facet<Item extends FileMatch | FoundCommit>(
  title: string,
  prefix: Filter["prefix"],
  found: readonly Item[],
  keysOf: (item: Item) => readonly string[],
  toValue: (key: string) => string = (key) => key,
  labelOf: (key: string) => string = (key) => key,
): Facet {
  const counts = new Map<string, number>();
  for (const item of found) {
    const count = "chunks" in item ? matchCountOf(item) : 1;
    for (const key of keysOf(item)) counts.set(key, (counts.get(key) ?? 0) + count);
  }
  const items = [...counts]
    .sort(([one, oneCount], [other, otherCount]) => otherCount - oneCount || (one < other ? -1 : 1))
    .slice(0, maxItems)
    .map(([key, count]) => ({
      label: labelOf(key),
      count,
      filter: { prefix, value: toValue(key), isNegated: false },
    }));
  return { title, items };
}

/** Returns the deepest folder that contains all paths, with a trailing slash; empty for the root. */
function commonFolder(paths: readonly string[]): string {
  const [first = "", ...others] = paths;
  let folder = first.slice(0, first.lastIndexOf("/") + 1);
  for (const path of others) {
    while (!path.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  }
  return folder;
}

const maxActiveFilters = 20;

/** Renders the filters of the query, each with a link that removes it. */
export function renderActiveFilters(
  filters: readonly QueryFilter[],
  position: SearchPosition,
  base: string,
): Html | undefined {
  if (filters.length === 0 || !isLinkable(position)) return undefined;
  const { query } = position;
  const entries = filters.slice(0, maxActiveFilters).map((filter) => {
    const text = query.slice(filter.offset, filter.offset + filter.length);
    const url = searchUrl(base, position, { query: withoutFilters(query, [filter]) });
    return html`<li><a href="${url}" aria-label="Remove the filter ${text}" title="Remove this filter"><bdi>${text}</bdi></a></li>\n`;
  });
  return html`<ul class="filters" aria-label="Filters">${entries}</ul>\n`;
}
