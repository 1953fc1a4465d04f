import { foldName } from "#base/foldCase";
import { intern } from "#base/intern";
import { symbolKinds } from "#model/symbol";
import type { Checksum } from "#shard/format/checksum";
import { GrowingBytes, GrowingWords } from "#shard/format/numbers";
import { type ByteSink, bytesOf, type SectionWriter } from "#shard/format/sections";
import { type ShardOptions, ShardWriter } from "#shard/format/writer";
import {
  compareStrings,
  type KnownSymbols,
  type SymbolMeta,
  type SymbolSummary,
  storedName,
} from "./symbolFile";

const parsed = 0;
const pending = 1;
const firstReason = 2;
const maxLength = 0xffff;
const isLocalBit = 128;

/**
 * Writes the symbol file of one shard. Call `add` for each of its documents, in order, then `finish`. See
 * `symbolFile.ts` for the layout.
 */
export class SymbolWriter {
  readonly #sink: ByteSink;
  readonly #checksum: Checksum;
  readonly #options: ShardOptions;
  readonly #states: number[] = [];
  readonly #definitionStarts: number[] = [0];
  readonly #bodyStarts: number[] = [0];
  readonly #importStarts: number[] = [0];
  readonly #nameOffsets = new GrowingWords();
  readonly #nameLengths = new GrowingWords();
  readonly #kinds = new GrowingWords();
  /** Numbers in order of insertion; `finish` converts them to sorted numbers. */
  readonly #nameNumbers = new GrowingWords();
  readonly #bodies = new GrowingBytes();
  readonly #imports = new GrowingBytes();
  readonly #names = new Map<string, number>();
  readonly #owners = new Map<string, number>();
  readonly #importNames = new Map<string, number>();
  readonly #reasons = new Map<string, number>();
  #pendingCount = 0;

  constructor(sink: ByteSink, checksum: Checksum, options: ShardOptions = {}) {
    this.#sink = sink;
    this.#checksum = checksum;
    this.#options = options;
  }

  /** Adds the symbols of the shard's next document. */
  add(symbols: KnownSymbols): void {
    if (symbols.kind === "parsed") this.#addParsed(symbols);
    else if (symbols.kind === "unparsed")
      this.#states.push(firstReason + intern(this.#reasons, symbols.reason));
    else {
      this.#states.push(pending);
      this.#pendingCount++;
    }
    this.#definitionStarts.push(this.#nameOffsets.length);
    this.#bodyStarts.push(this.#bodies.length);
    this.#importStarts.push(this.#imports.length);
  }

  #addParsed({ definitions, imports }: Extract<KnownSymbols, { readonly kind: "parsed" }>): void {
    this.#states.push(parsed);
    for (const [index, definition] of definitions.entries()) {
      const { name, kind, nameStart, nameEnd, start, end, parent, owner, isLocal } = definition;
      this.#nameNumbers.push(intern(this.#names, storedName(name)));
      this.#nameOffsets.push(nameStart);
      this.#nameLengths.push(Math.min(Math.max(0, nameEnd - nameStart), maxLength));
      this.#kinds.push(symbolKinds.indexOf(kind) | (isLocal ? isLocalBit : 0));
      this.#bodies.writeNumber(Math.max(0, nameStart - start));
      this.#bodies.writeNumber(Math.max(0, end - nameEnd));
      this.#bodies.writeNumber(parent >= 0 && parent < index ? index - parent : 0);
      this.#bodies.writeNumber(owner === "" ? 0 : 1 + intern(this.#owners, owner));
    }
    for (const each of imports) this.#imports.writeNumber(intern(this.#importNames, each));
  }

  /** Writes the file. `shardStamp` is `ShardReader.stamp` of the shard whose documents were added. */
  finish(shardStamp: number): SymbolSummary {
    const { names, numbers } = sortNames([...this.#names.keys()]);
    const writer = new ShardWriter(this.#sink, this.#checksum, this.#options);
    writer.beginRepository(0);
    const content = Buffer.from(names.map((name) => `${name}\n`).join(""));
    writer.add({
      path: Buffer.from("names"),
      content,
      blob: "",
      language: "",
      category: "source",
      slots: [],
    });
    const nameNumbers = this.#nameNumbers.words().map((number) => numbers[number] ?? 0);
    const definitionCount = nameNumbers.length;
    const pendingCount = this.#pendingCount;
    const meta: SymbolMeta = {
      shardStamp,
      documentCount: this.#states.length,
      definitionCount,
      nameCount: names.length,
      pendingCount,
      reasons: [...this.#reasons.keys()],
    };
    const { shardBytes } = writer.finish((sections) => {
      this.#writeColumns(sections);
      stream(sections, "nameNumbers", bytesOf(nameNumbers));
      writeNamesakes(sections, nameNumbers, names.length);
      writeJson(sections, "owners", [...this.#owners.keys()]);
      writeJson(sections, "importNames", [...this.#importNames.keys()]);
      writeJson(sections, "symbols", meta);
    });
    return { definitionCount, pendingCount, fileBytes: shardBytes };
  }

  #writeColumns(sections: SectionWriter): void {
    sections.write("states", Uint8Array.from(this.#states));
    sections.write("definitionStarts", bytesOf(Uint32Array.from(this.#definitionStarts)));
    sections.write("places", bytesOf(this.#nameOffsets.words()));
    sections.write("lengths", bytesOf(Uint16Array.from(this.#nameLengths.words())));
    sections.write("kinds", Uint8Array.from(this.#kinds.words()));
    sections.write("bodyStarts", bytesOf(Uint32Array.from(this.#bodyStarts)));
    stream(sections, "bodies", this.#bodies.bytes());
    sections.write("importStarts", bytesOf(Uint32Array.from(this.#importStarts)));
    stream(sections, "imports", this.#imports.bytes());
  }
}

/** Sorts names. `numbers` maps their indexes to those after sorting. */
function sortNames(names: readonly string[]): { names: readonly string[]; numbers: Uint32Array } {
  const folded = names.map(foldName);
  const order = Uint32Array.from(names.keys()).sort(
    (left, right) =>
      compareStrings(folded[left] ?? "", folded[right] ?? "") ||
      compareStrings(names[left] ?? "", names[right] ?? ""),
  );
  const numbers = new Uint32Array(names.length);
  for (const [number, at] of order.entries()) numbers[at] = number;
  return { names: Array.from(order, (at) => names[at] ?? ""), numbers };
}

/** Groups definitions by name with a counting sort. */
function writeNamesakes(sections: SectionWriter, nameNumbers: Uint32Array, nameCount: number): void {
  const starts = new Uint32Array(nameCount + 1);
  for (const number of nameNumbers) starts[number + 1] = (starts[number + 1] ?? 0) + 1;
  for (let number = 0; number < nameCount; number++)
    starts[number + 1] = (starts[number + 1] ?? 0) + (starts[number] ?? 0);
  const next = starts.slice();
  const namesakes = new Uint32Array(nameNumbers.length);
  for (const [definition, number] of nameNumbers.entries()) {
    const position = next[number] ?? 0;
    namesakes[position] = definition;
    next[number] = position + 1;
  }
  stream(sections, "namesakeStarts", bytesOf(starts));
  stream(sections, "namesakes", bytesOf(namesakes));
}

function stream(sections: SectionWriter, name: string, bytes: Uint8Array): void {
  const section = sections.stream(name, `${name}Checks`);
  section.write(bytes);
  section.finish();
}

function writeJson(sections: SectionWriter, name: string, value: unknown): void {
  sections.write(name, new TextEncoder().encode(JSON.stringify(value)));
}
