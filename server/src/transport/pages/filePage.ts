/** The page of a file, with the commit that each line comes from on request. */
import { isServiceError } from "#base/error";
import { editorLink } from "#contract/editorLink";
import type { Blame, BlameCommit, FileSource } from "#contract/history";
import { browseUrl, commitUrl } from "#service/repositories/webLinks";
import {
  countOf,
  directionNote,
  factItem,
  failurePage,
  hostLink,
  type PageContext,
  type PageResponse,
  pathActions,
  permalink,
  redirect,
  refOf,
  repositoryPage,
  streamedPage,
} from "./context";
import { fileOutline } from "./fileOutline";
import { fileTree } from "./fileTree";
import { nodeAt } from "./folderPage";
import { type Html, html } from "./html";
import { symbolPanel } from "./symbolPanel";

/** Larger files are not rendered. */
const maxRenderedCharacters = 4 * 1024 * 1024;
const maxRenderedLines = 50_000;
const linesPerPiece = 1000;
const tooLarge = "This file is too large to show.";

export async function filePage(context: PageContext): Promise<PageResponse> {
  const { repository: repo, path, withBlame } = context.pageUrl;
  const { caller, call, base } = context;
  const ref = refOf(context);
  const file = await caller("source", { repo, path, ...ref }, call).catch((error: unknown) =>
    pageWithoutFile(context, error),
  );
  if ("status" in file) return file;
  const isBinary = file.source.includes("\0");
  const lineCount = countLines(file.source);
  const isRendered =
    !isBinary &&
    file.source !== "" &&
    file.source.length <= maxRenderedCharacters &&
    lineCount <= maxRenderedLines;
  const jsonUrl = `${base}/api/source?${new URLSearchParams({ repo, path, ...ref })}`;
  const facts = [
    file.commit === ""
      ? undefined
      : html`<a href="${commitUrl(base, repo, file.commit)}">${file.commit.slice(0, 10)}</a>`,
    factItem(file.language),
    isRendered ? factItem(countOf(lineCount, "line")) : undefined,
    html`<a href="${jsonUrl}">JSON</a>`,
    hostLink(file.externalWebUrl),
  ];
  const content =
    file.source === ""
      ? html`<p class="note">This file is empty.</p>`
      : isRendered
        ? undefined
        : html`<p class="note">${isBinary ? "This is a binary file." : tooLarge} <a href="${rawUrl(context)}">${isBinary ? "Download it" : "Open it as raw text"}</a></p>`;
  const actions = [
    ...pathActions(context, file.commit !== ""),
    isRendered && file.commit !== "" ? blameLink(context) : undefined,
    html`<a href="${rawUrl(context)}">Raw</a>`,
    // Script shows the button, which does not work without it.
    isBinary
      ? undefined
      : html`<button type="button" id="copy" class="scripted" data-url="${rawUrl(context, file.commit)}" hidden>Copy</button>`,
    html`<a aria-keyshortcuts="o" title="Open in VS Code, which needs Trawl (o)" href="${editorLink({ repo, commit: file.commit, path })}">Open in VS Code</a>`,
    permalink(context, file.commit, withBlame ? "?blame=1" : ""),
    ...(isRendered ? [lineButton, ...jumpLinks] : []),
  ];
  const page = { title: path, aspect: withBlame ? "Blame" : undefined, actions, facts };
  if (content !== undefined)
    return repositoryPage(context, { ...page, content: [directionNote(path, ""), content] });
  return streamedPage(context, page, panes(context, file), true);
}

/** Renders the text, and then the panes beside it, for which the text may have to be parsed. */
async function* panes(context: PageContext, file: FileSource): AsyncGenerator<string> {
  const { commit } = file;
  const { path } = context.pageUrl;
  const ref = context.pageUrl.revision ?? (commit === "" ? undefined : commit);
  const outline = fileOutline(context, ref);
  const tree = fileTree(context);
  // They are awaited later, and not at all if the client disconnects.
  for (const pane of [outline, tree]) pane.catch(() => {});
  yield html`<div class="panes"><div class="text">${directionNote(path, file.source)}`.text;
  yield* fileTable(context, file);
  yield "</div>\n";
  yield html`<aside id="side" aria-label="Symbols">${await symbolPanel(context, ref)}`.text;
  yield html`${await outline}</aside>\n`.text;
  yield html`${await tree}</div>${lineDialog}`.text;
}

function rawUrl({ pageUrl, base }: PageContext, commit = ""): string {
  const { repository, revision, path } = pageUrl;
  return browseUrl(base, repository, commit === "" ? revision : commit, path, "raw");
}

function blameLink({ pageUrl, base }: PageContext): Html {
  const { repository, revision, path, withBlame } = pageUrl;
  const url = browseUrl(base, repository, revision, path);
  return html`<a aria-keyshortcuts="b" title="${withBlame ? "Hide blame (b)" : "Show who changed each line (b)"}" href="${withBlame ? url : `${url}?blame=1`}">${withBlame ? "Hide blame" : "Blame"}</a>`;
}

/** Redirects to the folder at the path, or reports that the file is too large or does not exist. Rethrows other errors. */
async function pageWithoutFile(context: PageContext, error: unknown): Promise<PageResponse> {
  if (isServiceError(error, "ANSWER_TOO_LARGE")) {
    const raw = html`<a href="${rawUrl(context)}">Raw</a>`;
    return repositoryPage(context, {
      title: context.pageUrl.path,
      actions: [...pathActions(context, true), raw],
      content: html`<p class="note">${tooLarge}</p>`,
    });
  }
  if (!isServiceError(error, "FILE_NOT_FOUND")) throw error;
  const { repository, revision, path } = context.pageUrl;
  const node = await nodeAt(context);
  if (node?.type === "tree") return redirect(browseUrl(context.base, repository, revision, path, "tree"));
  const rootUrl = browseUrl(context.base, repository, revision, "");
  const more = html`<p><a href="${rootUrl}">Show the files at this revision</a></p>`;
  const message = `${error.message} Uncommitted files have no page.`;
  return failurePage(404, "File not found", message, more, context.bar);
}

const lineButton = html`<button type="button" id="show-line" class="scripted" aria-keyshortcuts="l" title="Go to line (l)" hidden>Line</button>`;

const lineDialog = html`<dialog id="go-to-line" aria-label="Go to line"><form method="dialog"><label>Line <input name="line" inputmode="numeric" autocomplete="off" autofocus></label> <button>Go</button></form></dialog>
`;

/** On narrow screens, these are below the text. */
const jumpLinks = [
  html`<a class="jump" href="#side">Symbols</a>`,
  html`<a class="jump" href="#tree">Files</a>`,
];

/** Counts lines as pages number them: a newline at the end begins no other line. */
function countLines(source: string): number {
  let count = source.endsWith("\n") ? 0 : 1;
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) count++;
  return count;
}

/** Renders the text in pieces, so that other requests are handled between them. */
async function* fileTable(context: PageContext, file: FileSource): AsyncGenerator<string> {
  const { pageUrl, base } = context;
  const { repository, revision, path } = pageUrl;
  const { column: blame, note }: BlameColumn = pageUrl.withBlame ? await blameColumn(context) : {};
  // Loaded on demand, because the library is slow to load and most processes never render a page.
  const { highlightedBlob } = await import("./highlight");
  const lines = highlightedBlob(file);
  const count = countLines(file.source);
  // Script asks there for the symbols in the text.
  const url = browseUrl(base, repository, file.commit === "" ? revision : file.commit, path);
  yield html`${note}<div class="code${blame && " blame"}" tabindex="0"><table dir="ltr" data-at="${url}">`
    .text;
  for (let start = 0; start < count; start += linesPerPiece) {
    const rows = lines.slice(start, Math.min(start + linesPerPiece, count)).map((line, at) => {
      const number = start + at + 1;
      const first = blame?.get(number);
      const cell = blame && html`<td class="who">${first}</td>`;
      const numberCell = html`<td class="n"><a tabindex="-1" href="#L${number}">${number}</a></td>`;
      return html`<tr id="L${number}"${first && html` class="first"`}>${cell}${numberCell}<td>${line}</td></tr>\n`;
    });
    yield html`${rows}`.text;
  }
  yield "</table></div>";
}

interface BlameColumn {
  /** The cells, by the number of the first line of each range. */
  readonly column?: ReadonlyMap<number, Html>;
  /** Why there is none. */
  readonly note?: Html;
}

async function blameColumn(context: PageContext): Promise<BlameColumn> {
  const { pageUrl, caller, call, base } = context;
  const { repository: repo, path } = pageUrl;
  let blame: Blame;
  try {
    blame = await caller("blame", { repo, path, ...refOf(context) }, call);
  } catch (error) {
    // The file itself can still be shown, for example if the clone is shallow or git takes too long.
    if (!isServiceError(error) || error.code === "CANCELLED") throw error;
    return { note: html`<p class="note">${error.message}</p>` };
  }
  const { ranges, commits } = blame;
  const column = new Map(
    ranges.map(({ startLine, hash }) => {
      const { date, authorName, message, previous }: Partial<BlameCommit> = commits[hash] ?? {};
      const link = html`<a href="${commitUrl(base, repo, hash)}" title="${message}">${hash.slice(0, 8)}</a>`;
      const before =
        previous &&
        html` <a class="before" title="Blame before ${hash.slice(0, 8)}" aria-label="Blame before ${hash.slice(0, 8)}" href="${browseUrl(base, repo, previous.hash, previous.path)}?blame=1#L${startLine}">↶</a>`;
      return [startLine, html`${link}${before} ${date?.slice(0, 10)} <bdi>${authorName}</bdi>`];
    }),
  );
  return { column };
}
