/** Files of an answer by repository, in their order, taken in as they come. Pure: knows no VS Code. */
import type { FileMatch } from "#contract/search";
import { compareFiles, compareRepositories, type SortOrder, scoreOf } from "./resultOrder";
import { keyOf } from "./resultSet";

export interface Counts {
  readonly matches: number;
  readonly files: number;
  readonly repositories: number;
}

export interface Group {
  readonly id: number;
  readonly name: string;
  /** Those that have a row of their own. */
  readonly files: readonly FileMatch[];
  readonly matchCount: number;
  readonly bestScore: number;
}

interface GrowingGroup extends Group {
  files: FileMatch[];
  matchCount: number;
  bestScore: number;
  isSorted: boolean;
}

interface ResultGroupsOptions {
  readonly order: SortOrder;
  readonly isLeftOut: (file: FileMatch) => boolean;
  readonly matchCount: (file: FileMatch) => number;
}

export class ResultGroups {
  readonly #options: ResultGroupsOptions;
  readonly #groups = new Map<number, GrowingGroup>();
  readonly #seen = new Set<string>();
  /** By content and path: the file that has a row, and the same file elsewhere. */
  readonly #leaders = new Map<string, FileMatch>();
  readonly #copies = new Map<FileMatch, readonly FileMatch[]>();
  readonly #repositories = new Set<number>();
  #matches = 0;

  constructor(options: ResultGroupsOptions) {
    this.#options = options;
  }

  /** Of everything that was taken, copies included. */
  get counts(): Counts {
    return { matches: this.#matches, files: this.#seen.size, repositories: this.#repositories.size };
  }

  /** A hundred thousand matches come in many small parts, so that each costs what is new in it. */
  take(files: Iterable<FileMatch>): void {
    for (const file of files) this.#takeOne(file);
  }

  copiesOf(file: FileMatch): readonly FileMatch[] {
    return this.#copies.get(file) ?? [];
  }

  sorted(): readonly Group[] {
    const compare = compareFiles(this.#options.order);
    for (const group of this.#groups.values()) {
      if (!group.isSorted) group.files.sort(compare);
      group.isSorted = true;
    }
    return [...this.#groups.values()]
      .filter(({ files }) => files.length > 0)
      .sort(compareRepositories(this.#options.order));
  }

  #takeOne(file: FileMatch): void {
    const key = keyOf(file);
    if (this.#seen.has(key) || this.#options.isLeftOut(file)) return;
    this.#seen.add(key);
    this.#repositories.add(file.repositoryId);
    this.#matches += this.#options.matchCount(file);
    const content = file.blobSha === "" ? key : `${file.blobSha}\0${file.fileName.text}`;
    const leader = this.#leaders.get(content);
    if (leader === undefined || leader.repositoryId === file.repositoryId) {
      if (leader === undefined) this.#leaders.set(content, file);
      this.#add(file);
    } else if (scoreOf(file) > scoreOf(leader)) {
      this.#leaders.set(content, file);
      this.#copies.set(file, [leader, ...this.copiesOf(leader)]);
      this.#copies.delete(leader);
      this.#remove(leader);
      this.#add(file);
    } else {
      this.#copies.set(leader, [...this.copiesOf(leader), file]);
    }
  }

  #add(file: FileMatch): void {
    const { repositoryId: id, repository: name } = file;
    const fresh = { id, name, files: [], matchCount: 0, bestScore: 0, isSorted: false };
    const group: GrowingGroup = this.#groups.get(id) ?? fresh;
    if (group === fresh) this.#groups.set(id, fresh);
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
    group.bestScore = group.files.reduce((best, each) => Math.max(best, scoreOf(each)), 0);
  }
}
