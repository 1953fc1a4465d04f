/** Tree items for rows of results, with their accessibility labels. */
import { posix } from "node:path";
import * as vscode from "vscode";
import type { Repositories } from "#client/model/repositories";
import { matchCountOf } from "#client/search/resultSet";
import { filesText, foundText, matchesText } from "#client/search/status";
import { utf16Offset } from "#client/text/columns";
import { visible } from "#client/text/visible";
import { ago, shortAge } from "#client/workbench/format";
import { symbolIcon } from "#client/workbench/rows";
import type { FileMatch } from "#contract/search";
import { badgeUri, type ResultBadge } from "./resultBadges";
import { commitText, rowText } from "./resultLines";
import type { CurrentLocation } from "./resultLocations";
import type {
  CommitNode,
  CopiesNode,
  FileNode,
  FolderNode,
  LineNode,
  MoreNode,
  RepositoryNode,
  ResultNode,
  SetNode,
} from "./resultNodes";

const { t } = vscode.l10n;
const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export interface ItemContext {
  readonly repositories: Pick<Repositories, "items">;
  /** Shortens a repository's full name to the part that distinguishes it from the others. */
  readonly shortName: (name: string) => string;
  readonly locationOf: (file: FileMatch) => CurrentLocation | undefined;
  /** Columns of text that fit into the view, if known. */
  readonly columns: number | undefined;
}

/** Creates the tree item of a row, without its tooltip, which is resolved on demand. */
export function resultItem(node: ResultNode, context: ItemContext): vscode.TreeItem {
  const item = itemOf(node, context);
  item.id = node.id;
  return item;
}

function itemOf(node: ResultNode, context: ItemContext): vscode.TreeItem {
  switch (node.kind) {
    case "set":
      return setItem(node);
    case "repository":
      return repositoryItem(node, context);
    case "folder":
      return folderItem(node);
    case "file":
      return fileItem(node, context);
    case "line":
      return lineItem(node, context);
    case "copies":
      return copiesItem(node, context);
    case "commit":
      return commitItem(node, context);
    case "more":
      return moreItem(node);
  }
}

/** "retryWithBackoff · 14:02 · 143" */
function setItem({ set }: SetNode): vscode.TreeItem {
  const name = [set.state.query, ...set.state.narrowed].map(visible).join(" › ");
  const time = new Date(set.startedAt).toLocaleTimeString(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const count = set.files.reduce((sum, file) => sum + matchCountOf(file), set.commits?.length ?? 0);
  const item = new vscode.TreeItem(name, Collapsed);
  item.description = `${time} · ${count.toLocaleString()}`;
  item.iconPath = new vscode.ThemeIcon("pinned");
  item.contextValue = "pinned";
  item.accessibilityInformation = {
    label: t("Pinned: {0}, {1}, {2}", name, time, foundText(set.state.query, count, vscode.l10n)),
  };
  return item;
}

function repositoryItem(node: RepositoryNode, { repositories, shortName }: ItemContext): vscode.TreeItem {
  const { displayName, nameMatch, matchCount, repositoryId } = node;
  const repository = repositories.items?.get(repositoryId);
  // Matches in a repository's name are highlighted in the full name.
  const name = visible(
    nameMatch !== undefined ? node.name : displayName === node.name ? shortName(node.name) : displayName,
  );
  const item = new vscode.TreeItem(
    { label: name, highlights: nameMatch === undefined ? [] : rangesIn(node.name, nameMatch) },
    nameMatch === undefined ? Expanded : None,
  );
  const revisions = shortRevisions(node.files.slice(0, 50));
  const isStale = repository !== undefined && repository.state !== "ready";
  const state = isStale ? stateText(repository.state) : "";
  const count = nameMatch === undefined ? matchCount.toLocaleString() : "";
  const isOnServer = (nameMatch ?? node.files[0])?.server !== undefined;
  const source = isOnServer ? t("team") : "";
  item.description = [source, visible(revisions), count, state].filter((part) => part !== "").join(" · ");
  item.iconPath = isStale
    ? new vscode.ThemeIcon("repo", new vscode.ThemeColor("list.warningForeground"))
    : new vscode.ThemeIcon(isOnServer ? "cloud" : "repo");
  item.contextValue = "repository";
  item.accessibilityInformation = {
    label: [name, source, matchesText(matchCount, vscode.l10n), filesText(node.fileCount, vscode.l10n), state]
      .filter((part) => part !== "")
      .join(", "),
  };
  return item;
}

function folderItem({ folder }: FolderNode): vscode.TreeItem {
  const { path, name, matchCount, files } = folder;
  const item = new vscode.TreeItem(visible(name), Expanded);
  item.description = matchCount.toLocaleString();
  item.resourceUri = badgeUri(path, "none");
  item.iconPath = vscode.ThemeIcon.Folder;
  item.contextValue = "folder";
  item.accessibilityInformation = {
    label: [visible(name), matchesText(matchCount, vscode.l10n), filesText(files.length, vscode.l10n)].join(
      ", ",
    ),
  };
  return item;
}

function fileItem(node: FileNode, { repositories, locationOf, shortName }: ItemContext): vscode.TreeItem {
  const { file, lineCount, matchCount, copies, parent } = node;
  const path = file.fileName.text;
  const name = posix.basename(path);
  const isCopy = parent.kind === "copies";
  const isEmpty = lineCount === 0 && copies.length === 0;
  const item = new vscode.TreeItem(
    { label: visible(name), highlights: nameMarks(file) },
    isEmpty ? None : isCopy ? Collapsed : Expanded,
  );
  const folder = parent.kind === "folder" ? "." : posix.dirname(path);
  const chips = revisionChips(file, repositories.items?.get(file.repositoryId)?.defaultBranch);
  const badge = fileBadge(file, locationOf(file));
  const parts = [
    lineCount === 0 ? "" : matchCount.toLocaleString(),
    isCopy ? visible(shortName(file.repository)) : "",
    folder === "." ? "" : visible(folder),
    ...chips.map((chip) => `[${visible(chip)}]`),
    copies.length === 0 ? "" : t("× {0} identical", copies.length + 1),
  ];
  item.description = parts.filter((part) => part !== "").join(" · ");
  item.resourceUri = badgeUri(path, badge);
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = "file";
  item.accessibilityInformation = {
    label: [visible(name), matchesText(matchCount, vscode.l10n), ...parts.slice(1), badgeText(badge)]
      .filter((part) => part !== "")
      .join(", "),
  };
  if (isEmpty) item.command = previewCommand();
  return item;
}

function copiesItem({ files }: CopiesNode, { shortName }: ItemContext): vscode.TreeItem {
  const [first] = files;
  const label =
    files.length === 1 && first !== undefined
      ? t("Identical in {0}", visible(shortName(first.repository)))
      : t("{0} identical files", files.length);
  const item = new vscode.TreeItem(label, Collapsed);
  item.iconPath = new vscode.ThemeIcon("files");
  return item;
}

/** Columns that indentation and icons take from lines of files, and from top-level rows. */
const lineIndentation = 12;
const topIndentation = 8;

function lineItem(node: LineNode, { locationOf, columns }: ItemContext): vscode.TreeItem {
  const { line, parent } = node;
  const { lineNumber, matches } = line;
  const { text, marks } = rowText(line, columns && columns - lineIndentation);
  const location = locationOf(parent.file);
  const now = location?.lines.get(lineNumber);
  const isGone = location?.state === "gone" || (now === null && location?.state === "changed");
  const isMoved = !isGone && typeof now === "number" && now !== lineNumber;
  const item = new vscode.TreeItem({ label: text, highlights: marks }, None);
  item.description = isGone
    ? t("{0} · gone", lineNumber)
    : isMoved
      ? t("{0}, now {1}", lineNumber, now)
      : String(lineNumber);
  if (isGone || isMoved) {
    item.resourceUri = badgeUri("", isGone ? "gone" : "moved");
    item.iconPath = new vscode.ThemeIcon(isGone ? "circle-slash" : "arrow-swap");
  } else if (line.symbolKind !== undefined) item.iconPath = symbolIcon(line.symbolKind);
  item.contextValue = "line";
  item.command = previewCommand();
  const state = isGone
    ? badgeText("gone")
    : isMoved
      ? t("now line {0}", now)
      : badgeText(fileBadge(parent.file, location));
  item.accessibilityInformation = {
    label: [t("line {0}", lineNumber), text, matchesText(matches.length, vscode.l10n), state]
      .filter((part) => part !== "")
      .join(", "),
  };
  return item;
}

/** "Limit retries · Ada · 3 days · orders-api" */
function commitItem({ commit }: CommitNode, { shortName, columns }: ItemContext): vscode.TreeItem {
  const { message, authorName, date, repository, hash } = commit;
  const summary = {
    subject: visible(message).trim() || hash.slice(0, 7),
    author: visible(authorName),
    age: shortAge(Date.parse(date)),
    repository: visible(shortName(repository)),
  };
  const { label, description } = commitText(summary, columns && columns - topIndentation);
  const item = new vscode.TreeItem(label, None);
  item.description = description;
  item.iconPath = new vscode.ThemeIcon("git-commit");
  item.contextValue = "commit";
  item.command = { title: t("Open Commit"), command: "trawl.search.showMore" };
  item.accessibilityInformation = {
    label: [summary.subject, summary.author, ago(Date.parse(date)), summary.repository].join(", "),
  };
  return item;
}

function moreItem(node: MoreNode): vscode.TreeItem {
  const matches = node.matchCount.toLocaleString();
  const item = new vscode.TreeItem(moreText(node, matches), None);
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.command = { title: t("Show More"), command: "trawl.search.showMore" };
  return item;
}

function moreText({ of, count }: MoreNode, matches: string): string {
  switch (of) {
    case "lines":
      return count === 1 ? t("Show 1 More Line") : t("Show {0} More Lines", count.toLocaleString());
    case "files":
      return count === 1
        ? t("Show {0} More in 1 File", matches)
        : t("Show {0} More in {1} Files", matches, count.toLocaleString());
    case "repositories":
      return count === 1
        ? t("Show {0} More in 1 Repository", matches)
        : t("Show {0} More in {1} Repositories", matches, count.toLocaleString());
    case "unfetched":
      return t("Show All {0} Matches", matches);
  }
}

/**
 * Takes no arguments, because VS Code loses them when the tree is refreshed. The clicked row is the selected one.
 */
function previewCommand(): vscode.Command {
  return { title: t("Preview"), command: "trawl.search.preview" };
}

/** Returns the highlights in the last segment of a path, the only one that the label shows. */
function nameMarks(file: FileMatch): [number, number][] {
  const path = file.fileName.text;
  const base = path.length - posix.basename(path).length;
  return rangesIn(path, file)
    .map(([start, end]): [number, number] => [Math.max(0, start - base), end - base])
    .filter(([start, end]) => start < end);
}

function rangesIn(text: string, { fileName }: FileMatch): [number, number][] {
  return fileName.matchRanges.map(({ start, end }) => [
    utf16Offset(text, start.column),
    utf16Offset(text, end.column),
  ]);
}

/** Returns how a file differs from the indexed commits of its repository. */
function fileBadge({ origin, commit }: FileMatch, location: CurrentLocation | undefined): ResultBadge {
  if (location?.state === "gone") return "gone";
  if (origin === "unsaved" || (location?.isUnsaved ?? false)) return "unsaved";
  // A plain folder has no commits to differ from.
  if ((origin === "workingTree" && commit !== "") || location?.state === "changed") return "modified";
  return "none";
}

function badgeText(badge: ResultBadge): string {
  switch (badge) {
    case "none":
      return "";
    case "unsaved":
      return t("unsaved");
    case "modified":
      return t("modified");
    case "moved":
      return t("moved");
    case "gone":
      return t("gone");
  }
}

const maxChips = 2;

/** Returns the revisions of a file that is not on the default branch. */
function revisionChips({ branches }: FileMatch, defaultBranch: string | undefined): readonly string[] {
  const names = branches.map(shortRevision);
  if (names.length === 0 || defaultBranch === undefined || names.includes(defaultBranch)) return [];
  const rest = names.length - maxChips;
  return [...names.slice(0, maxChips), ...(rest > 0 ? [`+${rest}`] : [])];
}

/** "main", or "main, v1.0 +3" if there are more. */
function shortRevisions(files: readonly FileMatch[]): string {
  const names = [...new Set(files.flatMap(({ branches }) => branches.map(shortRevision)))];
  const rest = names.length - maxChips;
  return `${names.slice(0, maxChips).join(", ")}${rest > 0 ? ` +${rest}` : ""}`;
}

function shortRevision(name: string): string {
  return name.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

function stateText(state: string): string {
  switch (state) {
    case "queued":
      return t("queued for indexing");
    case "indexing":
      return t("indexing");
    case "cloning":
      return t("cloning");
    case "failed":
      return t("indexing failed");
    default:
      return t("stale");
  }
}
