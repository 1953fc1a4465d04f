/** Indexes written as values, and engines over them. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { EmbeddedEngine, type EmbeddedEngineOptions } from "#engine/embedded/embeddedEngine";
import { createSearchTask } from "#engine/embedded/searchTask";
import type { SearchThread, WorkerAnswer, WorkerCall } from "#engine/embedded/task";
import type { Engine, EngineResult, SearchPlan } from "#engine/engine";
import type { DocumentCategory, SkipReason } from "#model/document";
import type { FileMatch } from "#model/match";
import type { Files } from "#platform/files";
import { startThread, thisThread } from "#platform/workers";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import { loadChecksum } from "#shard/checksum";
import { type IndexedRevision, type Manifest, ShardDirectory } from "#shard/directory";
import { writeDraft } from "#shard/draft";
import type { Likeness, Override, ShardDocument } from "#shard/shard";
import type { ShardWriter } from "#shard/writer";
import type { SymbolParsers } from "#symbols/parsers";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";

export interface TestDocument {
  readonly path: string | Uint8Array;
  /** Absent where `skip` is given. */
  readonly content?: string | Uint8Array;
  readonly skip?: SkipReason;
  readonly language?: string;
  readonly category?: DocumentCategory;
  /** `[0]` unless given. */
  readonly slots?: readonly number[];
}

export interface TestSegment {
  readonly documents: readonly TestDocument[];
  readonly overrides?: readonly Override[];
  readonly likenesses?: readonly Likeness[];
}

export interface TestRepositoryIndex {
  readonly id: number;
  readonly kind?: Manifest["kind"];
  /** One, `refs/heads/main` in slot 0, unless given. */
  readonly revisions?: readonly IndexedRevision[];
  readonly defaultRevision?: string;
  /** A shard each; the first is the base. */
  readonly segments: readonly (TestSegment | readonly TestDocument[])[];
}

const mainRevision: IndexedRevision = { name: "refs/heads/main", commit: "c".repeat(40), slot: 0 };

/** As git hashes it. */
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
  for (const likeness of segment.likenesses ?? []) writer.liken(likeness);
  for (const override of segment.overrides ?? []) writer.override(override);
  for (const document of segment.documents) writer.add(shardDocument(document));
}

/** Publishes a repository as it is given, segment by segment. */
export async function publish(
  directory: ShardDirectory,
  repository: TestRepositoryIndex,
  options: { readonly files?: Files; readonly keepSegments?: boolean } = {},
): Promise<Manifest> {
  const {
    id,
    kind = "clone",
    revisions = [mainRevision],
    defaultRevision = "refs/heads/main",
    segments,
  } = repository;
  const checksum = await loadChecksum();
  const before = directory.manifest(id);
  let manifest: Manifest | undefined;
  for (const [index, given] of segments.entries()) {
    const segment: TestSegment = "documents" in given ? given : { documents: given };
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
      [draft],
    );
  }
  if (manifest === undefined) throw new Error("A repository has at least one segment.");
  return manifest;
}

export async function openIndex(
  repositories: readonly TestRepositoryIndex[],
  options: { readonly folder?: string; readonly files?: Files } = {},
): Promise<ShardDirectory> {
  const directory = await ShardDirectory.open(options.folder ?? temporaryFolder(), options.files);
  for (const repository of repositories) await publish(directory, repository, options);
  return directory;
}

export interface TestEngine {
  readonly engine: EmbeddedEngine;
  /** Files that were reported as damaged, in order. */
  readonly damage: string[];
  /** All that were started, in order. */
  readonly threads: SearchThread[];
}

/** On this thread, or with `threads` on the bundled workers. */
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
    ? (onExit) => startThread<WorkerCall, WorkerAnswer>(script, onExit)
    : () => thisThread(createSearchTask());
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
      whole: false,
      deadline: Date.now() + 60_000,
      maxAnswerBytes: 1 << 30,
      explain: false,
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

/** Every range of an answer: `repository path 12+3`, with `name` before a range of a name; sorted. */
export function rangeLines(files: readonly FileMatch[]): string[] {
  return files
    .flatMap(({ repositoryId, path, nameRanges, chunks }) => [
      ...nameRanges.map((range) => `${repositoryId} ${path} name ${span(range)}`),
      ...chunks.flatMap((chunk) =>
        chunk.matchRanges.map((range) => `${repositoryId} ${path} ${span(range)}`),
      ),
    ])
    .sort();
}

function span({ start, end }: FileMatch["nameRanges"][number]): string {
  return `${start.byteOffset}+${end.byteOffset - start.byteOffset}`;
}

/** `path: line text` of each chunk, in the order of the answer; a name that matched is `path`. */
export function hitLines(files: readonly FileMatch[]): string[] {
  return files.flatMap(({ path, chunks }) =>
    chunks.length === 0
      ? [path]
      : chunks.map(({ content, contentStart }) => `${path}:${contentStart.lineNumber}: ${content.trimEnd()}`),
  );
}
