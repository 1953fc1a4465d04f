/** What a search found: files with their lines, grouped by repository; repositories; commits. */
import { exactFile, exactRepository, withFilter } from "#contract/queryText";
import type { Chunk, FileMatch, FoundCommit, SearchResult } from "#contract/search";
import { browseUrl, commitUrl } from "#service/repositories/webLinks";
import { countOf, directionNote, revisionLabel } from "./context";
import { escapeText, type Html, type HtmlPart, html } from "./html";
import { matchCountOf } from "./searchFacets";
import { LineRenderer, linesOf, markSpans, type ResultLine } from "./searchLines";
import { isLinkable, type SearchPosition, searchUrl } from "./searchUrl";

/** Limits of one page, so that it stays small and quick. A single file is shown with more of its lines. */
const maxFiles = 30;
const maxBytes = 120_000;
export const maxLinesPerFile = 16;
const maxLinesOfOnlyFile = 400;
const maxBytesPerFile = 100_000;
/** A line with many matches takes more, but few lines do. */
const bytesPerLine = 250;
const maxEntries = 100;
const maxSubjectLength = 300;
const highlightMs = 250;

export interface RenderedResults {
  readonly content: HtmlPart;
  /** How many of the files precede the next page; absent on the last one. */
  readonly nextStart?: number;
}

export async function renderResults(
  { files, commits, stats }: Pick<SearchResult, "files" | "commits" | "stats">,
  position: SearchPosition,
  base: string,
): Promise<RenderedResults> {
  if (commits !== undefined) return { content: renderCommits(commits, base) };
  const renderer = new LineRenderer(highlightMs);
  // A file with many matches may have left no room for others.
  const isOnly = files.length === 1 && stats.fileCount === 1;
  const groups = new Map<string, Html[]>();
  let bytes = 0;
  let at = position.start;
  for (; at < files.length && at < position.start + maxFiles && bytes < maxBytes; at++) {
    const file = files[at];
    if (file === undefined) break;
    const rendered = await renderFile(file, { renderer, position, base, isOnly });
    bytes += rendered.text.length;
    groups.set(file.repository, [...(groups.get(file.repository) ?? []), rendered]);
  }
  const content = [...groups].map(([repository, rendered]) => {
    const url = browseUrl(base, repository, undefined, "");
    return html`<section><h2><a href="${url}"><bdi>${repository}</bdi></a></h2>\n${rendered}</section>\n`;
  });
  return at < files.length ? { content, nextStart: at } : { content };
}

/** Whether a match stands for a repository. Next to other conditions, `type:repo` finds files. */
export function isRepository({ fileName, repository, blobSha, chunks }: FileMatch): boolean {
  return fileName.text === repository && blobSha === "" && chunks.length === 0;
}

/** Renders the repositories that `type:repo` found. */
export function renderRepositories(files: readonly FileMatch[], base: string): HtmlPart {
  const entries = files.slice(0, maxEntries).map(({ repository, branches: [revision] }) => {
    const url = browseUrl(base, repository, undefined, "");
    return html`<li><a class="hit" href="${url}"><bdi>${repository}</bdi></a> <span class="dim">${revision && revisionLabel(revision)}</span></li>\n`;
  });
  const note = omittedNote(
    files.length - entries.length,
    "more repository",
    "more repositories",
    "Add words",
  );
  return html`<ul class="entries">${entries}</ul>${note}`;
}

function renderCommits(commits: readonly FoundCommit[], base: string): HtmlPart {
  const entries = commits.slice(0, maxEntries).map(({ repository, hash, message, authorName, date }) => {
    const subject = message === "" ? "(no message)" : message.slice(0, maxSubjectLength);
    return html`<li><a class="hit" href="${commitUrl(base, repository, hash)}"><bdi>${subject}</bdi></a>
<span class="dim"><bdi>${repository}</bdi> · ${hash.slice(0, 10)} · <bdi>${authorName.slice(0, maxSubjectLength)}</bdi> · ${date.slice(0, 10)}</span></li>\n`;
  });
  const omitted = commits.length - entries.length;
  const change = html`Add words or <code>since:</code>`;
  const note = omittedNote(omitted, "more commit", "more commits", change);
  return html`<ul class="entries">${entries}</ul>${note}`;
}

function omittedNote(count: number, one: string, many: string, change: HtmlPart): Html | undefined {
  if (count <= 0) return undefined;
  return html`<p class="note">${countOf(count, one, many)} not shown. ${change} to the query.</p>`;
}

interface FileOptions {
  readonly renderer: LineRenderer;
  readonly position: SearchPosition;
  readonly base: string;
  /** Whether it is the only file that was found, which is shown with more of its lines. */
  readonly isOnly: boolean;
}

async function renderFile(file: FileMatch, options: FileOptions): Promise<Html> {
  const { base } = options;
  const url = fileUrl(file, base);
  const { fileName, language, branches, origin, chunks } = file;
  const path = html`<bdi>${markSpans(escapeText(fileName.text), nameSpans(file))}</bdi>`;
  const total = matchCountOf(file);
  const details = [
    language,
    chunks.length === 0 ? "" : countOf(total, "match", "matches"),
    branches.length === 0 ? "" : branchesText(branches),
    origin === "commit" ? "" : origin === "unsaved" ? "not saved" : "not committed",
  ].filter((each) => each !== "");
  const { table, shownCount, text: shownText } = await renderChunks(file, url, options);
  const omitted = chunks.length === 0 ? 0 : total - shownCount;
  const more =
    omitted <= 0 ? undefined : html`<p class="more">${moreLink(file, url, omitted, options)}</p>\n`;
  const hit = chunks.length === 0 ? html` class="hit"` : undefined;
  return html`<article class="file"><h3><a${hit} href="${url}">${path}</a> <span class="dim">${details.join(" · ")}</span></h3>
${directionNote(shownText)}${table}${more}</article>\n`;
}

/** Links the matches of a file that are not shown: a search in this file only, or the file itself if that is shown. */
function moreLink(
  { repository, fileName }: FileMatch,
  url: string,
  count: number,
  { position, base, isOnly }: FileOptions,
): Html {
  const text = `${count.toLocaleString("en")} more in this file`;
  if (isOnly || !isLinkable(position)) return html`<a href="${url}">${text}</a>`;
  const filters = [
    { prefix: "repo", value: exactRepository(repository), isNegated: false },
    { prefix: "file", value: exactFile(fileName.text), isNegated: false },
  ];
  const query = filters.reduce(withFilter, position.query);
  return html`<a href="${searchUrl(base, position, { query })}">${text}</a>`;
}

/** The page of the file as it was searched: commits do not move, so the line numbers stay right. */
function fileUrl({ repository, commit, origin, fileName, webUrl }: FileMatch, base: string): string {
  return origin === "commit" && commit !== "" ? browseUrl(base, repository, commit, fileName.text) : webUrl;
}

const maxBranches = 2;

function branchesText(branches: readonly string[]): string {
  const names = branches.slice(0, maxBranches).map(revisionLabel).join(", ");
  return branches.length > maxBranches ? `${names} and ${branches.length - maxBranches} more` : names;
}

function nameSpans({ fileName: { text, matchRanges } }: FileMatch) {
  const characters = [...text];
  const offsetOf = (column: number) => characters.slice(0, column - 1).join("").length;
  return matchRanges.map(({ start, end }) => ({ start: offsetOf(start.column), end: offsetOf(end.column) }));
}

interface RenderedChunks {
  readonly table: Html | undefined;
  /** The number of matches in the table. */
  readonly shownCount: number;
  /** The text of the table. */
  readonly text: string;
}

async function renderChunks(file: FileMatch, url: string, options: FileOptions): Promise<RenderedChunks> {
  const { renderer, isOnly } = options;
  const maxLines = isOnly ? maxLinesOfOnlyFile : maxLinesPerFile;
  const chosen: { readonly chunk: Chunk; readonly lines: readonly ResultLine[] }[] = [];
  // Each line contains the address.
  let room = Math.max(1, Math.min(maxLines, Math.floor(maxBytesPerFile / (url.length + bytesPerLine))));
  // The best chunks come first.
  for (const chunk of file.chunks) {
    if (room <= 0) break;
    const lines = linesOf(chunk, room);
    room -= lines.length;
    chosen.push({ chunk, lines });
  }
  if (chosen.length === 0) return { table: undefined, shownCount: 0, text: "" };
  chosen.sort((left, right) => left.chunk.contentStart.lineNumber - right.chunk.contentStart.lineNumber);
  const pieces = await renderer.render(
    chosen.map(({ lines }) => lines),
    file.language,
  );
  const rows: Html[] = [];
  let next: number | undefined;
  for (const [index, { chunk, lines }] of chosen.entries()) {
    if (next !== undefined && chunk.contentStart.lineNumber > next) rows.push(gap);
    const firstMatch = lines.findIndex(({ isMatch }) => isMatch);
    rows.push(
      ...lines.map((line, at) =>
        lineRow(line, pieces[index]?.[at], url, at === firstMatch ? definitionLabel(chunk) : undefined),
      ),
    );
    next = (lines.at(-1)?.number ?? 0) + 1;
  }
  const all = chosen.flatMap(({ lines }) => lines);
  return {
    table: html`<div class="code"><table dir="ltr">${rows}</table></div>\n`,
    shownCount: all.reduce((sum, { matchCount }) => sum + matchCount, 0),
    text: all.map(({ text }) => text).join("\n"),
  };
}

const gap = html`<tr class="gap"><td class="n">⋯</td><td></td></tr>\n`;

/** Names the kind of definition that a chunk matches, and the definition around it. */
function definitionLabel({ symbols: [symbol] }: Chunk): Html | undefined {
  if (symbol === undefined) return undefined;
  const { kind, parent } = symbol;
  return html` <span class="kind">${kind}${parent.symbol === "" ? undefined : html` in <bdi>${parent.symbol}</bdi>`}</span>`;
}

function lineRow(
  { number, isMatch }: ResultLine,
  markup: Html | undefined,
  url: string,
  label: Html | undefined,
): Html {
  // Tab stops at matches only.
  const hit = isMatch ? html` class="hit"` : html` tabindex="-1"`;
  return html`<tr><td class="n"><a${hit} href="${url}#L${number}">${number}</a></td><td>${markup}${label}</td></tr>\n`;
}
