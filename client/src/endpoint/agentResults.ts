/** Formats responses of the service as text for agents, limited in length. Pure: does not use VS Code. */
import type { FileSource } from "#contract/history";
import type { SearchResult } from "#contract/search";
import type { SymbolResult } from "#contract/symbols";

/** Length limit of a result; agents can narrow the request to get the rest. */
const maxCharacters = 24_000;

export function formatSearch({
  files,
  stats,
  isSearchExhaustive,
}: Pick<SearchResult, "files" | "stats" | "isSearchExhaustive">): string {
  const blocks = files.map(({ repository, fileName, language, chunks }) => {
    const lines = chunks.flatMap(({ content, contentStart }) =>
      content
        .replace(/\n$/, "")
        .split("\n")
        .map((line, index) => `${contentStart.lineNumber + index}: ${line}`),
    );
    return [heading(repository, fileName.text, language), ...lines].join("\n");
  });
  const more = isSearchExhaustive ? "" : " There may be more: narrow the query, or ask for more matches.";
  return fitBlocks(`${stats.actualMatchCount} matches in ${files.length} files.${more}`, blocks);
}

export function formatSymbols({ files, stats }: Pick<SymbolResult, "files" | "stats">): string {
  const blocks = files.map(({ repository, fileName, language, matches }) =>
    [
      heading(repository, fileName, language),
      ...matches.map(({ lineContent, range, kind, certainty }) => {
        const what = [kind, certainty].filter((word) => word !== undefined).join(", ");
        return `${range.start.lineNumber}: ${lineContent}${what === "" ? "" : `   [${what}]`}`;
      }),
    ].join("\n"),
  );
  const more = stats.isExhaustive === false ? " There may be more." : "";
  return fitBlocks(`${stats.matchCount} matches in ${files.length} files.${more}`, blocks);
}

/** Formats lines `from` to `to` (from 1, inclusive) of a file; without `to`, as many as fit. */
export function formatSource(
  { repo, path, language, source }: Pick<FileSource, "repo" | "path" | "language" | "source">,
  from = 1,
  to?: number,
): string {
  const lines = source.replace(/\n$/, "").split("\n");
  const selected = lines.slice(from - 1, to);
  const numbered = selected.map((line, index) => `${from + index}: ${line}`);
  return fitBlocks(`${heading(repo, path, language)}, ${lines.length} lines`, numbered, "\n");
}

function heading(repository: string, path: string, language: string): string {
  return `${repository} ${path}${language === "" ? "" : ` (${language})`}`;
}

/** Joins as many whole blocks as fit, and reports how many were omitted. */
function fitBlocks(head: string, blocks: readonly string[], separator = "\n\n"): string {
  let text = head;
  for (const [index, block] of blocks.entries()) {
    const available = maxCharacters - text.length;
    if (separator.length + block.length > available) {
      const cut = index === 0 ? block.slice(0, Math.max(0, available)) : "";
      return [text, cut, `(${blocks.length - index} more omitted: narrow the request.)`]
        .filter((part) => part !== "")
        .join(separator);
    }
    text = `${text}${separator}${block}`;
  }
  return text;
}
