/** Indexes written as literals, and engines that search them. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { EmbeddedEngine, type EmbeddedEngineOptions } from "#engine/embedded/embeddedEngine";
import type { SearchThread, WorkerCall, WorkerResponse } from "#engine/embedded/searchMessages";
import { createSearchTask } from "#engine/embedded/searchTask";
import type { Engine, EngineResult, SearchPlan } from "#engine/engine";
import type { DocumentCategory, SkipReason } from "#model/document";
import { decodeChunks, type FileMatch } from "#model/match";
import { monotonicNow } from "#platform/clock";
import type { Files } from "#platform/files";
import { inlineThread } from "#platform/inlineThread";
import { startThread } from "#platform/workerThread";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import { ShardDirectory } from "#shard/directory/directory";
import { writeDraft } from "#shard/directory/draft";
import type { IndexedRevision, Manifest } from "#shard/directory/manifest";
import { loadChecksum } from "#shard/format/checksum";
import type { Override, ShardDocument, SlotCopy } from "#shard/format/shard";
import type { ShardWriter } from "#shard/format/writer";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";

export interface TestDocument {
  readonly path: string | Uint8Array;
  /** Absent where `skip` is given. */
  readonly content?: string | Uint8Array;
  readonly skip?: SkipReason;
  readonly language?: string;
  readonly category?: DocumentCategory;
  /** Defaults to `[0]`. */
  readonly slots?: readonly number[];
}

export interface TestSegment {
  readonly documents: readonly TestDocument[];
  readonly overrides?: readonly Override[];
  readonly slotCopies?: readonly SlotCopy[];
}

export interface TestRepositoryIndex {
  readonly id: number;
  readonly kind?: Manifest["kind"];
  /** Defaults to `refs/heads/main` in slot 0. */
  readonly revisions?: readonly IndexedRevision[];
  readonly defaultRevision?: string;
  /** One shard each; the first is the base shard. */
  readonly segments: readonly (TestSegment | readonly TestDocument[])[];
}

const mainRevision: IndexedRevision = { name: "refs/heads/main", commit: "c".repeat(40), slot: 0 };

/** Hashes content as a git blob. */
export function blobHash(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

export function shardDocument(document: TestDocument): ShardDocument {
  const { path, content, skip, language = "", category = "source", slots = [0] } = document;
  const bytes = content === undefined ? undefined : Buffer.from(content);
  return {
    path: Buffer.from(path),
    ...(bytes === undefined ? {} : { content: bytes }),
    ...(skip === undefined ? {} : { skip }),
    blob: blobHash(bytes ?? Buffer.from(path)),
    language,
    category,
    slots,
  };
}

function fillShard(writer: ShardWriter, id: number, segment: TestSegment, isDelta: boolean): void {
  writer.beginRepository(id);
  if (isDelta) writer.markDelta();
  for (const slotCopy of segment.slotCopies ?? []) writer.copySlot(slotCopy);
  for (const override of segment.overrides ?? []) writer.override(override);
  for (const document of segment.documents) writer.add(shardDocument(document));
}

export interface PublishOptions {
  readonly files?: Files;
  readonly keepSegments?: boolean;
  /** Whether manifests say that shards are in an older format. Default: false. */
  readonly isInOldFormat?: boolean;
}

/** Publishes a repository segment by segment. */
export async function publish(
  directory: ShardDirectory,
  repository: TestRepositoryIndex,
  options: PublishOptions = {},
): Promise<Manifest> {
  const {
    id,
    kind = "clone",
    revisions = [mainRevision],
    defaultRevision = "refs/heads/main",
    segments,
  } = repository;
  const { isInOldFormat } = options;
  const checksum = await loadChecksum();
  const before = directory.manifest(id);
  let manifest: Manifest | undefined;
  for (const [index, segmentOrDocuments] of segments.entries()) {
    const segment: TestSegment =
      "documents" in segmentOrDocuments ? segmentOrDocuments : { documents: segmentOrDocuments };
    const keepSegments = index > 0 || options.keepSegments === true;
    const draft = await writeDraft(
      directory.newDraft(),
      checksum,
      (writer) => fillShard(writer, id, segment, keepSegments),
      options.files,
    );
    const slots = revisions.map(({ slot }) => slot + 1);
    manifest = await directory.publish(
      {
        repositoryId: id,
        name: `repository ${id}`,
        path: `/nowhere/${id}`,
        kind,
        revisions,
        ...(kind === "folder" ? {} : { defaultRevision }),
        nextSlot: Math.max(before?.nextSlot ?? 0, ...slots, 0),
        keepSegments,
      },
      [isInOldFormat === true ? { ...draft, summary: { ...draft.summary, formatVersion: 1 } } : draft],
    );
  }
  if (manifest === undefined) throw new Error("A repository needs at least one segment.");
  return manifest;
}

export async function openIndex(
  repositories: readonly TestRepositoryIndex[],
  options: PublishOptions & { readonly folder?: string } = {},
): Promise<ShardDirectory> {
  const directory = await ShardDirectory.open(options.folder ?? temporaryFolder(), options.files);
  for (const repository of repositories) await publish(directory, repository, options);
  return directory;
}

export interface TestEngine {
  readonly engine: EmbeddedEngine;
  /** Files reported as damaged, in order. */
  readonly damage: string[];
  /** All workers that were started, in order. */
  readonly threads: SearchThread[];
}

/** Opens an engine on this thread, or on the bundled workers if `threads` is given. */
export function openEngine(
  directory: ShardDirectory,
  options: {
    readonly workerCount?: number;
    readonly threads?: boolean;
    readonly parsers?: Pick<SymbolParsers, "symbols">;
  } = {},
): TestEngine {
  const damage: string[] = [];
  const threads: SearchThread[] = [];
  const script = join(projectRoot(), "dist/server/searchWorker.js");
  const start: EmbeddedEngineOptions["startThread"] = options.threads
    ? (onExit) => startThread<WorkerCall, WorkerResponse>(script, onExit)
    : () => inlineThread(createSearchTask());
  const engine = new EmbeddedEngine({
    directory,
    workerCount: options.workerCount ?? 1,
    startThread: (onExit) => {
      const thread = start(onExit);
      threads.push(thread);
      return thread;
    },
    onDamage: (file) => damage.push(file),
    ...(options.parsers === undefined ? {} : { parsers: options.parsers }),
  });
  return { engine, damage, threads };
}

export function literal(
  text: string,
  change: Partial<{ caseSensitive: boolean; where: "content" | "name" | "both" }> = {},
): Query {
  const { caseSensitive = false, where = "content" } = change;
  return { kind: "text", pattern: { kind: "literal", text, caseSensitive }, where };
}

export function regexp(
  source: string,
  change: Partial<{ caseSensitive: boolean; where: "content" | "name" | "both" }> = {},
): Query {
  const { caseSensitive = true, where = "content" } = change;
  return { kind: "text", pattern: { kind: "regexp", source, caseSensitive }, where };
}

export function planOf(
  query: Query,
  limits: Partial<Limits> = {},
  change: Partial<SearchPlan> = {},
): SearchPlan {
  return {
    query,
    repositories: "all",
    limits: {
      maxMatches: Number.POSITIVE_INFINITY,
      maxDisplayedMatches: limits.maxMatches ?? Number.POSITIVE_INFINITY,
      contextLines: 0,
      returnsContent: false,
      deadline: monotonicNow() + 60_000,
      maxResponseBytes: 1 << 30,
      explainsScores: false,
      ...limits,
    },
    unsaved: [],
    preferred: [],
    ...change,
  };
}

export async function search(
  engine: Engine,
  query: Query,
  limits: Partial<Limits> = {},
  change: Partial<SearchPlan> = {},
): Promise<EngineResult> {
  return engine.search(planOf(query, limits, change), new AbortController().signal);
}

/** Formats every range of a result as `repository path 12+3`, sorted; ranges in names are preceded by `name`. */
export function rangeLines(files: readonly FileMatch[]): string[] {
  return files
    .flatMap((file) => {
      const { repositoryId, path, nameRanges } = file;
      const ranges = decodeChunks(file).flatMap(({ matchRanges }) => matchRanges);
      assert.equal(file.rangeCount, nameRanges.length + ranges.length);
      return [
        ...nameRanges.map((range) => `${repositoryId} ${path} name ${span(range)}`),
        ...ranges.map((range) => `${repositoryId} ${path} ${span(range)}`),
      ];
    })
    .sort();
}

function span({ start, end }: FileMatch["nameRanges"][number]): string {
  return `${start.byteOffset}+${end.byteOffset - start.byteOffset}`;
}

/** Formats each chunk as `path: line text`, in result order; a matching name is just `path`. */
export function hitLines(files: readonly FileMatch[]): string[] {
  return files.flatMap((file) => {
    const { path } = file;
    const chunks = decodeChunks(file);
    return chunks.length === 0
      ? [path]
      : chunks.map(({ content, contentStart }) => `${path}:${contentStart.lineNumber}: ${content.trimEnd()}`);
  });
}
