/** The two streams of the command line: what they can show, and how a reader that has gone ends nothing badly. */
import type { Writable } from "node:stream";

export interface Terminal {
  /** An answer. Resolves when there is room for more. */
  print(text: string): Promise<void>;
  /** Everything else: complaints, progress, hints. */
  say(text: string): void;
  /** Whether a person looks at the answers, or at the rest. */
  readonly isScreen: boolean;
  readonly isMessageScreen: boolean;
  readonly colours: boolean;
  /** True once the reader of the answers has gone: nothing more need be made. */
  readonly closed: boolean;
}

/** `colours`: whether the person wants them where the stream is a screen. */
export function processTerminal(colours: (isScreen: boolean) => boolean): Terminal {
  let closed = false;
  // `trawl search x | head` closes the pipe early, which is no error of ours or theirs.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    closed = true;
  });
  process.stderr.on("error", () => undefined);
  return {
    print: (text) => (closed ? Promise.resolve() : write(process.stdout, text)),
    say: (text) => {
      process.stderr.write(text);
    },
    isScreen: process.stdout.isTTY === true,
    isMessageScreen: process.stderr.isTTY === true,
    colours: colours(process.stdout.isTTY === true),
    get closed() {
      return closed;
    },
  };
}

function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
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

export function painter(colours: boolean): Paint {
  return (style, text) => (colours && text !== "" ? `${styles[style]}${text}\x1b[0m` : text);
}

/**
 * `text` without anything that a terminal would obey: a file may hold sequences that retitle the window or worse.
 * Tabs stay.
 */
export function harmless(text: string): string {
  // Control characters become their pictures; overrides of the reading direction become the mark for unknown.
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (character === "\t") return character;
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}
