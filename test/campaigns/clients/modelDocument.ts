/** A JavaScript document that changes randomly but stays valid, and knows its definitions and words. */
import type { Position, TextDocumentContentChangeEvent } from "vscode-languageserver/node";
import type { Random } from "#test/support/corpus";

export const units = ["utf-16", "utf-8", "utf-32"] as const;
export type Unit = (typeof units)[number];

const words = ["needle", "🧺", "𝛴", "é", "漢字", "thread", "plain"];

export class ModelDocument {
  readonly uri: string;
  readonly #random: Random;
  readonly #lineEnd: string;
  readonly #prefix: string;
  readonly #committed: string;
  #lines: string[];
  #nextName = 0;

  /** `prefix` begins every name that this document defines. */
  constructor(uri: string, random: Random, lineEnd: string, prefix: string) {
    this.uri = uri;
    this.#random = random;
    this.#lineEnd = lineEnd;
    this.#prefix = prefix;
    this.#lines = [];
    this.#lines = this.#manyLines(20);
    this.#committed = this.text;
  }

  get fileName(): string {
    return this.uri.slice(this.uri.lastIndexOf("/") + 1);
  }

  get text(): string {
    return this.#lines.map((line) => line + this.#lineEnd).join("");
  }

  /** Definitions, in text order. */
  get names(): string[] {
    return this.#lines.flatMap((line) => definedIn(line) ?? []);
  }

  /** 1-based line number of each occurrence of a word. */
  linesWith(word: string): number[] {
    return this.#lines.flatMap((line, index) =>
      [...line.matchAll(new RegExp(`${word}(?!\\d)`, "g"))].map(() => index + 1),
    );
  }

  /** Returns where a name is defined. */
  positionOf(name: string, unit: Unit): Position {
    const line = this.#lines.findIndex((each) => definedIn(each) === name);
    return position(line, this.#lines[line] ?? "", (this.#lines[line] ?? "").indexOf(name), unit);
  }

  /** Returns a call of a function that is defined in this document. */
  randomCall(unit: Unit): { readonly name: string; readonly position: Position } | undefined {
    const names = new Set(this.names);
    const calls = this.#lines.flatMap((text, line) => {
      const name = calledIn(text);
      return name !== undefined && names.has(name) ? [{ name, line, text }] : [];
    });
    if (calls.length === 0) return undefined;
    const { name, line, text } = this.#random.pick(calls);
    return { name, position: position(line, text, text.indexOf(name), unit) };
  }

  revert(): void {
    this.#lines = this.#committed.split(this.#lineEnd).slice(0, -1);
  }

  /** Changes the text and returns the change as a client sends it. */
  change(unit: Unit): TextDocumentContentChangeEvent {
    const kind = this.#random.between(0, 9);
    if (kind === 0) {
      this.#lines = this.#manyLines(this.#random.between(0, 25));
      return { text: this.text };
    }
    if (kind === 1) {
      // Positions after the end of the document mean its end.
      const added = this.#manyLines(2);
      this.#lines.push(...added);
      const end = { line: 1_000_000, character: 3 };
      return { range: { start: end, end }, text: added.map((each) => each + this.#lineEnd).join("") };
    }
    const line = this.#random.between(0, Math.max(0, this.#lines.length - 1));
    const text = this.#lines[line];
    if (text === undefined || kind <= 4) return this.#replaceLines(line, 0, this.#random.between(1, 3));
    if (kind <= 6) return this.#replaceLines(line, this.#random.between(1, 4), this.#random.between(0, 3));
    return this.#changeWithin(line, text, unit);
  }

  #replaceLines(from: number, removed: number, added: number): TextDocumentContentChangeEvent {
    const to = Math.min(from + removed, this.#lines.length);
    const texts = this.#manyLines(added);
    this.#lines.splice(from, to - from, ...texts);
    return {
      range: { start: { line: from, character: 0 }, end: { line: to, character: 0 } },
      text: texts.map((each) => each + this.#lineEnd).join(""),
    };
  }

  /** Renames the definition of a line, or replaces its word. */
  #changeWithin(line: number, text: string, unit: Unit): TextDocumentContentChangeEvent {
    const defined = definedIn(text);
    const word = defined ?? words.find((each) => text.includes(each)) ?? "";
    const start = text.indexOf(word);
    const written = defined === undefined ? this.#random.pick(words) : this.#newName();
    if (word === "" && calledIn(text) !== undefined) return this.#replaceLines(line, 1, 1);
    if (word === "" && text === "") return this.#replaceLines(line, 1, 1);
    this.#lines[line] = text.slice(0, start) + written + text.slice(start + word.length);
    return {
      range: {
        start: position(line, text, start, unit),
        end: position(line, text, start + word.length, unit),
      },
      text: written,
    };
  }

  #manyLines(count: number): string[] {
    const lines: string[] = [];
    for (; count > 0; count--) lines.push(this.#line([...this.#lines, ...lines]));
    return lines;
  }

  #line(known: readonly string[]): string {
    const word = this.#random.pick(words);
    switch (this.#random.between(0, 3)) {
      case 0:
        return `/* ${word} */ export function ${this.#newName()}() { return "${this.#random.pick(words)}"; }`;
      case 1: {
        const names = known.flatMap((each) => definedIn(each) ?? []);
        return names.length === 0 ? "" : `/* ${word} */ ${this.#random.pick(names)}();`;
      }
      case 2:
        return `// ${word} ${this.#random.pick(words)}`;
      default:
        return "";
    }
  }

  #newName(): string {
    return `${this.#prefix}${this.#nextName++}`;
  }
}

function definedIn(line: string): string | undefined {
  return /export function (\w+)\(/.exec(line)?.[1];
}

function calledIn(line: string): string | undefined {
  return /\*\/ (\w+)\(\);$/.exec(line)?.[1];
}

function position(line: number, text: string, index: number, unit: Unit): Position {
  const before = text.slice(0, index);
  if (unit === "utf-8") return { line, character: Buffer.byteLength(before) };
  return { line, character: unit === "utf-16" ? before.length : [...before].length };
}
