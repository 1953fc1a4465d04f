/**
 * One set of results as a tree: repositories, files, lines. Pure: knows no VS Code.
 *
 * Rows are made when they are asked for, and at most some two thousand of them: behind these stand rows that say how
 * much there is, and `extend` makes more. Counts are of everything.
 */
import type { FileMatch, FoundCommit } from "#contract/search";
import { type Counts, type Group, ResultGroups } from "./resultGroups";
import { lineCountOf, linesOf } from "./resultLines";
import {
  type CommitNode,
  type CopiesNode,
  type FileNode,
  fileId,
  isRepositoryItself,
  type LineNode,
  lineId,
  type MoreNode,
  parentOf,
  type RepositoryNode,
  type ResultNode,
  repositoryId,
  type SetNode,
} from "./resultNodes";
import type { SortOrder } from "./resultOrder";
import { keyOf, matchCountOf, type ResultSet } from "./resultSet";

/** Rows at first, and with each extension. */
export const rowsAtOnce = 2000;
const linesAtOnce = 100;
/** A file with more lines is closed at first. */
export const openLines = 10;

export class ResultModel {
  /** Begins the ids of all rows. */
  readonly #tree: string;
  readonly #root: SetNode | undefined;
  #set: ResultSet;
  #order: SortOrder;
  #rows = rowsAtOnce;
  #found: ResultGroups;
  /** So many files of the set are in `#found`. */
  #taken = 0;
  #groups: readonly Group[] = [];
  /** How many files of each group have rows, for the groups that have one. */
  #shown: readonly number[] = [];
  #version = 0;
  readonly #lineLimits = new Map<string, number>();
  readonly #dismissed = new Set<string>();
  /** Matches on dismissed lines, by id of the file. */
  readonly #dismissedMatches = new Map<string, number>();

  /** `root`: the pinned set's row that the others stand under. */
  constructor(set: ResultSet, order: SortOrder, root?: SetNode) {
    this.#tree = root?.id ?? "results";
    this.#root = root;
    this.#set = set;
    this.#order = order;
    this.#found = this.#newGroups();
    this.#arrange();
  }

  get set(): ResultSet {
    return this.#set;
  }

  /** Changes whenever there are other rows than before. */
  get version(): number {
    return this.#version;
  }

  get counts(): Counts {
    return this.#found.counts;
  }

  /** A later state of the same search, or another order. */
  update(set: ResultSet, order: SortOrder): void {
    const isNew = set.files !== this.#set.files || order !== this.#order;
    this.#set = set;
    this.#order = order;
    if (isNew) this.#beginAnew();
    this.#arrange();
  }

  /** The rows below `node`, or the first ones. */
  children(node?: ResultNode): readonly ResultNode[] {
    switch (node?.kind) {
      case undefined:
      case "set":
        return this.#roots();
      case "repository":
        return this.#files(node);
      case "file":
        return this.#lines(node);
      case "copies":
        return node.files.map((file) => this.#file(file, node));
      default:
        return [];
    }
  }

  /** Makes the rows that `node` stands for. */
  extend({ of, parent }: MoreNode): void {
    if (of === "lines" && parent?.kind === "file") {
      this.#allowLines(parent.id, this.#lineLimit(parent.id) + rowsAtOnce);
    } else {
      this.#rows += rowsAtOnce;
      this.#fit();
    }
  }

  /** Takes a row and all below it away, until the search runs again. */
  dismiss(node: ResultNode): void {
    switch (node.kind) {
      case "repository":
      case "file":
        this.#dismissed.add(node.id);
        break;
      case "copies":
        for (const file of node.files) this.#dismissed.add(fileId(this.#tree, file));
        break;
      case "line": {
        this.#dismissed.add(node.id);
        const before = this.#dismissedMatches.get(node.parent.id) ?? 0;
        const now = before + node.line.matches.length;
        if (now >= matchCountOf(node.parent.file)) this.#dismissed.add(node.parent.id);
        else this.#dismissedMatches.set(node.parent.id, now);
        break;
      }
      default:
        return;
    }
    this.#beginAnew();
    this.#arrange();
  }

  /** Rows around `node`, those that come to stand in its place first. */
  near(node: ResultNode): readonly ResultNode[] {
    const parent = parentOf(node);
    const rows = this.children(parent);
    const index = rows.findIndex(({ id }) => id === node.id);
    const around = [...rows.slice(index + 1), ...rows.slice(0, Math.max(0, index)).reverse()];
    return parent === undefined || parent.kind === "set" ? around : [...around, ...this.near(parent)];
  }

  /** Whether such a row is still there. */
  has(node: ResultNode): boolean {
    const parent = parentOf(node);
    return (
      this.children(parent).some(({ id }) => id === node.id) &&
      (parent === undefined || parent.kind === "set" || this.has(parent))
    );
  }

  /** All files in the order of their rows, each followed by its copies. */
  *files(): Generator<FileMatch> {
    for (const { files } of this.#groups) {
      for (const file of files) {
        yield file;
        yield* this.#found.copiesOf(file);
      }
    }
  }

  /** The row of a file and of its line `lineNumber`; made where it was not. `undefined` where it was dismissed. */
  rowOf(file: FileMatch, lineNumber?: number): ResultNode | undefined {
    const key = keyOf(file);
    for (const [place, group] of this.#groups.entries()) {
      const index = group.files.findIndex((each) => this.#isOrHas(each, key));
      const leader = group.files[index];
      if (leader === undefined) continue;
      while (index >= (this.#shown[place] ?? 0)) {
        this.#rows += rowsAtOnce;
        this.#fit();
      }
      const row = this.#file(leader, this.#repository(group));
      const copy =
        keyOf(leader) === key ? undefined : this.#found.copiesOf(leader).find((each) => keyOf(each) === key);
      const own = copy === undefined ? row : this.#file(copy, this.#copiesOf(row));
      return lineNumber === undefined ? own : this.#lineOf(own, lineNumber);
    }
    return undefined;
  }

  #isOrHas(file: FileMatch, key: string): boolean {
    return keyOf(file) === key || this.#found.copiesOf(file).some((copy) => keyOf(copy) === key);
  }

  #lineOf(file: FileNode, lineNumber: number): LineNode | undefined {
    const lines = this.#linesLeft(file);
    const index = lines.findIndex((line) => line.lineNumber === lineNumber);
    const line = lines[index];
    if (line === undefined) return undefined;
    if (index >= this.#lineLimit(file.id)) this.#allowLines(file.id, index + linesAtOnce);
    return { kind: "line", id: lineId(file.id, lineNumber), parent: file, line };
  }

  #newGroups(): ResultGroups {
    return new ResultGroups({
      order: this.#order,
      isLeftOut: (file) =>
        this.#dismissed.has(fileId(this.#tree, file)) ||
        this.#dismissed.has(repositoryId(this.#tree, file.repositoryId)),
      matchCount: (file) => this.#matchCount(file),
    });
  }

  #beginAnew(): void {
    this.#found = this.#newGroups();
    this.#taken = 0;
  }

  #arrange(): void {
    const { files } = this.#set;
    this.#found.take(files.slice(this.#taken));
    this.#taken = files.length;
    this.#groups = this.#found.sorted();
    this.#fit();
  }

  /** Decides how many groups and files have rows. */
  #fit(): void {
    const shown: number[] = [];
    let left = this.#rows;
    for (const { files } of this.#groups) {
      if (left <= 0) break;
      left--;
      let count = 0;
      for (const file of files) {
        const rows = this.#rowsOf(file);
        if (rows > left && count > 0) {
          left = 0;
          break;
        }
        left -= rows;
        count++;
      }
      shown.push(count);
    }
    this.#shown = shown;
    this.#version++;
  }

  #rowsOf(file: FileMatch): number {
    const lines = lineCountOf(file);
    return 1 + (lines > openLines ? 0 : lines) + (this.#found.copiesOf(file).length > 0 ? 1 : 0);
  }

  #matchCount(file: FileMatch): number {
    const dismissed =
      this.#dismissedMatches.size === 0 ? undefined : this.#dismissedMatches.get(fileId(this.#tree, file));
    return matchCountOf(file) - (dismissed ?? 0);
  }

  #allowLines(id: string, count: number): void {
    this.#lineLimits.set(id, count);
    this.#version++;
  }

  #lineLimit(id: string): number {
    return this.#lineLimits.get(id) ?? linesAtOnce;
  }

  #roots(): readonly ResultNode[] {
    const rows: ResultNode[] = this.#groups
      .slice(0, this.#shown.length)
      .map((group) => this.#repository(group));
    for (const commit of this.#set.commits ?? []) rows.push(this.#commit(commit));
    const rest = this.#groups.slice(this.#shown.length);
    if (rest.length > 0) {
      rows.push(
        this.#more(this.#root, "repositories", rest.length, sum(rest.map((group) => group.matchCount))),
      );
    }
    const { end, outcome } = this.#set;
    if (outcome === "done" && end?.stats.flushReason === "MATCH_LIMIT") {
      const { totalMatchCount, actualMatchCount } = end.stats;
      const left = totalMatchCount - actualMatchCount;
      rows.push(this.#more(this.#root, "answer", left, totalMatchCount));
    }
    return rows;
  }

  #commit(commit: FoundCommit): CommitNode {
    const id = `${repositoryId(this.#tree, commit.repositoryId)}/${commit.hash}`;
    return { kind: "commit", id, parent: this.#root, commit };
  }

  #repository(group: Group): RepositoryNode {
    const { id, name, files, matchCount } = group;
    const info = this.#set.repositories.get(id);
    const [first] = files;
    return {
      kind: "repository",
      id: repositoryId(this.#tree, id),
      parent: this.#root,
      repositoryId: id,
      name,
      displayName: info?.displayName ?? name,
      externalWebUrl: info?.externalWebUrl ?? "",
      fileCount: files.length,
      matchCount,
      files,
      found: first !== undefined && isRepositoryItself(first) ? first : undefined,
    };
  }

  #files(node: RepositoryNode): readonly ResultNode[] {
    const index = this.#groups.findIndex(({ id }) => id === node.repositoryId);
    const group = this.#groups[index];
    if (group === undefined || node.found !== undefined) return [];
    const shown = this.#shown[index] ?? 0;
    const rows: ResultNode[] = group.files.slice(0, shown).map((file) => this.#file(file, node));
    const rest = group.files.slice(shown);
    if (rest.length > 0) {
      const matches = sum(rest.map((file) => this.#matchCount(file)));
      rows.push(this.#more(node, "files", rest.length, matches));
    }
    return rows;
  }

  #file(file: FileMatch, parent: RepositoryNode | CopiesNode): FileNode {
    const id = fileId(this.#tree, file);
    return {
      kind: "file",
      id,
      parent,
      file,
      matchCount: this.#matchCount(file),
      lineCount: lineCountOf(file),
      copies: this.#found.copiesOf(file),
    };
  }

  #lines(node: FileNode): readonly ResultNode[] {
    const lines = this.#linesLeft(node);
    const limit = this.#lineLimit(node.id);
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

  #linesLeft(node: FileNode) {
    return linesOf(node.file).filter(({ lineNumber }) => !this.#dismissed.has(lineId(node.id, lineNumber)));
  }

  #copiesOf(node: FileNode): CopiesNode {
    return { kind: "copies", id: `${node.id}\0copies`, parent: node, files: node.copies };
  }

  #more(parent: MoreNode["parent"], of: MoreNode["of"], count: number, matchCount: number): MoreNode {
    return { kind: "more", id: `${parent?.id ?? this.#tree}\0${of}`, parent, of, count, matchCount };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
