/**
 * Pages for people with a browser: a file, a folder, a commit. They are made of what the rows of the contract answer, so
 * that nobody sees more here than there, and of nothing that is fetched from elsewhere.
 */
import { isServiceError } from "#base/error";
import type { Diff } from "#contract/commits";
import type { BlameCommit, FileSource, TreeNode } from "#contract/history";
import type { Call, Caller } from "#contract/service";
import { browseUrl, commitUrl } from "#service/webLinks";
import { diffRows } from "./diffRows";
import { type Html, hasDirectionMarks, html, type Part } from "./html";
import type { PageAddress } from "./pageAddress";
import { page } from "./pageFrame";
import { signOutButton } from "./sessions";

export interface PageAnswer {
  readonly status: number;
  /** Of another page, for a redirection. */
  readonly location?: string;
  readonly body: string;
}

/** Larger files are not drawn line by line. */
const maxDrawnCharacters = 4 * 1024 * 1024;
const maxDrawnLines = 50_000;

/** Throws what the rows throw. */
export async function answerPage(address: PageAddress, ask: Caller, call: PageCall): Promise<PageAnswer> {
  const context: PageContext = { address, ask, call, base: call.baseUrl ?? "" };
  switch (address.view) {
    case "blob":
      return filePage(context);
    case "tree":
      return folderPage(context);
    case "commit":
      return commitPage(context);
  }
}

/** What every row takes. */
type PageCall = Omit<Call, "emit">;

interface PageContext {
  readonly address: PageAddress;
  readonly ask: Caller;
  readonly call: PageCall;
  /** Address of this service. */
  readonly base: string;
}

async function filePage(context: PageContext): Promise<PageAnswer> {
  const { address, ask, call, base } = context;
  const { repository: repo, revision, path, withBlame } = address;
  const ref = revision === undefined ? {} : { ref: revision };
  const file = await ask("source", { repo, path, ...ref }, call).catch((error: unknown) =>
    pageWithoutFile(context, error),
  );
  if ("status" in file) return file;
  const here = browseUrl(base, repo, revision, path);
  const isBinary = file.source.includes("\0");
  const lines = isBinary || file.source.length > maxDrawnCharacters ? [] : await drawnLines(file);
  const isDrawn = lines.length > 0 && lines.length <= maxDrawnLines;
  const raw = `${base}/api/source?${new URLSearchParams({ repo, path, ...ref })}`;
  const facts = [
    html`<span>${revision ?? "default revision"}</span>`,
    file.commit === ""
      ? undefined
      : html`<a href="${commitUrl(base, repo, file.commit)}">${file.commit.slice(0, 10)}</a>`,
    fact(file.language),
    isDrawn && file.commit !== ""
      ? html`<a href="${withBlame ? here : `${here}?blame=1`}">${withBlame ? "Hide blame" : "Blame"}</a>`
      : undefined,
    // The cookie of a browser that is signed in does not count there.
    call.credentials.kind === "session" ? undefined : html`<a href="${raw}">JSON</a>`,
    hostLink(file.externalWebUrl),
    signOut(context),
  ].filter((each) => each !== undefined);
  const note = isBinary ? "This is a binary file." : "This file is too large to be shown here.";
  const content =
    file.source === ""
      ? html`<p class="note">This file is empty.</p>`
      : isDrawn
        ? [directionNote(file.source), await fileTable(context, lines)]
        : html`<p class="note">${note}</p>`;
  return shown(page({ title: `${path} · ${repo}`, heading: trail(context), facts, content }));
}

/** Throws `error` again where it is another. */
async function pageWithoutFile(context: PageContext, error: unknown): Promise<PageAnswer> {
  if (!isServiceError(error, "FILE_NOT_FOUND")) throw error;
  const { repository, revision, path } = context.address;
  const node = await nodeAt(context);
  if (node?.type === "tree") return redirection(browseUrl(context.base, repository, revision, path, "tree"));
  return failurePage(404, error.code, `${error.message} What is not committed yet has no page.`);
}

async function drawnLines({ source, language }: FileSource): Promise<readonly Html[]> {
  // Its library takes long to load, and most processes never draw a page.
  const { highlightedLines } = await import("./highlight");
  const lines = highlightedLines(source, language);
  return source.endsWith("\n") ? lines.slice(0, -1) : lines;
}

async function fileTable(context: PageContext, lines: readonly Html[]): Promise<Html> {
  const who = context.address.withBlame ? await blameColumn(context) : undefined;
  const rows = lines.map((line, at) => {
    const number = at + 1;
    const first = who?.get(number);
    const cell = who && html`<td class="who">${first}</td>`;
    const place = html`<td class="n"><a href="#L${number}">${number}</a></td>`;
    return html`<tr id="L${number}"${first && html` class="first"`}>${cell}${place}<td>${line}</td></tr>\n`;
  });
  return html`<div class="code"><table dir="ltr">${rows}</table></div>`;
}

/** What stands beside the first line of each range. */
async function blameColumn({ address, ask, call, base }: PageContext): Promise<ReadonlyMap<number, Html>> {
  const { repository: repo, revision, path } = address;
  const request = { repo, path, ...(revision === undefined ? {} : { ref: revision }) };
  const { ranges, commits } = await ask("blame", request, call);
  return new Map(
    ranges.map(({ startLine, hash }) => {
      const { date, authorName, message }: Partial<BlameCommit> = commits[hash] ?? {};
      const link = html`<a href="${commitUrl(base, repo, hash)}" title="${message}">${hash.slice(0, 8)}</a>`;
      return [startLine, html`${link} ${date?.slice(0, 10)} <bdi>${authorName}</bdi>`];
    }),
  );
}

async function folderPage(context: PageContext): Promise<PageAnswer> {
  const { address, base } = context;
  const { repository: repo, revision } = address;
  const path = address.path.replace(/^\/+|\/+$/g, "");
  const node = await nodeAt(context);
  if (node === undefined)
    return failurePage(404, "Not found", `There is no ${path} in ${repo} at this revision.`);
  if (node.type === "blob") return redirection(browseUrl(base, repo, revision, path));
  const entries = node.children.map((child) => {
    const name = child.type === "tree" ? `${child.name}/` : child.name;
    if (child.type === "commit") return html`<li>${name} (submodule)</li>`;
    return html`<li><a href="${browseUrl(base, repo, revision, child.path, child.type)}">${name}</a></li>`;
  });
  const content =
    entries.length === 0
      ? html`<p class="note">There is nothing here.</p>`
      : html`<ul class="entries">${entries}</ul>`;
  const title = path === "" ? repo : `${path} · ${repo}`;
  return shown(
    page({
      title,
      heading: trail(context),
      facts: [html`<span>${revision ?? "default revision"}</span>`, signOut(context)].filter(
        (each) => each !== undefined,
      ),
      content,
    }),
  );
}

/** What the tree has at the path. */
async function nodeAt({ address, ask, call }: PageContext): Promise<TreeNode | undefined> {
  const { repository: repoName, revision, path } = address;
  const names = path.split("/").filter((name) => name !== "");
  const request = { repoName, paths: [path], ...(revision === undefined ? {} : { revisionName: revision }) };
  let { tree: node }: { tree: TreeNode | undefined } = await ask("tree", request, call);
  for (const name of names) node = node?.children.find((child) => child.name === name);
  return node;
}

async function commitPage(context: PageContext): Promise<PageAnswer> {
  const { address, ask, call, base } = context;
  const { repository: repo, path: ref } = address;
  const commit = await ask("commit", { repo, ref }, call);
  const { hash, parents, message, body, authorName, authorEmail, date, refs, externalWebUrl } = commit;
  const [parent] = parents;
  const facts = [
    html`<span>${authorName} &lt;${authorEmail}&gt;</span>`,
    fact(date.replace("T", " ")),
    fact(refs),
    html`<a href="${browseUrl(base, repo, hash, "")}">Files at ${hash.slice(0, 10)}</a>`,
    ...parents.map((each) => html`<a href="${commitUrl(base, repo, each)}">Parent ${each.slice(0, 10)}</a>`),
    hostLink(externalWebUrl),
    signOut(context),
  ].filter((each) => each !== undefined);
  const text = body.trim() === "" ? undefined : html`<pre>${body.trimEnd()}</pre>`;
  const changes =
    parent === undefined
      ? html`<p class="note">This is a first commit: all of its files are new.</p>`
      : await changesOf(ask("diff", { repo, base: parent, head: hash }, call));
  const repository = html`<a href="${browseUrl(base, repo, undefined, "")}">${repo}</a>`;
  const heading = html`${repository} · ${message === "" ? "(no message)" : message}`;
  return shown(page({ title: `${message} · ${repo}`, heading, facts, content: [text, changes] }));
}

async function changesOf(asked: Promise<Diff>): Promise<Part> {
  try {
    return diffRows((await asked).files);
  } catch (error) {
    // The commit itself can be shown all the same.
    if (!isServiceError(error, "ANSWER_TOO_LARGE") && !isServiceError(error, "TIMED_OUT")) throw error;
    return html`<p class="note">What it changes is too large to be shown here.</p>`;
  }
}

/** Repository and path, each folder a link. */
function trail({ address, base }: PageContext): Html {
  const { repository, revision, path } = address;
  const root = html`<a href="${browseUrl(base, repository, revision, "")}">${repository}</a>`;
  const names = path.split("/").filter((name) => name !== "");
  const links = names.map((name, at) => {
    if (at === names.length - 1) return html` / ${name}`;
    const folder = names.slice(0, at + 1).join("/");
    return html` / <a href="${browseUrl(base, repository, revision, folder, "tree")}">${name}</a>`;
  });
  return html`${root}${links}`;
}

function hostLink(url: string): Html | undefined {
  return /^https?:/.test(url) ? html`<a rel="noreferrer" href="${url}">Open on the code host</a>` : undefined;
}

function fact(text: string): Html | undefined {
  return text === "" ? undefined : html`<span>${text}</span>`;
}

function directionNote(text: string): Html | undefined {
  if (!hasDirectionMarks(text)) return undefined;
  return html`<p class="note">This file has characters that change the direction of text: it may not do what it seems to.</p>`;
}

function shown(body: string): PageAnswer {
  return { status: 200, body };
}

function redirection(location: string): PageAnswer {
  return { status: 302, location, body: "" };
}

function signOut({ call }: PageContext): Html | undefined {
  return call.credentials.kind === "session" ? signOutButton() : undefined;
}

export function failurePage(status: number, title: string, message: string, more?: Html): PageAnswer {
  return { status, body: page({ title, content: html`<p>${message}</p>${more}` }) };
}
