/** Documents of the index with their text, in the shards of one worker. */
import { isServiceError } from "#base/error";
import type { DocumentRequest, IndexedDocument } from "#engine/engine";
import { damagedFileOf } from "./lacks";
import { placeOf } from "./place";
import { selectSlots } from "./revisions";
import { defaultUniverse, type OpenShard, type ShardPart, type ShardSnapshot } from "./shardSet";
import type { ReadAnswer, ReadCall } from "./task";

interface Stretch {
  readonly shard: OpenShard;
  readonly part: ShardPart;
}

export function readDocuments(snapshot: ShardSnapshot, { requests }: ReadCall): ReadAnswer {
  const wanted = new Set<number>(requests.map(({ repositoryId }) => repositoryId));
  const stretches = new Map<number, Stretch[]>();
  for (const shard of snapshot.shards) {
    for (const part of shard.parts) {
      const { id } = part.repository.shards;
      if (!wanted.has(id)) continue;
      const known = stretches.get(id);
      if (known === undefined) stretches.set(id, [{ shard, part }]);
      else known.push({ shard, part });
    }
  }
  const damaged = new Set<string>();
  const documents = requests.map((request) => {
    for (const stretch of stretches.get(request.repositoryId) ?? []) {
      try {
        const found = readFrom(stretch, request);
        if (found !== undefined) return found;
      } catch (error) {
        if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
        damaged.add(damagedFileOf(stretch.shard));
      }
    }
    return undefined;
  });
  return { kind: "read", documents, damagedFiles: [...damaged] };
}

/** Throws `SHARD_DAMAGED`. */
function readFrom({ shard, part }: Stretch, request: DocumentRequest): IndexedDocument | undefined {
  const { reader, symbols } = shard;
  const passes = testOf(shard, part, request);
  const document = reader
    .findPath(Buffer.from(request.path), part.firstDocument, part.endDocument)
    .find((each) => reader.skipReason(each) === undefined && passes(each));
  if (document === undefined) return undefined;
  const { blob, revision } = request;
  const hasRevision = blob !== undefined || revision !== undefined;
  const place = placeOf(shard, document, {
    hasRevision,
    revisions: revision === undefined ? [] : [revision],
  });
  const found = request.withSymbols ? symbols?.symbolsOf(document) : undefined;
  return {
    ...place,
    content: reader.readContent(document),
    ...(found?.kind === "parsed"
      ? { symbols: { definitions: found.definitions, imports: found.imports } }
      : {}),
  };
}

/** Whether a document at the path is the one that is asked for. */
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
