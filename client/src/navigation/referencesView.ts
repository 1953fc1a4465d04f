/**
 * References in the editor's own References view: a tree of ours in VS Code's built-in extension, which takes any.
 *
 * Rows open with `vscode.open`. The editor turns that one into its own command together with what it is given, so that
 * nothing is lost when the tree is drawn anew under a click.
 */
import { posix } from "node:path";
import * as vscode from "vscode";
import { shortNames } from "#client/repositories/grouping";
import { rowText, utf16Offset, visible } from "#client/search/resultLines";
import type { Certainty, SymbolFile } from "#contract/symbols";
import { fileUri, locationOf, rangeOf } from "./foundPlaces";
import {
  type FileRow,
  type PlaceRow,
  placeCountOf,
  type ReferenceRow,
  ReferenceRows,
  repositoryCountOf,
} from "./referenceRows";

/** The parts that we use of what `vscode.references-view` gives. */
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

/** Finds references of one name, whenever the view asks. */
export type FindReferences = (
  onFiles: (files: readonly SymbolFile[]) => void,
  token: vscode.CancellationToken,
) => Promise<ReferencesEnd>;

export interface ReferencesQuestion {
  readonly name: string;
  readonly location: vscode.Location;
  readonly find: FindReferences;
  /** Told once when nothing was found. */
  readonly nothing: () => void;
  readonly failed: (error: unknown) => void;
}

/** False where the editor's References view is not there. */
export async function showReferences(question: ReferencesQuestion): Promise<boolean> {
  const extension = vscode.extensions.getExtension<ReferencesViewApi>("vscode.references-view");
  const view = await extension?.activate();
  if (view?.setInput === undefined) return false;
  view.setInput(new ReferencesInput(question, question.location));
  return true;
}

class ReferencesInput {
  readonly contextValue = "trawl.references";
  readonly title: string;
  readonly location: vscode.Location;
  readonly #question: ReferencesQuestion;

  constructor(question: ReferencesQuestion, location: vscode.Location) {
    // The editor says before it that these are references.
    this.title = vscode.l10n.t("All Repositories");
    this.location = location;
    this.#question = question;
  }

  /** Resolves soon after the first are found, most often with all of them; others come while the tree is shown. */
  async resolve(): Promise<TreeModel | undefined> {
    const { find, nothing, failed, name } = this.#question;
    const tree = new ReferencesTree(name);
    let settle = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const ended = find((files) => {
      if (tree.placeCount === 0) setTimeout(settle, settleMs);
      tree.add(files);
    }, tree.token).then(
      (end) => tree.finish(end),
      (error: unknown) => {
        tree.finish(undefined);
        if (!(error instanceof vscode.CancellationError)) failed(error);
      },
    );
    await Promise.race([settled, ended]);
    if (tree.placeCount > 0) return tree;
    nothing();
    return undefined;
  }

  with(location: vscode.Location): ReferencesInput {
    return new ReferencesInput(this.#question, location);
  }
}

/** The editor selects one of the first rows: surer ones that come at once shall stand above it before. */
const settleMs = 250;

/** A redraw for each file would keep the editor busy. */
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

  get placeCount(): number {
    return this.#rows.placeCount;
  }

  get message(): string {
    const { t } = vscode.l10n;
    const count = this.#rows.placeCount.toLocaleString();
    const words = [
      this.#isSearching
        ? t("{0} references to {1} so far", count, this.#name)
        : t("{0} references to {1}", count, this.#name),
    ];
    if (this.#end?.isExhaustive === false) words.push(t("there may be more"));
    const unparsed = this.#end?.unparsedFiles ?? 0;
    if (unparsed > 0) words.push(t("{0} files matched as text", unparsed.toLocaleString()));
    return words.join(", ");
  }

  add(files: readonly SymbolFile[]): void {
    this.#rows.add(files);
    this.#redraw();
  }

  /** Without an `end` it has failed. */
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
    return row.kind === "file" ? row.places : [];
  }

  getParent(row: ReferenceRow): ReferenceRow | undefined {
    return row.kind === "group" ? undefined : row.parent;
  }

  getTreeItem(row: ReferenceRow): vscode.TreeItem {
    switch (row.kind) {
      case "group":
        return this.#groupItem(row);
      case "file":
        return this.#fileItem(row);
      case "place":
        return placeItem(row);
    }
  }

  nearest(uri: vscode.Uri, position: vscode.Position): ReferenceRow | undefined {
    const { places } = this.#rows;
    const here = places.filter(({ parent }) => fileUri(parent.file).toString() === uri.toString());
    const behind = here.find(({ match }) => rangeOf(match).end.isAfterOrEqual(position));
    return behind ?? here.at(-1) ?? places[0];
  }

  next(from: ReferenceRow): ReferenceRow {
    return this.#step(this.#open(from), 1);
  }

  previous(from: ReferenceRow): ReferenceRow {
    return this.#step(this.#open(from), -1);
  }

  location(row: ReferenceRow): vscode.Location | undefined {
    return row.kind === "place" ? locationOf(row.parent.file, row.match) : undefined;
  }

  /** Older editors do not tell which place was opened with Enter, and name the one before: the cursor is at it. */
  #open(from: ReferenceRow): ReferenceRow {
    const editor = vscode.window.activeTextEditor;
    if (from.kind !== "place" || editor === undefined) return from;
    const uri = editor.document.uri.toString();
    const isHere = ({ parent, match }: PlaceRow) =>
      fileUri(parent.file).toString() === uri && rangeOf(match).contains(editor.selection.active);
    return this.#rows.places.find(isHere) ?? from;
  }

  #step(from: ReferenceRow, by: 1 | -1): ReferenceRow {
    const { places } = this.#rows;
    const first =
      from.kind === "group" ? from.files[0]?.places[0] : from.kind === "file" ? from.places[0] : from;
    const index = places.findIndex(({ match }) => match === first?.match);
    const isInside = from.kind === "place";
    return places.at((index + (isInside || by < 0 ? by : 0)) % places.length) ?? from;
  }

  #groupItem(group: ReferenceRow & { kind: "group" }): vscode.TreeItem {
    const isOnly = this.#rows.groups.length === 1;
    const isFolded = group.certainty === "name" && !isOnly;
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(groupTitle(group.certainty), isFolded ? Collapsed : Expanded);
    item.id = group.certainty;
    const [places, repositories] = [placeCountOf(group), repositoryCountOf(group)];
    item.description =
      repositories === 1
        ? vscode.l10n.t("{0} in 1 repository", places.toLocaleString())
        : vscode.l10n.t("{0} in {1} repositories", places.toLocaleString(), repositories.toLocaleString());
    return item;
  }

  #fileItem({ parent, file, places }: ReferenceRow & { kind: "file" }): vscode.TreeItem {
    const { fileName, repository } = file;
    const item = new vscode.TreeItem(
      visible(posix.basename(fileName)),
      vscode.TreeItemCollapsibleState.Expanded,
    );
    item.id = idOf({ parent, file });
    const folder = posix.dirname(fileName);
    const about = [folder === "." ? "" : folder, this.#shortNames.get(repository) ?? repository];
    if (file.isParsed === false) about.push(vscode.l10n.t("as text"));
    item.description = visible(about.filter((part) => part !== "").join(" · "));
    item.resourceUri = fileUri(file);
    item.iconPath = vscode.ThemeIcon.File;
    item.accessibilityInformation = {
      label: vscode.l10n.t("{0}, {1}, {2} references", fileName, repository, places.length.toLocaleString()),
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

function placeItem({ parent, match }: PlaceRow): vscode.TreeItem {
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
