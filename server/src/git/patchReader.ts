/** A patch as git prints it: file by file, hunk by hunk, each line told by its first byte alone. */
import { ServiceError } from "#base/error";
import { Pace } from "#platform/pace";
import { answerTooLarge, maxGitAnswerBytes } from "./question";

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

/** Text that is decoded at once, but for long lines. */
const decodedBytes = 512 * 1024;
/** Of a hunk in an answer, besides its text: many small ones are more than the patch. */
const hunkBytes = 100;
/** Lines that are read without asking whether a rest is due. */
const linesAtOnce = 4096;

/** Rests now and then: a patch may be as long as an answer of git. */
export class PatchReader {
  readonly #bytes: Buffer;
  readonly #pace = new Pace();
  #at: number;
  /** Of the answer. */
  #bytesLeft = maxGitAnswerBytes;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /**
   * The next file, its hunks only if `isWanted`.
   *
   * Throws UNEXPECTED_ERROR where none follows, and ANSWER_TOO_LARGE for hunks that would be more than an answer may be.
   */
  async file(isWanted: boolean): Promise<{ hunks: readonly Hunk[]; isBinary: boolean }> {
    if (!this.#startsWith(fileHead)) throw damaged("a patch has fewer files than its list");
    this.#skipLine();
    const hunks: Hunk[] = [];
    let isBinary = false;
    while (!this.isAtEnd && !this.#startsWith(fileHead)) {
      if (this.#pace.isOver) await this.#pace.rest();
      if (this.#startsWith("@@ ")) {
        const hunk = await this.#hunk(isWanted);
        if (hunk !== undefined) hunks.push(hunk);
      } else {
        isBinary ||= this.#startsWith("Binary files ");
        this.#skipLine();
      }
    }
    return { hunks, isBinary };
  }

  async #hunk(isWanted: boolean): Promise<Hunk | undefined> {
    const headStart = this.#at;
    this.#skipLine();
    const head = hunkHead.exec(this.#bytes.toString("utf8", headStart, this.#lineEnd()));
    if (!head) throw damaged("the head of a hunk is none");
    const [, oldStart, oldLines = "1", newStart, newLines = "1", heading = ""] = head;
    const start = this.#at;
    let oldLeft = Number(oldLines);
    let newLeft = Number(newLines);
    let linesLeft = linesAtOnce;
    while (oldLeft > 0 || newLeft > 0 || this.#bytes[this.#at] === backslash) {
      const marker = this.#bytes[this.#at];
      if (marker === space || marker === minus) oldLeft--;
      if (marker === space || marker === plus) newLeft--;
      if (marker === undefined || oldLeft < 0 || newLeft < 0 || !isMarker(marker)) {
        throw damaged("a hunk does not have the lines that it says");
      }
      this.#skipLine();
      if (--linesLeft > 0) continue;
      linesLeft = linesAtOnce;
      if (this.#pace.isOver) await this.#pace.rest();
    }
    if (!isWanted) return undefined;
    this.#bytesLeft -= this.#at - headStart + hunkBytes;
    if (this.#bytesLeft < 0) throw answerTooLarge();
    return {
      oldRange: { start: Number(oldStart), lines: Number(oldLines) },
      newRange: { start: Number(newStart), lines: Number(newLines) },
      body: await this.#text(start, this.#lineEnd()),
      heading: heading.trim(),
    };
  }

  async #text(start: number, end: number): Promise<string> {
    let text = "";
    for (let at = start; at < end; ) {
      // No character is cut where a line ends.
      const lineEnd = this.#bytes.indexOf(newline, Math.min(at + decodedBytes, end));
      const next = lineEnd < 0 ? end : Math.min(lineEnd + 1, end);
      text += this.#bytes.toString("utf8", at, next);
      at = next;
      if (this.#pace.isOver) await this.#pace.rest();
    }
    return text;
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
