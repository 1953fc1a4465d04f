import { intern } from "#base/intern";
import { symbolKinds } from "#model/symbol";
import type { Checksum } from "#shard/format/checksum";
import { GrowingBytes, GrowingWords } from "#shard/format/numbers";
import { type ByteSink, bytesOf, type SectionWriter } from "#shard/format/sections";
import { type ShardOptions, ShardWriter } from "#shard/format/writer";
import { GroupWriter } from "./groups";
import { encodeNameNumbers } from "./nameNumbers";
import { encodeNameOffsets } from "./nameOffsets";
import { encodeNamesakes } from "./namesakes";
import { NameWriter } from "./nameWriter";
import {
  hasOwnerBit,
  hasParentBit,
  isLocalBit,
  type KnownSymbols,
  longLength,
  type SymbolMeta,
  type SymbolSummary,
} from "./symbolFile";

const parsed = 0;
const pending = 1;
const firstReason = 2;
const maxLength = 0xffff;

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
  readonly #importStarts: number[] = [0];
  readonly #nameOffsets = new GrowingWords();
  readonly #nameLengths = new GrowingWords();
  readonly #kinds = new GrowingWords();
  readonly #bodies = new GroupWriter();
  readonly #imports = new GrowingBytes();
  readonly #names = new NameWriter();
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
    this.#importStarts.push(this.#imports.length);
  }

  #addParsed({ definitions, imports }: Extract<KnownSymbols, { readonly kind: "parsed" }>): void {
    this.#states.push(parsed);
    for (const [index, definition] of definitions.entries()) {
      const { name, kind, nameStart, nameEnd, start, end, parent, owner, isLocal } = definition;
      this.#names.add(name);
      this.#nameOffsets.push(nameStart);
      this.#nameLengths.push(Math.min(Math.max(0, nameEnd - nameStart), maxLength));
      this.#kinds.push(symbolKinds.indexOf(kind) | (isLocal ? isLocalBit : 0));
      const hasParent = parent >= 0 && parent < index;
      const flags = (hasParent ? hasParentBit : 0) | (owner === "" ? 0 : hasOwnerBit);
      this.#bodies.startEntry();
      this.#bodies.write(Math.max(0, nameStart - start) * 4 + flags);
      this.#bodies.write(Math.max(0, end - nameEnd));
      if (hasParent) this.#bodies.write(index - parent);
      if (owner !== "") this.#bodies.write(intern(this.#owners, owner));
    }
    for (const each of imports) this.#imports.writeNumber(intern(this.#importNames, each));
  }

  /** Writes the file. `shardStamp` is `ShardReader.stamp` of the shard whose documents were added. */
  finish(shardStamp: number): SymbolSummary {
    const names = this.#names.finish();
    const writer = new ShardWriter(this.#sink, this.#checksum, this.#options);
    writer.beginRepository(0);
    writer.add({
      path: Buffer.from("names"),
      content: names.content,
      blob: "",
      language: "",
      category: "source",
      slots: [],
    });
    const definitionCount = names.numbers.length;
    const pendingCount = this.#pendingCount;
    const meta: SymbolMeta = {
      shardStamp,
      documentCount: this.#states.length,
      definitionCount,
      nameCount: names.count,
      pendingCount,
      reasons: [...this.#reasons.keys()],
    };
    const { shardBytes } = writer.finish((sections) => {
      this.#writeColumns(sections);
      streamGroups(sections, "nameNumbers", encodeNameNumbers(names.numbers));
      streamGroups(sections, "namesakes", encodeNamesakes(names.numbers, names.count));
      writeJson(sections, "owners", [...this.#owners.keys()]);
      writeJson(sections, "importNames", [...this.#importNames.keys()]);
      writeJson(sections, "symbols", meta);
    });
    return { definitionCount, pendingCount, fileBytes: shardBytes };
  }

  #writeColumns(sections: SectionWriter): void {
    sections.write("states", Uint8Array.from(this.#states));
    sections.write("definitionStarts", bytesOf(Uint32Array.from(this.#definitionStarts)));
    const offsets = encodeNameOffsets(this.#nameOffsets.words());
    sections.write("nameOffsets", offsets.groups.bytes());
    sections.write("nameOffsetsStarts", bytesOf(offsets.groups.starts()));
    sections.write("firstNameOffsets", bytesOf(offsets.firsts));
    this.#writeLengths(sections);
    sections.write("kinds", Uint8Array.from(this.#kinds.words()));
    streamGroups(sections, "bodies", this.#bodies);
    sections.write("importStarts", bytesOf(Uint32Array.from(this.#importStarts)));
    stream(sections, "imports", this.#imports.bytes());
  }

  #writeLengths(sections: SectionWriter): void {
    const lengths = this.#nameLengths.words();
    const longNames = new GrowingWords();
    for (let definition = 0; definition < lengths.length; definition++) {
      if ((lengths[definition] ?? 0) >= longLength) longNames.push(definition);
    }
    const longLengths = longNames.words().map((definition) => lengths[definition] ?? 0);
    sections.write("lengths", Uint8Array.from(lengths.map((length) => Math.min(length, longLength))));
    sections.write("longNames", bytesOf(longNames.words()));
    sections.write("longLengths", bytesOf(longLengths));
  }
}

function streamGroups(sections: SectionWriter, name: string, groups: GroupWriter): void {
  stream(sections, name, groups.bytes());
  sections.write(`${name}Starts`, bytesOf(groups.starts()));
}

function stream(sections: SectionWriter, name: string, bytes: Uint8Array): void {
  const section = sections.stream(name, `${name}Checks`);
  section.write(bytes);
  section.finish();
}

function writeJson(sections: SectionWriter, name: string, value: unknown): void {
  sections.write(name, new TextEncoder().encode(JSON.stringify(value)));
}
