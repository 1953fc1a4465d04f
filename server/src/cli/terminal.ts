/** The two output streams of the command line. */
import type { Writable } from "node:stream";

export interface Terminal {
  /** Writes a result to standard output. Resolves when more can be written. */
  print(text: string): Promise<void>;
  /** Writes to standard error: errors, progress, hints. */
  printError(text: string): void;
  /** Whether standard output is a terminal. */
  readonly isTty: boolean;
  /** Whether standard error is a terminal. */
  readonly isErrorTty: boolean;
  readonly hasColors: boolean;
  /** Whether nothing more can be printed, because the reader disconnected or writing failed. */
  readonly isClosed: boolean;
  /** Whether writing failed, as on a full disk. A closed pipe is not a failure. */
  readonly hasFailed: boolean;
}

/**
 * Returns the terminal of this process. `wantsColors` decides whether to print colors, given whether standard output is
 * a terminal.
 */
export function createTerminal(wantsColors: (isTty: boolean) => boolean): Terminal {
  let isOutputClosed = false;
  let hasFailed = false;
  const fail = (error: NodeJS.ErrnoException) => {
    if (isOutputClosed) return;
    isOutputClosed = true;
    // `trawl search x | head` closes the pipe early, which is not an error.
    if (error.code === "EPIPE") return;
    hasFailed = true;
    process.stderr.write(`trawl: Cannot write to standard output: ${error.message}\n`);
  };
  process.stdout.on("error", fail);
  // If standard error fails, there is nowhere to report it.
  process.stderr.on("error", () => undefined);
  return {
    print: (text) => (isOutputClosed ? Promise.resolve() : write(process.stdout, text, fail)),
    printError: (text) => {
      process.stderr.write(text);
    },
    isTty: process.stdout.isTTY === true,
    isErrorTty: process.stderr.isTTY === true,
    hasColors: wantsColors(process.stdout.isTTY === true),
    get isClosed() {
      return isOutputClosed;
    },
    get hasFailed() {
      return hasFailed;
    },
  };
}

function write(stream: Writable, text: string, onFailure: (error: Error) => void): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, (error) => {
      if (error) onFailure(error);
      resolve();
    });
  });
}

const styles = {
  path: "\x1b[35m",
  line: "\x1b[32m",
  match: "\x1b[1;31m",
  dim: "\x1b[2m",
  bold: "\x1b[1m",
  good: "\x1b[32m",
  bad: "\x1b[31m",
} as const;

export type Style = keyof typeof styles;
export type Paint = (style: Style, text: string) => string;

export function createPainter(hasColors: boolean): Paint {
  return (style, text) => (hasColors && text !== "" ? `${styles[style]}${text}\x1b[0m` : text);
}
