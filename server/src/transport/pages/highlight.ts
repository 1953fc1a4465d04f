/** Highlights source code, as one piece of HTML per line. */
import hljs from "highlight.js/lib/common";
import clojure from "highlight.js/lib/languages/clojure";
import cmake from "highlight.js/lib/languages/cmake";
import dart from "highlight.js/lib/languages/dart";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import elixir from "highlight.js/lib/languages/elixir";
import groovy from "highlight.js/lib/languages/groovy";
import haskell from "highlight.js/lib/languages/haskell";
import nix from "highlight.js/lib/languages/nix";
import ocaml from "highlight.js/lib/languages/ocaml";
import powershell from "highlight.js/lib/languages/powershell";
import protobuf from "highlight.js/lib/languages/protobuf";
import scala from "highlight.js/lib/languages/scala";
import { ByteCache, objectBytes } from "#base/byteCache";
import type { FileSource } from "#contract/history";
import { runWithTimeout } from "#platform/runWithTimeout";
import { escapeText, Html } from "./html";

for (const [name, grammar] of Object.entries({
  clojure,
  cmake,
  dart,
  dockerfile,
  elixir,
  groovy,
  haskell,
  nix,
  ocaml,
  powershell,
  protobuf,
  scala,
})) {
  hljs.registerLanguage(name, grammar);
}

/** Text that is longer, in UTF-16 code units, or takes longer is shown without highlighting. */
const maxHighlighted = 512 * 1024;
const maxLineLength = 5000;
const maxHighlightMs = 250;

/** Maps Linguist's language names to those of highlight.js, where lowercasing is not enough. */
const highlightNames: Readonly<Record<string, string>> = {
  "C++": "cpp",
  "C#": "csharp",
  "F#": "fsharp",
  "Objective-C": "objectivec",
  "Objective-C++": "objectivec",
  Shell: "bash",
  "Visual Basic .NET": "vbnet",
  TSX: "typescript",
  Vue: "xml",
  Svelte: "xml",
  "Protocol Buffer": "protobuf",
  "Common Lisp": "lisp",
  "Emacs Lisp": "lisp",
  Batchfile: "dos",
  "Vim Script": "vim",
  "JSON with Comments": "json",
  TOML: "ini",
};

/** The markup of files and of lines of results, which takes much longer to compute than to send. */
const maxMarkupBytes = 32 * 1024 * 1024;
const knownMarkup = new ByteCache<string>(maxMarkupBytes);

/** Like `highlightedLines`, for a file of which several pages may be requested. */
export function highlightedBlob({ source, language, blobSha }: FileSource): readonly Html[] {
  const key = `${blobSha} ${language}`;
  const known = rememberedLines(key);
  if (known !== undefined) return known;
  const { lines, isHighlighted } = highlightText(source, language);
  // A text may take too long only because the computer is busy, so the next page tries once more.
  const retryKey = `${key} again`;
  if (isHighlighted || knownMarkup.get(retryKey) !== undefined) return remember(key, lines);
  knownMarkup.set(retryKey, "", objectBytes([retryKey]));
  return lines;
}

/**
 * Returns the lines of `text` as HTML. `language` is Linguist's name. Text that cannot be highlighted is only escaped.
 */
export function highlightedLines(text: string, language: string): readonly Html[] {
  return highlightText(text, language).lines;
}

function highlightText(text: string, language: string) {
  const source = text.replaceAll("\r\n", "\n");
  const [markup] = highlight([source], language, maxHighlightMs);
  return { lines: splitMarkup(markup ?? escapeText(source)), isHighlighted: markup !== undefined };
}

/**
 * Returns the lines of each of several pieces of a file, as `highlightedLines` does, for lines that other searches may
 * find again. The time limit is for all pieces.
 */
export function highlightedPieces(
  texts: readonly string[],
  language: string,
  maxMs: number,
): readonly (readonly Html[])[] {
  const pieces = texts.map((text) => {
    const source = text.replaceAll("\r\n", "\n");
    const key = `${language}\n${source}`;
    return { source, key, lines: rememberedLines(key) };
  });
  const unknown = pieces.filter(({ lines }) => lines === undefined).map(({ source }) => source);
  const computed = highlight(unknown, language, maxMs).values();
  return pieces.map(({ source, key, lines }) => {
    if (lines !== undefined) return lines;
    const markup = computed.next().value;
    return markup === undefined ? splitMarkup(escapeText(source)) : remember(key, splitMarkup(markup));
  });
}

function rememberedLines(key: string): readonly Html[] | undefined {
  return knownMarkup
    .get(key)
    ?.split("\n")
    .map((line) => new Html(line));
}

function remember(key: string, lines: readonly Html[]): readonly Html[] {
  const markup = lines.map(({ text }) => text).join("\n");
  knownMarkup.set(key, markup, objectBytes([key, markup]));
  return lines;
}

/**
 * Returns the markup of each text. There is none for texts that are too long, or if the library does not support the
 * language, times out, or returns unexpected markup.
 */
function highlight(
  texts: readonly string[],
  language: string,
  maxMs: number,
): readonly (string | undefined)[] {
  const name = highlightNames[language] ?? language.toLowerCase();
  if (texts.length === 0 || language === "" || hljs.getLanguage(name) === undefined) return [];
  const found: (string | undefined)[] = [];
  runWithTimeout(() => {
    for (const text of texts) {
      const options = { language: name, ignoreIllegals: true };
      found.push(isLong(text) ? undefined : hljs.highlight(text, options).value);
    }
  }, maxMs);
  return found.map((markup) => {
    const isMarkup =
      markup !== undefined && !/[<>]/.test(markup.replace(/<span class="[\w -]*">|<\/span>/g, ""));
    // The library escapes markup, but not control characters.
    return isMarkup ? escapeControls(markup) : undefined;
  });
}

function isLong(text: string): boolean {
  return text.length > maxHighlighted || text.split("\n").some((line) => line.length > maxLineLength);
}

function escapeControls(markup: string): string {
  return markup.replace(/[^<>&"']+/g, (text) => escapeText(text));
}

/** Splits markup into lines. Each line closes its open tags, and the next one reopens them. */
function splitMarkup(markup: string): readonly Html[] {
  const lines: Html[] = [];
  let open: string[] = [];
  for (const line of markup.split("\n")) {
    const start = open.join("");
    open = [...open];
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === "</span>") open.pop();
      else open.push(tag);
    }
    lines.push(new Html(start + line + "</span>".repeat(open.length)));
  }
  return lines;
}
