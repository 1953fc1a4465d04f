/** How rows of results look, and how they sound. */
import { posix } from "node:path";
import * as vscode from "vscode";
import type { Repositories } from "#client/repositories/repositories";
import { ago } from "#client/words";
import type { FileMatch } from "#contract/search";
import { badgeUri, type ResultBadge } from "./resultBadges";
import { rowText, utf16Offset, visible } from "./resultLines";
import { openLines } from "./resultModel";
import type {
  CommitNode,
  CopiesNode,
  FileNode,
  LineNode,
  MoreNode,
  RepositoryNode,
  ResultNode,
  SetNode,
} from "./resultNodes";
import type { FilePlace } from "./resultPlaces";
import { matchCountOf } from "./resultSet";

const { t } = vscode.l10n;
const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export interface ItemSources {
  readonly repositories: Pick<Repositories, "items">;
  /** Of a repository's full name: what is enough of it to tell it from the others. */
  readonly shortName: (name: string) => string;
  readonly placeOf: (file: FileMatch) => FilePlace | undefined;
}

/** Tooltips are made when they are asked for. */
export function resultItem(node: ResultNode, sources: ItemSources): vscode.TreeItem {
  const item = itemOf(node, sources);
  item.id = node.id;
  return item;
}

function itemOf(node: ResultNode, sources: ItemSources): vscode.TreeItem {
  switch (node.kind) {
    case "set":
      return setItem(node);
    case "repository":
      return repositoryItem(node, sources);
    case "file":
      return fileItem(node, sources);
    case "line":
      return lineItem(node, sources);
    case "copies":
      return copiesItem(node, sources);
    case "commit":
      return commitItem(node, sources);
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
  item.accessibilityInformation = { label: t("Pinned: {0}, {1}, {2} matches", name, time, count) };
  return item;
}

function repositoryItem(node: RepositoryNode, { repositories, shortName }: ItemSources): vscode.TreeItem {
  const { displayName, found, matchCount, repositoryId } = node;
  const fact = repositories.items?.get(repositoryId);
  // What was found of a name is shown in it.
  const name = visible(
    found !== undefined ? node.name : displayName === node.name ? shortName(node.name) : displayName,
  );
  const item = new vscode.TreeItem(
    { label: name, highlights: found === undefined ? [] : rangesIn(node.name, found) },
    found === undefined ? Expanded : None,
  );
  const revisions = shortRevisions(node.files.slice(0, 50));
  const isStale = fact !== undefined && fact.state !== "ready";
  const state = fact === undefined ? "" : isStale ? stateText(fact.state) : indexedText(fact.indexedAt);
  const count = found === undefined ? matchCount.toLocaleString() : "";
  item.description = [visible(revisions), count, state].filter((part) => part !== "").join(" · ");
  item.iconPath = isStale
    ? new vscode.ThemeIcon("repo", new vscode.ThemeColor("list.warningForeground"))
    : new vscode.ThemeIcon("repo");
  item.contextValue = "repository";
  item.accessibilityInformation = {
    label: [name, matchesText(matchCount), filesText(node.fileCount), state]
      .filter((part) => part !== "")
      .join(", "),
  };
  return item;
}

function fileItem(node: FileNode, { repositories, placeOf, shortName }: ItemSources): vscode.TreeItem {
  const { file, lineCount, matchCount, copies, parent } = node;
  const path = file.fileName.text;
  const name = posix.basename(path);
  const isCopy = parent.kind === "copies";
  const isEmpty = lineCount === 0 && copies.length === 0;
  const item = new vscode.TreeItem(
    { label: visible(name), highlights: nameMarks(file) },
    isEmpty ? None : lineCount > openLines || isCopy ? Collapsed : Expanded,
  );
  const folder = posix.dirname(path);
  const chips = revisionChips(file, repositories.items?.get(file.repositoryId)?.defaultBranch);
  const badge = fileBadge(file, placeOf(file));
  const parts = [
    lineCount === 0 ? "" : matchCount.toLocaleString(),
    isCopy ? visible(shortName(file.repository)) : "",
    folder === "." ? "" : visible(folder),
    file.language,
    ...chips.map((chip) => `[${visible(chip)}]`),
    copies.length === 0 ? "" : t("× {0} identical", copies.length + 1),
  ];
  item.description = parts.filter((part) => part !== "").join(" · ");
  item.resourceUri = badgeUri(path, badge);
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = "file";
  item.accessibilityInformation = {
    label: [visible(name), matchesText(matchCount), ...parts.slice(1), badgeText(badge)]
      .filter((part) => part !== "")
      .join(", "),
  };
  if (isEmpty) item.command = previewCommand();
  return item;
}

function copiesItem({ files }: CopiesNode, { shortName }: ItemSources): vscode.TreeItem {
  const [first] = files;
  const label =
    files.length === 1 && first !== undefined
      ? t("Identical in {0}", visible(shortName(first.repository)))
      : t("{0} identical files", files.length);
  const item = new vscode.TreeItem(label, Collapsed);
  item.iconPath = new vscode.ThemeIcon("files");
  return item;
}

function lineItem(node: LineNode, { placeOf }: ItemSources): vscode.TreeItem {
  const { line, parent } = node;
  const { lineNumber, matches } = line;
  const { text, marks } = rowText(line);
  const place = placeOf(parent.file);
  const now = place?.lines.get(lineNumber);
  const isGone = place?.state === "gone" || (now === null && place?.state === "changed");
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
  }
  item.contextValue = "line";
  item.command = previewCommand();
  const state = isGone
    ? badgeText("gone")
    : isMoved
      ? t("now line {0}", now)
      : badgeText(fileBadge(parent.file, place));
  item.accessibilityInformation = {
    label: [t("line {0}", lineNumber), text, matchesText(matches.length), state]
      .filter((part) => part !== "")
      .join(", "),
  };
  return item;
}

/** "Wait no longer · Ada · 3 d ago · orders-api" */
function commitItem({ commit }: CommitNode, { shortName }: ItemSources): vscode.TreeItem {
  const { message, authorName, date, repository, hash } = commit;
  const subject = visible(message).trim() || hash.slice(0, 7);
  const item = new vscode.TreeItem(subject, None);
  item.description = [visible(authorName), ago(Date.parse(date)), visible(shortName(repository))].join(" · ");
  item.iconPath = new vscode.ThemeIcon("git-commit");
  item.contextValue = "commit";
  item.command = { title: t("Open Commit"), command: "trawl.search.showMore" };
  item.accessibilityInformation = { label: `${subject}, ${item.description}` };
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
    case "answer":
      return t("Bring All {0} Matches", matches);
  }
}

/**
 * Without arguments, which VS Code forgets when the tree is drawn anew: the row that was clicked is the selected one.
 */
function previewCommand(): vscode.Command {
  return { title: t("Preview"), command: "trawl.search.preview" };
}

/** Of a path only what lies in its last segment can be seen. */
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

/** What a file differs by from what is indexed of its repository's commits. */
function fileBadge({ origin, commit }: FileMatch, place: FilePlace | undefined): ResultBadge {
  if (place?.state === "gone") return "gone";
  if (origin === "unsaved" || (place?.isUnsaved ?? false)) return "unsaved";
  // Of a plain folder nothing is committed, so that nothing differs.
  if ((origin === "workingTree" && commit !== "") || place?.state === "changed") return "modified";
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

const chipsAtMost = 2;

/** Revisions of a file that is not on the default one. */
function revisionChips({ branches }: FileMatch, defaultBranch: string | undefined): readonly string[] {
  const names = branches.map(shortRevision);
  if (names.length === 0 || defaultBranch === undefined || names.includes(defaultBranch)) return [];
  const rest = names.length - chipsAtMost;
  return [...names.slice(0, chipsAtMost), ...(rest > 0 ? [`+${rest}`] : [])];
}

/** "main", or "main, v1.0 +3" where there are more. */
function shortRevisions(files: readonly FileMatch[]): string {
  const names = [...new Set(files.flatMap(({ branches }) => branches.map(shortRevision)))];
  const rest = names.length - chipsAtMost;
  return `${names.slice(0, chipsAtMost).join(", ")}${rest > 0 ? ` +${rest}` : ""}`;
}

function shortRevision(name: string): string {
  return name.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

function indexedText(indexedAt: string | undefined): string {
  return indexedAt === undefined ? "" : t("indexed {0}", ago(Date.parse(indexedAt)));
}

function stateText(state: string): string {
  switch (state) {
    case "queued":
      return t("waits to be indexed");
    case "indexing":
      return t("indexing");
    case "cloning":
      return t("cloning");
    case "failed":
      return t("last index run failed");
    default:
      return t("stale");
  }
}

function matchesText(count: number): string {
  return count === 1 ? t("1 match") : t("{0} matches", count.toLocaleString());
}

function filesText(count: number): string {
  return count === 1 ? t("1 file") : t("{0} files", count.toLocaleString());
}
