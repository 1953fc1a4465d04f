/** The worker's side of a build: reads contents from git, judges them, and writes draft shards. */
import { throwIfAborted } from "#base/error";
import { type BytePath, bytesOf, textOf } from "#git/bytePath";
import { readObjects } from "#git/objects";
import type { GitPlace } from "#git/place";
import type { AttributesOf } from "#languages/attributes";
import { categorize } from "#languages/categorize";
import { traitsOf } from "#languages/traits";
import { documentCategories, type SkipReason } from "#model/document";
import type { Files } from "#platform/files";
import { loadChecksum } from "#shard/checksum";
import type { Draft } from "#shard/directory";
import { writeDraft } from "#shard/draft";
import { targetShardBytes } from "#shard/shard";
import { type Admission, skipReason } from "#shard/skipReason";
import type { ShardWriter } from "#shard/writer";
import type { PlannedDocument } from "./plan";

/** What every task is given. */
export interface TaskFrame {
  readonly repositoryId: number;
  /** Where the first draft goes; further ones have a number behind it. */
  readonly draftPath: string;
  readonly signal: AbortSignal;
  readonly onDocuments: (count: number) => void;
  readonly files: Files;
  readonly admission: Admission;
}

export interface ShardBuilding extends TaskFrame {
  /** What the repository itself says of its documents. */
  readonly attributesOf: AttributesOf;
}

export interface Building extends ShardBuilding {
  readonly place: GitPlace;
  /** Hashes that the repository does not have: a partial clone. */
  readonly missing: ReadonlySet<string>;
}

/** Progress is told, and cancellation looked for, after so many documents. */
export const progressStep = 500;

/** Writes `documents` in their order, as many shards as their text needs. Where it fails no draft is left. */
export async function buildShards(
  documents: readonly PlannedDocument[],
  building: Building,
): Promise<Draft[]> {
  let next = 0;
  return writeShards(
    building,
    () => next < documents.length,
    async (writer) => {
      next += await addDocuments(writer, documents.slice(next), building);
    },
  );
}

/** Writes shards, at least one, until there is nothing more to `fill` them with. Where it fails no draft is left. */
export async function writeShards(
  building: ShardBuilding,
  hasMore: () => boolean,
  fill: (writer: ShardWriter) => Promise<void> | void,
): Promise<Draft[]> {
  const drafts: Draft[] = [];
  try {
    while (hasMore() || drafts.length === 0) {
      const path = drafts.length === 0 ? building.draftPath : `${building.draftPath}.${drafts.length}`;
      drafts.push(await writeShard(path, building, fill));
    }
  } catch (error) {
    for (const { path } of drafts) building.files.remove(path);
    throw error;
  }
  return drafts;
}

/** One draft shard of one repository. */
export async function writeShard(
  path: string,
  { repositoryId, files }: Pick<ShardBuilding, "repositoryId" | "files">,
  fill: (writer: ShardWriter) => Promise<void> | void,
): Promise<Draft> {
  const checksum = await loadChecksum();
  return writeDraft(
    path,
    checksum,
    async (writer) => {
      writer.beginRepository(repositoryId);
      await fill(writer);
    },
    files,
  );
}

/** Adds documents until the shard is full; gives how many. */
export async function addDocuments(
  writer: ShardWriter,
  documents: readonly PlannedDocument[],
  building: Building,
  maxContentBytes = targetShardBytes,
): Promise<number> {
  const { place, missing, signal, onDocuments, admission } = building;
  let added = 0;
  let reported = 0;
  const add = (document: PlannedDocument, content: Uint8Array | undefined, skip?: SkipReason, size = 0) => {
    addDocument(writer, document, building, content, skip, size);
    if (++added - reported < progressStep) return;
    throwIfAborted(signal);
    onDocuments(added - reported);
    reported = added;
  };
  /** What is not read at all. */
  const unread = ({ hash, path }: PlannedDocument): SkipReason | undefined =>
    missing.has(hash) ? "missing" : admission.excludes(textOf(path)) ? "excluded" : undefined;
  const mayBeUnread = missing.size > 0 || !admission.isForAllPaths;
  const addUnread = () => {
    for (let at = added; mayBeUnread; at++) {
      const document = documents[at];
      const reason = document && unread(document);
      if (document === undefined || reason === undefined) return;
      add(document, undefined, reason);
    }
  };
  const present = mayBeUnread ? documents.filter((document) => unread(document) === undefined) : documents;
  addUnread();
  await readObjects(
    place,
    present.map(({ hash }) => hash),
    admission.maxBytes,
    (object, index) => {
      const document = present[index];
      if (document === undefined) return false;
      if (object.kind === "content") add(document, object.bytes);
      else if (object.kind === "tooLarge") add(document, undefined, "tooLarge", object.size);
      else add(document, undefined, object.kind);
      addUnread();
      return writer.contentBytes < maxContentBytes;
    },
    signal,
  );
  onDocuments(added - reported);
  return added;
}

/** Judges the content, where there is one, and adds what is left of it. */
export function addDocument(
  writer: ShardWriter,
  { path, hash, slots }: PlannedDocument,
  { attributesOf, admission }: Pick<ShardBuilding, "attributesOf" | "admission">,
  content: Uint8Array | undefined,
  given?: SkipReason,
  size = content?.length ?? 0,
): void {
  const skip = given ?? (content === undefined ? "unreadable" : skipReason(content, admission.maxBytes));
  const name = textOf(path);
  const traits = traitsOf(name, attributesOf(name), skip === undefined ? content : undefined);
  const document = { path: bytesOf(path), blob: hash, slots, ...traits };
  if (skip !== undefined || content === undefined)
    writer.add({ ...document, skip: skip ?? "unreadable", size });
  else writer.add({ ...document, content });
}

/** What the rank of a document begins with. */
export function categoryRank(attributesOf: AttributesOf): (path: BytePath) => number {
  return (path) => {
    const name = textOf(path);
    return categoryOrder.get(categorize(name, attributesOf(name))) ?? 0;
  };
}

const categoryOrder = new Map(documentCategories.map((category, rank) => [category, rank]));
