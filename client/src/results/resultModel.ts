/**
 * One set of results as a tree: repositories, folders (if results are shown as a tree), files, lines. Pure: does not use
 * VS Code.
 *
 * Rows are created on demand, at first about two thousand of them. Others are represented by "Show More" rows, for which
 * `extend` creates them. Counts cover all results.
 */

import { keyOf, matchCountOf, type ResultSet } from "#client/search/resultSet";
import type { FileMatch, FoundCommit } from "#contract/search";
import { Dismissals } from "./dismissals";
import { type Folder, isFolder } from "./resultFolders";
import { type Counts, type Group, ResultGroups, type ViewMode } from "./resultGroups";
import { hasPhrase, lineCountOf, linesOf, type ResultLine } from "./resultLines";
import {
  type CommitNode,
  type CopiesNode,
  type FileNode,
  type FolderNode,
  fileId,
  folderId,
  isRepositoryMatch,
  type LineNode,
  lineId,
  type MoreNode,
  parentOf,
  type RepositoryNode,
  type ResultNode,
  repositoryId,
  repositoryOf,
  type SetNode,
} from "./resultNodes";
import type { SortOrder } from "./resultOrder";
import { lineBatch, RowLimits, rowBatch } from "./rowLimits";

/** How the rows are arranged. */
export interface Arrangement {
  readonly order: SortOrder;
  readonly viewMode: ViewMode;
}

export class ResultModel {
  /** Prefix of the ids of all rows. */
  readonly #idPrefix: string;
  readonly #root: SetNode | undefined;
  #set: ResultSet;
  #arrangement: Arrangement;
  readonly #limits = new RowLimits();
  #collected: ResultGroups;
  /** How many files of the set are in `#collected`. */
  #collectedCount = 0;
  #groups: readonly Group[] = [];
  #version = 0;
  /** Counts that include dismissed rows; `undefined` until needed. */
  #allCounts: Counts | undefined;
  readonly #dismissals: Dismissals;

  /** `root` is the row of a pinned set, the parent of all others. */
  constructor(set: ResultSet, arrangement: Arrangement, root?: SetNode) {
    this.#idPrefix = root?.id ?? "results";
    this.#root = root;
    this.#set = set;
    this.#arrangement = arrangement;
    this.#dismissals = new Dismissals(this.#idPrefix);
    this.#collected = this.#createGroups();
    this.#collect();
  }

  get set(): ResultSet {
    return this.#set;
  }

  /** Incremented whenever the rows change. */
  get version(): number {
    return this.#version;
  }

  get counts(): Counts {
    return this.#collected.counts;
  }

  /** How many matches, files and repositories have no rows because they were dismissed. */
  get dismissed(): Counts {
    const { matches, files, repositories } = this.counts;
    if (this.#dismissals.isEmpty) return { matches: 0, files: 0, repositories: 0 };
    this.#allCounts ??= this.#countAll();
    const all = this.#allCounts;
    return {
      matches: all.matches - matches,
      files: all.files - files,
      repositories: all.repositories - repositories,
    };
  }

  /** Updates the rows to a later state of the same search, or another arrangement. */
  update(set: ResultSet, arrangement: Arrangement): void {
    const { order, viewMode } = this.#arrangement;
    const isNew =
      set.files !== this.#set.files || order !== arrangement.order || viewMode !== arrangement.viewMode;
    // A running search appends to the same array.
    if (set !== this.#set) this.#allCounts = undefined;
    this.#set = set;
    this.#arrangement = arrangement;
    if (isNew) this.#reset();
    this.#collect();
  }

  /** Returns the children of `node`, or the top-level rows. */
  children(node?: ResultNode): readonly ResultNode[] {
    switch (node?.kind) {
      case undefined:
      case "set":
        return this.#topRows();
      case "repository":
        return this.#files(node);
      case "folder":
        return this.#entries(node.folder, node, node.firstFile);
      case "file":
        return this.#lines(node);
      case "copies":
        return node.files.map((file) => this.#file(file, node));
      default:
        return [];
    }
  }

  /** Creates the rows that `node` represents. */
  extend({ of, parent }: MoreNode): void {
    if (of === "lines" && parent?.kind === "file") {
      this.#limits.setLineCount(parent.id, this.#lineLimit(parent) + rowBatch);
      this.#version++;
    } else {
      this.#limits.addRows();
      this.#allocateRows();
    }
  }

  /** Creates rows for the lines of files that at first have only some. */
  expandFiles(): void {
    this.#limits.expandFiles();
    this.#version++;
  }

  /** Removes rows and their descendants until the search runs again. */
  dismiss(nodes: readonly ResultNode[]): void {
    for (const node of nodes) this.#dismissals.add(node);
    this.#reset();
    this.#collect();
  }

  /** Returns the rows around `node`, starting with those that take its position when it is dismissed. */
  neighbors(node: ResultNode): readonly ResultNode[] {
    const parent = parentOf(node);
    const rows = this.children(parent);
    const index = rows.findIndex(({ id }) => id === node.id);
    const neighbors = [...rows.slice(index + 1), ...rows.slice(0, Math.max(0, index)).reverse()];
    return parent === undefined || parent.kind === "set"
      ? neighbors
      : [...neighbors, ...this.neighbors(parent)];
  }

  /** Whether the row still exists. */
  has(node: ResultNode): boolean {
    const parent = parentOf(node);
    return (
      this.children(parent).some(({ id }) => id === node.id) &&
      (parent === undefined || parent.kind === "set" || this.has(parent))
    );
  }

  /** Yields all files in row order, each followed by its copies. */
  *files(): Generator<FileMatch> {
    for (const { files } of this.#groups) {
      for (const file of files) {
        yield file;
        yield* this.#collected.copiesOf(file);
      }
    }
  }

  /** Returns the row of a file or of its line `lineNumber`, creating it if needed; `undefined` if it was dismissed. */
  rowOf(file: FileMatch, lineNumber?: number): ResultNode | undefined {
    const key = keyOf(file);
    for (const [position, group] of this.#groups.entries()) {
      const index = group.files.findIndex((each) => this.#isFileOrCopy(each, key));
      const representative = group.files[index];
      if (representative === undefined) continue;
      while (index >= this.#limits.fileCount(position)) {
        this.#limits.addRows();
        this.#allocateRows();
      }
      const row = this.#file(representative, this.#parentOf(representative, group));
      const copy =
        keyOf(representative) === key
          ? undefined
          : this.#collected.copiesOf(representative).find((each) => keyOf(each) === key);
      const own = copy === undefined ? row : this.#file(copy, this.#copiesOf(row));
      return lineNumber === undefined ? own : this.#lineOf(own, lineNumber);
    }
    return undefined;
  }

  /** Returns the row of the folder or repository that contains the row of a file. */
  #parentOf({ fileName }: FileMatch, group: Group): RepositoryNode | FolderNode {
    let row: RepositoryNode | FolderNode = this.#repository(group);
    for (;;) {
      const folder: ResultNode | undefined = this.children(row).find(
        (child) => child.kind === "folder" && fileName.text.startsWith(`${child.folder.path}/`),
      );
      if (folder?.kind !== "folder") return row;
      row = folder;
    }
  }

  #isFileOrCopy(file: FileMatch, key: string): boolean {
    return keyOf(file) === key || this.#collected.copiesOf(file).some((copy) => keyOf(copy) === key);
  }

  #lineOf(file: FileNode, lineNumber: number): LineNode | undefined {
    const lines = this.#visibleLines(file);
    const index = lines.findIndex((line) => line.lineNumber === lineNumber);
    const line = lines[index];
    if (line === undefined) return undefined;
    if (index >= this.#lineLimit(file)) {
      this.#limits.setLineCount(file.id, index + lineBatch);
      this.#version++;
    }
    return { kind: "line", id: lineId(file.id, lineNumber), parent: file, line };
  }

  #countAll(): Counts {
    const all = new ResultGroups({
      ...this.#arrangement,
      isExcluded: () => false,
      matchCount: matchCountOf,
    });
    all.addAll(this.#set.files);
    return all.counts;
  }

  #createGroups(): ResultGroups {
    return new ResultGroups({
      ...this.#arrangement,
      isExcluded: (file) => this.#dismissals.hasFile(file),
      matchCount: (file) => this.#dismissals.matchCount(file),
    });
  }

  #reset(): void {
    this.#collected = this.#createGroups();
    this.#collectedCount = 0;
  }

  #collect(): void {
    const { files } = this.#set;
    this.#collected.addAll(files.slice(this.#collectedCount));
    this.#collectedCount = files.length;
    this.#groups = this.#collected.sorted();
    this.#allocateRows();
  }

  #allocateRows(): void {
    this.#limits.allocate(this.#groups, (file) => this.#collected.copiesOf(file).length > 0);
    this.#version++;
  }

  #topRows(): readonly ResultNode[] {
    const rows: ResultNode[] = this.#groups
      .slice(0, this.#limits.groupCount)
      .map((group) => this.#repository(group));
    for (const commit of this.#set.commits ?? []) rows.push(this.#commit(commit));
    const rest = this.#groups.slice(this.#limits.groupCount);
    if (rest.length > 0) {
      rows.push(
        this.#more(this.#root, "repositories", rest.length, sum(rest.map((group) => group.matchCount))),
      );
    }
    const { end, outcome } = this.#set;
    if (outcome === "done" && end?.stats.flushReason === "MATCH_LIMIT") {
      const { totalMatchCount, actualMatchCount } = end.stats;
      const left = totalMatchCount - actualMatchCount;
      rows.push(this.#more(this.#root, "unfetched", left, totalMatchCount));
    }
    return rows;
  }

  #commit(commit: FoundCommit): CommitNode {
    const id = `${repositoryId(this.#idPrefix, commit.repositoryId)}/${commit.hash}`;
    return { kind: "commit", id, parent: this.#root, commit };
  }

  #repository(group: Group): RepositoryNode {
    const { id, name, files, matchCount } = group;
    const info = this.#set.repositories.get(id);
    const [first] = files;
    return {
      kind: "repository",
      id: repositoryId(this.#idPrefix, id),
      parent: this.#root,
      repositoryId: id,
      name,
      displayName: info?.displayName ?? name,
      externalWebUrl: info?.externalWebUrl ?? "",
      fileCount: files.length,
      matchCount,
      files,
      nameMatch: first !== undefined && isRepositoryMatch(first) ? first : undefined,
    };
  }

  #files(node: RepositoryNode): readonly ResultNode[] {
    const index = this.#groups.findIndex(({ id }) => id === node.repositoryId);
    const group = this.#groups[index];
    if (group === undefined || node.nameMatch !== undefined) return [];
    const shown = this.#limits.fileCount(index);
    const rows =
      group.root === undefined
        ? group.files.slice(0, shown).map((file) => this.#file(file, node))
        : this.#entries(group.root, node, 0);
    const rest = group.files.slice(shown);
    return rest.length === 0
      ? rows
      : [
          ...rows,
          this.#more(node, "files", rest.length, sum(rest.map((file) => this.#dismissals.matchCount(file)))),
        ];
  }

  /** Returns the rows in a folder, the first of which is the file `firstFile` of the repository. */
  #entries(
    { entries }: Folder,
    parent: RepositoryNode | FolderNode,
    firstFile: number,
  ): readonly ResultNode[] {
    const repository = repositoryOf(parent);
    const index = this.#groups.findIndex(({ id }) => id === repository?.repositoryId);
    const shown = this.#limits.fileCount(index);
    const rows: ResultNode[] = [];
    let position = firstFile;
    for (const entry of entries) {
      if (position >= shown) break;
      if (isFolder(entry)) rows.push(this.#folder(entry, parent, repository?.id ?? "", position));
      else rows.push(this.#file(entry, parent));
      position += isFolder(entry) ? entry.files.length : 1;
    }
    return rows;
  }

  #folder(folder: Folder, parent: FolderNode["parent"], repository: string, firstFile: number): FolderNode {
    const id = folderId(repository, folder.path);
    return { kind: "folder", id, parent, folder, firstFile };
  }

  #file(file: FileMatch, parent: FileNode["parent"]): FileNode {
    const id = fileId(this.#idPrefix, file);
    return {
      kind: "file",
      id,
      parent,
      file,
      matchCount: this.#dismissals.matchCount(file),
      lineCount: lineCountOf(file),
      phraseLineCount: this.#phraseLineCount(file),
      copies: this.#collected.copiesOf(file),
    };
  }

  #lines(node: FileNode): readonly ResultNode[] {
    const lines = this.#visibleLines(node);
    const limit = this.#lineLimit(node);
    const rows: ResultNode[] = lines.slice(0, limit).map((line) => ({
      kind: "line",
      id: lineId(node.id, line.lineNumber),
      parent: node,
      line,
    }));
    const rest = lines.slice(limit);
    if (rest.length > 0) {
      rows.push(this.#more(node, "lines", rest.length, sum(rest.map(({ matches }) => matches.length))));
    }
    return node.copies.length === 0 ? rows : [...rows, this.#copiesOf(node)];
  }

  /** A long file first shows the lines with the phrase, or else its first few. */
  #lineLimit({ id, lineCount, phraseLineCount }: FileNode): number {
    return this.#limits.lineCount(id, lineCount, phraseLineCount === 0 ? undefined : phraseLineCount);
  }

  #phraseLineCount(file: FileMatch): number {
    const { phrase } = this.#set;
    if (phrase === undefined) return 0;
    // They come first. The service also respects case and whole words, so later lines do not count.
    const lines = linesOf(file);
    const end = lines.findIndex((line) => !hasPhrase(line, phrase));
    return end < 0 ? lines.length : end;
  }

  #visibleLines({ id, file }: FileNode): readonly ResultLine[] {
    return linesOf(file).filter(({ lineNumber }) => !this.#dismissals.hasLine(id, lineNumber));
  }

  #copiesOf(node: FileNode): CopiesNode {
    return { kind: "copies", id: `${node.id}\0copies`, parent: node, files: node.copies };
  }

  #more(parent: MoreNode["parent"], of: MoreNode["of"], count: number, matchCount: number): MoreNode {
    return { kind: "more", id: `${parent?.id ?? this.#idPrefix}\0${of}`, parent, of, count, matchCount };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
