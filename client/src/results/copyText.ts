/** Formats results for the clipboard. Pure: does not use VS Code. */

import type { ResultSet } from "#client/search/resultSet";
import { visible } from "#client/text/visible";
import type { CodeHostType } from "#contract/repositories";
import type { FileMatch, FoundCommit, SearchResult } from "#contract/search";
import { linesOf } from "./resultLines";

/** Returns one line per file: "github.com/acme/orders/src/main.go". */
export function pathsText(files: readonly FileMatch[]): string {
  const paths = files.map(({ repository, fileName }) => visible(`${repository}/${fileName.text}`));
  return [...new Set(paths)].map((path) => `${path}\n`).join("");
}

/** Returns a list of repositories, files and lines, with links to pages of the code host if there are any. */
export function markdownText(set: ResultSet, files: readonly FileMatch[]): string {
  return [...byRepository(files)]
    .map(([id, group]) => {
      const host = set.repositories.get(id)?.codeHostType ?? "genericGitHost";
      const title = repositoryTitle(set, id, group[0]?.repository ?? "");
      return title + group.map((file) => fileText(file, host)).join("");
    })
    .join("");
}

/** Returns the full SHA of each commit, one per line. */
export function hashesText(commits: readonly FoundCommit[]): string {
  return commits.map(({ hash }) => `${hash}\n`).join("");
}

/** Returns a list of repositories and commits, newest first, with links to pages of the code host if there are any. */
export function commitsMarkdown(set: ResultSet, commits: readonly FoundCommit[]): string {
  return [...byRepository(commits)]
    .map(
      ([id, group]) => repositoryTitle(set, id, group[0]?.repository ?? "") + group.map(commitText).join(""),
    )
    .join("");
}

/** Returns the response of `POST /api/search` with these files. */
export function jsonText(set: ResultSet, files: readonly FileMatch[]): string {
  const { end, commits = [] } = set;
  const response: Partial<SearchResult> = {
    ...(end === undefined ? {} : { stats: end.stats }),
    files: [...files],
    ...(commits.length === 0 ? {} : { commits: [...commits] }),
    repositoryInfo: [...set.repositories.values()],
    isSearchExhaustive: end?.isSearchExhaustive ?? false,
  };
  return `${JSON.stringify(response, undefined, 2)}\n`;
}

/** Groups by repository, in order of first occurrence. */
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

/** Returns the URL of a line on the code host's page of a file; empty if there is none. */
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

/** Links `text`, which is already Markdown. Only `http` and `https` URLs become links. */
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
  const space = /^`|`$/.test(text) ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}
