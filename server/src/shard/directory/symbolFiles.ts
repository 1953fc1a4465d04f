import { join } from "node:path";
import type { Files } from "#platform/files";
import { type SymbolSummary, symbolsVersion } from "#shard/symbolFile/symbolFile";
import { removeStrayFile } from "./stray";

export interface SymbolDraft {
  readonly path: string;
  readonly summary: SymbolSummary;
}

/** A symbol file, described by its name: `<number>.of<shard>.v<version>[.part].symbols`. */
interface SymbolFile {
  readonly file: string;
  /** Of several files for one shard, the one with the highest number is current. */
  readonly number: number;
  readonly shardFile: string;
  /** Whether no documents are left to parse. */
  readonly isComplete: boolean;
}

/**
 * The symbol files of a directory, by shard. All metadata is in the file name, so that no file is read at startup, and
 * renaming a file commits it. Each file has a unique name, because searches may still be reading the previous one.
 */
export class SymbolFiles {
  readonly #folder: string;
  readonly #files: Files;
  /** By shard file. */
  readonly #known = new Map<string, SymbolFile>();

  /** `names` lists the folder. Removes the symbol files of shards not in `shardFiles`, and those of other versions. */
  constructor(folder: string, files: Files, names: readonly string[], shardFiles: ReadonlySet<string>) {
    this.#folder = folder;
    this.#files = files;
    for (const name of names) {
      if (!isSymbolFile(name)) continue;
      const found = parseName(name);
      const other = found && this.#known.get(found.shardFile);
      const isCurrent =
        found !== undefined && shardFiles.has(found.shardFile) && found.number > (other?.number ?? 0);
      if (isCurrent) this.#known.set(found.shardFile, found);
      const stray = isCurrent ? other?.file : name;
      if (stray !== undefined) removeStrayFile(files, join(folder, stray));
    }
  }

  /** Returns the name of a shard's symbol file, if it has one. */
  of(shardFile: string): string | undefined {
    return this.#known.get(shardFile)?.file;
  }

  isComplete(shardFile: string): boolean {
    return this.#known.get(shardFile)?.isComplete === true;
  }

  /** Renames a draft to its permanent name, which commits it. Throws file-system errors. */
  adopt(shardFile: string, { path, summary }: SymbolDraft, number: number): void {
    const part = summary.pendingCount === 0 ? "" : ".part";
    const file = `${number}.of${Number.parseInt(shardFile, 10)}.v${symbolsVersion}${part}.symbols`;
    this.#files.rename(path, join(this.#folder, file));
    this.#known.set(shardFile, { file, number, shardFile, isComplete: summary.pendingCount === 0 });
  }

  /** Removes a symbol file from this list without deleting it. Returns the shard that it belongs to. */
  drop(file: string): string | undefined {
    const known = [...this.#known.values()].find((each) => each.file === file);
    if (known !== undefined) this.#known.delete(known.shardFile);
    return known?.shardFile;
  }

  removeOf(shardFile: string): void {
    const known = this.#known.get(shardFile);
    if (known === undefined) return;
    this.#known.delete(shardFile);
    removeStrayFile(this.#files, join(this.#folder, known.file));
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
