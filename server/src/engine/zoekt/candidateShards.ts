/** Builds shards in memory from the documents that nodes returned, so that the embedded engine's search can evaluate them. */
import { ByteCache } from "#base/byteCache";
import { layers } from "#engine/embedded/searchOrder";
import type { OpenRepository, OpenShard, ShardPart, ShardSnapshot } from "#engine/embedded/shardSet";
import type { ByteSource } from "#platform/byteSource";
import type { Checksum } from "#shard/format/checksum";
import { ShardReader, type TextShift } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import { type KnownSymbols, pendingSymbols } from "#shard/symbolFile/symbolFile";
import { SymbolReader } from "#shard/symbolFile/symbolReader";
import { SymbolWriter } from "#shard/symbolFile/symbolWriter";
import { unpack } from "#symbols/parsing/packed";
import {
  type CandidateDocument,
  type Candidates,
  mayHaveDefinitions,
  type RepositoryCandidates,
  symbolsKey,
  type UnhashedDocument,
} from "./candidates";
import { blobHash } from "./documentContent";
import type { CandidateSymbols } from "./zoektMessages";

/** Memory is not checked for damage. */
const noChecksum: Checksum = () => 0;

interface OpenOptions {
  /** Repositories that have a shard of their own if the search uses lines. */
  readonly preferred?: readonly number[];
  /** Returns the hash of a document that was not known when the documents were collected. */
  readonly hashOf?: ((document: UnhashedDocument) => string) | undefined;
}

/** Opens shards, and caches them, because searches often find the same documents as the one before. */
export class CandidateShards {
  readonly #shards: ByteCache<OpenShard>;
  readonly #contents = new WeakMap<Buffer, number>();
  #contentCount = 0;

  constructor(maxBytes: number) {
    this.#shards = new ByteCache(maxBytes);
  }

  /**
   * Without `symbols`, the shards have none. Texts that are not in it have not been parsed. If the search uses lines, the
   * `preferred` repositories are in one shard, and all others in another one, because more shards take longer to open. These
   * are not cached: other lines match in the next search, which needs few of the whole texts again.
   */
  open(
    { repositories, usesLines }: Candidates,
    symbols: CandidateSymbols | undefined,
    { preferred = [], hashOf }: OpenOptions = {},
  ): ShardSnapshot {
    if (symbols !== undefined)
      return snapshotOf(repositories.map((each) => openShard([each], symbols, undefined)));
    if (!usesLines) return snapshotOf(repositories.map((each) => this.#cached(each)));
    const isPreferred = ({ repository }: RepositoryCandidates) => preferred.includes(repository.id);
    const others = repositories.filter((each) => !isPreferred(each));
    const groups = [repositories.filter(isPreferred), others].filter(({ length }) => length > 0);
    return snapshotOf(groups.map((group) => openShard(group, undefined, hashOf)));
  }

  #cached(repository: RepositoryCandidates): OpenShard {
    const { repository: known, revisions, documents } = repository;
    const key = JSON.stringify([
      known.id,
      known.defaultRevision,
      revisions.map(({ name, commit }) => [name, commit]),
      documents.map(({ path, content, language, slots }) => [
        path.toString("latin1"),
        this.#numberOf(content),
        language,
        slots,
      ]),
    ]);
    const cached = this.#shards.get(key);
    if (cached !== undefined) return cached;
    const shard = openShard([repository], undefined, undefined);
    const bytes = documents.reduce((sum, { content }) => sum + content.length, 2 * key.length);
    this.#shards.set(key, shard, bytes);
    return shard;
  }

  /** Contents that are the same object have the same number. */
  #numberOf(content: Buffer): number {
    const known = this.#contents.get(content);
    if (known !== undefined) return known;
    this.#contents.set(content, ++this.#contentCount);
    return this.#contentCount;
  }
}

function snapshotOf(shards: readonly OpenShard[]): ShardSnapshot {
  return {
    shards,
    repositories: new Map(
      shards.flatMap(({ parts }) => parts.map(({ repository }) => [repository.shards.id, repository])),
    ),
    damagedFiles: [],
    hasUnreadableFiles: false,
  };
}

function openShard(
  repositories: readonly RepositoryCandidates[],
  symbols: CandidateSymbols | undefined,
  hashOf: OpenOptions["hashOf"],
): OpenShard {
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, noChecksum, { hasTrigrams: false });
  for (const { repository, documents } of repositories) {
    writer.beginRepository(repository.id);
    for (const { path, content, skip, language, category, slots } of documents) {
      const document = { path, language, category, slots, blob: "" };
      writer.add(skip === undefined ? { ...document, content } : { ...document, skip });
    }
  }
  writer.finish();
  const all = repositories.flatMap(({ documents }) => documents);
  const reader = new CandidateReader(sink.source(), all, hashOf);
  reader.readSets();
  let firstDocument = 0;
  const parts = repositories.map(({ repository, revisions, documents }): ShardPart => {
    const { id, defaultRevision } = repository;
    const open: OpenRepository = {
      shards: { id, isFolder: false, revisions, defaultRevision, segments: [] },
      segments: new RepositorySegments(id, [reader]),
      defaultSlot: revisions.find(({ name }) => name === defaultRevision)?.slot,
      overlay: undefined,
    };
    const endDocument = firstDocument + documents.length;
    const part = { repository: open, firstDocument, endDocument, segment: 0 };
    firstDocument = endDocument;
    return part;
  });
  return {
    file: "",
    reader,
    symbols: symbols && openSymbols(all, symbols, reader),
    symbolsFile: "",
    parts,
    order: [layers.other, repositories[0]?.repository.id ?? 0, 0],
    defaultUniverse: undefined,
  };
}

/** Hashes contents on demand, because only the documents of the result need it. */
class CandidateReader extends ShardReader {
  readonly #documents: readonly CandidateDocument[];
  readonly #hashOf: OpenOptions["hashOf"];

  constructor(source: ByteSource, documents: readonly CandidateDocument[], hashOf: OpenOptions["hashOf"]) {
    super(source, noChecksum);
    this.#documents = documents;
    this.#hashOf = hashOf;
  }

  override blobBytes(document: number): Uint8Array {
    return Buffer.from(this.#hash(document), "hex");
  }

  #hash(document: number): string {
    const { content, skip, blob, unhashed } = this.#documents[document] ?? {};
    if (unhashed !== undefined) return this.#hashOf?.(unhashed) ?? "";
    return content === undefined || skip !== undefined ? "" : (blob ?? blobHash(content));
  }

  override shiftAt(document: number, offset: number): TextShift {
    return this.#documents[document]?.lines?.shiftAt(offset) ?? super.shiftAt(document, offset);
  }
}

function openSymbols(
  documents: readonly CandidateDocument[],
  symbols: CandidateSymbols,
  reader: ShardReader,
): SymbolReader {
  const sink = new MemorySink();
  const writer = new SymbolWriter(sink, noChecksum, { hasTrigrams: false });
  for (const document of documents) writer.add(symbolsOf(document, symbols));
  writer.finish(reader.stamp);
  return new SymbolReader(sink.source(), noChecksum, reader);
}

function symbolsOf(document: CandidateDocument, known: CandidateSymbols): KnownSymbols {
  if (!mayHaveDefinitions(document)) return { kind: "unparsed", reason: document.skip ?? "noGrammar" };
  const symbols = known.get(symbolsKey(document));
  if (symbols === undefined) return pendingSymbols;
  return symbols.kind === "packed" ? unpack(symbols) : symbols;
}
