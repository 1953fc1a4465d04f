/** Prints search results as lines, and says whether they are complete. */
import { utf16Offset } from "#base/utf16Offset";
import type { CountedGroup } from "#contract/count";
import type { Range } from "#contract/position";
import type { Chunk, FileMatch, SearchResult } from "#contract/search";
import { count, definitionHeading, fileHeading } from "./fileHeading";
import { definitionItem, fileItem } from "./output";
import { type Line, type Lines, type Listing, lazyLines } from "./tool";

/** What the limit of a search is about. */
type Limited = "matches" | "files";

/** What says whether a response is complete, and why not. */
type Completeness = Pick<SearchResult, "isSearchExhaustive" | "stats" | "serverProblem" | "unavailable">;

/** Returns how much was found, and why it may be incomplete. */
export function summarizeSearch(
  result: Completeness,
  limit: number,
  limited: Limited = "matches",
): Omit<Listing, "lines" | "narrow"> & Pick<Required<Listing>, "notes"> {
  const { totalMatchCount, fileCount } = result.stats;
  const notes = incompleteSearch(result, limit, limited);
  const matches = `${count(totalMatchCount, "match", "matches")} in ${count(fileCount, "file")}.`;
  const summary =
    totalMatchCount === 0 ? "Nothing found." : `${notes.length > 0 ? "At least " : ""}${matches}`;
  return { summary, notes, ...completeness(result), counts: { matchCount: totalMatchCount, fileCount } };
}

export function completeness({
  isSearchExhaustive,
  stats,
}: Pick<SearchResult, "isSearchExhaustive" | "stats">): Pick<Listing, "isExhaustive" | "reason"> {
  return { isExhaustive: isSearchExhaustive, reason: isSearchExhaustive ? undefined : stats.flushReason };
}

/** Says why a response may be incomplete, and what to do next. */
export function incompleteSearch(
  result: Completeness,
  limit: number,
  limited: Limited = "matches",
): readonly string[] {
  if (result.isSearchExhaustive) return [];
  const { serverProblem, unavailable = [], stats } = result;
  const nodes = unavailable.map(({ node, reason, repositoryCount }) => {
    const where =
      repositoryCount === undefined ? "" : ` in ${count(repositoryCount, "repository", "repositories")}`;
    return `Node ${node} ${reason}, so matches${where} may be missing.`;
  });
  const parts = [...(serverProblem === undefined ? [] : [serverProblem]), ...nodes];
  const isExplained = parts.length > 0 && stats.flushReason === "ENGINE_PARTIAL" && stats.filesMissing === 0;
  return isExplained ? parts : [...parts, ...incompleteReason(stats, limit, limited)];
}

function incompleteReason(stats: SearchResult["stats"], limit: number, limited: Limited): readonly string[] {
  switch (stats.flushReason) {
    case "MATCH_LIMIT":
      return [`Only the best ${limit} ${limited} were searched for; there are more.`];
    case "TIME_LIMIT":
      return ["The time limit ended the search early: add repo, path or lang."];
    case "BYTE_LIMIT":
      return ["The results were too large: add repo, path or lang."];
    case "INDEXING":
      return ['Indexing is not finished, so matches may be missing; "repos" shows the state.'];
    case "RIGHTS_UNKNOWN":
      return [
        "It is not known yet which repositories you may see, so matches may be missing: try again later.",
      ];
    case "REPOSITORY_EVICTED":
      return [evictedNote(stats.repositoriesEvicted)];
    case "REVISION_NOT_INDEXED":
      return ["The revision is not indexed in every repository: name the repository, or try again later."];
    case "SHARD_DAMAGED":
      return ["Part of the index is damaged and being rebuilt, so matches may be missing: try again later."];
    case "ENGINE_PARTIAL":
    case "NONE":
      return stats.filesMissing > 0
        ? [
            `${stats.filesMissing} files that could match have no text, because their repository is a partial clone.`,
          ]
        : ["Matches may be missing."];
  }
}

function evictedNote(evictedCount: number): string {
  const which = count(evictedCount, "repository has", "repositories have");
  return `${which} no index, because of the limit of its disk space: name one with repo to index it again.`;
}

/** A group in words: the path of its folder or definition, its author, its language or its text. */
export function groupName(group: CountedGroup): string {
  const { repository, folder, language, authorName, authorEmail, fileName, symbol, parent, text } = group;
  if (text !== undefined) return group.isTextCut === true ? `${text}…` : text;
  if (authorName !== undefined)
    return authorName === "" && authorEmail === "" ? "(no author)" : `${authorName} <${authorEmail ?? ""}>`;
  if (language !== undefined) return language === "" ? "(unknown)" : language;
  if (symbol !== undefined) {
    const name =
      symbol === "" ? "" : ` ${parent === undefined || parent === "" ? "" : `${parent}.`}${symbol}`;
    return `${repository}/${fileName}${name}`;
  }
  return folder === undefined || folder === "" ? (repository ?? "") : `${repository}/${folder}`;
}

/** Prints the files of a search with `filesOnly` and `matchesPerFile: 1`, so one without a number has one match. */
export function fileLines({ files }: Pick<SearchResult, "files">): Lines {
  return lazyLines(files, (file) => {
    const { matchCount = 1 } = file;
    return { text: `${headingOf(file)} (${matchCount})`, file: { ...itemOf(file), matchCount } };
  });
}

export function matchLines({ files }: Pick<SearchResult, "files">): readonly Line[] {
  return files.flatMap((file) => {
    const chunks = [...file.chunks].sort(
      (left, right) => left.contentStart.lineNumber - right.contentStart.lineNumber,
    );
    const heading = headingOf(file);
    const item = itemOf(file);
    return chunks.flatMap((chunk) => chunkLines(chunk, heading, item));
  });
}

function headingOf({ repository, fileName, branches, origin }: FileMatch): string {
  return fileHeading({ repository, path: fileName.text, branches, origin });
}

function itemOf({ repository, fileName, branches, origin }: FileMatch) {
  return fileItem({ repository, path: fileName.text, branches, origin });
}

/** `12:text` for lines with a match, `12-text` for the others, as grep prints them. */
function chunkLines(
  { content, contentStart, matchRanges, symbols, enclosing: parent = symbols[0]?.parent }: Chunk,
  heading: string,
  file: object,
): readonly Line[] {
  const headings = [heading, ...definitionHeading(parent)];
  const enclosing = definitionItem(parent);
  const lines = content.replace(/\r?\n$/, "").split(/\r?\n/);
  let next = 0;
  return lines.map((line, index) => {
    const number = contentStart.lineNumber + index;
    // Ranges are sorted.
    while (lastLine(matchRanges[next]) < number) next++;
    const start = matchRanges[next]?.start;
    const isMatch = start !== undefined && start.lineNumber <= number;
    const column = start?.lineNumber === number ? start.column : 1;
    const text = cutAround(line, column);
    return {
      headings,
      text: `${number}${isMatch ? ":" : "-"}${text}`,
      file,
      item: { line: number, text, isMatch, enclosing },
    };
  });
}

/** A match that ends with a newline does not touch the line after it. */
function lastLine(range: Range | undefined): number {
  if (range === undefined) return Number.POSITIVE_INFINITY;
  const { lineNumber, column } = range.end;
  return column > 1 ? lineNumber : lineNumber - 1;
}

const maxLineLength = 300;
const lengthBeforeMatch = 80;

/** Cuts a long line around a column, in code points from 1, so that the match stays visible. */
function cutAround(line: string, column: number): string {
  if (line.length <= maxLineLength) return line;
  const match = utf16Offset(line, column);
  const start = Math.max(0, Math.min(match - lengthBeforeMatch, line.length - maxLineLength));
  const end = start + maxLineLength;
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}
