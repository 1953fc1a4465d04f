import { join } from "node:path";
import type { Files } from "#platform/files";
import { removeStray } from "./stray";
import { type SymbolSummary, symbolsVersion } from "./symbols";

export interface SymbolDraft {
  readonly path: string;
  readonly summary: SymbolSummary;
}

/** A companion on disk, as its name tells: `<number>.of<shard>.v<version>[.part].symbols`. */
interface SymbolFile {
  readonly file: string;
  /** The one that came last counts. */
  readonly number: number;
  readonly shardFile: string;
  /** No document is left to be parsed. */
  readonly isComplete: boolean;
}

/**
 * Which shard has which companion. Their names tell everything, so that nothing is read at a start and a companion
 * counts by being renamed; each one has a name of its own, for searches may still read the one before.
 */
export class SymbolFiles {
  readonly #folder: string;
  readonly #files: Files;
  /** By the shard's file. */
  readonly #known = new Map<string, SymbolFile>();

  /** `names` is what the folder holds, `shardFiles` what of it counts; other companions are removed, those of other versions too. */
  constructor(folder: string, files: Files, names: readonly string[], shardFiles: ReadonlySet<string>) {
    this.#folder = folder;
    this.#files = files;
    for (const name of names) {
      if (!isSymbolFile(name)) continue;
      const found = parseName(name);
      const other = found && this.#known.get(found.shardFile);
      const counts =
        found !== undefined && shardFiles.has(found.shardFile) && found.number > (other?.number ?? 0);
      if (counts) this.#known.set(found.shardFile, found);
      const stray = counts ? other?.file : name;
      if (stray !== undefined) removeStray(files, join(folder, stray));
    }
  }

  /** The file of a shard's companion. */
  of(shardFile: string): string | undefined {
    return this.#known.get(shardFile)?.file;
  }

  isComplete(shardFile: string): boolean {
    return this.#known.get(shardFile)?.isComplete === true;
  }

  /** Throws what the disk throws. */
  adopt(shardFile: string, { path, summary }: SymbolDraft, number: number): void {
    const part = summary.pendingCount === 0 ? "" : ".part";
    const file = `${number}.of${Number.parseInt(shardFile, 10)}.v${symbolsVersion}${part}.symbols`;
    this.#files.rename(path, join(this.#folder, file));
    this.#known.set(shardFile, { file, number, shardFile, isComplete: summary.pendingCount === 0 });
  }

  /** Forgets a companion and gives whose it was; the file stays. */
  drop(file: string): string | undefined {
    const known = [...this.#known.values()].find((each) => each.file === file);
    if (known !== undefined) this.#known.delete(known.shardFile);
    return known?.shardFile;
  }

  removeOf(shardFile: string): void {
    const known = this.#known.get(shardFile);
    if (known === undefined) return;
    this.#known.delete(shardFile);
    removeStray(this.#files, join(this.#folder, known.file));
  }
}

export function isSymbolFile(name: string): boolean {
  return name.endsWith(".symbols");
}

function parseName(name: string): SymbolFile | undefined {
  const [, number, shard, version, part] = /^(\d+)\.of(\d+)\.v(\d+)(\.part)?\.symbols$/.exec(name) ?? [];
  if (number === undefined || Number(version) !== symbolsVersion) return undefined;
  return {
    file: name,
    number: Number(number),
    shardFile: `${shard}.shard`,
    isComplete: part === undefined,
  };
}
