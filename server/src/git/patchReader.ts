/** A patch as git prints it: file by file, hunk by hunk, each line told by its first byte alone. */
import { ServiceError } from "#base/error";

/** `start` counts lines from 1, and is 0 where there are none. */
export interface LineRange {
  readonly start: number;
  readonly lines: number;
}

export interface Hunk {
  readonly oldRange: LineRange;
  readonly newRange: LineRange;
  /** Lines with their marker, joined by newlines. */
  readonly body: string;
  /** The line that git thinks it stands under, or empty. */
  readonly heading: string;
}

const fileHead = "diff --git ";
const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.*))?$/s;
const newline = "\n".charCodeAt(0);
const space = " ".charCodeAt(0);
const plus = "+".charCodeAt(0);
const minus = "-".charCodeAt(0);
const backslash = "\\".charCodeAt(0);

export class PatchReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next file, its hunks only if `isWanted`. Throws UNEXPECTED_ERROR where none follows. */
  file(isWanted: boolean): { hunks: readonly Hunk[]; isBinary: boolean } {
    if (!this.#startsWith(fileHead)) throw damaged("a patch has fewer files than its list");
    this.#skipLine();
    const hunks: Hunk[] = [];
    let isBinary = false;
    while (!this.isAtEnd && !this.#startsWith(fileHead)) {
      if (this.#startsWith("@@ ")) {
        const hunk = this.#hunk(isWanted);
        if (hunk !== undefined) hunks.push(hunk);
      } else {
        isBinary ||= this.#startsWith("Binary files ");
        this.#skipLine();
      }
    }
    return { hunks, isBinary };
  }

  #hunk(isWanted: boolean): Hunk | undefined {
    const headStart = this.#at;
    this.#skipLine();
    const head = hunkHead.exec(this.#bytes.toString("utf8", headStart, this.#lineEnd()));
    if (!head) throw damaged("the head of a hunk is none");
    const [, oldStart, oldLines = "1", newStart, newLines = "1", heading = ""] = head;
    const start = this.#at;
    let oldLeft = Number(oldLines);
    let newLeft = Number(newLines);
    while (oldLeft > 0 || newLeft > 0 || this.#bytes[this.#at] === backslash) {
      const marker = this.#bytes[this.#at];
      if (marker === space || marker === minus) oldLeft--;
      if (marker === space || marker === plus) newLeft--;
      if (marker === undefined || oldLeft < 0 || newLeft < 0 || !isMarker(marker)) {
        throw damaged("a hunk does not have the lines that it says");
      }
      this.#skipLine();
    }
    if (!isWanted) return undefined;
    return {
      oldRange: { start: Number(oldStart), lines: Number(oldLines) },
      newRange: { start: Number(newStart), lines: Number(newLines) },
      body: this.#bytes.toString("utf8", start, this.#lineEnd()),
      heading: heading.trim(),
    };
  }

  /** The end of the line that was passed last, without its newline. */
  #lineEnd(): number {
    return this.#bytes[this.#at - 1] === newline ? this.#at - 1 : this.#at;
  }

  #skipLine(): void {
    const end = this.#bytes.indexOf(newline, this.#at);
    this.#at = end < 0 ? this.#bytes.length : end + 1;
  }

  #startsWith(text: string): boolean {
    return this.#bytes.toString("latin1", this.#at, this.#at + text.length) === text;
  }
}

function isMarker(byte: number): boolean {
  return byte === space || byte === plus || byte === minus || byte === backslash;
}

/** What is thrown for an answer of git that is none. */
export function damaged(what: string): ServiceError {
  return new ServiceError("UNEXPECTED_ERROR", `Git's answer cannot be read: ${what}.`);
}
