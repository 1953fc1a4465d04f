/**
 * Detects the language of a document from its path and the beginning of its text.
 *
 * The steps, in order: an editor modeline, the file name, the interpreter in `#!`, the extension, `<?xml`, the section
 * of a manual page, patterns in the text, and finally the first language of the extension. Each step narrows the
 * candidates of the previous ones, and a single candidate ends the detection. Names are those of Linguist.
 */
import { heuristics } from "./heuristics";
import { ownValue, resolveLanguage, tables } from "./languages";

/** How much of a document is read. */
const headBytes = 16 * 1024;

const noText = new Uint8Array(0);

/** Returns Linguist's name, or `""`. `path` uses `/`; only the first 16 KiB of `text` are read. */
export function detectLanguage(path: string, text: Uint8Array = noText): string {
  const head = text.subarray(0, headBytes);
  const fromModeline = modeline(head, text.length <= headBytes);
  if (fromModeline !== undefined) return fromModeline;

  const name = path.slice(path.lastIndexOf("/") + 1);
  const byName = ownValue(tables.filenames, name) ?? [];
  if (byName.length === 1) return nameOf(byName[0]);
  const byShebang = narrowed(byName, shebang(head));
  if (byShebang.length === 1) return nameOf(byShebang[0]);
  const { extension, indexes } = extensionOf(name.toLowerCase());
  const candidates = narrowed(byShebang, indexes);
  if (candidates.length === 1 && !needsProof.has(extension)) return nameOf(candidates[0]);
  if (candidates.length === 0) return isXml(head) ? "XML" : isManualPage(name, head) ? "Roff Manpage" : "";
  return disambiguate(extension, candidates.map(nameOf), head);
}

/** Extensions that belong to a single language, but more often to files that are not source code. */
const needsProof = new Set([".sol", ".url", ".tag", ".stl", ".msg", ".app", ".cmp", ".resource", ".com"]);

function disambiguate(extension: string, candidates: readonly string[], head: Uint8Array): string {
  if (/^\.[0-9]/.test(extension) && !isManualPage(extension, head)) return "";
  const rules = ownValue(heuristics, extension);
  if (rules === undefined) return candidates[0] ?? "";
  if (typeof rules === "string") return rules;
  const text = latin1(head);
  for (const rule of rules) {
    if (typeof rule === "string") return rule;
    const [pattern, language] = rule;
    if (pattern.test(text)) return language;
  }
  return candidates[0] ?? "";
}

function nameOf(index: number | undefined): string {
  return tables.names[index ?? -1] ?? "";
}

/** Ignores a step without candidates, and one that contradicts the previous steps. */
function narrowed(before: readonly number[], found: readonly number[]): readonly number[] {
  if (before.length === 0) return found;
  const both = before.filter((index) => found.includes(index));
  return both.length === 0 ? before : both;
}

/** Returns the longest known extension: `.d.ts` before `.ts`. */
function extensionOf(name: string): { extension: string; indexes: readonly number[] } {
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    const extension = name.slice(dot);
    const indexes = ownValue(tables.extensions, extension);
    if (indexes !== undefined) return { extension, indexes };
  }
  return { extension: "", indexes: [] };
}

function shebang(head: Uint8Array): readonly number[] {
  if (head[0] !== 0x23 || head[1] !== 0x21) return [];
  const [line = ""] = latin1(head.subarray(2, 512)).split(/\r?\n/, 1);
  const words = line.trim().split(/\s+/);
  let program = baseName(words.shift() ?? "");
  if (program === "env") {
    const rest = words.filter((word) => !word.startsWith("-") && !word.includes("="));
    program = baseName(rest[0] ?? "");
  }
  // `#!/bin/sh` followed by a line with `exec python` is an old way to find an interpreter.
  if (program === "sh") program = hiddenInterpreter(head) ?? program;
  for (const name of [program, program.replace(/[0-9.]+$/, "")]) {
    const indexes = ownValue(tables.interpreters, name);
    if (indexes !== undefined) return indexes;
  }
  return [];
}

function hiddenInterpreter(head: Uint8Array): string | undefined {
  const lines = latin1(head.subarray(0, 1024)).split("\n", 5).join("\n");
  return /\bexec (?:[^\s"'$]*\/)?([\w.]+)['"\s]+["']?\$0\b/.exec(lines)?.[1];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function isXml(head: Uint8Array): boolean {
  return (
    head[0] !== undefined &&
    /^(?:\xef\xbb\xbf)?[^\n]{0,200}\n?\s{0,20}<\?xml\b|^<\?xml\b/.test(latin1(head.subarray(0, 300)))
  );
}

/** Whether this is a manual page: a name such as `ls.1` or `printf.3p`, and a line that starts with a roff macro. */
function isManualPage(name: string, head: Uint8Array): boolean {
  return (
    /\.(?:[1-9][a-z_0-9]{0,4}|0p|n|man|mdoc)(?:\.in)?$/i.test(name) &&
    /^[.'](?:\\"|(?:T[Hh]|SH|Dd|so)\b)/m.test(latin1(head.subarray(0, 4096)))
  );
}

const modelineWindow = 1024;
const modelineLines = 5;

/** Reads an Emacs or Vim modeline from the first or last five lines. */
function modeline(head: Uint8Array, isWhole: boolean): string | undefined {
  const start = latin1(head.subarray(0, modelineWindow));
  const found = mayNameMode(start) ? namedMode(start.split("\n", modelineLines).join("\n")) : undefined;
  if (found !== undefined || !isWhole) return found;
  const end = head.length <= modelineWindow ? start : latin1(head.subarray(-modelineWindow));
  if (!mayNameMode(end)) return undefined;
  return namedMode(end.trimEnd().split("\n").slice(-modelineLines).join("\n"));
}

/** Much cheaper than `namedMode`, which most documents do not need. */
function mayNameMode(text: string): boolean {
  return text.includes("-*-") || text.includes("vim:") || text.includes("vi:") || text.includes("ex:");
}

function namedMode(lines: string): string | undefined {
  const emacs =
    /-\*-[ \t]*(?:([^:;\n]{1,40}?)[ \t]*;?[ \t]*-\*-|[^\n]{0,200}?\bmode:[ \t]*([^\s;]{1,40}))/i.exec(lines);
  const vim = /\b(?:vim?|ex):[^\n]{0,200}?\b(?:ft|filetype|syntax)=([\w+#-]{1,40})/.exec(lines);
  const mode = (emacs?.[1] ?? emacs?.[2] ?? vim?.[1])?.toLowerCase();
  return mode === undefined ? undefined : (ownValue(modeNames, mode) ?? resolveLanguage(mode));
}

/** Modes whose name differs from that of their language. */
const modeNames: Readonly<Record<string, string>> = {
  help: "Vim Help File",
  "c++": "C++",
  makefile: "Makefile",
  "makefile-gmake": "Makefile",
  "shell-script": "Shell",
  "emacs-lisp": "Emacs Lisp",
  "lisp-interaction": "Emacs Lisp",
  cperl: "Perl",
  nxml: "XML",
  js2: "JavaScript",
  objc: "Objective-C",
  conf: "INI",
  dosini: "INI",
  dosbatch: "Batchfile",
};

/**
 * Decodes one character per byte, because the patterns match ASCII and this never fails. Ten times as fast as
 * `TextDecoder`.
 */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
