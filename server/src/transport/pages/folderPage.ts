import { isServiceError } from "#base/error";
import type { CommitDetails } from "#contract/commits";
import type { TreeNode } from "#contract/history";
import { browseUrl, commitUrl } from "#service/repositories/webLinks";
import {
  failurePage,
  hostLink,
  type PageContext,
  type PageResponse,
  pathActions,
  permalink,
  redirect,
  repositoryPage,
  subjectText,
  withoutOuterSlashes,
} from "./context";
import { type Html, html } from "./html";
import { addPosition } from "./pageUrl";
import { pageOf, pagingLinks } from "./paging";

/** A browser needs seconds to lay out the entries of a much larger folder. */
const entriesPerPage = 2000;

export async function folderPage(context: PageContext): Promise<PageResponse> {
  const { pageUrl, base } = context;
  const { repository: repo, revision, position } = pageUrl;
  const path = withoutOuterSlashes(pageUrl.path);
  const [node, commit] = await Promise.all([nodeAt(context), latestCommit(context)]);
  if (node === undefined) {
    const rootUrl = browseUrl(base, repo, revision, "");
    const more = html`<p><a href="${rootUrl}">Show the files at this revision</a></p>`;
    return failurePage(
      404,
      "Not found",
      `${path} does not exist in ${repo} at this revision.`,
      more,
      context.bar,
    );
  }
  if (node.type === "blob") return redirect(browseUrl(base, repo, revision, path));
  const entries = pageOf(node.children, position.page, entriesPerPage).map((child) => {
    const name = child.type === "tree" ? `${child.name}/` : child.name;
    if (child.type === "commit") return html`<li><bdi>${name}</bdi> (submodule)</li>\n`;
    const url = browseUrl(base, repo, revision, child.path, child.type);
    const isFolder = child.type === "tree" ? html` class="in"` : undefined;
    return html`<li${isFolder}><a href="${url}"><bdi>${name}</bdi></a></li>\n`;
  });
  const emptyNote =
    path === "" && commit === undefined ? "There are no files here yet." : "This folder is empty.";
  const folderUrl = browseUrl(base, repo, revision, path, "tree");
  const content = [
    node.children.length === 0 ? html`<p class="note">${emptyNote}</p>` : undefined,
    path === "" && entries.length === 0
      ? undefined
      : html`<ul class="entries">${parentEntry(context, path)}${entries}</ul>`,
    pagingLinks(folderUrl, position, node.children.length, entriesPerPage),
  ];
  const actions = [
    ...pathActions(context, commit !== undefined),
    permalink(context, commit?.hash ?? "", addPosition("", position)),
  ];
  const facts = commit === undefined ? [] : [commitFact(context, commit), hostLink(commit.externalWebUrl)];
  return repositoryPage(context, { title: path === "" ? "Files" : path, actions, facts, content });
}

function parentEntry({ pageUrl, base }: PageContext, path: string): Html | undefined {
  if (path === "") return undefined;
  const parent = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
  const url = browseUrl(base, pageUrl.repository, pageUrl.revision, parent, "tree");
  return html`<li><a href="${url}" aria-label="Parent folder">..</a></li>\n`;
}

function commitFact({ pageUrl, base }: PageContext, commit: CommitDetails): Html {
  const { hash, message, authorName, date } = commit;
  const link = html`<a href="${commitUrl(base, pageUrl.repository, hash)}">${hash.slice(0, 10)}</a>`;
  return html`<span>${link} <bdi>${subjectText(message)}</bdi> · <bdi>${authorName}</bdi> · ${date.slice(0, 10)}</span>`;
}

/** Returns the commit that the page shows; `undefined` if there is none, as for a plain folder. */
async function latestCommit({ pageUrl, caller, call }: PageContext): Promise<CommitDetails | undefined> {
  try {
    return await caller("commit", { repo: pageUrl.repository, ref: pageUrl.revision ?? "HEAD" }, call);
  } catch (error) {
    // The folder itself can still be shown.
    if (!isServiceError(error)) throw error;
    return undefined;
  }
}

/** Returns the file or folder at the path; `undefined` if there is none. */
export async function nodeAt({ pageUrl, caller, call }: PageContext): Promise<TreeNode | undefined> {
  const { repository: repoName, revision, path } = pageUrl;
  const names = path.split("/").filter((name) => name !== "");
  const request = { repoName, paths: [path], ...(revision === undefined ? {} : { revisionName: revision }) };
  let { tree: node }: { tree: TreeNode | undefined } = await caller("tree", request, call);
  for (const name of names) node = node?.children.find((child) => child.name === name);
  return node;
}
