/** References as rows: grouped by certainty, then by file. Pure: does not use VS Code. */
import type { Certainty, SymbolFile, SymbolMatch } from "#contract/symbols";

export type ReferenceRow = GroupRow | FileRow | LocationRow;

export interface GroupRow {
  readonly kind: "group";
  readonly certainty: Certainty;
  readonly files: FileRow[];
}

export interface FileRow {
  readonly kind: "file";
  readonly parent: GroupRow;
  readonly file: SymbolFile;
  readonly references: LocationRow[];
}

export interface LocationRow {
  readonly kind: "reference";
  readonly parent: FileRow;
  readonly match: SymbolMatch;
}

/** Most certain first. */
const certainties: readonly Certainty[] = ["exact", "repository", "import", "name"];

/** Grows as files are found. */
export class ReferenceRows {
  readonly #groups = new Map<Certainty, GroupRow>();
  #referenceCount = 0;

  /** Most certain first. */
  get groups(): readonly GroupRow[] {
    return certainties.flatMap((certainty) => this.#groups.get(certainty) ?? []);
  }

  get referenceCount(): number {
    return this.#referenceCount;
  }

  /** Adds files. A file whose references differ in certainty appears in several groups. */
  add(files: readonly SymbolFile[]): void {
    for (const file of files) {
      for (const certainty of certainties) {
        const matches = file.matches.filter((match) => (match.certainty ?? "name") === certainty);
        if (matches.length > 0) this.#addTo(this.#group(certainty), file, matches);
      }
    }
  }

  /** All references, in the order of the rows. */
  get references(): readonly LocationRow[] {
    return this.groups.flatMap(({ files }) => files.flatMap(({ references }) => references));
  }

  #group(certainty: Certainty): GroupRow {
    const existing = this.#groups.get(certainty);
    if (existing !== undefined) return existing;
    const group: GroupRow = { kind: "group", certainty, files: [] };
    this.#groups.set(certainty, group);
    return group;
  }

  #addTo(group: GroupRow, file: SymbolFile, matches: readonly SymbolMatch[]): void {
    const row: FileRow = { kind: "file", parent: group, file, references: [] };
    for (const match of matches) row.references.push({ kind: "reference", parent: row, match });
    group.files.push(row);
    this.#referenceCount += matches.length;
  }
}

export function referenceCountOf({ files }: GroupRow): number {
  return files.reduce((sum, { references }) => sum + references.length, 0);
}

export function repositoryCountOf({ files }: GroupRow): number {
  return new Set(files.map(({ file }) => file.repositoryId)).size;
}
