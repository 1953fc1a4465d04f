/** What the pages share: their request, their responses, and the header of each page about a repository. */
import { textStart } from "#base/utf16Offset";
import type { Call, Caller } from "#contract/service";
import { browseUrl } from "#service/repositories/webLinks";
import { type Html, type HtmlPart, hasDirectionMarks, html } from "./html";
import { type PageFrame, renderFrame, renderLayout } from "./pageLayout";
import type { PageUrl } from "./pageUrl";
import type { ViewSettings } from "./viewSettings";

export interface PageResponse {
  readonly status: number;
  /** Target of a redirect. */
  readonly location?: string;
  readonly body: string | Buffer | PageStream;
  /** The `Content-Security-Policy`, without who may embed it. Default: that of pages. */
  readonly policy?: string;
  /** Headers of a response that is not a page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page that is sent while it is rendered, without script: the browser shows what has arrived. */
export interface PageStream {
  readonly start: string;
  /** Each is rendered when it is requested. */
  readonly pieces: AsyncIterable<string>;
  readonly end: string;
}

/** A call without `emit`, whose type depends on the operation. */
export type PageCall = Omit<Call, "emit">;

/** The person who looks at a page. */
export interface Visitor {
  /** Name or email address; absent unless the browser is logged in. */
  readonly name?: string;
  /** Where to log in; absent if that is not possible, or not needed. */
  readonly loginUrl?: string;
}

export interface ServiceContext {
  readonly visitor: Visitor;
  readonly settings: ViewSettings;
  readonly caller: Caller;
  readonly call: PageCall;
  /** Base URL of this service. */
  readonly base: string;
}

/** What the bar above a page depends on. */
export interface BarContext extends Pick<ServiceContext, "base" | "visitor"> {
  readonly call: Pick<PageCall, "credentials">;
}

export interface PageContext extends ServiceContext {
  readonly pageUrl: PageUrl;
  /** The parameters of the URL, for those that only some pages have. */
  readonly parameters: URLSearchParams;
  /** Shown without a revision in the URL; absent if unknown. */
  readonly defaultBranch?: string | undefined;
  /** The bar above the page. */
  readonly bar: Html;
}

export interface RepositoryPage {
  readonly title: string;
  /** Follows the repository's name in the heading. Default: the path. */
  readonly heading?: HtmlPart;
  /** What the page shows of the path, at the end of the heading. Default: its content. */
  readonly aspect?: string | undefined;
  /** Links and buttons that stay visible. */
  readonly actions?: HtmlPart;
  /** Shown in a row above the content. */
  readonly facts?: readonly (Html | undefined)[];
  readonly content: HtmlPart;
}

/** Renders a page about a repository. */
export function repositoryPage(context: PageContext, page: RepositoryPage): PageResponse {
  return okPage(renderLayout({ ...repositoryFrame(context, page), content: page.content }));
}

/** Renders a page about a repository whose content is sent while it is rendered. */
export function streamedPage(
  context: PageContext,
  page: Omit<RepositoryPage, "content">,
  pieces: AsyncIterable<string>,
  isFile = false,
): PageResponse {
  return okPage({ ...renderFrame({ ...repositoryFrame(context, page), isFile }), pieces });
}

function repositoryFrame(context: PageContext, page: Omit<RepositoryPage, "content">): PageFrame {
  const { title, heading = pathLinks(context), aspect, actions, facts = [] } = page;
  const { pageUrl, base, bar } = context;
  const { repository, revision } = pageUrl;
  const root = html`<a href="${browseUrl(base, repository, revision, "")}"><bdi>${repository}</bdi></a>`;
  return {
    title: `${title} · ${repository}`,
    bar,
    heading: html`${root}${heading}${aspect && ` · ${aspect}`}`,
    actions,
    facts: facts.filter((each) => each !== undefined),
  };
}

/** Renders the path, with a link for each folder above it. */
function pathLinks({ pageUrl, base }: PageContext): HtmlPart {
  const { repository, revision, path } = pageUrl;
  const names = path.split("/").filter((name) => name !== "");
  return names.map((name, at) => {
    if (at === names.length - 1) return html` / <bdi>${name}</bdi>`;
    const folder = names.slice(0, at + 1).join("/");
    return html` / <a href="${browseUrl(base, repository, revision, folder, "tree")}"><bdi>${name}</bdi></a>`;
  });
}

/**
 * Renders the links of pages about a path. Script opens them with the keys of `aria-keyshortcuts`. A plain folder has no
 * history.
 */
export function pathActions(
  { pageUrl, base, defaultBranch }: PageContext,
  hasHistory: boolean,
): readonly Html[] {
  const { repository, revision, view } = pageUrl;
  const path = withoutOuterSlashes(pageUrl.path);
  const link = (to: "refs" | "commits" | "find") =>
    browseUrl(base, repository, revision, to === "find" ? "" : path, to);
  const picker = html`<a class="pick" aria-keyshortcuts="w" title="Switch branch or tag (w)" href="${link("refs")}"><bdi>${revisionLabel(revision ?? defaultBranch)}</bdi></a>`;
  const finder = html`<a aria-keyshortcuts="t" title="Go to file (t)" href="${link("find")}">Go to file</a>`;
  if (!hasHistory) return [finder];
  const history = html`<a href="${link("commits")}">History</a>`;
  return view === "commits" ? [picker, finder] : [picker, finder, history];
}

/** Renders the link that does not change when the branch moves. `suffix` begins with `?`. */
export function permalink({ pageUrl, base }: PageContext, commit: string, suffix = ""): Html | undefined {
  if (commit === "") return undefined;
  const { repository, path, view } = pageUrl;
  const url = browseUrl(base, repository, commit, path, view === "tree" ? "tree" : "blob") + suffix;
  return html`<a id="permalink" aria-keyshortcuts="y" title="Make the address permanent (y)" href="${url}">Permalink</a>`;
}

/** Returns the short name of a branch or tag, or the first digits of a commit SHA. */
export function revisionLabel(revision = "default revision"): string {
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(revision)) return revision.slice(0, 10);
  return revision.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

/** Returns the `ref` field of a request; without it, requests are for the default revision. */
export function refOf({ pageUrl }: PageContext): { readonly ref?: string } {
  return pageUrl.revision === undefined ? {} : { ref: pageUrl.revision };
}

export function withoutOuterSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}

export function hostLink(url: string): Html | undefined {
  return /^https?:/.test(url) ? html`<a rel="noreferrer" href="${url}">Open on the code host</a>` : undefined;
}

export function factItem(text: string): Html | undefined {
  return text === "" ? undefined : html`<span>${text}</span>`;
}

/** Warns if a file, or its path, may not be what it looks like. */
export function directionNote(path: string, text: string): Html | undefined {
  if (hasDirectionMarks(text))
    return html`<p class="note">This file contains characters that change the direction of text, so the code may not be what it looks like.</p>`;
  if (!hasDirectionMarks(path)) return undefined;
  return html`<p class="note">The path contains characters that change the direction of text, so it may not be what it looks like.</p>`;
}

const maxSubjectLength = 300;

/** Returns the subject of a commit, or its start. */
export function subjectText(message: string): string {
  return message === "" ? "(no message)" : textStart(message, maxSubjectLength);
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export function okPage(body: string | PageStream): PageResponse {
  return { status: 200, body };
}

/** A part of a page, which script takes over. */
export function fragment(title: string, content: Html): PageResponse {
  return okPage(html`<!doctype html>\n<html lang="en"><title>${title}</title>\n${content}</html>\n`.text);
}

export function redirect(location: string): PageResponse {
  return { status: 302, location, body: "" };
}

/** Renders who is logged in and how to log out, or how to log in. */
export function visitorItem({ base, call, visitor: { name, loginUrl } }: BarContext): Html | undefined {
  if (call.credentials.kind === "session") {
    const who =
      name === undefined
        ? undefined
        : html`<a href="${base}/sessions" title="Your sessions"><bdi>${name}</bdi></a>`;
    return html`${who}<button type="button" id="sign-out">Log out</button>`;
  }
  return loginUrl === undefined ? undefined : html`<a href="${loginUrl}">Log in</a>`;
}

/** Renders an error after the start of its page has been sent. */
export function failureNote(message: string): string {
  return html`<p class="note" role="alert">${message}</p>\n`.text;
}

export function failurePage(
  status: number,
  title: string,
  message: string,
  more?: Html,
  bar?: Html,
): PageResponse {
  const frame = bar === undefined ? { title } : { title, bar };
  return { status, body: renderLayout({ ...frame, content: html`<p>${message}</p>${more}` }) };
}
