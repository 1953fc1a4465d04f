import { join } from "node:path";
import { fileBytes } from "#platform/files";

/** The sizes of the files of an index, so that its total is known without reading the folder. */
export class FileSizes {
  readonly #folder: string;
  readonly #bytes = new Map<string, number>();
  #total = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get total(): number {
    return this.#total;
  }

  /** Returns 0 for an unknown file. */
  of(file: string): number {
    return this.#bytes.get(file) ?? 0;
  }

  /** Adds a file, or measures it again. A file that does not exist counts as empty. */
  measure(file: string): void {
    const bytes = fileBytes(join(this.#folder, file));
    this.#total += bytes - this.of(file);
    this.#bytes.set(file, bytes);
  }

  remove(file: string): void {
    this.#total -= this.of(file);
    this.#bytes.delete(file);
  }
}
