/** Parses a patch as git prints it, file by file and hunk by hunk. Only the first byte of a line is interpreted. */
import { ServiceError } from "#base/error";
import { maxGitOutputBytes, responseTooLarge } from "#git/gitRequest";
import { TimeSlice } from "#platform/timeSlice";

/** `start` is 1-based, and 0 for an empty range. */
export interface LineRange {
  readonly start: number;
  readonly lines: number;
}

export interface Hunk {
  readonly oldRange: LineRange;
  readonly newRange: LineRange;
  /** Lines with their markers, joined by newlines. */
  readonly body: string;
  /** The section heading that git prints after the range, or empty. */
  readonly heading: string;
}

const fileHead = "diff --git ";
const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.*))?$/s;
const newline = "\n".charCodeAt(0);
const space = " ".charCodeAt(0);
const plus = "+".charCodeAt(0);
const minus = "-".charCodeAt(0);
const backslash = "\\".charCodeAt(0);

/** How much text is decoded at once, apart from long lines. */
const decodedBytes = 512 * 1024;
/** Estimated size of a hunk in a response besides its text. Many small hunks can exceed the size of the patch. */
const hunkBytes = 100;
/** How many lines are read between checks of the time slice. */
const linesAtOnce = 4096;

/** Yields to the event loop regularly, because a patch may be as large as the output limit. */
export class PatchReader {
  readonly #bytes: Buffer;
  readonly #slice = new TimeSlice();
  #offset: number;
  /** Remaining size of the response. */
  #bytesLeft = maxGitOutputBytes;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#offset = start;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /**
   * Reads the next file; returns its hunks only if `isWanted`.
   *
   * Throws UNEXPECTED_ERROR if there is none, and ANSWER_TOO_LARGE if the hunks exceed the size limit of a response.
   */
  async readFile(isWanted: boolean): Promise<{ hunks: readonly Hunk[]; isBinary: boolean }> {
    if (!this.#startsWith(fileHead))
      throw malformedOutput("the patch has fewer files than the list of changes");
    this.#skipLine();
    const hunks: Hunk[] = [];
    let isBinary = false;
    while (!this.isAtEnd && !this.#startsWith(fileHead)) {
      if (this.#slice.isExpired) await this.#slice.yieldToEventLoop();
      if (this.#startsWith("@@ ")) {
        const hunk = await this.#readHunk(isWanted);
        if (hunk !== undefined) hunks.push(hunk);
      } else {
        isBinary ||= this.#startsWith("Binary files ");
        this.#skipLine();
      }
    }
    return { hunks, isBinary };
  }

  async #readHunk(isWanted: boolean): Promise<Hunk | undefined> {
    const headStart = this.#offset;
    this.#skipLine();
    const head = hunkHead.exec(this.#bytes.toString("utf8", headStart, this.#lineEnd()));
    if (!head) throw malformedOutput("malformed hunk header");
    const [, oldStart, oldLines = "1", newStart, newLines = "1", heading = ""] = head;
    const start = this.#offset;
    let oldLeft = Number(oldLines);
    let newLeft = Number(newLines);
    let linesLeft = linesAtOnce;
    while (oldLeft > 0 || newLeft > 0 || this.#bytes[this.#offset] === backslash) {
      const marker = this.#bytes[this.#offset];
      if (marker === space || marker === minus) oldLeft--;
      if (marker === space || marker === plus) newLeft--;
      if (marker === undefined || oldLeft < 0 || newLeft < 0 || !isMarker(marker)) {
        throw malformedOutput("a hunk does not match its line counts");
      }
      this.#skipLine();
      if (--linesLeft > 0) continue;
      linesLeft = linesAtOnce;
      if (this.#slice.isExpired) await this.#slice.yieldToEventLoop();
    }
    if (!isWanted) return undefined;
    this.#bytesLeft -= this.#offset - headStart + hunkBytes;
    if (this.#bytesLeft < 0) throw responseTooLarge();
    return {
      oldRange: { start: Number(oldStart), lines: Number(oldLines) },
      newRange: { start: Number(newStart), lines: Number(newLines) },
      body: await this.#decode(start, this.#lineEnd()),
      heading: heading.trim(),
    };
  }

  async #decode(start: number, end: number): Promise<string> {
    let text = "";
    for (let at = start; at < end; ) {
      // Splits at line ends, so that no character is split.
      const lineEnd = this.#bytes.indexOf(newline, Math.min(at + decodedBytes, end));
      const next = lineEnd < 0 ? end : Math.min(lineEnd + 1, end);
      text += this.#bytes.toString("utf8", at, next);
      at = next;
      if (this.#slice.isExpired) await this.#slice.yieldToEventLoop();
    }
    return text;
  }

  /** Returns the end of the last line that was skipped, without its newline. */
  #lineEnd(): number {
    return this.#bytes[this.#offset - 1] === newline ? this.#offset - 1 : this.#offset;
  }

  #skipLine(): void {
    const end = this.#bytes.indexOf(newline, this.#offset);
    this.#offset = end < 0 ? this.#bytes.length : end + 1;
  }

  #startsWith(text: string): boolean {
    return this.#bytes.toString("latin1", this.#offset, this.#offset + text.length) === text;
  }
}

function isMarker(byte: number): boolean {
  return byte === space || byte === plus || byte === minus || byte === backslash;
}

/** Returns the error for malformed output of git. */
export function malformedOutput(what: string): ServiceError {
  return new ServiceError("UNEXPECTED_ERROR", `Cannot parse the output of git: ${what}.`);
}
