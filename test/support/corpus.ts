/** Documents to search: the project's own files, published packages, and generated ones. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#test/support/house";

export interface CorpusDocument {
  readonly path: string;
  readonly content: Uint8Array;
}

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer in `[from, to]`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.between(0, 255));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError("Cannot pick from an empty list.");
    return item;
  }
}

/** Reads text files below a project folder, in path order, up to `maxBytes` in total. */
export function filesBelow(folder: string, maxBytes: number): CorpusDocument[] {
  const root = projectRoot();
  const found: CorpusDocument[] = [];
  let bytes = 0;
  for (const path of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort()) {
    if (!/\.(ts|js|mjs|cjs|json|md|wasm|map)$/.test(path)) continue;
    const content = readFileSync(join(root, folder, path));
    if (bytes + content.length > maxBytes) continue;
    bytes += content.length;
    found.push({ path: `${folder}/${path.replaceAll("\\", "/")}`, content });
  }
  return found;
}

const words =
  "return const value KIND task skip key is strasse Straße naïve кот Кот ключ 漢字 Σίσυφος 👍🏽 foo_bar fooBar FOO 42 0x1f if ( ) { } => + * \\ . // # \t".split(
    " ",
  );
const folding = ["\u212a", "\u017f", "Tas\u212a", "\u017fkip", "i\u017f", "s\u212ay"];

function line(random: Random): string {
  const parts: string[] = [];
  for (let count = random.between(0, 12); count > 0; count--) {
    parts.push(random.chance(0.02) ? random.pick(folding) : random.pick(words));
  }
  return parts.join(random.pick([" ", " ", "", "  "]));
}

function lines(random: Random, byteCount: number, end: string): string {
  let text = "";
  while (text.length < byteCount) text += line(random) + end;
  return text;
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

/** Edge cases in a few megabytes: every kind of line, line ending, encoding and size. */
export function shapedDocuments(seed: number): CorpusDocument[] {
  const random = new Random(seed);
  const documents: CorpusDocument[] = [];
  const add = (path: string, content: string | Uint8Array): void => {
    documents.push({ path, content: typeof content === "string" ? bytes(content) : content });
  };
  add("sizes/empty.txt", "");
  for (const text of ["a", "\n", "s", "\u017f", "k\n", "\n\n", "\r\n", "ab", "\r"])
    add(`sizes/tiny${Buffer.from(text).toString("hex")}.txt`, text);
  for (const size of [4094, 4095, 4096, 4097, 8191, 8192, 8193]) {
    const text = lines(random, size * 2, "\n");
    add(`sizes/exactly${size}.txt`, bytes(text).subarray(0, size));
    add(`sizes/newlineAt${size}.txt`, `${"x".repeat(size - 1)}\nborder return value\n`);
    add(`sizes/onlyNewlines${size}.txt`, "\n".repeat(size));
  }
  add("ends/crlf.txt", lines(random, 30_000, "\r\n"));
  add("ends/mixed.txt", lines(random, 9000, "\r\n") + lines(random, 9000, "\n") + lines(random, 9000, "\r"));
  add("ends/none.txt", lines(random, 20_000, "\n") + "return without an end");
  add("ends/blankLines.txt", `${lines(random, 5000, "\n\n\n")}\n\n\n`);
  add("encodings/bom.ts", `\ufeff${lines(random, 10_000, "\n")}`);
  add("encodings/latin1.c", Buffer.from(lines(random, 20_000, "\n").replace(/[^\0-\xff]/g, "é"), "latin1"));
  const broken = Buffer.from(lines(random, 20_000, "\n"));
  for (let count = 0; count < 500; count++)
    broken[random.between(0, broken.length - 1)] = random.between(1, 255);
  add("encodings/broken.txt", broken);
  const noise = Uint8Array.from({ length: 9000 }, () => random.between(1, 255));
  add("encodings/noise.txt", noise);
  add("lines/long.js", `${lines(random, 300_000, " ")}\n${lines(random, 5000, "\n")}`);
  add("lines/longAscii.js", `var x=1;${"foo(bar,42);return value;".repeat(4000)}\nreturn\n`);
  add("lines/one.txt", lines(random, 9000, " "));
  add("letters/kelvin.txt", `${folding.join(" ")}\n`.repeat(300));
  add("letters/plain.txt", "task skip is key KEY Skip\n".repeat(400));
  add("letters/emoji.md", "👍🏽 👩‍👩‍👧 e\u0301 ok 👍\n".repeat(300));
  for (let count = 0; count < 40; count++) {
    add(
      `many/${random.pick(["a", "b", "Task", "тест"])}/f${count}.txt`,
      lines(random, random.between(1, 12_000), "\n"),
    );
  }
  return documents;
}

/** The largest lines that are indexed: 2 MB each, with and without a final newline. */
export function hugeLines(): CorpusDocument[] {
  const text = "abc(def, 42);return value;/* KIND */".repeat(56_000);
  return [
    { path: "huge/ended.js", content: bytes(`${text}\n`) },
    { path: "huge/open.js", content: bytes(`first line\n${text}`) },
    { path: "huge/letters.txt", content: bytes("é".repeat(300_000)) },
  ];
}
