/** The fetched part of a file's blame. Pure: does not use VS Code. */
import type { LineRange } from "#client/text/lineOrigins";
import type { Blame, BlameCommit } from "#contract/history";

export interface BlamedLine {
  readonly commit: BlameCommit;
  /** Path of the file in that commit. */
  readonly path: string;
}

export class BlamedLines {
  readonly #lines = new Map<number, BlamedLine>();
  #isComplete = false;

  /** Whether all lines were fetched. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Returns the blame of a line (from 1); `undefined` if it was not fetched or does not exist. */
  at(line: number): BlamedLine | undefined {
    return this.#lines.get(line);
  }

  /** Adds a response. `requested` is the range of the request; absent for all lines. */
  add({ ranges, commits }: Blame, requested?: LineRange): void {
    for (const { hash, path, startLine, lineCount } of ranges) {
      const commit = commits[hash];
      if (commit === undefined) continue;
      const blamed: BlamedLine = { commit, path };
      for (let line = startLine; line < startLine + lineCount; line++) this.#lines.set(line, blamed);
    }
    if (requested === undefined) this.#isComplete = true;
  }

  /** Returns the smallest range that contains all unknown lines of a range; `undefined` if all are known. */
  missing({ first, last }: LineRange): LineRange | undefined {
    if (this.#isComplete) return undefined;
    let start = first;
    let end = last;
    while (start <= end && this.#lines.has(start)) start++;
    while (end >= start && this.#lines.has(end)) end--;
    return start > end ? undefined : { first: start, last: end };
  }
}
