/** Builds shards in memory from the documents that nodes returned, so that the embedded engine's search can evaluate them. */
import { ByteCache } from "#base/byteCache";
import { layers } from "#engine/embedded/searchOrder";
import type { OpenRepository, OpenShard, ShardSnapshot } from "#engine/embedded/shardSet";
import type { ByteSource } from "#platform/byteSource";
import type { Checksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import { type KnownSymbols, pendingSymbols } from "#shard/symbolFile/symbolFile";
import { SymbolReader } from "#shard/symbolFile/symbolReader";
import { SymbolWriter } from "#shard/symbolFile/symbolWriter";
import { unpack } from "#symbols/parsing/packed";
import {
  blobHash,
  type CandidateDocument,
  type Candidates,
  mayHaveDefinitions,
  type RepositoryCandidates,
  symbolsKey,
} from "./candidates";
import type { CandidateSymbols } from "./zoektMessages";

/** Memory is not checked for damage. */
const noChecksum: Checksum = () => 0;

/** Opens shards, and caches them, because searches often find the same documents as the one before. */
export class CandidateShards {
  readonly #shards: ByteCache<OpenShard>;
  readonly #contents = new WeakMap<Buffer, number>();
  #contentCount = 0;

  constructor(maxBytes: number) {
    this.#shards = new ByteCache(maxBytes);
  }

  /** Without `symbols`, the shards have none. Texts that are not in it have not been parsed. */
  open({ repositories }: Candidates, symbols: CandidateSymbols | undefined): ShardSnapshot {
    return snapshotOf(
      repositories.map((repository) =>
        symbols === undefined ? this.#cached(repository) : openShard(repository, symbols),
      ),
    );
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
    const shard = openShard(repository, undefined);
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
      shards.flatMap(({ parts: [part] }) => (part ? [[part.repository.shards.id, part.repository]] : [])),
    ),
    damagedFiles: [],
    hasUnreadableFiles: false,
  };
}

function openShard(
  { repository: { id, defaultRevision }, revisions, documents }: RepositoryCandidates,
  symbols: CandidateSymbols | undefined,
): OpenShard {
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, noChecksum, { hasTrigrams: false });
  writer.beginRepository(id);
  for (const { content, skip, rank: _, ...document } of documents)
    writer.add({ ...document, ...(skip === undefined ? { content } : { skip }), blob: "" });
  writer.finish();
  const reader = new CandidateReader(sink.source(), noChecksum, documents);
  reader.readSets();
  const open: OpenRepository = {
    shards: { id, isFolder: false, revisions, defaultRevision, segments: [] },
    segments: new RepositorySegments(id, [reader]),
    defaultSlot: revisions.find(({ name }) => name === defaultRevision)?.slot,
    overlay: undefined,
  };
  return {
    file: "",
    reader,
    symbols: symbols && openSymbols(documents, symbols, reader),
    symbolsFile: "",
    parts: [{ repository: open, firstDocument: 0, endDocument: documents.length, segment: 0 }],
    order: [layers.other, id, 0],
    defaultUniverse: undefined,
  };
}

/** Hashes contents on demand, because only the documents of the result need it. */
class CandidateReader extends ShardReader {
  readonly #documents: readonly CandidateDocument[];

  constructor(source: ByteSource, checksum: Checksum, documents: readonly CandidateDocument[]) {
    super(source, checksum);
    this.#documents = documents;
  }

  override blob(document: number): string {
    const { content, skip } = this.#documents[document] ?? {};
    return content === undefined || skip !== undefined ? "" : blobHash(content);
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
  return symbols.kind === "packed" ? { kind: "parsed", ...unpack(symbols) } : symbols;
}
