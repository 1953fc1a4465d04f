/** Reads documents with their text from the shards of one worker. */
import { isServiceError } from "#base/error";
import type { DocumentRequest, IndexedDocument } from "#engine/engine";
import { describeDocument } from "./documentInfo";
import type { ReadCall, ReadResponse } from "./searchMessages";
import { selectSlots } from "./selectSlots";
import { damagedFileOf } from "./shardGaps";
import { defaultUniverse, type OpenShard, type ShardPart, type ShardSnapshot } from "./shardSet";

interface RepositoryPart {
  readonly shard: OpenShard;
  readonly part: ShardPart;
}

/** Returns the requested documents that this worker owns. Lists damaged files in the response instead of throwing. */
export function readDocuments(snapshot: ShardSnapshot, { requests }: ReadCall): ReadResponse {
  const wanted = new Set<number>(requests.map(({ repositoryId }) => repositoryId));
  const partsById = new Map<number, RepositoryPart[]>();
  for (const shard of snapshot.shards) {
    for (const part of shard.parts) {
      const { id } = part.repository.shards;
      if (!wanted.has(id)) continue;
      const known = partsById.get(id);
      if (known === undefined) partsById.set(id, [{ shard, part }]);
      else known.push({ shard, part });
    }
  }
  const damaged = new Set<string>();
  const documents = requests.map((request) => {
    for (const repositoryPart of partsById.get(request.repositoryId) ?? []) {
      try {
        const found = readFrom(repositoryPart, request);
        if (found !== undefined) return found;
      } catch (error) {
        if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
        damaged.add(damagedFileOf(repositoryPart.shard));
      }
    }
    return undefined;
  });
  return { kind: "read", documents, damagedFiles: [...damaged] };
}

/** Throws `SHARD_DAMAGED`. */
function readFrom({ shard, part }: RepositoryPart, request: DocumentRequest): IndexedDocument | undefined {
  const { reader, symbols } = shard;
  const passes = testOf(shard, part, request);
  const document = reader
    .findPath(Buffer.from(request.path), part.firstDocument, part.endDocument)
    .find((each) => reader.skipReason(each) === undefined && passes(each));
  if (document === undefined) return undefined;
  const { blob, revision } = request;
  const hasRevision = blob !== undefined || revision !== undefined;
  const info = describeDocument(shard, document, {
    hasRevision,
    revisions: revision === undefined ? [] : [revision],
  });
  const found = request.withSymbols ? symbols?.symbolsOf(document) : undefined;
  return {
    ...info,
    content: reader.readContent(document),
    ...(found?.kind === "parsed"
      ? { symbols: { definitions: found.definitions, imports: found.imports } }
      : {}),
  };
}

/** Returns a test for which of the documents at a path is requested: several may have different contents. */
function testOf(
  shard: OpenShard,
  part: ShardPart,
  { blob, revision }: DocumentRequest,
): (document: number) => boolean {
  const { segments } = part.repository;
  if (blob !== undefined)
    return (document) =>
      shard.reader.blob(document) === blob &&
      (part.segment < 0 || segments.slotsOf(part.segment, document).length > 0);
  if (revision === undefined) {
    const universe = defaultUniverse(shard);
    return (document) => universe.has(document);
  }
  if (part.segment < 0) return () => false;
  const slots = selectSlots(part.repository, [revision]);
  return (document) => segments.slotsOf(part.segment, document).some((slot) => slots.has(slot));
}
