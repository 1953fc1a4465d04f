/** The search for a file of one repository by its path. */
import { isServiceError } from "#base/error";
import type { SearchResult } from "#contract/search";
import { browseUrl } from "#service/repositories/webLinks";
import { pathQuery } from "#service/search/pathQuery";
import { countOf, type PageContext, type PageResponse, revisionLabel, streamedPage } from "./context";
import { renderFilterList } from "./filterList";
import { nodeAt } from "./folderPage";
import { html } from "./html";

const maxFiles = 100;
/** Each word may match several times in a path. */
const matchesPerFile = 20;

export async function filesPage(context: PageContext): Promise<PageResponse> {
  const { revision } = context.pageUrl;
  // Reports a repository or revision that does not exist, which a search does not.
  await nodeAt(context);
  const heading = revision === undefined ? "" : html` @ <bdi>${revisionLabel(revision)}</bdi>`;
  const page = { title: "Go to file", heading, aspect: "Go to file" };
  return streamedPage(context, page, foundList(context));
}

async function* foundList(context: PageContext): AsyncGenerator<string> {
  const { repository, revision, position } = context.pageUrl;
  const found = await findFiles(context);
  const entries = found.files.slice(0, maxFiles).map(({ fileName }) => {
    const url = browseUrl(context.base, repository, revision, fileName.text);
    return html`<li><a href="${url}"><bdi>${fileName.text}</bdi></a></li>\n`;
  });
  const list = renderFilterList({
    url: browseUrl(context.base, repository, revision, "", "find"),
    label: "Go to file",
    position: { ...position, page: 1 },
    entries,
    summary: found.message,
    total: entries.length,
    perPage: maxFiles,
  });
  yield list.text;
}

interface FoundFiles {
  readonly files: SearchResult["files"];
  readonly message: string;
}

async function findFiles({ pageUrl, caller, call }: PageContext): Promise<FoundFiles> {
  const { repository, revision, position } = pageUrl;
  // A search at a revision that is not indexed would index it, which takes a while.
  if (position.filter === "") return { files: [], message: "Type a part of the path." };
  const query = pathQuery(repository, revision, position.filter);
  try {
    const request = { query, matches: maxFiles * matchesPerFile };
    const { files: found, isSearchExhaustive, stats } = await caller("search", request, call);
    // Names of repositories are matched in any case.
    const files = found.filter((file) => file.repository === repository);
    const count = countOf(Math.min(files.length, maxFiles), "file");
    if (files.length > maxFiles || stats.flushReason === "MATCH_LIMIT") {
      return { files, message: `${count}; there are more. Type more of the path.` };
    }
    if (!isSearchExhaustive)
      return { files, message: `${count}; the index is incomplete, so others may be missing.` };
    return { files, message: files.length === 0 ? "No path contains these words." : count };
  } catch (error) {
    if (!isServiceError(error, "FAILED_TO_PARSE_QUERY")) throw error;
    return { files: [], message: error.message };
  }
}
