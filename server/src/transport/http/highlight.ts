/** Source text as lines of markup. */
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
import { runGuarded } from "#platform/guard";
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

/** Longer texts, and such as take longer, are shown in one colour. */
const maxHighlighted = 512 * 1024;
const maxLineLength = 5000;
const maxHighlightMs = 250;

/** Linguist's names that the library knows by another. */
const otherNames: Readonly<Record<string, string>> = {
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

/** `language` is Linguist's name. */
export function highlightedLines(text: string, language: string): readonly Html[] {
  const plain = text.replaceAll("\r\n", "\n");
  return splitMarkup(highlighted(plain, language) ?? escapeText(plain)).map((line) => new Html(line));
}

/** `undefined` where the library does not know the language, takes too long, or gives what is not to be trusted. */
function highlighted(text: string, language: string): string | undefined {
  const name = otherNames[language] ?? language.toLowerCase();
  const isLong = text.length > maxHighlighted || text.split("\n").some((line) => line.length > maxLineLength);
  if (isLong || language === "" || hljs.getLanguage(name) === undefined) return undefined;
  let marked = "";
  const isDone = runGuarded(() => {
    marked = hljs.highlight(text, { language: name, ignoreIllegals: true }).value;
  }, maxHighlightMs);
  const isMarkup = isDone && !/[<>]/.test(marked.replace(/<span class="[\w -]*">|<\/span>/g, ""));
  // It escapes the text itself; what no page may hold is left to us.
  return isMarkup ? escapeControls(marked) : undefined;
}

function escapeControls(marked: string): string {
  return marked.replace(/[^<>&"']+/g, (text) => escapeText(text));
}

/** Lines that each close what they open, and open again what the line before had open. */
function splitMarkup(marked: string): string[] {
  const lines: string[] = [];
  let open: string[] = [];
  for (const line of marked.split("\n")) {
    const start = open.join("");
    open = [...open];
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === "</span>") open.pop();
      else open.push(tag);
    }
    lines.push(start + line + "</span>".repeat(open.length));
  }
  return lines;
}
