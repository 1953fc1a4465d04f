/** Answers of the service as agents get them: text that fits into what they can read. Pure: knows no VS Code. */
import type { FileSource } from "#contract/history";
import type { SearchResult } from "#contract/search";
import type { SymbolResult } from "#contract/symbols";

/** Characters of an answer, at most; the rest is asked for by a narrower question. */
const maxCharacters = 24_000;

export function searchAnswer({
  files,
  stats,
  isSearchExhaustive,
}: Pick<SearchResult, "files" | "stats" | "isSearchExhaustive">): string {
  const blocks = files.map(({ repository, fileName, language, chunks }) => {
    const lines = chunks.flatMap(({ content, contentStart }) =>
      content
        .replace(/\n$/, "")
        .split("\n")
        .map((line, at) => `${contentStart.lineNumber + at}: ${line}`),
    );
    return [heading(repository, fileName.text, language), ...lines].join("\n");
  });
  const more = isSearchExhaustive ? "" : " There may be more: narrow the query, or ask for more matches.";
  return fitted(`${stats.actualMatchCount} matches in ${files.length} files.${more}`, blocks);
}

export function symbolAnswer({ files, stats }: Pick<SymbolResult, "files" | "stats">): string {
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
  return fitted(`${stats.matchCount} matches in ${files.length} files.${more}`, blocks);
}

/** `from`: the first line, from 1. `to`: the last one; absent: as far as there is room. */
export function sourceAnswer(
  { repo, path, language, source }: Pick<FileSource, "repo" | "path" | "language" | "source">,
  from = 1,
  to?: number,
): string {
  const lines = source.replace(/\n$/, "").split("\n");
  const wanted = lines.slice(from - 1, to);
  const numbered = wanted.map((line, at) => `${from + at}: ${line}`);
  return fitted(`${heading(repo, path, language)}, ${lines.length} lines`, numbered, "\n");
}

function heading(repository: string, path: string, language: string): string {
  return `${repository} ${path}${language === "" ? "" : ` (${language})`}`;
}

/** As many whole blocks as there is room for; how many are left out is said. */
function fitted(head: string, blocks: readonly string[], between = "\n\n"): string {
  let text = head;
  for (const [at, block] of blocks.entries()) {
    const left = maxCharacters - text.length;
    if (between.length + block.length > left) {
      const cut = at === 0 ? block.slice(0, Math.max(0, left)) : "";
      return [text, cut, `(${blocks.length - at} more are left out: ask for less.)`]
        .filter((part) => part !== "")
        .join(between);
    }
    text = `${text}${between}${block}`;
  }
  return text;
}
