/** What a search found: files with their lines, grouped by repository; repositories; commits. */
import { textStart } from "#base/utf16Offset";
import { editorLink } from "#contract/editorLink";
import { exactFile, exactRepository, withFilter } from "#contract/queryText";
import type { Chunk, FileMatch, FoundCommit, SearchResult } from "#contract/search";
import { browseUrl, commitUrl } from "#service/repositories/webLinks";
import { countOf, directionNote, revisionLabel, type ServiceContext, subjectText } from "./context";
import { escapeText, type Html, type HtmlPart, html } from "./html";
import { matchCountOf } from "./searchFacets";
import { LineRenderer, linesOf, markSpans, type ResultLine } from "./searchLines";
import { isLinkable, type SearchPosition, searchUrl } from "./searchUrl";

/** Limits of one page, so that it stays small and quick. A single file is shown with more of its lines. */
const maxFiles = 30;
const maxBytes = 120_000;
export const maxLinesPerFile = 16;
/** The number of matches per file that are shown with all of their context. */
const minMatchesPerFile = 5;
const maxLinesOfOnlyFile = 400;
const maxBytesPerFile = 100_000;
/** Of the text of a line, with its markup. */
const maxBytesOfText = 250;
/** Of a line without its address and its text; one with many matches takes more, but few lines do. */
const bytesPerLine = 100;
/** Highlighting makes most text twice as long. */
const bytesPerCharacter = 2;
const bytesPerFile = 500;
const maxEntries = 100;
const maxAuthorLength = 300;
const highlightMs = 250;
/** The rest of the page is shown without highlighting, which may make text much longer. */
const maxHighlightedBytes = 160_000;

export interface ResultsPage {
  /** Each is rendered when it is requested. */
  readonly pieces: AsyncIterable<HtmlPart>;
  /** How many of the files precede the next page; absent on the last one. */
  readonly nextStart?: number;
}

export function renderResults(
  { files, commits, stats }: Pick<SearchResult, "files" | "commits" | "stats">,
  position: SearchPosition,
  { base, settings }: Pick<ServiceContext, "base" | "settings">,
): ResultsPage {
  if (commits !== undefined) return { pieces: only(renderCommits(commits, base)) };
  // A file with many matches may have left no room for others.
  const isOnly = files.length === 1 && stats.fileCount === 1;
  const maxLines = Math.max(maxLinesPerFile, minMatchesPerFile * (2 * settings.contextLines + 1));
  const groups = new Map<string, ChosenFile[]>();
  let bytes = 0;
  let at = position.start;
  for (; at < files.length && at < position.start + maxFiles && bytes < maxBytes; at++) {
    const file = files[at];
    if (file === undefined) break;
    const chosen = chooseLines(file, base, isOnly ? maxLinesOfOnlyFile : maxLines);
    bytes += chosen.bytes;
    groups.set(file.repository, [...(groups.get(file.repository) ?? []), chosen]);
  }
  const pieces = renderGroups(groups, { position, base, isOnly });
  return at < files.length ? { pieces, nextStart: at } : { pieces };
}

async function* only(piece: HtmlPart): AsyncGenerator<HtmlPart> {
  yield piece;
}

/** Renders files, grouped by repository, each as a piece. */
async function* renderGroups(
  groups: ReadonlyMap<string, readonly ChosenFile[]>,
  options: Omit<FileOptions, "renderer">,
): AsyncGenerator<Html> {
  const renderer = new LineRenderer(highlightMs, maxHighlightedBytes);
  for (const [repository, files] of groups) {
    const url = browseUrl(options.base, repository, undefined, "");
    const heading = html`<section><h2><a href="${url}"><bdi>${repository}</bdi></a></h2>\n`;
    for (const [at, file] of files.entries()) {
      const rendered = await renderFile(file, { ...options, renderer });
      yield html`${at === 0 ? heading : undefined}${rendered}${at === files.length - 1 ? sectionEnd : undefined}`;
    }
  }
}

const sectionEnd = html`</section>\n`;

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
    return html`<li><a class="hit" href="${commitUrl(base, repository, hash)}"><bdi>${subjectText(message)}</bdi></a>
<span class="dim"><bdi>${repository}</bdi> · ${hash.slice(0, 10)} · <bdi>${textStart(authorName, maxAuthorLength)}</bdi> · ${date.slice(0, 10)}</span></li>\n`;
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

/** A file with the lines of it to show. */
interface ChosenFile {
  readonly file: FileMatch;
  readonly url: string;
  /** In file order. */
  readonly chunks: readonly ChosenChunk[];
  /** About how many bytes it takes. */
  readonly bytes: number;
}

interface ChosenChunk {
  readonly chunk: Chunk;
  readonly lines: readonly ResultLine[];
}

function chooseLines(file: FileMatch, base: string, maxLines: number): ChosenFile {
  const url = fileUrl(file, base);
  const chunks: ChosenChunk[] = [];
  let bytes = bytesPerFile + 2 * url.length;
  let room = Math.max(1, Math.min(maxLines, Math.floor(maxBytesPerFile / (url.length + maxBytesOfText))));
  // Chunks with the phrase come first.
  for (const chunk of file.chunks) {
    if (room <= 0) break;
    const lines = linesOf(chunk, room);
    room -= lines.length;
    for (const { text } of lines) bytes += url.length + bytesPerLine + bytesPerCharacter * text.length;
    chunks.push({ chunk, lines });
  }
  chunks.sort((left, right) => left.chunk.contentStart.lineNumber - right.chunk.contentStart.lineNumber);
  return { file, url, chunks, bytes };
}

async function renderFile(chosen: ChosenFile, options: FileOptions): Promise<Html> {
  const { file, url } = chosen;
  const { repository, commit, fileName, language, branches, origin, chunks } = file;
  const path = html`<bdi>${markSpans(escapeText(fileName.text), nameSpans(file))}</bdi>`;
  const total = matchCountOf(file);
  const details = [
    language,
    chunks.length === 0 ? "" : countOf(total, "match", "matches"),
    branches.length === 0 ? "" : branchesText(branches),
    origin === "commit" ? "" : origin === "unsaved" ? "not saved" : "not committed",
  ].filter((each) => each !== "");
  const lines = chosen.chunks.flatMap((each) => each.lines);
  const table = lines.length === 0 ? undefined : await renderTable(chosen, options.renderer);
  const shownCount = lines.reduce((sum, { matchCount }) => sum + matchCount, 0);
  const omitted = chunks.length === 0 ? 0 : total - shownCount;
  const more =
    omitted <= 0 ? undefined : html`<p class="more">${moreLink(file, url, omitted, options)}</p>\n`;
  const hit = chunks.length === 0 ? html` class="hit"` : undefined;
  const note = directionNote(fileName.text, lines.map(({ text }) => text).join("\n"));
  const editorUrl = editorLink({ repo: repository, commit, path: fileName.text });
  return html`<article class="file" data-editor="${editorUrl}"><h3><a${hit} href="${url}">${path}</a> <span class="dim">${details.join(" · ")}</span></h3>
${note}${table}${more}</article>\n`;
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

async function renderTable({ file, url, chunks }: ChosenFile, renderer: LineRenderer): Promise<Html> {
  const pieces = await renderer.render(
    chunks.map(({ lines }) => lines),
    file.language,
  );
  const rows: Html[] = [];
  let next: number | undefined;
  for (const [index, { chunk, lines }] of chunks.entries()) {
    if (next !== undefined && chunk.contentStart.lineNumber > next) rows.push(gap);
    const firstMatch = lines.findIndex(({ isMatch }) => isMatch);
    rows.push(
      ...lines.map((line, at) =>
        lineRow(line, pieces[index]?.[at], url, at === firstMatch ? definitionLabel(chunk) : undefined),
      ),
    );
    next = (lines.at(-1)?.number ?? 0) + 1;
  }
  return html`<div class="code"><table dir="ltr">${rows}</table></div>\n`;
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
