import { type DefinitionRange, EnclosingDefinitions, mayEnclose } from "#model/enclosing";
import { type Definition, type SymbolKind, symbolKinds } from "#model/symbol";
import type { ByteSource } from "#platform/byteSource";
import { type Checksum, shardDamaged } from "#shard/format/checksum";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import { NumberReader } from "#shard/format/numbers";
import { ShardReader } from "#shard/format/reader";
import type { PagedReader, SectionReader } from "#shard/format/sections";
import { type KnownSymbols, pendingSymbols, type SymbolMeta } from "./symbolFile";
import { SymbolNames } from "./symbolNames";

const isLocalBit = 128;
const numbersOfBody = 4;

/** The extent and context of a definition; byte offsets in its document. */
export interface DefinitionBody {
  readonly start: number;
  readonly end: number;
  /** The enclosing definition, or -1. */
  readonly parent: number;
  readonly owner: string;
}

/** A definition without its name, which takes longer to read. */
export interface StoredDefinition extends DefinitionBody, DefinitionRange {
  readonly number: number;
}

/**
 * Reads the symbol file of one shard. Like `ShardReader`, loads columns on first use and throws `SHARD_DAMAGED` if a
 * checksum does not match. Definitions are numbered from 0 within the shard.
 */
export class SymbolReader {
  readonly meta: SymbolMeta;
  readonly names: SymbolNames;
  readonly #reader: ShardReader;
  readonly #sections: SectionReader;
  readonly #columns = new Map<string, Uint32Array>();
  readonly #paged = new Map<string, PagedReader>();
  readonly #lists = new Map<string, readonly string[]>();
  #nameLengths: Uint16Array | undefined;
  #kinds: Uint8Array | undefined;
  #states: Uint8Array | undefined;

  /** Also throws `SHARD_DAMAGED` for the symbol file of another shard. */
  constructor(source: ByteSource, checksum: Checksum, shard: ShardReader) {
    this.#reader = new ShardReader(source, checksum);
    this.#sections = this.#reader.sections;
    this.meta = this.#sections.json("symbols") as SymbolMeta;
    const isOfShard =
      this.meta.shardStamp === shard.stamp && this.meta.documentCount === shard.meta.documentCount;
    if (!isOfShard) throw shardDamaged("The symbol file belongs to another shard");
    this.names = new SymbolNames(this.#reader, this.meta.nameCount);
  }

  close(): void {
    this.#reader.close();
  }

  /** Per document and one more: its first definition. */
  get definitionStarts(): Uint32Array {
    return this.#column("definitionStarts", this.meta.documentCount + 1);
  }

  /** Per definition: the byte offset of its name in the document. */
  get nameOffsets(): Uint32Array {
    return this.#column("places", this.meta.definitionCount);
  }

  /** Per definition: the length of its name in the document, in bytes. */
  get nameLengths(): Uint16Array {
    const bytes = this.#nameLengths ?? this.#sections.bytes("lengths");
    this.#nameLengths ??= new Uint16Array(bytes.buffer, bytes.byteOffset, this.meta.definitionCount);
    return this.#nameLengths;
  }

  kind(definition: number): SymbolKind {
    return symbolKinds[this.kindIndex(definition)] ?? "variable";
  }

  /** Index in `symbolKinds`. */
  kindIndex(definition: number): number {
    return (this.#kindBytes()[definition] ?? 0) & (isLocalBit - 1);
  }

  isLocal(definition: number): boolean {
    return ((this.#kindBytes()[definition] ?? 0) & isLocalBit) !== 0;
  }

  #kindBytes(): Uint8Array {
    this.#kinds ??= this.#sections.bytes("kinds");
    return this.#kinds;
  }

  /** The document that contains a definition. */
  documentOf(definition: number): number {
    const starts = this.definitionStarts;
    return lastAtOrBelow(starts, 0, starts.length - 1, definition);
  }

  /** The numbers of the names of the definitions `[from, to)`. */
  nameNumbers(from: number, to: number): Uint32Array {
    return this.#words("nameNumbers", from, to);
  }

  name(definition: number): string {
    return this.names.text(this.nameNumbers(definition, definition + 1)[0] ?? 0);
  }

  /** Names `[from, to)` and one more: where their definitions start among all namesakes. */
  namesakeStarts(from: number, to: number): Uint32Array {
    return this.#words("namesakeStarts", from, to + 1);
  }

  /** The definitions of the names `[from, to)`: those of the first name, ascending, then those of the next. */
  namesakes(from: number, to: number): Uint32Array {
    const starts = this.namesakeStarts(from, to);
    return this.#words("namesakes", starts[0] ?? 0, starts[to - from] ?? 0);
  }

  isPending(document: number): boolean {
    return this.#state(document) === 1;
  }

  #state(document: number): number {
    this.#states ??= this.#sections.bytes("states");
    return this.#states[document] ?? 1;
  }

  /** Why a document was not parsed; `undefined` if it was, or is yet to be. */
  unparsedReason(document: number): string | undefined {
    const state = this.#state(document);
    return state > 1 ? (this.meta.reasons[state - 2] ?? "") : undefined;
  }

  /** The symbols of a document, or why there are none. */
  symbolsOf(document: number): KnownSymbols {
    if (this.isPending(document)) return pendingSymbols;
    const reason = this.unparsedReason(document);
    if (reason !== undefined) return { kind: "unparsed", reason };
    return { kind: "parsed", definitions: this.#definitionsOf(document), imports: this.#importsOf(document) };
  }

  #definitionsOf(document: number): Definition[] {
    const first = this.definitionStarts[document] ?? 0;
    const end = this.definitionStarts[document + 1] ?? first;
    if (first === end) return [];
    const texts = this.names.texts(this.nameNumbers(first, end));
    return this.#storedDefinitions(document, () => true).map(({ number, parent, ...rest }) => ({
      ...rest,
      name: texts[number - first] ?? "",
      parent: parent < 0 ? -1 : parent - first,
    }));
  }

  /** Finds definitions of a document by the offsets that they contain. */
  enclosingDefinitions(document: number): EnclosingDefinitions<StoredDefinition> {
    return new EnclosingDefinitions(this.#storedDefinitions(document, mayEnclose));
  }

  /** Returns the wanted definitions of a document, ascending. Most are local variables in many languages. */
  #storedDefinitions(
    document: number,
    isWanted: (definition: Pick<StoredDefinition, "kind" | "isLocal">) => boolean,
  ): StoredDefinition[] {
    const first = this.definitionStarts[document] ?? 0;
    const stop = this.definitionStarts[document + 1] ?? first;
    const bodyOf = this.bodyReader(document);
    const found: StoredDefinition[] = [];
    for (let number = first; number < stop; number++) {
      const [kind, isLocal] = [this.kind(number), this.isLocal(number)];
      if (!isWanted({ kind, isLocal })) continue;
      const nameStart = this.nameOffsets[number] ?? 0;
      const nameEnd = nameStart + (this.nameLengths[number] ?? 0);
      const { start, end, parent, owner } = bodyOf(number);
      found.push({ number, kind, isLocal, nameStart, nameEnd, start, end, parent, owner });
    }
    return found;
  }

  /** Returns a function that reads bodies of one document; ascending definitions are fastest. */
  bodyReader(document: number): (definition: number) => DefinitionBody {
    const first = this.definitionStarts[document] ?? 0;
    let numbers = this.#bodyNumbers(document);
    let next = first;
    return (definition) => {
      if (definition < next) {
        numbers = this.#bodyNumbers(document);
        next = first;
      }
      for (; next < definition; next++) for (let number = 0; number < numbersOfBody; number++) numbers.next();
      next++;
      return this.#readBody(numbers, definition, first);
    };
  }

  #bodyNumbers(document: number): NumberReader {
    const starts = this.#column("bodyStarts", this.meta.documentCount + 1);
    return new NumberReader(this.#bytes("bodies", starts[document] ?? 0, starts[document + 1] ?? 0));
  }

  /** `first` is the first definition of the document. */
  #readBody(numbers: NumberReader, definition: number, first: number): DefinitionBody {
    const nameStart = this.nameOffsets[definition] ?? 0;
    const start = Math.max(0, nameStart - numbers.next());
    const end = nameStart + (this.nameLengths[definition] ?? 0) + numbers.next();
    const distance = numbers.next();
    const owner = numbers.next();
    return {
      start,
      end,
      parent: distance === 0 || definition - distance < first ? -1 : definition - distance,
      owner: owner === 0 ? "" : (this.#list("owners")[owner - 1] ?? ""),
    };
  }

  #importsOf(document: number): string[] {
    const starts = this.#column("importStarts", this.meta.documentCount + 1);
    const numbers = new NumberReader(
      this.#bytes("imports", starts[document] ?? 0, starts[document + 1] ?? 0),
    );
    const imports: string[] = [];
    while (!numbers.isAtEnd) imports.push(this.#list("importNames")[numbers.next()] ?? "");
    return imports;
  }

  /** Checks the whole file: reads every section and every page. */
  verify(): void {
    this.#reader.verify();
    void [this.definitionStarts, this.nameOffsets, this.nameLengths, this.kindIndex(0), this.isPending(0)];
    for (const name of ["bodyStarts", "importStarts"]) this.#column(name, this.meta.documentCount + 1);
    for (const name of ["owners", "importNames"] as const) this.#list(name);
    for (const name of ["nameNumbers", "bodies", "namesakeStarts", "namesakes", "imports"])
      this.#bytes(name, 0, this.#pages(name).length);
  }

  #list(section: "owners" | "importNames"): readonly string[] {
    let list = this.#lists.get(section);
    if (list === undefined) {
      list = this.#sections.json(section) as string[];
      this.#lists.set(section, list);
    }
    return list;
  }

  #column(name: string, length: number): Uint32Array {
    let column = this.#columns.get(name);
    if (column === undefined) {
      column = this.#sections.words(name);
      if (column.length !== length) throw shardDamaged(`Section ${name} has the wrong length`);
      this.#columns.set(name, column);
    }
    return column;
  }

  #words(name: string, from: number, to: number): Uint32Array {
    const bytes = this.#bytes(name, from * 4, to * 4);
    return new Uint32Array(bytes.buffer, 0, bytes.length >>> 2);
  }

  #pages(name: string): PagedReader {
    let paged = this.#paged.get(name);
    if (paged === undefined) {
      paged = this.#sections.paged(name, `${name}Checks`);
      this.#paged.set(name, paged);
    }
    return paged;
  }

  #bytes(name: string, from: number, to: number): Uint8Array<ArrayBuffer> {
    const paged = this.#pages(name);
    if (to > paged.length || from > to) throw shardDamaged(`Section ${name} has no range ${from}-${to}`);
    const bytes = new Uint8Array(to - from);
    paged.read(from, bytes, 0, bytes.length);
    return bytes;
  }
}
