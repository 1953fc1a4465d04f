/** References as rows: by how sure they are, then by file. Pure: knows no VS Code. */
import type { Certainty, SymbolFile, SymbolMatch } from "#contract/symbols";

export type ReferenceRow = GroupRow | FileRow | PlaceRow;

export interface GroupRow {
  readonly kind: "group";
  readonly certainty: Certainty;
  readonly files: FileRow[];
}

export interface FileRow {
  readonly kind: "file";
  readonly parent: GroupRow;
  readonly file: SymbolFile;
  readonly places: PlaceRow[];
}

export interface PlaceRow {
  readonly kind: "place";
  readonly parent: FileRow;
  readonly match: SymbolMatch;
}

/** The surest first. */
const order: readonly Certainty[] = ["exact", "repository", "import", "name"];

/** Grows as files are found. */
export class ReferenceRows {
  readonly #groups = new Map<Certainty, GroupRow>();
  #placeCount = 0;

  /** In order of certainty. */
  get groups(): readonly GroupRow[] {
    return order.flatMap((certainty) => this.#groups.get(certainty) ?? []);
  }

  get placeCount(): number {
    return this.#placeCount;
  }

  /** A file whose places are differently sure stands in several groups. */
  add(files: readonly SymbolFile[]): void {
    for (const file of files) {
      for (const certainty of order) {
        const matches = file.matches.filter((match) => (match.certainty ?? "name") === certainty);
        if (matches.length > 0) this.#addTo(this.#group(certainty), file, matches);
      }
    }
  }

  /** All places, in the order of the rows. */
  get places(): readonly PlaceRow[] {
    return this.groups.flatMap(({ files }) => files.flatMap(({ places }) => places));
  }

  #group(certainty: Certainty): GroupRow {
    const known = this.#groups.get(certainty);
    if (known !== undefined) return known;
    const group: GroupRow = { kind: "group", certainty, files: [] };
    this.#groups.set(certainty, group);
    return group;
  }

  #addTo(group: GroupRow, file: SymbolFile, matches: readonly SymbolMatch[]): void {
    const row: FileRow = { kind: "file", parent: group, file, places: [] };
    for (const match of matches) row.places.push({ kind: "place", parent: row, match });
    group.files.push(row);
    this.#placeCount += matches.length;
  }
}

export function placeCountOf({ files }: GroupRow): number {
  return files.reduce((sum, { places }) => sum + places.length, 0);
}

export function repositoryCountOf({ files }: GroupRow): number {
  return new Set(files.map(({ file }) => file.repositoryId)).size;
}
