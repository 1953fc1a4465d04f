/** Paths that somebody does not want: patterns as in an ignore file, without negation. */
import { matchesGlob } from "./glob";

/**
 * A pattern with a slash (`docs/out`) is meant from the root, one without (`*.min.js`, `dist`) at any depth; what matches
 * a folder takes all that is in it.
 */
export class Exclusion {
  readonly #rooted: readonly string[];
  readonly #names: readonly string[];
  /** Folders repeat; each is judged once. */
  readonly #folders = new Map<string, boolean>();

  constructor(patterns: readonly string[]) {
    const clean = patterns
      .map((pattern) => pattern.replace(/^\.?\/|\/$/g, ""))
      .filter((pattern) => pattern !== "");
    this.#rooted = clean.filter((pattern) => pattern.includes("/"));
    this.#names = clean.filter((pattern) => !pattern.includes("/"));
  }

  get isEmpty(): boolean {
    return this.#rooted.length + this.#names.length === 0;
  }

  /** `path` is relative, with slashes. */
  excludes(path: string): boolean {
    if (this.isEmpty) return false;
    const slash = path.lastIndexOf("/");
    if (slash > 0 && this.#excludesFolder(path.slice(0, slash))) return true;
    const name = path.slice(slash + 1);
    return (
      this.#names.some((pattern) => matchesGlob(pattern, name)) ||
      this.#rooted.some((pattern) => matchesGlob(pattern, path))
    );
  }

  #excludesFolder(folder: string): boolean {
    let known = this.#folders.get(folder);
    if (known === undefined) {
      known = this.excludes(folder);
      this.#folders.set(folder, known);
    }
    return known;
  }
}
