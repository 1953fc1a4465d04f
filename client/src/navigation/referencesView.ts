/**
 * Shows references in VS Code's References view, whose built-in extension accepts trees of other extensions.
 *
 * Rows open with `vscode.open`, whose arguments VS Code keeps even if the tree is refreshed during a click.
 */
import { posix } from "node:path";
import * as vscode from "vscode";
import { shortNames } from "#client/model/grouping";
import { rowText } from "#client/results/resultLines";
import { utf16Offset } from "#client/text/columns";
import { visible } from "#client/text/visible";
import { withLabels } from "#client/workbench/rows";
import type { Certainty, SymbolFile } from "#contract/symbols";
import {
  type FileRow,
  type LocationRow,
  type ReferenceRow,
  ReferenceRows,
  referenceCountOf,
  repositoryCountOf,
} from "./referenceRows";
import { fileUri, locationOf, rangeOf } from "./symbolLocations";

/** The part of the API of `vscode.references-view` that we use. */
interface ReferencesViewApi {
  setInput(input: ReferencesInput): void;
}

interface TreeModel {
  readonly provider: vscode.TreeDataProvider<ReferenceRow>;
  readonly message: string | undefined;
  readonly navigation: {
    nearest(uri: vscode.Uri, position: vscode.Position): ReferenceRow | undefined;
    next(from: ReferenceRow): ReferenceRow;
    previous(from: ReferenceRow): ReferenceRow;
    location(item: ReferenceRow): vscode.Location | undefined;
  };
  dispose(): void;
}

export interface ReferencesEnd {
  readonly isExhaustive: boolean;
  readonly unparsedFiles: number;
}

/** Finds the references of a name. */
export type FindReferences = (
  onFiles: (files: readonly SymbolFile[]) => void,
  token: vscode.CancellationToken,
) => Promise<ReferencesEnd>;

export interface ReferencesRequest {
  readonly name: string;
  readonly location: vscode.Location;
  readonly find: FindReferences;
  /** Called if nothing was found. */
  readonly onNothingFound: () => void;
  readonly onError: (error: unknown) => void;
}

/** Shows the view; returns false if the editor's References view is not available. */
export async function showReferences(request: ReferencesRequest): Promise<boolean> {
  const extension = vscode.extensions.getExtension<ReferencesViewApi>("vscode.references-view");
  const view = await extension?.activate();
  if (view?.setInput === undefined) return false;
  view.setInput(new ReferencesInput(request, request.location));
  return true;
}

class ReferencesInput {
  readonly contextValue = "trawl.references";
  readonly title: string;
  readonly location: vscode.Location;
  readonly #request: ReferencesRequest;

  constructor(request: ReferencesRequest, location: vscode.Location) {
    // The editor shows "References" before the title.
    this.title = vscode.l10n.t("All Repositories");
    this.location = location;
    this.#request = request;
  }

  /** Resolves soon after the first references, usually with all of them; others arrive while the tree is shown. */
  async resolve(): Promise<TreeModel | undefined> {
    const { find, onNothingFound, onError, name } = this.#request;
    const tree = new ReferencesTree(name);
    let settle = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const ended = find((files) => {
      if (tree.referenceCount === 0) setTimeout(settle, settleMs);
      tree.add(files);
    }, tree.token).then(
      (end) => tree.finish(end),
      (error: unknown) => {
        tree.finish(undefined);
        if (!(error instanceof vscode.CancellationError)) onError(error);
      },
    );
    await Promise.race([settled, ended]);
    if (tree.referenceCount > 0) return tree;
    onNothingFound();
    return undefined;
  }

  with(location: vscode.Location): ReferencesInput {
    return new ReferencesInput(this.#request, location);
  }
}

/** VS Code selects one of the first rows. Waiting lets more certain references arrive before it does. */
const settleMs = 250;

/** Minimum interval between refreshes: one for each file would keep the editor busy. */
const redrawMs = 100;

class ReferencesTree implements vscode.TreeDataProvider<ReferenceRow>, TreeModel {
  readonly provider = this;
  readonly navigation = this;
  readonly #name: string;
  readonly #rows = new ReferenceRows();
  readonly #source = new vscode.CancellationTokenSource();
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #end: ReferencesEnd | undefined;
  #isSearching = true;
  #timer: NodeJS.Timeout | undefined;
  #shortNames: ReadonlyMap<string, string> = new Map();

  constructor(name: string) {
    this.#name = name;
  }

  get token(): vscode.CancellationToken {
    return this.#source.token;
  }

  get referenceCount(): number {
    return this.#rows.referenceCount;
  }

  get message(): string {
    const { t } = vscode.l10n;
    const count = this.#rows.referenceCount.toLocaleString();
    const parts = [
      this.#isSearching
        ? t("{0} references to {1} so far", count, this.#name)
        : this.#rows.referenceCount === 1
          ? t("1 reference to {0}", this.#name)
          : t("{0} references to {1}", count, this.#name),
    ];
    if (this.#end?.isExhaustive === false) parts.push(t("there may be more"));
    const unparsed = this.#end?.unparsedFiles ?? 0;
    if (unparsed > 0) parts.push(t("{0} files matched as text", unparsed.toLocaleString()));
    return parts.join(", ");
  }

  add(files: readonly SymbolFile[]): void {
    this.#rows.add(files);
    this.#redraw();
  }

  /** `end` is undefined if the search failed. */
  finish(end: ReferencesEnd | undefined): void {
    this.#end = end ?? { isExhaustive: false, unparsedFiles: 0 };
    this.#isSearching = false;
    this.#nameRepositories();
    this.#redraw();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#source.cancel();
    this.#changed.dispose();
  }

  getChildren(row?: ReferenceRow): ReferenceRow[] {
    if (row === undefined) return [...this.#rows.groups];
    if (row.kind === "group") return row.files;
    return row.kind === "file" ? row.references : [];
  }

  getParent(row: ReferenceRow): ReferenceRow | undefined {
    return row.kind === "group" ? undefined : row.parent;
  }

  getTreeItem(row: ReferenceRow): vscode.TreeItem {
    return withLabels(this.#itemOf(row));
  }

  #itemOf(row: ReferenceRow): vscode.TreeItem {
    switch (row.kind) {
      case "group":
        return this.#groupItem(row);
      case "file":
        return this.#fileItem(row);
      case "reference":
        return locationItem(row);
    }
  }

  nearest(uri: vscode.Uri, position: vscode.Position): ReferenceRow | undefined {
    const { references } = this.#rows;
    const inDocument = references.filter(({ parent }) => fileUri(parent.file).toString() === uri.toString());
    const following = inDocument.find(({ match }) => rangeOf(match).end.isAfterOrEqual(position));
    return following ?? inDocument.at(-1) ?? references[0];
  }

  next(from: ReferenceRow): ReferenceRow {
    return this.#step(this.#openedRow(from), 1);
  }

  previous(from: ReferenceRow): ReferenceRow {
    return this.#step(this.#openedRow(from), -1);
  }

  location(row: ReferenceRow): vscode.Location | undefined {
    return row.kind === "reference" ? locationOf(row.parent.file, row.match) : undefined;
  }

  /** Returns the row at the cursor: older editors pass the previous row if one was opened with Enter. */
  #openedRow(from: ReferenceRow): ReferenceRow {
    const editor = vscode.window.activeTextEditor;
    if (from.kind !== "reference" || editor === undefined) return from;
    const uri = editor.document.uri.toString();
    const isAtCursor = ({ parent, match }: LocationRow) =>
      fileUri(parent.file).toString() === uri && rangeOf(match).contains(editor.selection.active);
    return this.#rows.references.find(isAtCursor) ?? from;
  }

  #step(from: ReferenceRow, step: 1 | -1): ReferenceRow {
    const { references } = this.#rows;
    const first =
      from.kind === "group" ? from.files[0]?.references[0] : from.kind === "file" ? from.references[0] : from;
    const index = references.findIndex(({ match }) => match === first?.match);
    const isInside = from.kind === "reference";
    return references.at((index + (isInside || step < 0 ? step : 0)) % references.length) ?? from;
  }

  #groupItem(group: ReferenceRow & { kind: "group" }): vscode.TreeItem {
    const isOnly = this.#rows.groups.length === 1;
    const isCollapsed = group.certainty === "name" && !isOnly;
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(groupTitle(group.certainty), isCollapsed ? Collapsed : Expanded);
    item.id = group.certainty;
    const [references, repositories] = [referenceCountOf(group), repositoryCountOf(group)];
    item.description =
      repositories === 1
        ? vscode.l10n.t("{0} in 1 repository", references.toLocaleString())
        : vscode.l10n.t(
            "{0} in {1} repositories",
            references.toLocaleString(),
            repositories.toLocaleString(),
          );
    return item;
  }

  #fileItem({ parent, file, references }: ReferenceRow & { kind: "file" }): vscode.TreeItem {
    const { fileName, repository } = file;
    const item = new vscode.TreeItem(
      visible(posix.basename(fileName)),
      vscode.TreeItemCollapsibleState.Expanded,
    );
    item.id = idOf({ parent, file });
    const folder = posix.dirname(fileName);
    const parts = [folder === "." ? "" : folder, this.#shortNames.get(repository) ?? repository];
    if (file.isParsed === false) parts.push(vscode.l10n.t("as text"));
    item.description = visible(parts.filter((part) => part !== "").join(" · "));
    item.resourceUri = fileUri(file);
    item.iconPath = vscode.ThemeIcon.File;
    item.accessibilityInformation = {
      label: vscode.l10n.t(
        "{0}, {1}, {2} references",
        fileName,
        repository,
        references.length.toLocaleString(),
      ),
    };
    return item;
  }

  #redraw(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#nameRepositories();
      this.#changed.fire(undefined);
    }, redrawMs);
  }

  #nameRepositories(): void {
    const files = this.#rows.groups.flatMap((group) => group.files);
    this.#shortNames = shortNames([...new Set(files.map(({ file }) => file.repository))]);
  }
}

function groupTitle(certainty: Certainty): string {
  switch (certainty) {
    case "exact":
      return vscode.l10n.t("Exact");
    case "repository":
      return vscode.l10n.t("Same Repository");
    case "import":
      return vscode.l10n.t("Matched by Import or Package");
    case "name":
      return vscode.l10n.t("Same Name Only");
  }
}

function idOf({ parent, file }: Pick<FileRow, "parent" | "file">): string {
  return `${parent.certainty} ${file.repositoryId} ${file.origin} ${file.blobSha} ${file.fileName}`;
}

function locationItem({ parent, match }: LocationRow): vscode.TreeItem {
  const { lineContent, range } = match;
  const from = utf16Offset(lineContent, range.start.column);
  const to = utf16Offset(lineContent, range.end.column);
  const { text, marks } = rowText({ text: lineContent, matches: [[from, to]] });
  const item = new vscode.TreeItem({ label: text, highlights: marks });
  item.id = `${idOf(parent)} ${range.start.byteOffset}`;
  item.description = String(range.start.lineNumber);
  item.command = {
    command: "vscode.open",
    title: vscode.l10n.t("Open"),
    arguments: [fileUri(parent.file), { selection: rangeOf(match), preserveFocus: true }],
  };
  item.accessibilityInformation = {
    label: vscode.l10n.t("Line {0}, {1}", range.start.lineNumber, text),
  };
  return item;
}
