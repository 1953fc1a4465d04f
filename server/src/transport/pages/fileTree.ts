/** The files around a file: its folders are open, and others are links, which script opens in place. */
import { isServiceError } from "#base/error";
import type { TreeNode } from "#contract/history";
import { browseUrl } from "#service/repositories/webLinks";
import { countOf, fragment, type PageContext, type PageResponse, withoutOuterSlashes } from "./context";
import { nodeAt } from "./folderPage";
import { type Html, type HtmlPart, html } from "./html";

/** Longer lists of folders and of files are cut around the file, because they are a part of every page. */
const maxEntries = 100;

/** Renders the tree of the page of a file; nothing if it cannot be read. */
export async function fileTree(context: PageContext): Promise<Html | undefined> {
  const { pageUrl, caller, call } = context;
  const { repository: repoName, revision, path } = pageUrl;
  const names = path.split("/");
  const paths = names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
  const request = { repoName, paths, ...(revision === undefined ? {} : { revisionName: revision }) };
  try {
    const { tree } = await caller("tree", request, call);
    return html`<nav id="tree" aria-label="Files"><h2>Files</h2>${folderList(context, tree)}</nav>\n`;
  } catch (error) {
    // The file itself can still be shown.
    if (!isServiceError(error)) throw error;
    return undefined;
  }
}

/** Responds with the entries of a folder, for script to add to a tree. */
export async function folderFragment(context: PageContext): Promise<PageResponse> {
  const node = await nodeAt(context);
  return fragment("Folder", html`<div id="folder">${node && folderList(context, node)}</div>`);
}

function folderList(context: PageContext, { path: folder, children }: TreeNode): Html {
  const { pageUrl, base } = context;
  const { repository, revision } = pageUrl;
  const path = withoutOuterSlashes(pageUrl.path);
  const isCurrent = (child: TreeNode) => path === child.path || path.startsWith(`${child.path}/`);
  const folders = children.filter(({ type }) => type === "tree");
  const files = children.filter(({ type }) => type !== "tree");
  const shown = [folders, files].flatMap((list) => around(list, list.findIndex(isCurrent)));
  const omitted = children.length - shown.length;
  const folderUrl = browseUrl(base, repository, revision, folder, "tree");
  const more =
    omitted === 0
      ? undefined
      : html`<li><a href="${folderUrl}">${countOf(omitted, "more entry", "more entries")}</a></li>\n`;
  return html`<ul>${shown.map((child) => html`<li>${entry(context, child, path)}</li>\n`)}${more}</ul>`;
}

/** Returns at most `maxEntries` entries, with that at `index` in their middle. */
function around(entries: readonly TreeNode[], index: number): readonly TreeNode[] {
  const from = Math.max(0, Math.min(index - maxEntries / 2, entries.length - maxEntries));
  return entries.slice(from, from + maxEntries);
}

function entry(context: PageContext, child: TreeNode, current: string): HtmlPart {
  const { pageUrl, base } = context;
  const { repository, revision } = pageUrl;
  if (child.type === "commit") return html`<bdi>${child.name}</bdi> (submodule)`;
  const url = browseUrl(base, repository, revision, child.path, child.type);
  if (child.type === "blob") {
    const mark = child.path === current ? html` aria-current="page"` : undefined;
    return html`<a href="${url}"${mark}><bdi>${child.name}</bdi></a>`;
  }
  const list = child.children.length === 0 ? undefined : folderList(context, child);
  return html`<a class="folder" href="${url}"><bdi>${child.name}</bdi>/</a>${list}`;
}
