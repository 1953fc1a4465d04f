/** Finds files that contain a name as a whole word, in any language, and reads their text. */
import type {
  DocumentInfo,
  DocumentRequest,
  Engine,
  EngineResult,
  FoundSymbol,
  SearchPlan,
  UnsavedDocument,
} from "#engine/engine";
import { blobHash } from "#git/objects/blobHash";
import type { FileMatch } from "#model/match";
import { addReason, type FlushReason } from "#model/stats";
import type { DocumentSymbols } from "#model/symbol";
import { wholeWord } from "#query/analysis/wholeWord";
import { maxResponseBytes } from "#query/limits";
import type { Pattern, Query } from "#query/query";
import { createInternalPlan } from "#service/search/internalPlan";
import type { HashedText } from "./parsedCode";
import type { SearchScope, SymbolQuery } from "./symbolQuery";

/** A name with more occurrences is too common to be useful. */
const maxOccurrences = 100_000;

/** A text with its symbols, if they were requested and are indexed. */
export interface FoundText extends HashedText {
  readonly symbols?: DocumentSymbols;
}

export interface CandidateSearch {
  readonly query: SymbolQuery;
  readonly scope: SearchScope;
  /** What files must contain. */
  readonly pattern: Pattern | readonly Pattern[];
  /** Other conditions that files must meet. */
  readonly filters?: readonly Query[];
  /** See `Limits`. */
  readonly omitsChunks: boolean | readonly string[];
}

/** Returns a pattern that matches the name as a whole word. */
export function wholeWordPattern(name: string): Pattern {
  return wholeWord({ kind: "literal", text: name, caseSensitive: true });
}

/** Why a response may be incomplete. */
export interface Completeness {
  /** Why there may be more matches. */
  readonly reason: FlushReason;
  /** Number of files whose text is missing from their repository, as in a partial clone. */
  readonly filesMissing: number;
}

export function addCompleteness(left: Completeness, right: Completeness): Completeness {
  return {
    reason: addReason(left.reason, right.reason),
    filesMissing: left.filesMissing + right.filesMissing,
  };
}

/** Why the response to one request may be incomplete. */
export class Gaps {
  readonly #unparsedFiles = new Set<string>();
  #completeness: Completeness = { reason: "NONE", filesMissing: 0 };

  get completeness(): Completeness {
    return this.#completeness;
  }

  get unparsedFileCount(): number {
    return this.#unparsedFiles.size;
  }

  add(found: Completeness): void {
    this.#completeness = addCompleteness(this.#completeness, found);
  }

  addReason(reason: FlushReason): void {
    this.add({ reason, filesMissing: 0 });
  }

  /** Records a file without a parser, which may contain more. */
  addUnparsed({ repositoryId, path }: FoundSymbol["document"]): void {
    this.#unparsedFiles.add(`${repositoryId} ${path}`);
  }

  /** Records a file that is no longer indexed, or that cannot be parsed. */
  addUnreadable(file: FoundSymbol["document"]): void {
    this.addUnparsed(file);
    this.addReason("ENGINE_PARTIAL");
  }
}

/** Passes files to `onFiles` as they are found. Resolves when the search and all calls of `onFiles` have finished. */
export async function searchCandidates(
  engine: Engine,
  search: CandidateSearch,
  signal: AbortSignal,
  onFiles: (files: readonly FileMatch[]) => Promise<void>,
): Promise<Completeness> {
  const pending: Promise<void>[] = [];
  const result = await engine.search(planOf(search, maxOccurrences), signal, (files) => {
    const handling = onFiles(files);
    pending.push(handling);
    return handling;
  });
  await Promise.all(pending);
  return completenessOf(result);
}

export interface BestCandidates extends Completeness {
  /** The best first. */
  readonly files: readonly FileMatch[];
  /** Whether a search with a higher limit may find more. */
  readonly hasMore: boolean;
}

/** Finds the best files, with at most `maxMatches` occurrences. Each file has all of its own. */
export async function bestCandidates(
  engine: Engine,
  search: CandidateSearch,
  maxMatches: number,
  signal: AbortSignal,
): Promise<BestCandidates> {
  const limit = Math.min(maxMatches, maxOccurrences);
  const result = await engine.search(planOf(search, limit), signal);
  const hasMore = limit < maxOccurrences && result.stats.totalMatchCount >= limit;
  const isWhole = ({ rangeCount, matchCount }: FileMatch) => rangeCount >= matchCount;
  const files = hasMore ? result.files.filter(isWhole) : result.files;
  return { ...completenessOf(result), files, hasMore };
}

function planOf(
  { query, scope, pattern, filters = [], omitsChunks }: CandidateSearch,
  maxMatches: number,
): SearchPlan {
  const { languages, unsaved, preferred, deadline } = query;
  const patterns = [pattern].flat().map((each): Query => ({ kind: "text", pattern: each, where: "content" }));
  const children: Query[] = [
    { kind: "or", children: patterns },
    ...filters,
    ...(languages === undefined ? [] : [{ kind: "language" as const, names: languages }]),
    ...(scope.revisions.length === 0 ? [] : [{ kind: "revision" as const, names: scope.revisions }]),
  ];
  const plan = createInternalPlan({ kind: "and", children }, scope.repositories, maxMatches, deadline);
  const limits = { ...plan.limits, maxResponseBytes, omitsChunks };
  return { ...plan, limits, unsaved: scope.revisions.length === 0 ? unsaved : [], preferred };
}

function completenessOf({ stats: { flushReason, filesMissing }, isExhaustive }: EngineResult): Completeness {
  return { reason: flushReason !== "NONE" || isExhaustive ? flushReason : "ENGINE_PARTIAL", filesMissing };
}

export interface TextOptions {
  readonly unsaved: readonly UnsavedDocument[];
  /** Whether to read indexed symbols too. */
  readonly withSymbols?: boolean;
}

/** Returns the texts in the order of the files; `undefined` if a file is no longer in the index. */
export async function readTexts(
  engine: Engine,
  files: readonly DocumentInfo[],
  { unsaved, withSymbols = false }: TextOptions,
  signal: AbortSignal,
): Promise<readonly (FoundText | undefined)[]> {
  const stored = files.filter(({ origin }) => origin !== "unsaved");
  const requests = stored.map((file) => ({ ...requestOf(file), withSymbols }));
  const documents = await engine.readDocuments(requests, signal);
  const byFile = new Map(stored.map((file, index) => [file, documents[index]]));
  return files.map((file) => {
    const { language, blobSha, origin } = file;
    if (origin === "unsaved") {
      const open = unsaved.find(
        ({ repositoryId, path }) => repositoryId === file.repositoryId && path === file.path,
      );
      if (open === undefined) return undefined;
      const content = new TextEncoder().encode(open.text);
      return { language, blobSha: blobHash(content), content };
    }
    const document = byFile.get(file);
    if (document === undefined) return undefined;
    const { content, symbols } = document;
    // Uncommitted content has no SHA yet; the cache needs one.
    const name = blobSha === "" ? blobHash(content) : blobSha;
    return { language, blobSha: name, content, ...(symbols === undefined ? {} : { symbols }) };
  });
}

function requestOf({ repositoryId, path, blobSha, origin }: DocumentInfo): DocumentRequest {
  return { repositoryId, path, ...(blobSha === "" || origin !== "commit" ? {} : { blob: blobSha }) };
}
