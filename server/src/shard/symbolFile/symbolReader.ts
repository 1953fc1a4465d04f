import { type DefinitionRange, EnclosingDefinitions, mayEnclose } from "#model/enclosing";
import { type Definition, type SymbolKind, symbolKinds } from "#model/symbol";
import type { ByteSource } from "#platform/byteSource";
import { type Checksum, shardDamaged } from "#shard/format/checksum";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import { NumberReader } from "#shard/format/numbers";
import { ShardReader } from "#shard/format/reader";
import type { PagedReader, SectionReader } from "#shard/format/sections";
import { GroupReader, groupCountOf, groupOf, groupSize } from "./groups";
import { NameNumbers } from "./nameNumbers";
import { NameOffsets } from "./nameOffsets";
import { Namesakes } from "./namesakes";
import {
  hasOwnerBit,
  hasParentBit,
  isLocalBit,
  type KnownSymbols,
  longLength,
  pendingSymbols,
  type SymbolMeta,
} from "./symbolFile";
import { SymbolNames } from "./symbolNames";

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
  readonly #groupReaders = new Map<string, GroupReader>();
  #definitionStarts: Uint32Array | undefined;
  #nameOffsets: NameOffsets | undefined;
  #numbersOfNames: NameNumbers | undefined;
  #namesakes: Namesakes | undefined;
  #nameLengths: Uint8Array | undefined;
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
    this.#definitionStarts ??= this.#loadDefinitionStarts();
    return this.#definitionStarts;
  }

  #loadDefinitionStarts(): Uint32Array {
    const starts = this.#column("definitionStarts", this.meta.documentCount + 1);
    const isValid = starts.every((start, at) => start >= (starts[at - 1] ?? 0));
    if (!isValid || starts.at(-1) !== this.meta.definitionCount)
      throw shardDamaged("The definitions of documents are out of bounds");
    return starts;
  }

  /** The byte offset of a definition's name in the document. */
  nameOffset(definition: number): number {
    return this.#offsets().of(definition);
  }

  /** Returns the last of the definitions `[first, end)` of a document whose name starts at or before `offset`, or `first - 1`. */
  lastStartingAtOrBefore(first: number, end: number, offset: number): number {
    return this.#offsets().lastAtOrBelow(first, end, offset);
  }

  #offsets(): NameOffsets {
    if (this.#nameOffsets === undefined) {
      const { definitionCount } = this.meta;
      const firsts = this.#column("firstNameOffsets", groupCountOf(definitionCount));
      const groups = this.#groups("nameOffsets", definitionCount, this.#sections.bytes("nameOffsets"));
      this.#nameOffsets = new NameOffsets(groups, firsts, definitionCount);
    }
    return this.#nameOffsets;
  }

  /** The length of a definition's name in the document, in bytes. */
  nameLength(definition: number): number {
    this.#nameLengths ??= this.#byteColumn("lengths");
    const length = this.#nameLengths[definition] ?? 0;
    return length === longLength ? this.#longLength(definition) : length;
  }

  #longLength(definition: number): number {
    const definitions = this.#column("longNames");
    const at = lastAtOrBelow(definitions, 0, definitions.length, definition);
    if (definitions[at] !== definition) throw shardDamaged(`The length of name ${definition} is missing`);
    return this.#column("longLengths", definitions.length)[at] ?? 0;
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
    this.#kinds ??= this.#byteColumn("kinds");
    return this.#kinds;
  }

  /** The document that contains a definition. */
  documentOf(definition: number): number {
    const starts = this.definitionStarts;
    return lastAtOrBelow(starts, 0, starts.length - 1, definition);
  }

  /** The numbers of the names of the definitions `[from, to)`. */
  nameNumbers(from: number, to: number): Uint32Array {
    this.#numbersOfNames ??= new NameNumbers(
      this.#pagedGroups("nameNumbers", this.meta.definitionCount),
      this.meta.definitionCount,
      this.meta.nameCount,
    );
    return this.#numbersOfNames.of(from, to);
  }

  name(definition: number): string {
    return this.names.text(this.nameNumbers(definition, definition + 1)[0] ?? 0);
  }

  /** The definitions of the names `[from, to)`: those of the first name, ascending, then those of the next. */
  namesakes(from: number, to: number): Uint32Array {
    return this.#namesakesByName().of(from, to);
  }

  /** The definitions of each of the names `[from, to)`, ascending. */
  namesakesOfEach(from: number, to: number): Uint32Array[] {
    return this.#namesakesByName().ofEach(from, to);
  }

  #namesakesByName(): Namesakes {
    const { nameCount, definitionCount } = this.meta;
    this.#namesakes ??= new Namesakes(this.#pagedGroups("namesakes", nameCount), nameCount, definitionCount);
    return this.#namesakes;
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
      const nameStart = this.nameOffset(number);
      const nameEnd = nameStart + this.nameLength(number);
      const { start, end, parent, owner } = bodyOf(number);
      found.push({ number, kind, isLocal, nameStart, nameEnd, start, end, parent, owner });
    }
    return found;
  }

  /** Returns a function that reads bodies of one document; ascending definitions are fastest. */
  bodyReader(document: number): (definition: number) => DefinitionBody {
    const first = this.definitionStarts[document] ?? 0;
    const groups = this.#pagedGroups("bodies", this.meta.definitionCount);
    let numbers: NumberReader | undefined;
    let group = -1;
    let next = 0;
    return (definition) => {
      if (numbers === undefined || definition < next || groupOf(definition) !== group) {
        group = groupOf(definition);
        numbers = new NumberReader(groups.bytes(group));
        next = group * groupSize;
      }
      for (; next < definition; next++) skipBody(numbers);
      next++;
      return this.#readBody(numbers, definition, first);
    };
  }

  /** `first` is the first definition of the document. */
  #readBody(numbers: NumberReader, definition: number, first: number): DefinitionBody {
    const nameStart = this.nameOffset(definition);
    const head = numbers.next();
    const start = Math.max(0, nameStart - Math.floor(head / 4));
    const end = nameStart + this.nameLength(definition) + numbers.next();
    const parent = head & hasParentBit ? definition - numbers.next() : -1;
    if (head & hasParentBit && (parent < first || parent >= definition))
      throw shardDamaged("A definition has a parent that does not exist");
    const owner = head & hasOwnerBit ? this.#text("owners", numbers.next()) : "";
    return { start, end, parent, owner };
  }

  #importsOf(document: number): string[] {
    const starts = this.#column("importStarts", this.meta.documentCount + 1);
    const numbers = new NumberReader(
      this.#bytes("imports", starts[document] ?? 0, starts[document + 1] ?? 0),
    );
    const imports: string[] = [];
    while (!numbers.isAtEnd) imports.push(this.#text("importNames", numbers.next()));
    return imports;
  }

  /** Checks the whole file: reads every section and every page. */
  verify(): void {
    this.#reader.verify();
    void [this.definitionStarts, this.#offsets(), this.nameLength(0), this.kindIndex(0), this.isPending(0)];
    this.#column("longLengths", this.#column("longNames").length);
    this.#column("importStarts", this.meta.documentCount + 1);
    this.#pagedGroups("nameNumbers", this.meta.definitionCount);
    this.#pagedGroups("bodies", this.meta.definitionCount);
    this.#pagedGroups("namesakes", this.meta.nameCount);
    for (const name of ["owners", "importNames"] as const) this.#list(name);
    for (const name of ["nameNumbers", "bodies", "namesakes", "imports"])
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

  #text(section: "owners" | "importNames", number: number): string {
    const text = this.#list(section)[number];
    if (text === undefined) throw shardDamaged(`Section ${section} has no item ${number}`);
    return text;
  }

  #column(name: string, length?: number): Uint32Array {
    let column = this.#columns.get(name);
    if (column === undefined) {
      column = this.#sections.words(name);
      if (length !== undefined && column.length !== length)
        throw shardDamaged(`Section ${name} has the wrong length`);
      this.#columns.set(name, column);
    }
    return column;
  }

  #byteColumn(name: string): Uint8Array {
    const column = this.#sections.bytes(name);
    if (column.length !== this.meta.definitionCount)
      throw shardDamaged(`Section ${name} has the wrong length`);
    return column;
  }

  #pagedGroups(name: string, entryCount: number): GroupReader {
    return this.#groupReaders.get(name) ?? this.#groups(name, entryCount, this.#pages(name));
  }

  #groups(name: string, entryCount: number, source: Uint8Array | PagedReader): GroupReader {
    const groups = new GroupReader(name, entryCount, this.#sections.words(`${name}Starts`), source);
    this.#groupReaders.set(name, groups);
    return groups;
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

function skipBody(numbers: NumberReader): void {
  const head = numbers.next();
  numbers.next();
  if (head & hasParentBit) numbers.next();
  if (head & hasOwnerBit) numbers.next();
}
