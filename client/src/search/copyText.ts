/** Results for the clipboard. Pure: knows no VS Code. */
import type { CodeHostType } from "#contract/repositories";
import type { FileMatch, FoundCommit, SearchResult } from "#contract/search";
import { linesOf, visible } from "./resultLines";
import type { ResultSet } from "./resultSet";

/** One for each file: "github.com/acme/orders/src/main.go". */
export function pathsText(files: readonly FileMatch[]): string {
  const paths = files.map(({ repository, fileName }) => visible(`${repository}/${fileName.text}`));
  return [...new Set(paths)].map((path) => `${path}\n`).join("");
}

/** A list of repositories, files and lines, with links to the code host where it has pages. */
export function markdownText(set: ResultSet, files: readonly FileMatch[]): string {
  return [...byRepository(files)]
    .map(([id, group]) => {
      const host = set.repositories.get(id)?.codeHostType ?? "genericGitHost";
      const title = repositoryTitle(set, id, group[0]?.repository ?? "");
      return title + group.map((file) => fileText(file, host)).join("");
    })
    .join("");
}

/** One for each commit: its full SHA. */
export function hashesText(commits: readonly FoundCommit[]): string {
  return commits.map(({ hash }) => `${hash}\n`).join("");
}

/** A list of repositories and commits, newest first, with links to the code host where it has pages. */
export function commitsMarkdown(set: ResultSet, commits: readonly FoundCommit[]): string {
  return [...byRepository(commits)]
    .map(
      ([id, group]) => repositoryTitle(set, id, group[0]?.repository ?? "") + group.map(commitText).join(""),
    )
    .join("");
}

/** As `POST /api/search` answers, with these files. */
export function jsonText(set: ResultSet, files: readonly FileMatch[]): string {
  const { end, commits = [] } = set;
  const answer: Partial<SearchResult> = {
    ...(end === undefined ? {} : { stats: end.stats }),
    files: [...files],
    ...(commits.length === 0 ? {} : { commits: [...commits] }),
    repositoryInfo: [...set.repositories.values()],
    isSearchExhaustive: end?.isSearchExhaustive ?? false,
  };
  return `${JSON.stringify(answer, undefined, 2)}\n`;
}

/** In the order in which their repositories come first. */
function byRepository<Found extends { readonly repositoryId: number }>(
  found: readonly Found[],
): ReadonlyMap<number, readonly Found[]> {
  const groups = new Map<number, Found[]>();
  for (const each of found) {
    const group = groups.get(each.repositoryId);
    if (group === undefined) groups.set(each.repositoryId, [each]);
    else group.push(each);
  }
  return groups;
}

function repositoryTitle({ repositories }: ResultSet, id: number, fullName: string): string {
  const info = repositories.get(id);
  return `- ${linked(escaped(visible(info?.displayName ?? fullName)), info?.externalWebUrl ?? "")}\n`;
}

function commitText({ hash, message, authorName, date, externalWebUrl }: FoundCommit): string {
  const subject = visible(message).trim();
  const parts = [subject, visible(authorName), date.slice(0, 10)].filter((part) => part !== "");
  return `  - ${linked(codeSpan(hash.slice(0, 7)), externalWebUrl)}: ${parts.map(escaped).join(" · ")}\n`;
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
