/** Builds shards in memory from the documents that nodes return, so that the embedded engine's search can evaluate them. */
import { createHash } from "node:crypto";
import { layers } from "#engine/embedded/searchOrder";
import type { OpenRepository, OpenShard, ShardSnapshot } from "#engine/embedded/shardSet";
import { categorize } from "#languages/categorize";
import { documentCategories, type SkipReason } from "#model/document";
import { memorySource } from "#platform/byteSource";
import type { IndexedRevision } from "#shard/directory/manifest";
import type { Checksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import type { ShardDocument } from "#shard/format/shard";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import type { CandidatesCall, IndexedRepository, NodeCandidates } from "./zoektMessages";
import { parseSearchReply, type ZoektFile } from "./zoektReplies";

export interface Candidates {
  readonly snapshot: ShardSnapshot;
  readonly nodes: readonly NodeCandidates[];
}

/** The repositories of a thread, by Zoekt's name. */
export type KnownRepositories = ReadonlyMap<string, IndexedRepository>;

/**
 * The result does not depend on the order of the replies. A file counts only if its node was asked for its repository,
 * because other nodes may have replicas, or still have an old index of it.
 */
export function buildCandidates(
  { replies, others }: Pick<CandidatesCall, "replies" | "others">,
  known: KnownRepositories,
  checksum: Checksum,
): Candidates {
  const files = new Map<IndexedRepository, ZoektFile[]>();
  const nodes = replies.map(({ node, body, repositories }): NodeCandidates => {
    const asked = repositories && new Set(repositories);
    const result = parseSearchReply(body);
    if (result === undefined) return { kind: "malformed" };
    const returned = result.Files ?? [];
    for (const file of returned) {
      const repository = known.get(file.Repository);
      if (repository === undefined) continue;
      if (asked === undefined ? repository.node !== node : !asked.has(repository.id)) continue;
      const ofRepository = files.get(repository);
      if (ofRepository === undefined) files.set(repository, [file]);
      else ofRepository.push(file);
    }
    return {
      kind: "documents",
      documentCount: returned.length,
      omittedCount: Math.max(0, result.FileCount - returned.length),
      skippedCount: result.FilesSkipped + result.ShardsSkipped,
      crashCount: result.Crashes,
      contentBytesLoaded: result.ContentBytesLoaded,
      indexBytesLoaded: result.IndexBytesLoaded,
    };
  });
  const byId = new Map([...known.values()].map((repository) => [repository.id, repository]));
  for (const id of others) {
    const repository = byId.get(id);
    if (repository !== undefined && !files.has(repository)) files.set(repository, []);
  }
  const shards = [...files]
    .sort(([left], [right]) => left.id - right.id)
    .map(([repository, found]) => buildShard(repository, found, checksum));
  return {
    nodes,
    snapshot: {
      shards,
      repositories: new Map(
        shards.flatMap(({ parts: [part] }) => (part ? [[part.repository.shards.id, part.repository]] : [])),
      ),
      damagedFiles: [],
      hasUnreadableFiles: false,
    },
  };
}

function buildShard(
  repository: IndexedRepository,
  files: readonly ZoektFile[],
  checksum: Checksum,
): OpenShard {
  const { id, defaultRevision } = repository;
  const slots = new Slots(repository);
  const documents = files.map((file) => toDocument(file, slots)).sort(compareRank);
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, checksum, { hasTrigrams: false });
  writer.beginRepository(id);
  for (const document of documents) writer.add(document);
  writer.finish();
  const reader = new ShardReader(memorySource(sink.bytes()), checksum);
  reader.readSets();
  const { revisions } = slots;
  const open: OpenRepository = {
    shards: { id, isFolder: false, revisions, defaultRevision, segments: [] },
    segments: new RepositorySegments(id, [reader]),
    defaultSlot: revisions.find(({ name }) => name === defaultRevision)?.slot,
    overlay: undefined,
  };
  return {
    file: "",
    reader,
    symbols: undefined,
    symbolsFile: "",
    parts: [{ repository: open, firstDocument: 0, endDocument: documents.length, segment: 0 }],
    order: [layers.other, id, 0],
    defaultUniverse: undefined,
  };
}

/** Maps the branches of documents to slots. */
class Slots {
  readonly revisions: IndexedRevision[];
  readonly #slots = new Map<string, number>();
  readonly #used = new Set<number>();

  constructor({ branches }: IndexedRepository) {
    this.revisions = branches.map(({ name, revision, commit }, slot) => {
      this.#slots.set(name, slot);
      return { name: revision, commit, slot };
    });
  }

  /** A branch that was indexed after the node was last listed gets a slot of its own. */
  of({ Branches: branches, Version: version }: ZoektFile): number[] {
    const slots = (branches ?? []).map((name) => {
      const known = this.#slots.get(name);
      if (known !== undefined) return known;
      const slot = this.revisions.length;
      this.#slots.set(name, slot);
      this.revisions.push({ name, commit: "", slot });
      return slot;
    });
    const sorted = [...new Set(slots)].sort((left, right) => left - right);
    const [first] = sorted;
    // Zoekt's version is the commit of the first branch, and newer than the list.
    if (first !== undefined && version !== undefined && !this.#used.has(first)) {
      this.#used.add(first);
      this.revisions[first] = { ...(this.revisions[first] as IndexedRevision), commit: version };
    }
    return sorted;
  }
}

/** What Zoekt searches instead of a document that it did not index. */
const skippedPrefix = Buffer.from("NOT-INDEXED: ");
const skipReasonsByText: ReadonlyMap<string, SkipReason> = new Map([
  ["exceeds the maximum size limit", "tooLarge"],
  ["contains too few trigrams", "excluded"],
  ["contains binary content", "binary"],
  ["contains too many trigrams", "tooManyTrigrams"],
  ["object missing from repository", "missing"],
]);

function toDocument(file: ZoektFile, slots: Slots): ShardDocument {
  const content = Buffer.from(file.Content ?? "", "base64");
  const skip = skipReasonOf(content);
  const path = file.FileName;
  return {
    path: Buffer.from(path),
    ...(skip === undefined ? { content } : { skip }),
    blob: skip === undefined ? blobHash(content) : "",
    language: languageOf(file.Language ?? ""),
    category: categorize(path),
    slots: slots.of(file),
  };
}

export function skipReasonOf(content: Buffer): SkipReason | undefined {
  if (!content.subarray(0, skippedPrefix.length).equals(skippedPrefix)) return undefined;
  return skipReasonsByText.get(content.subarray(skippedPrefix.length).toString("latin1"));
}

export function blobHash(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Linguist has renamed one language since. */
export function languageOf(name: string): string {
  return name === "Mathematica" ? "Wolfram Language" : name;
}

/** The order of an index: by category, by depth, then by path. */
function compareRank(left: ShardDocument, right: ShardDocument): number {
  const rank = ({ category, path }: ShardDocument) =>
    documentCategories.indexOf(category) * 1024 + path.filter((byte) => byte === 0x2f).length;
  return (
    rank(left) - rank(right) ||
    Buffer.compare(left.path, right.path) ||
    (left.slots[0] ?? 0) - (right.slots[0] ?? 0)
  );
}
