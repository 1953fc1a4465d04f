/** Collects the documents that nodes returned, by repository. `candidateShards.ts` makes them searchable. */
import { categorize } from "#languages/categorize";
import { type DocumentCategory, documentCategories, type SkipReason } from "#model/document";
import type { IndexedRevision } from "#shard/directory/manifest";
import { definesNames } from "#symbols/grammars/grammars";
import { maxParsedBytes } from "#symbols/symbols";
import type { CachedTexts, TextFacts } from "./cachedTexts";
import { blobHash, mayBeSkipped, skipReasonOf } from "./documentContent";
import { joinChunks, type MatchedLines } from "./matchedLines";
import type {
  CandidateText,
  IndexedRepository,
  MissingDocument,
  MissingResponse,
  NodeCandidates,
  NodeReplies,
} from "./zoektMessages";
import { parseSearchReply, type ZoektFile, type ZoektSearchResult } from "./zoektReplies";

/** A response without documents is smaller. */
const maxEmptyReplyBytes = 4096;

export interface Candidates {
  readonly repositories: readonly RepositoryCandidates[];
  readonly nodes: readonly NodeCandidates[];
  /** Whether the lines that match suffice for most documents. */
  readonly usesLines: boolean;
  /** See `EvaluatedResponse`. */
  readonly cachedShare: number | undefined;
}

export interface RepositoryCandidates {
  readonly repository: IndexedRepository;
  readonly revisions: readonly IndexedRevision[];
  /** In the order of an index. */
  readonly documents: readonly CandidateDocument[];
}

export interface CandidateDocument {
  readonly path: Buffer;
  readonly content: Buffer;
  /** Present if Zoekt did not index the text. */
  readonly skip: SkipReason | undefined;
  readonly language: string;
  readonly category: DocumentCategory;
  readonly slots: readonly number[];
  /** Present if `content` is only what matches. */
  readonly lines: MatchedLines | undefined;
  /** The hash of the text as a git blob, if `content` is only what matches and the hash is known. */
  readonly blob: string | undefined;
  /** Present if the hash was not known when the documents were collected. */
  readonly unhashed: UnhashedDocument | undefined;
  /** The position among documents of all nodes, in the order in which these returned them. */
  readonly rank: number;
}

export interface UnhashedDocument {
  readonly file: ZoektFile;
  /** Where to request its text. */
  readonly source: MissingDocument;
}

/** The repositories of a thread, by Zoekt's name. */
export type KnownRepositories = ReadonlyMap<string, IndexedRepository>;

/**
 * The result does not depend on the order of the replies. A file counts only if its node was asked for its repository,
 * because other nodes may have replicas, or still have an old index of it. Returns what is missing if the text of a file is
 * neither in the replies nor in the cache.
 */
export function collectCandidates(
  { replies, texts, others, lineUse }: NodeReplies,
  known: KnownRepositories,
  cache: CachedTexts,
): Candidates | MissingResponse {
  const files = new Map<IndexedRepository, RankedFile[]>();
  const missing: MissingDocument[] = [];
  const requested = cache.read(texts ?? []);
  let count = 0;
  let cachedCount = 0;
  const nodes = replies.map(({ node, body, hasTexts, repositories }, reply): NodeCandidates => {
    const asked = repositories && new Set(repositories);
    const result = parseSearchReply(body, hasTexts ? "texts" : lineUse === undefined ? "names" : "lines");
    for (const [rank, listed] of (result?.files ?? []).entries()) {
      const repository = known.get(listed.Repository);
      if (repository === undefined) continue;
      if (asked === undefined ? repository.node !== node : !asked.has(repository.id)) continue;
      count++;
      const source = { reply, repository: repository.name, path: listed.FileName };
      const add = (content: Buffer, lines?: MatchedLines, facts?: TextFacts) => {
        const ranked = { file: { ...listed, content }, lines, facts, source, rank };
        const ofRepository = files.get(repository);
        if (ofRepository === undefined) files.set(repository, [ranked]);
        else ofRepository.push(ranked);
      };
      // Also in the cache by now, but it was not when the documents were listed.
      const late = requested.get(listed);
      if (lineUse !== undefined && late !== undefined) cache.learn(listed, late);
      const facts = lineUse && cache.factsOf(listed);
      const suffices = facts !== undefined && (facts.isAscii || lineUse?.documents === "all");
      const canHashLater = facts === undefined && lineUse?.documents === "all" && lineUse.hashesOfResult;
      const usesLines = lineUse !== undefined && (suffices || canHashLater);
      const lines = usesLines && listed.chunks ? joinChunks(listed.chunks, lineUse) : undefined;
      if (lines !== undefined && (suffices || !mayBeSkipped(lines.content))) {
        if (suffices && late === undefined) cachedCount++;
        add(lines.content, lines, facts);
        continue;
      }
      const cached = late === undefined ? cache.get(listed) : undefined;
      if (cached !== undefined || (hasTexts && suffices)) cachedCount++;
      else if (hasTexts) cache.set(listed, body.length);
      const content = late ?? cached ?? (hasTexts ? listed.content : undefined);
      if (content === undefined) {
        missing.push(source);
        continue;
      }
      if (lineUse !== undefined && late === undefined) cache.learn(listed, content);
      add(content);
    }
    return describeReply(result);
  });
  if (missing.length > 0) return { kind: "missing", documents: missing };
  const byId = new Map([...known.values()].map((repository) => [repository.id, repository]));
  for (const id of others) {
    const repository = byId.get(id);
    if (repository !== undefined && !files.has(repository)) files.set(repository, []);
  }
  const repositories = [...files]
    .sort(([left], [right]) => left.id - right.id)
    .map(([repository, found]) => toRepository(repository, found));
  const usesLines = lineUse !== undefined;
  return { nodes, repositories, usesLines, cachedShare: count === 0 ? undefined : cachedCount / count };
}

/** Returns what nodes reported if none of them returned a document; else undefined. Fast enough for the main thread. */
export function candidatesWithoutFiles({
  replies,
}: Pick<NodeReplies, "replies">): readonly NodeCandidates[] | undefined {
  if (replies.some(({ body }) => body.length > maxEmptyReplyBytes)) return undefined;
  const results = replies.map(({ body }) => parseSearchReply(body, "names"));
  return results.some((result) => (result?.files.length ?? 0) > 0) ? undefined : results.map(describeReply);
}

function describeReply(result: ZoektSearchResult | undefined): NodeCandidates {
  if (result === undefined) return { kind: "malformed" };
  const { files, FileCount: fileCount } = result;
  return {
    kind: "documents",
    documentCount: files.length,
    omittedCount: Math.max(0, fileCount - files.length),
    skippedCount: result.FilesSkipped + result.ShardsSkipped,
    crashCount: result.Crashes,
    contentBytesLoaded: result.ContentBytesLoaded,
    indexBytesLoaded: result.IndexBytesLoaded,
  };
}

/** Returns the texts that may have definitions, the best ones first, each content once. */
export function textsToParse({ repositories }: Candidates): CandidateText[] {
  const documents = repositories.flatMap((repository) => repository.documents).filter(mayHaveDefinitions);
  const texts = new Map<string, CandidateText>();
  for (const document of documents.sort((left, right) => left.rank - right.rank)) {
    const { language, content } = document;
    const key = symbolsKey(document);
    if (!texts.has(key)) texts.set(key, { key, language, content });
  }
  return [...texts.values()];
}

export function mayHaveDefinitions({ language, content, skip }: CandidateDocument): boolean {
  return skip === undefined && content.length <= maxParsedBytes && definesNames(language);
}

/** Documents with the same key have the same symbols. */
export function symbolsKey({ language, content }: Pick<CandidateDocument, "language" | "content">): string {
  return `${language} ${blobHash(content)}`;
}

interface RankedFile {
  readonly file: ZoektFile;
  readonly lines: MatchedLines | undefined;
  readonly facts: TextFacts | undefined;
  readonly source: MissingDocument;
  readonly rank: number;
}

function toRepository(repository: IndexedRepository, files: readonly RankedFile[]): RepositoryCandidates {
  const slots = new Slots(repository);
  const documents = files.map((file) => toDocument(file, slots));
  const positions = new Map(documents.map((document) => [document, positionOf(document)]));
  const position = (document: CandidateDocument) => positions.get(document) ?? 0;
  documents.sort(
    (left, right) =>
      position(left) - position(right) ||
      Buffer.compare(left.path, right.path) ||
      (left.slots[0] ?? 0) - (right.slots[0] ?? 0),
  );
  return { repository, revisions: slots.revisions, documents };
}

/** The order of an index: by category, by depth, then by path. */
function positionOf({ category, path }: CandidateDocument): number {
  return documentCategories.indexOf(category) * 1024 + path.filter((byte) => byte === 0x2f).length;
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

function toDocument({ file, lines, facts, source, rank }: RankedFile, slots: Slots): CandidateDocument {
  const { content, FileName: path, Language: language = "" } = file;
  return {
    path: Buffer.from(path),
    content,
    skip: facts === undefined ? skipReasonOf(content) : facts.skip,
    lines,
    blob: facts?.blob,
    unhashed: lines !== undefined && facts === undefined ? { file, source } : undefined,
    language: languageOf(language),
    category: facts?.category ?? categorize(path),
    slots: slots.of(file),
    rank,
  };
}

/** Linguist has renamed one language since. */
export function languageOf(name: string): string {
  return name === "Mathematica" ? "Wolfram Language" : name;
}
