/** Builds shards on a worker: reads contents from git, classifies them, and writes draft shards. */
import { throwIfAborted } from "#base/error";
import { type BytePath, bytesOf, textOf } from "#git/bytePath";
import { readObjects } from "#git/objects/readObjects";
import type { GitRepository } from "#git/repository";
import type { AttributesOf } from "#languages/attributes";
import { categorize } from "#languages/categorize";
import { traitsOf } from "#languages/traits";
import { documentCategories, type SkipReason } from "#model/document";
import type { Files } from "#platform/files";
import type { Draft } from "#shard/directory/directory";
import { writeDraft } from "#shard/directory/draft";
import { loadChecksum } from "#shard/format/checksum";
import { targetShardBytes } from "#shard/format/shard";
import { type ContentFilter, skipReason } from "#shard/format/skipReason";
import type { ShardWriter } from "#shard/format/writer";
import type { PlannedDocument } from "./plan";

/** What every build task needs. */
export interface BuildContext {
  readonly repositoryId: number;
  /** Path of the first draft. Further ones have a number appended. */
  readonly draftPath: string;
  readonly signal: AbortSignal;
  /** Called with the number of documents that were written since the last call. */
  readonly onDocuments: (count: number) => void;
  /** Called with the size of each draft before the next one is written, which waits for it. */
  readonly onDraft: (bytes: number) => Promise<void>;
  readonly files: Files;
  readonly contentFilter: ContentFilter;
}

export interface ShardBuild extends BuildContext {
  /** Returns what the repository's own `.gitattributes` files set for a path. */
  readonly attributesOf: AttributesOf;
}

export interface GitBuild extends ShardBuild {
  readonly gitRepository: GitRepository;
  /** Hashes of blobs that the repository lacks, for example because it is a partial clone. */
  readonly missing: ReadonlySet<string>;
}

/** How many documents to write between progress reports and checks for cancellation. */
export const progressStep = 500;

/** Writes `documents` in order, into as many shards as necessary. Leaves no drafts after an error. */
export async function buildShards(documents: readonly PlannedDocument[], build: GitBuild): Promise<Draft[]> {
  let next = 0;
  return writeShards(
    build,
    () => next < documents.length,
    async (writer) => {
      next += await addDocuments(writer, documents.slice(next), build);
    },
  );
}

/** Writes at least one shard, until `hasMore` returns false. Leaves no drafts after an error. */
export async function writeShards(
  build: ShardBuild,
  hasMore: () => boolean,
  fill: (writer: ShardWriter) => Promise<void> | void,
): Promise<Draft[]> {
  const drafts: Draft[] = [];
  try {
    while (hasMore() || drafts.length === 0) {
      const previous = drafts.at(-1);
      if (previous !== undefined) await build.onDraft(previous.summary.shardBytes);
      const path = drafts.length === 0 ? build.draftPath : `${build.draftPath}.${drafts.length}`;
      drafts.push(await writeShard(path, build, fill));
    }
  } catch (error) {
    for (const { path } of drafts) build.files.remove(path);
    throw error;
  }
  return drafts;
}

/** Writes one draft shard of one repository. */
export async function writeShard(
  path: string,
  { repositoryId, files }: Pick<ShardBuild, "repositoryId" | "files">,
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

/** Adds documents in order until the shard is full. Returns how many were added. */
export async function addDocuments(
  writer: ShardWriter,
  documents: readonly PlannedDocument[],
  build: GitBuild,
  maxContentBytes = targetShardBytes,
): Promise<number> {
  const { gitRepository, missing, signal, onDocuments, contentFilter } = build;
  let added = 0;
  let reported = 0;
  const add = (document: PlannedDocument, content: Uint8Array | undefined, skip?: SkipReason, size = 0) => {
    addDocument(writer, document, build, content, skip, size);
    if (++added - reported < progressStep) return;
    throwIfAborted(signal);
    onDocuments(added - reported);
    reported = added;
  };
  /** Returns why a document is not read at all. */
  const unread = ({ hash, path }: PlannedDocument): SkipReason | undefined =>
    missing.has(hash) ? "missing" : contentFilter.excludes(textOf(path)) ? "excluded" : undefined;
  const mayBeUnread = missing.size > 0 || !contentFilter.includesAllPaths;
  const addUnread = () => {
    for (let at = added; mayBeUnread; at++) {
      const document = documents[at];
      const reason = document && unread(document);
      if (document === undefined || reason === undefined) return;
      add(document, undefined, reason);
    }
  };
  const readable = mayBeUnread ? documents.filter((document) => unread(document) === undefined) : documents;
  addUnread();
  await readObjects(
    gitRepository,
    readable.map(({ hash }) => hash),
    contentFilter.maxBytes,
    (object, index) => {
      const document = readable[index];
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

/** Classifies the content, if any, and adds the document. */
export function addDocument(
  writer: ShardWriter,
  { path, hash, slots }: PlannedDocument,
  { attributesOf, contentFilter }: Pick<ShardBuild, "attributesOf" | "contentFilter">,
  content: Uint8Array | undefined,
  given?: SkipReason,
  size = content?.length ?? 0,
): void {
  const skip = given ?? (content === undefined ? "unreadable" : skipReason(content, contentFilter.maxBytes));
  const name = textOf(path);
  const traits = traitsOf(name, attributesOf(name), skip === undefined ? content : undefined);
  const document = { path: bytesOf(path), blob: hash, slots, ...traits };
  if (skip !== undefined || content === undefined)
    writer.add({ ...document, skip: skip ?? "unreadable", size });
  else writer.add({ ...document, content });
}

/** Returns a function that ranks paths by the category of the document; 0 is the best. */
export function categoryRank(attributesOf: AttributesOf): (path: BytePath) => number {
  return (path) => {
    const name = textOf(path);
    return categoryOrder.get(categorize(name, attributesOf(name))) ?? 0;
  };
}

const categoryOrder = new Map(documentCategories.map((category, rank) => [category, rank]));
