/** The rows of one set of results that the user dismissed. Pure: does not use VS Code. */
import { matchCountOf } from "#client/search/resultSet";
import type { FileMatch } from "#contract/search";
import { fileId, lineId, type ResultNode, repositoryId } from "./resultNodes";

export class Dismissals {
  /** Prefix of the ids of all rows. */
  readonly #idPrefix: string;
  readonly #ids = new Set<string>();
  /** Matches on dismissed lines, by file id. */
  readonly #matches = new Map<string, number>();

  constructor(idPrefix: string) {
    this.#idPrefix = idPrefix;
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  add(node: ResultNode): void {
    switch (node.kind) {
      case "repository":
      case "file":
        this.#ids.add(node.id);
        break;
      case "folder":
        for (const file of node.folder.files) this.#ids.add(fileId(this.#idPrefix, file));
        break;
      case "copies":
        for (const file of node.files) this.#ids.add(fileId(this.#idPrefix, file));
        break;
      case "line": {
        if (this.#ids.has(node.id)) return;
        this.#ids.add(node.id);
        const before = this.#matches.get(node.parent.id) ?? 0;
        const now = before + node.line.matches.length;
        if (now >= matchCountOf(node.parent.file)) this.#ids.add(node.parent.id);
        else this.#matches.set(node.parent.id, now);
      }
    }
  }

  hasFile(file: FileMatch): boolean {
    return (
      this.#ids.has(fileId(this.#idPrefix, file)) ||
      this.#ids.has(repositoryId(this.#idPrefix, file.repositoryId))
    );
  }

  hasLine(file: string, lineNumber: number): boolean {
    return this.#ids.has(lineId(file, lineNumber));
  }

  /** Returns how many matches of a file are left. */
  matchCount(file: FileMatch): number {
    const dismissed = this.#matches.size === 0 ? undefined : this.#matches.get(fileId(this.#idPrefix, file));
    return matchCountOf(file) - (dismissed ?? 0);
  }
}
