/** Results for the clipboard. Pure: knows no VS Code. */
import type { CodeHostType } from "#contract/repositories";
import type { FileMatch, SearchResult } from "#contract/search";
import { linesOf, visible } from "./resultLines";
import type { ResultSet } from "./resultSet";

/** One for each file: "github.com/acme/orders/src/main.go". */
export function pathsText(files: readonly FileMatch[]): string {
  const paths = files.map(({ repository, fileName }) => visible(`${repository}/${fileName.text}`));
  return [...new Set(paths)].map((path) => `${path}\n`).join("");
}

/** A list of repositories, files and lines, with links to the code host where it has pages. */
export function markdownText(set: ResultSet, files: readonly FileMatch[]): string {
  const groups = new Map<number, FileMatch[]>();
  for (const file of files) {
    const group = groups.get(file.repositoryId);
    if (group === undefined) groups.set(file.repositoryId, [file]);
    else group.push(file);
  }
  return [...groups]
    .map(([id, group]) => {
      const info = set.repositories.get(id);
      const name = info?.displayName ?? group[0]?.repository ?? "";
      const title = linked(escaped(visible(name)), info?.externalWebUrl ?? "");
      const host = info?.codeHostType ?? "genericGitHost";
      return `- ${title}\n${group.map((file) => fileText(file, host)).join("")}`;
    })
    .join("");
}

/** As `POST /api/search` answers, with these files. */
export function jsonText(set: ResultSet, files: readonly FileMatch[]): string {
  const { end } = set;
  const answer: Partial<SearchResult> = {
    ...(end === undefined ? {} : { stats: end.stats }),
    files: [...files],
    repositoryInfo: [...set.repositories.values()],
    isSearchExhaustive: end?.isSearchExhaustive ?? false,
  };
  return `${JSON.stringify(answer, undefined, 2)}\n`;
}

function fileText(file: FileMatch, host: CodeHostType): string {
  const lines = linesOf(file).map(({ lineNumber, text }) => {
    const number = linked(String(lineNumber), lineUrl(file.externalWebUrl, host, lineNumber));
    const shown = visible(text).trim();
    return `    - ${number}${shown === "" ? "" : `: ${codeSpan(shown)}`}\n`;
  });
  return `  - ${linked(escaped(visible(file.fileName.text)), file.externalWebUrl)}\n${lines.join("")}`;
}

/** The code host's page of a file at one of its lines; empty where it has none. */
export function lineUrl(fileUrl: string, host: CodeHostType, lineNumber: number): string {
  if (fileUrl === "") return "";
  switch (host) {
    case "github":
    case "gitlab":
    case "gitea":
      return `${fileUrl}#L${lineNumber}`;
    case "gerrit":
    case "bitbucketServer":
      return `${fileUrl}#${lineNumber}`;
    case "bitbucketCloud":
      return `${fileUrl}#lines-${lineNumber}`;
    case "azuredevops":
      return `${fileUrl}&line=${lineNumber}&lineEnd=${lineNumber + 1}&lineStartColumn=1&lineEndColumn=1`;
    case "genericGitHost":
      return fileUrl;
  }
}

/** `text` is Markdown already. Nothing but a web address becomes a link. */
function linked(text: string, url: string): string {
  if (!/^https?:\/\//.test(url)) return text;
  return `[${text}](<${url.replace(/[<>\s\\]/g, (character) => encodeURIComponent(character))}>)`;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&:]/g, "\\$&");
}

function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const blank = /^`|`$/.test(text) ? " " : "";
  return `${fence}${blank}${text}${blank}${fence}`;
}
