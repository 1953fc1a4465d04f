/** What is known of who wrote the lines of a file. Pure: knows no VS Code. */
import type { Blame, BlameCommit } from "#contract/history";

export interface BlamedLine {
  readonly commit: BlameCommit;
  /** Name of the file in that commit. */
  readonly path: string;
}

/** Lines from 1, the last one included. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
}

export class BlamedLines {
  readonly #lines = new Map<number, BlamedLine>();
  #isComplete = false;

  /** Whether there is nothing left to ask. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** `undefined` for one that is not known yet, or not there. */
  at(line: number): BlamedLine | undefined {
    return this.#lines.get(line);
  }

  /** `asked` absent: for all lines. */
  add({ ranges, commits }: Blame, asked?: Stretch): void {
    for (const { hash, path, startLine, lineCount } of ranges) {
      const commit = commits[hash];
      if (commit === undefined) continue;
      const blamed: BlamedLine = { commit, path };
      for (let line = startLine; line < startLine + lineCount; line++) this.#lines.set(line, blamed);
    }
    if (asked === undefined) this.#isComplete = true;
  }

  /** The smallest stretch within `wanted` that holds all its lines that are not known; `undefined` for none. */
  missing({ first, last }: Stretch): Stretch | undefined {
    if (this.#isComplete) return undefined;
    let start = first;
    let end = last;
    while (start <= end && this.#lines.has(start)) start++;
    while (end >= start && this.#lines.has(end)) end--;
    return start > end ? undefined : { first: start, last: end };
  }
}
