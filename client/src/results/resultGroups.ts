/** Groups the files of a search by repository, sorted, while they arrive. Pure: does not use VS Code. */

import { keyOf } from "#client/search/resultSet";
import type { FileMatch } from "#contract/search";
import { type Folder, nestedInFolders } from "./resultFolders";
import { compareFiles, compareRepositories, type SortOrder, scoreOf } from "./resultOrder";

export interface Counts {
  readonly matches: number;
  readonly files: number;
  readonly repositories: number;
}

/** VS Code's words: files flat below their repository, or nested in folders. */
export type ViewMode = "list" | "tree";

export interface Group {
  readonly id: number;
  readonly name: string;
  /** Files with rows, in row order: copies of files in other repositories have none. */
  readonly files: readonly FileMatch[];
  /** The root of the files, unless they are shown as a list. */
  readonly root: Folder | undefined;
  readonly matchCount: number;
  readonly bestScore: number;
}

interface GrowingGroup extends Group {
  files: FileMatch[];
  root: Folder | undefined;
  matchCount: number;
  bestScore: number;
  isSorted: boolean;
}

interface ResultGroupsOptions {
  readonly order: SortOrder;
  readonly viewMode: ViewMode;
  readonly isExcluded: (file: FileMatch) => boolean;
  readonly matchCount: (file: FileMatch) => number;
}

export class ResultGroups {
  readonly #options: ResultGroupsOptions;
  readonly #groups = new Map<number, GrowingGroup>();
  readonly #seen = new Set<string>();
  /** By content and path: the file whose row represents its copies in other repositories, too. */
  readonly #representatives = new Map<string, FileMatch>();
  readonly #copies = new Map<FileMatch, readonly FileMatch[]>();
  readonly #repositories = new Set<number>();
  #matches = 0;

  constructor(options: ResultGroupsOptions) {
    this.#options = options;
  }

  /** Counts of all files added, copies included. */
  get counts(): Counts {
    return { matches: this.#matches, files: this.#seen.size, repositories: this.#repositories.size };
  }

  /** Adds files, incrementally: a hundred thousand matches arrive in many small batches. */
  addAll(files: Iterable<FileMatch>): void {
    for (const file of files) this.#addOne(file);
  }

  copiesOf(file: FileMatch): readonly FileMatch[] {
    return this.#copies.get(file) ?? [];
  }

  sorted(): readonly Group[] {
    const { order, viewMode, matchCount } = this.#options;
    const compare = compareFiles(order);
    for (const group of this.#groups.values()) {
      if (group.isSorted) continue;
      group.files.sort(compare);
      if (viewMode === "tree") {
        group.root = nestedInFolders(group.files, matchCount);
        group.files = [...group.root.files];
      }
      group.isSorted = true;
    }
    return [...this.#groups.values()]
      .filter(({ files }) => files.length > 0)
      .sort(compareRepositories(order));
  }

  #addOne(file: FileMatch): void {
    const key = keyOf(file);
    if (this.#seen.has(key) || this.#options.isExcluded(file)) return;
    this.#seen.add(key);
    this.#repositories.add(file.repositoryId);
    this.#matches += this.#options.matchCount(file);
    const content = file.blobSha === "" ? key : `${file.blobSha}\0${file.fileName.text}`;
    const representative = this.#representatives.get(content);
    if (representative === undefined || representative.repositoryId === file.repositoryId) {
      if (representative === undefined) this.#representatives.set(content, file);
      this.#add(file);
    } else if (scoreOf(file) > scoreOf(representative)) {
      this.#representatives.set(content, file);
      this.#copies.set(file, [representative, ...this.copiesOf(representative)]);
      this.#copies.delete(representative);
      this.#remove(representative);
      this.#add(file);
    } else {
      this.#copies.set(representative, [...this.copiesOf(representative), file]);
    }
  }

  #add(file: FileMatch): void {
    const { repositoryId: id, repository: name } = file;
    const empty = { id, name, files: [], root: undefined, matchCount: 0, bestScore: 0, isSorted: false };
    const group: GrowingGroup = this.#groups.get(id) ?? empty;
    if (group === empty) this.#groups.set(id, empty);
    group.files.push(file);
    group.matchCount += this.#options.matchCount(file);
    group.bestScore = Math.max(group.bestScore, scoreOf(file));
    group.isSorted = false;
  }

  #remove(file: FileMatch): void {
    const group = this.#groups.get(file.repositoryId);
    if (group === undefined) return;
    group.files = group.files.filter((each) => each !== file);
    group.matchCount -= this.#options.matchCount(file);
    group.isSorted = false;
    group.bestScore = group.files.reduce((best, each) => Math.max(best, scoreOf(each)), 0);
  }
}
