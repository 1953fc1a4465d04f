/** The search for a file of one repository by its path. */
import { isServiceError } from "#base/error";
import { browseUrl } from "#service/repositories/webLinks";
import { pathQuery } from "#service/search/pathQuery";
import { rankPaths } from "#service/search/rankPaths";
import { countOf, type PageContext, type PageResponse, revisionLabel, streamedPage } from "./context";
import { renderFilterList } from "./filterList";
import { nodeAt } from "./folderPage";
import { html } from "./html";

const maxFiles = 100;
/** How many files a search returns, of which the closest are shown. */
const maxRanked = 1000;
/** Longer paths cannot be checked out. */
const maxPathLength = 4096;

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
  const entries = found.paths.slice(0, maxFiles).map((path) => {
    const url = browseUrl(context.base, repository, revision, path);
    return html`<li><a href="${url}"><bdi>${path}</bdi></a></li>\n`;
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
  readonly paths: readonly string[];
  readonly message: string;
}

async function findFiles(context: PageContext): Promise<FoundFiles> {
  const { filter } = context.pageUrl.position;
  // A search at a revision that is not indexed would index it, which takes a while.
  if (filter === "") return { paths: [], message: "Type letters of the path, in order." };
  if (filter.length > maxPathLength) return { paths: [], message: "No path is that long." };
  try {
    const likely = await searchPaths(context, true);
    const found = likely.paths.length < maxFiles ? await searchPaths(context, false) : likely;
    const paths = rankPaths([...new Set([...likely.paths, ...found.paths])], filter);
    const count = countOf(Math.min(paths.length, maxFiles), "file");
    if (paths.length > maxFiles || found.hasMore)
      return { paths, message: `${count}; there are more. Type more of the path.` };
    if (!found.isExhaustive)
      return { paths, message: `${count}; the index is incomplete, so others may be missing.` };
    return { paths, message: paths.length === 0 ? "No path contains these letters in order." : count };
  } catch (error) {
    if (!isServiceError(error, "FAILED_TO_PARSE_QUERY")) throw error;
    return { paths: [], message: error.message };
  }
}

async function searchPaths({ pageUrl, caller, call }: PageContext, isLikely: boolean) {
  const { repository, revision, position } = pageUrl;
  const query = pathQuery(repository, revision, position.filter, isLikely);
  const request = { query, matches: maxRanked, matchesPerFile: 1, filesOnly: true };
  const { files, isSearchExhaustive, stats } = await caller("search", request, call);
  return {
    // Names of repositories are matched in any case.
    paths: files.filter((file) => file.repository === repository).map(({ fileName }) => fileName.text),
    hasMore: stats.flushReason === "MATCH_LIMIT",
    isExhaustive: isSearchExhaustive,
  };
}
