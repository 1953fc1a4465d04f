/** Excludes paths by patterns like those of an ignore file, without negation. */
import { matchesGlob } from "./glob";

/**
 * A pattern with a slash (`docs/out`) matches from the root, one without (`*.min.js`, `dist`) at any depth. A pattern
 * that matches a folder excludes everything in it.
 */
export class Exclusion {
  readonly #rooted: readonly string[];
  readonly #names: readonly string[];
  /** Caches the result for each folder. */
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

  /** Whether `path`, which is relative and uses forward slashes, or a folder that contains it matches a pattern. */
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
