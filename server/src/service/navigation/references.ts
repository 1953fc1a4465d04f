/**
 * Finds references to a name: the text index finds files, parsers separate code from comments and strings, and imports
 * show which definition a reference most likely refers to.
 *
 * Identifiers are not stored. Parse results are cached by content, so that a second request for a name parses nothing.
 */

import { setMaxListeners } from "node:events";
import { TextPositions } from "#base/textPositions";
import type { Certainty } from "#contract/symbols";
import type { Engine, FoundSymbol } from "#engine/engine";
import { decodeChunks, type FileMatch, fileKey, type Range } from "#model/match";
import { addReason, type FlushReason } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { definesNames, parsedLanguages } from "#symbols/grammars/grammars";
import { bestCandidates, type Completeness, readTexts, wholeWordPattern } from "./candidates";
import {
  ConfidenceEstimator,
  compareCertainty,
  type ReferenceSource,
  type Target,
  targetOf,
} from "./confidence";
import { catchTimeLimit, type Definitions } from "./definitions";
import type { Packages } from "./packages";
import {
  type CodeOccurrence,
  type FileOccurrences,
  maxLineBytes,
  type ParsedCode,
  truncatedLines,
} from "./parsedCode";
import type { QueryOrigin, SearchScope, SymbolQuery } from "./symbolQuery";

export interface CodeReference {
  readonly range: Range;
  readonly lineContent: string;
  readonly certainty: Certainty;
  /** The definition that contains it; absent at the top level, and in files that cannot be parsed. */
  readonly enclosing?: CodeOccurrence["enclosing"];
}

/** The references in one file, in source order. */
export interface ReferencingFile {
  readonly file: FoundSymbol["document"];
  readonly references: readonly CodeReference[];
  /** False if it cannot be parsed; references are then whole words of its text. */
  readonly isParsed: boolean;
  /** Score of the search that found the file. */
  readonly score: number;
}

export interface ReferencesOptions {
  readonly engine: Engine;
  readonly repositories: RepositoryView;
  readonly code: ParsedCode;
  readonly packages: Packages;
  readonly definitions: Definitions;
}

export interface FoundReferences extends Completeness {
  readonly matchCount: number;
  readonly unparsedFiles: number;
}

/** With more definitions of the same name, confidence cannot be computed in reasonable time. */
const maxTargets = 50;
/** How many occurrences in texts the first search for files is limited to, and how many times more each following one. */
const firstOccurrences = 4000;
const growth = 5;
/** Texts per parser call: few, so that first results arrive soon. */
const textsPerCall = 4;
/** With more calls running, no others start. */
const maxRunning = 16;
/** So many files that need no parser are passed on at once. */
const maxBatch = 100;

export class References {
  readonly #options: ReferencesOptions;

  constructor(options: ReferencesOptions) {
    this.#options = options;
  }

  /** Passes files to `onFiles` as they are found, those of the origin's repository first. Rejects with CANCELLED. */
  async find(
    query: SymbolQuery,
    caller: AbortSignal,
    onFiles: (files: readonly ReferencingFile[]) => Promise<void> | void,
  ): Promise<FoundReferences> {
    const { origin: queryOrigin, maxMatches, deadline } = query;
    if (queryOrigin?.identifier?.isLocal) return await this.#findLocal(query, caller, onFiles);
    const limit = new TimeLimit(caller, deadline - monotonicNow());
    const { signal } = limit;
    // Each file that is being parsed adds a listener.
    setMaxListeners(0, signal);
    let matchCount = 0;
    let unparsedFiles = 0;
    let filesMissing = 0;
    let reason: FlushReason = "NONE";
    const emit = async (files: Iterable<ReferencingFile>) => {
      const shown: ReferencingFile[] = [];
      for (const each of files) {
        const left = maxMatches - matchCount;
        if (left <= 0) break;
        const references = each.references.slice(0, left);
        matchCount += references.length;
        if (!each.isParsed) unparsedFiles++;
        shown.push({ ...each, references });
        if (references.length < each.references.length) reason = addReason(reason, "MATCH_LIMIT");
      }
      if (matchCount >= maxMatches) limit.abort();
      if (shown.length > 0) await onFiles(shown);
    };
    const overallReason = await catchTimeLimit(signal, caller, async () => {
      this.#options.code.prepare();
      // Files are found and parsed while the definitions are looked up.
      const possibleTargets = this.#findTargets(query, signal);
      possibleTargets.catch(() => undefined);
      let searchReason: FlushReason = "NONE";
      for (const scope of query.scopes) {
        const searched = await this.#searchScope(query, scope, { possibleTargets, emit }, signal);
        searchReason = addReason(searchReason, searched.reason);
        filesMissing += searched.filesMissing;
      }
      const { reason: definitionsReason } = await possibleTargets;
      // A missing definition lowers confidence but hides no reference.
      return definitionsReason === "INDEXING" || definitionsReason === "MATCH_LIMIT"
        ? searchReason
        : addReason(searchReason, definitionsReason);
    }).finally(() => {
      // After a failure, other calls may still be running.
      limit.abort();
      limit.dispose();
    });
    reason = addReason(reason, matchCount >= maxMatches ? "MATCH_LIMIT" : overallReason);
    return { matchCount, unparsedFiles, reason, filesMissing };
  }

  /** Finds the references to a local symbol. */
  async #findLocal(
    { origin: queryOrigin, name, maxMatches }: SymbolQuery,
    signal: AbortSignal,
    onFiles: (files: readonly ReferencingFile[]) => Promise<void> | void,
  ): Promise<FoundReferences> {
    const { text, identifier } = queryOrigin ?? {};
    if (text === undefined || identifier === undefined) {
      return { matchCount: 0, unparsedFiles: 0, reason: "NONE", filesMissing: 0 };
    }
    const [found] = await this.#options.code.occurrences([text], name, signal);
    const references = (found?.occurrences ?? [])
      .filter(
        (occurrence) =>
          occurrence.declaredAt === identifier.declaredAt &&
          occurrence.range.start.byteOffset !== identifier.declaredAt,
      )
      .map(({ range, lineContent, enclosing }) => ({
        range,
        lineContent,
        certainty: "exact" as const,
        enclosing,
      }));
    const { repository, path, language, commit, blobSha, origin } = text;
    const file = { repositoryId: repository.id, path, language, commit, blobSha, origin, branches: [] };
    const shown = references.slice(0, maxMatches);
    if (shown.length > 0) await onFiles([{ file, references: shown, isParsed: true, score: 0 }]);
    return {
      matchCount: shown.length,
      unparsedFiles: 0,
      filesMissing: 0,
      reason: shown.length < references.length ? "MATCH_LIMIT" : "NONE",
    };
  }

  /** Returns the definitions with the highest confidence; without an origin, all of them. */
  async #findTargets(query: SymbolQuery, signal: AbortSignal): Promise<PossibleTargets> {
    const { definitions: known, packages, repositories } = this.#options;
    const targetQuery = { ...query, maxMatches: maxTargets };
    const { definitions, reason } = await known.find(targetQuery, signal, { isIndexedOnly: true });
    const best = definitions[0]?.certainty;
    const likely = definitions.filter(({ certainty }) => certainty === best);
    const targets = likely.map(({ symbol }) => targetOf(symbol));
    const estimator = await ConfidenceEstimator.load(targets, packages, repositories, signal);
    return { targets, estimator, queryOrigin: query.origin, reason };
  }

  /** Searches for the best files first, because often these contain enough references. Later searches find them again. */
  async #searchScope(
    query: SymbolQuery,
    scope: SearchScope,
    { possibleTargets, emit }: ScopeSearch,
    signal: AbortSignal,
  ): Promise<Completeness> {
    const omitsChunks = parsedLanguages().filter(definesNames);
    const candidates = { query, scope, pattern: wholeWordPattern(query.name), omitsChunks };
    const known = new Set<string>();
    let hasUnreadable = false;
    for (let maxMatches = firstOccurrences; ; maxMatches *= growth) {
      const found = await bestCandidates(this.#options.engine, candidates, maxMatches, signal);
      const files = found.files.filter((file) => !known.has(fileKey(file)));
      for (const file of files) known.add(fileKey(file));
      await this.#parseInOrder(query, files, signal, async (parsed) => {
        hasUnreadable ||= parsed.some(isUnreadable);
        await emit(toReferencingFiles(parsed, await possibleTargets));
      });
      if (found.hasMore && !signal.aborted) continue;
      return hasUnreadable ? { ...found, reason: addReason(found.reason, "ENGINE_PARTIAL") } : found;
    }
  }

  /**
   * Parses several files at the same time, but passes them on in order, so that the references within a limit are the same
   * each time. Code comes before prose that mentions the name. Parsing starts once what is cached before is not enough.
   */
  async #parseInOrder(
    query: SymbolQuery,
    files: readonly FileMatch[],
    signal: AbortSignal,
    onParsed: (files: readonly ParsedFile[]) => Promise<void>,
  ): Promise<void> {
    const isCode = ({ language }: FileMatch) => definesNames(language);
    const running = new Set<Promise<unknown>>();
    let passedOn = Promise.resolve();
    const passOn = async (parsing: Promise<readonly ParsedFile[]>) => {
      // It may fail while others are awaited.
      parsing.catch(() => undefined);
      passedOn = passedOn.then(async () => onParsed(await parsing));
      const passing = passedOn.catch(() => undefined).finally(() => running.delete(passing));
      running.add(passing);
      while (running.size > maxRunning) await Promise.race(running);
    };
    const code = files.filter(isCode).map((file) => ({ file, code: this.#cached(query.name, file) }));
    let isParsing = false;
    for (let at = 0; at < code.length && !signal.aborted; ) {
      const next = batchOf(code.slice(at, at + maxBatch));
      if (!isParsing && !isCached(next)) {
        isParsing = true;
        await passedOn;
        continue;
      }
      await passOn(this.#parseFiles(query, next, signal));
      at += next.length;
    }
    const others = files.filter((file) => !isCode(file));
    if (others.length > 0) await passOn(Promise.resolve(others.map((file) => ({ file, code: undefined }))));
    await passedOn;
  }

  #cached(name: string, { language, blobSha, origin }: FileMatch): FileOccurrences | undefined {
    return origin === "unsaved" ? undefined : this.#options.code.cachedOccurrences(language, blobSha, name);
  }

  /** Does not read texts of which all occurrences are cached. */
  async #parseFiles(
    { name, unsaved }: SymbolQuery,
    batch: readonly ParsedFile[],
    signal: AbortSignal,
  ): Promise<readonly ParsedFile[]> {
    if (isCached(batch)) return batch;
    const { code, engine } = this.#options;
    const files = batch.map(({ file }) => file);
    const texts = await readTexts(engine, files, { unsaved }, signal);
    const readableTexts = texts.filter((text) => text !== undefined);
    const parsed = await code.occurrences(readableTexts, name, signal);
    return files.map((file, index) => {
      const text = texts[index];
      if (text === undefined) return { file, code: undefined };
      const found = parsed[readableTexts.indexOf(text)];
      return { file, code: found, words: found === undefined ? wordsIn(text.content, name) : undefined };
    });
  }
}

/** The definitions that a name may refer to. */
interface PossibleTargets {
  readonly targets: readonly Target[];
  /** If absent, every definition counts. */
  readonly queryOrigin: QueryOrigin | undefined;
  readonly estimator: ConfidenceEstimator;
  /** Why there may be other definitions. */
  readonly reason: FlushReason;
}

interface ScopeSearch {
  readonly possibleTargets: Promise<PossibleTargets>;
  readonly emit: (files: Iterable<ReferencingFile>) => Promise<void>;
}

interface ParsedFile {
  readonly file: FileMatch;
  /** `undefined` if it could not be parsed. */
  readonly code: FileOccurrences | undefined;
  /** Where its text contains the name, if it could be read but not parsed. */
  readonly words?: readonly FoundWord[] | undefined;
}

/** Returns the first files that are all cached, or, of those that are not, as many as a parser call may have. */
function batchOf(files: readonly ParsedFile[]): readonly ParsedFile[] {
  const areCached = isCached(files);
  const batch = files.slice(0, areCached ? maxBatch : textsPerCall);
  const end = batch.findIndex(({ code }) => (code !== undefined) !== areCached);
  return end < 0 ? batch : batch.slice(0, end);
}

/** Whether a batch is cached: all of its files are, or none. */
function isCached([first]: readonly ParsedFile[]): boolean {
  return first?.code !== undefined;
}

/** Whether nothing is known of a file's occurrences, because it is no longer indexed, or its node has failed. */
function isUnreadable({ file, code, words }: ParsedFile): boolean {
  return code === undefined && words === undefined && definesNames(file.language);
}

/** An occurrence of a name in text. */
type FoundWord = Pick<CodeReference, "range" | "lineContent">;

/** Converts the files as they are consumed, because the first ones may be enough. */
function* toReferencingFiles(
  files: readonly ParsedFile[],
  possibleTargets: PossibleTargets,
): Iterable<ReferencingFile> {
  for (const each of files) {
    const file = toReferencingFile(each, possibleTargets);
    if (file.references.length > 0) yield file;
  }
}

function toReferencingFile(
  { file, code, words }: ParsedFile,
  possibleTargets: PossibleTargets,
): ReferencingFile {
  return code === undefined
    ? textReferences(file, words ?? wordsInChunks(file), possibleTargets)
    : codeReferences(file, code, possibleTargets);
}

function codeReferences(
  file: FileMatch,
  { occurrences, imports }: FileOccurrences,
  { targets, queryOrigin, estimator }: PossibleTargets,
): ReferencingFile {
  const { repositoryId, path, language } = file;
  const from: ReferenceSource = { repositoryId, path, language, imports };
  let best: Certainty | undefined;
  const targetsInFile = targets.filter(
    ({ repositoryId, path }) => repositoryId === file.repositoryId && path === file.path,
  );
  const certaintyOf = ({ declaredAt }: CodeOccurrence): Certainty => {
    if (declaredAt >= 0)
      return queryOrigin === undefined || targetsInFile.some(({ start }) => start === declaredAt)
        ? "exact"
        : "name";
    best ??= estimator.bestCertainty(from, targets, queryOrigin?.repository.id);
    return best;
  };
  const references = occurrences
    .filter(({ role, isLocal }) => role === "reference" && !isLocal)
    .map((occurrence) => ({
      range: occurrence.range,
      lineContent: occurrence.lineContent,
      certainty: certaintyOf(occurrence),
      enclosing: occurrence.enclosing,
    }));
  return { file, references, isParsed: true, score: file.score };
}

/** Treats whole words as references, because comments cannot be told from code without a parser. */
function textReferences(
  file: FileMatch,
  words: readonly FoundWord[],
  { targets, queryOrigin, estimator }: PossibleTargets,
): ReferencingFile {
  const best = estimator.bestCertainty({ ...file, imports: [] }, targets, queryOrigin?.repository.id);
  const certainty = compareCertainty(best, "repository") < 0 ? "repository" : best;
  const references = words.map((word) => ({ ...word, certainty }));
  return { file, references, isParsed: false, score: file.score };
}

function wordsInChunks(file: FileMatch): readonly FoundWord[] {
  return decodeChunks(file).flatMap(({ content, contentStart, matchRanges }) => {
    const lines = truncatedLines(content);
    return wholeWords(matchRanges, (lineNumber) => lines[lineNumber - contentStart.lineNumber] ?? "");
  });
}

function wordsIn(content: Uint8Array, name: string): readonly FoundWord[] {
  const positions = new TextPositions(content);
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const length = Buffer.byteLength(name);
  const ranges: Range[] = [];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + length))
    ranges.push({ start: positions.positionOf(at), end: positions.positionOf(at + length) });
  return wholeWords(ranges, (lineNumber) => positions.line(lineNumber, maxLineBytes));
}

/** Returns the ranges, which ascend, that are whole words. */
function wholeWords(ranges: readonly Range[], lineAt: (lineNumber: number) => string): readonly FoundWord[] {
  let lineNumber = 0;
  let lineContent = "";
  let codePoints: readonly string[] = [];
  return ranges.flatMap((range) => {
    if (range.start.lineNumber !== lineNumber) {
      lineNumber = range.start.lineNumber;
      lineContent = lineAt(lineNumber);
      codePoints = [...lineContent];
    }
    return isWholeWord(codePoints, range) ? [{ range, lineContent }] : [];
  });
}

/** Returns whether the range is a whole word in any script. The search itself knows only ASCII words. */
function isWholeWord(line: readonly string[], { start, end }: Range): boolean {
  const isWordCharacter = (codePoint: string | undefined) =>
    codePoint !== undefined && /[\p{L}\p{N}_]/u.test(codePoint);
  return !isWordCharacter(line[start.column - 2]) && !isWordCharacter(line[end.column - 1]);
}
