import { isServiceError } from "#base/error";
import type { CommitDetails } from "#contract/commits";
import { emptyTree } from "#contract/snapshotUri";
import { browseUrl, commitUrl } from "#service/repositories/webLinks";
import {
  factItem,
  hostLink,
  type PageContext,
  type PageResponse,
  streamedPage,
  subjectText,
} from "./context";
import { renderDiff } from "./diffRows";
import { type HtmlPart, html } from "./html";

export async function commitPage(context: PageContext): Promise<PageResponse> {
  const { pageUrl, caller, call, base } = context;
  const { repository: repo, path: ref } = pageUrl;
  const commit = await caller("commit", { repo, ref }, call);
  const { hash, parents, message, authorName, authorEmail, date, refs, externalWebUrl, incomplete } = commit;
  const [parent] = parents;
  const facts = [
    html`<span><bdi>${authorName}</bdi> &lt;<bdi>${authorEmail}</bdi>&gt;</span>`,
    factItem(date.replace("T", " ")),
    factItem(shortened(refs)),
    parent === undefined && incomplete === undefined ? factItem("This commit has no parent") : undefined,
    ...parents.map((each) => html`<a href="${commitUrl(base, repo, each)}">Parent ${each.slice(0, 10)}</a>`),
    hostLink(externalWebUrl),
  ];
  const page = {
    title: subjectText(message),
    heading: html` / <bdi>${message || subjectText(message)}</bdi>`,
    actions: [
      html`<a href="${browseUrl(base, repo, hash, "")}">Files at ${hash.slice(0, 10)}</a>`,
      html`<a href="${browseUrl(base, repo, hash, "", "commits")}">History</a>`,
      html`<a id="permalink" aria-keyshortcuts="y" title="Make the address permanent (y)" href="${commitUrl(base, repo, hash)}">Permalink</a>`,
    ],
    facts,
  };
  return streamedPage(context, page, contentOf(context, commit));
}

async function* contentOf(context: PageContext, commit: CommitDetails): AsyncGenerator<string> {
  const { hash, parents, body, incomplete } = commit;
  if (body.trim() !== "") yield html`<pre>${body.trimEnd()}</pre>`.text;
  const changes =
    incomplete === undefined
      ? await renderChanges(context, hash, parents[0])
      : html`<p class="note">${incomplete}</p>`;
  yield html`${changes}`.text;
}

const maxRefs = 10;

/** Shortens a list of refs: thousands may point to a commit. */
function shortened(refs: string): string {
  const names = refs.split(", ");
  const omitted = names.length - maxRefs;
  return omitted <= 0
    ? refs
    : `${names.slice(0, maxRefs).join(", ")} and ${omitted.toLocaleString("en")} more`;
}

async function renderChanges(
  { pageUrl, caller, call, base }: PageContext,
  hash: string,
  parent: string | undefined,
): Promise<HtmlPart> {
  const { repository: repo } = pageUrl;
  try {
    const request = { repo, base: parent ?? emptyTree, head: hash };
    const { files } = await caller("diff", request, call);
    return renderDiff(files, (path, side) =>
      browseUrl(base, repo, side === "new" ? hash : (parent ?? hash), path),
    );
  } catch (error) {
    // The commit itself can still be shown.
    if (!isServiceError(error, "ANSWER_TOO_LARGE") && !isServiceError(error, "TIMED_OUT")) throw error;
    return html`<p class="note">The changes are too large to show.</p>`;
  }
}
