/** Finds the definitions of a name: in the origin's file, in the symbol index, and in text that is not parsed yet. */

import { setMaxListeners } from "node:events";
import { TextPositions } from "#base/textPositions";
import { untilAborted } from "#base/untilAborted";
import type { Engine, FoundSymbol } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { addReason, type FlushReason } from "#model/stats";
import type { Definition, DocumentSymbols } from "#model/symbol";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { definesNames, parsedLanguages } from "#symbols/grammars/grammars";
import {
  addCompleteness,
  type Completeness,
  readTexts,
  searchCandidates,
  wholeWordPattern,
} from "./candidates";
import { languagesWithoutDefinitions } from "./languageFamilies";
import type { Packages } from "./packages";
import { type CodeDefinition, maxLineBytes, type ParsedCode, toCodeDefinition } from "./parsedCode";
import { type RankedDefinition, rankDefinitions, type UnrankedDefinition } from "./rankDefinitions";
import type { QueryOrigin, SearchScope, SymbolQuery } from "./symbolQuery";
import { guessDefinitions } from "./textDefinitions";

export interface FoundDefinitions {
  /** Highest confidence first, then best first. */
  readonly definitions: readonly RankedDefinition[];
  /** Why there may be more definitions. */
  readonly reason: FlushReason;
  /** Number of files whose text is missing from their repository, as in a partial clone. */
  readonly filesMissing: number;
}

export interface DefinitionsOptions {
  readonly engine: Engine;
  readonly repositories: RepositoryView;
  readonly code: ParsedCode;
  readonly packages: Packages;
}

/** Maximum number of files to parse because their symbols are not indexed yet. */
const maxFilesParsed = 200;
/** Time limit for parsing them. */
const parsingTimeLimitMs = 3000;

interface LookupOptions {
  /** Searches only indexed symbols. */
  readonly isIndexedOnly: boolean;
  /** Includes definitions that are visible only in their own scope. */
  readonly withLocals: boolean;
}

export class Definitions {
  readonly #options: DefinitionsOptions;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  /**
   * Returns the definitions that are found before the query's deadline. `isIndexedOnly` searches only indexed symbols.
   *
   * Rejects with CANCELLED when `caller` fires.
   */
  async find(
    query: SymbolQuery,
    caller: AbortSignal,
    { isIndexedOnly = false }: { readonly isIndexedOnly?: boolean } = {},
  ): Promise<FoundDefinitions> {
    const { origin: queryOrigin, maxMatches } = query;
    const limit = new TimeLimit(caller, query.deadline - monotonicNow());
    const { signal } = limit;
    setMaxListeners(0, signal);
    let resolved: FoundSymbol | undefined;
    let found: UnrankedDefinition[] = [];
    let ranked: readonly RankedDefinition[] | undefined;
    let filesMissing = 0;
    const search = async (): Promise<FlushReason> => {
      resolved = queryOrigin && (await this.#resolveInFile(queryOrigin, query.name, signal));
      if (resolved?.isLocal) {
        ranked = [{ symbol: resolved, certainty: "exact", isParsed: true }];
        return "NONE";
      }
      const searched = await this.#searchScopes(query, signal, { isIndexedOnly, withLocals: false }, found);
      filesMissing = searched.filesMissing;
      // Without an origin, fall back to local definitions if there are no others.
      if (found.length === 0 && queryOrigin === undefined && !isIndexedOnly)
        await this.#searchScopes(query, signal, { isIndexedOnly: true, withLocals: true }, found);
      found = removeDuplicates(found);
      const { packages, repositories } = this.#options;
      if (queryOrigin !== undefined)
        ranked = await rankDefinitions(found, { queryOrigin, resolved }, { packages, repositories }, signal);
      return searched.reason;
    };
    let reason = await catchTimeLimit(signal, caller, () => untilAborted(search(), signal)).finally(() => {
      limit.abort();
      limit.dispose();
    });
    ranked ??= removeDuplicates(found);
    if (ranked.length > maxMatches) reason = addReason(reason, "MATCH_LIMIT");
    return { definitions: ranked.slice(0, maxMatches), reason, filesMissing };
  }

  /** Returns the definition that the identifier resolves to in its own file, or `undefined`. */
  async #resolveInFile(
    { text, identifier }: QueryOrigin,
    name: string,
    signal: AbortSignal,
  ): Promise<FoundSymbol | undefined> {
    if (text === undefined || identifier === undefined || identifier.declaredAt < 0) return undefined;
    const symbols = await this.#options.code.symbols(text, signal);
    const definitions = symbols.kind === "parsed" ? symbols.definitions : [];
    const definition = definitions.find(({ nameStart }) => nameStart === identifier.declaredAt);
    const document = {
      repositoryId: text.repository.id,
      path: text.path,
      language: text.language,
      branches: [],
      origin: text.origin,
      commit: text.commit,
      blobSha: text.blobSha,
    };
    if (definition !== undefined) return createFoundSymbol(document, text.positions, definition, definitions);
    // Local variables and parameters are not among the definitions of a file.
    const nameEnd = identifier.declaredAt + Buffer.byteLength(name);
    const range = {
      start: text.positions.positionOf(identifier.declaredAt),
      end: text.positions.positionOf(nameEnd),
    };
    return {
      document,
      name,
      kind: "variable",
      isLocal: identifier.isLocal,
      parent: { name: "", kind: "" },
      range,
      start: identifier.declaredAt,
      end: nameEnd,
      line: text.positions.line(range.start.lineNumber, maxLineBytes),
      score: 0,
    };
  }

  /** Adds to `found` scope by scope, so that a timeout keeps earlier results. Resolves with what may be missing. */
  async #searchScopes(
    query: SymbolQuery,
    signal: AbortSignal,
    options: LookupOptions,
    found: UnrankedDefinition[],
  ): Promise<Completeness> {
    let all: Completeness = { reason: "NONE", filesMissing: 0 };
    for (const scope of query.definitionScopes) {
      const searched = await this.#searchScope(query, scope, signal, options);
      found.push(...searched.definitions);
      all = addCompleteness(all, searched);
    }
    return all;
  }

  async #searchScope(
    query: SymbolQuery,
    scope: SearchScope,
    signal: AbortSignal,
    { isIndexedOnly, withLocals }: LookupOptions,
  ): Promise<{ definitions: readonly UnrankedDefinition[] } & Completeness> {
    const { name, languages, maxMatches, unsaved, preferred } = query;
    const searching = this.#options.engine.findSymbols(
      {
        name: { kind: "exact", text: name, caseSensitive: true },
        withLocals,
        ...(languages === undefined ? {} : { languages }),
        repositories: scope.repositories,
        revisions: scope.revisions,
        unsaved: scope.revisions.length === 0 ? unsaved : [],
        preferred,
        limit: maxMatches,
      },
      signal,
    );
    const [{ symbols, flushReason, filesMissing }, guessed] = await Promise.all([
      searching,
      isIndexedOnly ? noDefinitions : this.#guessInText(query, scope, signal),
    ]);
    const indexed = symbols.map((symbol) => ({ symbol, isParsed: true }));
    if (isIndexedOnly) return { definitions: indexed, reason: flushReason, filesMissing };
    // Parse files whose symbols are not indexed yet, within the time limit.
    const pending =
      flushReason === "INDEXING" ? await this.#parseUnindexed(query, scope, signal) : noDefinitions;
    const reason = flushReason === "INDEXING" ? pending.reason : flushReason;
    return {
      definitions: [...indexed, ...pending.definitions, ...guessed.definitions],
      reason: addReason(reason, guessed.reason),
      filesMissing,
    };
  }

  /** Finds files that contain the name, and parses those whose symbols are not indexed yet. */
  async #parseUnindexed(query: SymbolQuery, scope: SearchScope, caller: AbortSignal) {
    const { engine, code } = this.#options;
    const { name } = query;
    const limit = new TimeLimit(caller, Math.min(query.deadline - monotonicNow(), parsingTimeLimitMs));
    const { signal } = limit;
    setMaxListeners(0, signal, caller);
    const definitions: UnrankedDefinition[] = [];
    let files = 0;
    const parseFile = async (file: FileMatch) => {
      if (!definesNames(file.language) || signal.aborted) return;
      if (++files >= maxFilesParsed) limit.abort();
      const [text] = await readTexts(engine, [file], { ...query, withSymbols: true }, caller);
      if (text === undefined) return;
      const symbols = text.symbols ?? (await parseSymbols(code, text, caller));
      const positions = new TextPositions(text.content);
      for (const definition of symbols?.definitions ?? []) {
        if (definition.name !== name || definition.isLocal) continue;
        const symbol = createFoundSymbol(file, positions, definition, symbols?.definitions ?? []);
        definitions.push({ symbol, isParsed: true });
      }
    };
    const candidates = { query, scope, pattern: wholeWordPattern(name), omitsChunks: true };
    const reason = await catchTimeLimit(signal, caller, async () => {
      const searched = await searchCandidates(engine, candidates, signal, async (found) => {
        await Promise.all(found.map(parseFile));
      });
      return searched.reason;
    }).finally(() => limit.dispose());
    return { definitions, reason };
  }

  /** Guesses definitions in languages without a parser, by the keyword before the name. */
  async #guessInText(query: SymbolQuery, scope: SearchScope, signal: AbortSignal) {
    const { name, languages } = query;
    const excludedLanguages = [...parsedLanguages(), ...languagesWithoutDefinitions];
    if (languages?.every((language) => excludedLanguages.includes(language))) return noDefinitions;
    const definitions: UnrankedDefinition[] = [];
    const filters = [{ kind: "not", child: { kind: "language", names: excludedLanguages } }] as const;
    const { reason } = await searchCandidates(
      this.#options.engine,
      { query, scope, pattern: wholeWordPattern(name), filters, omitsChunks: false },
      signal,
      async (files) => {
        for (const file of files)
          for (const symbol of guessDefinitions(file, name)) definitions.push({ symbol, isParsed: false });
      },
    );
    return { definitions, reason };
  }
}

const noDefinitions = { definitions: [] as readonly UnrankedDefinition[], reason: "NONE" as FlushReason };

function createFoundSymbol(
  document: FoundSymbol["document"],
  positions: TextPositions,
  definition: Definition,
  all: readonly Definition[],
): FoundSymbol {
  return toFoundDefinition(document, toCodeDefinition(definition, all, positions));
}

export function toFoundDefinition(
  document: FoundSymbol["document"],
  { name, kind, isLocal, container, range, start, end, line }: CodeDefinition,
): FoundSymbol {
  return { document, name, kind, isLocal, parent: container, range, start, end, line, score: 0 };
}

async function parseSymbols(
  code: ParsedCode,
  text: Parameters<ParsedCode["symbols"]>[0],
  signal: AbortSignal,
): Promise<DocumentSymbols | undefined> {
  const symbols = await code.symbols(text, signal);
  return symbols.kind === "parsed" ? symbols : undefined;
}

/** Removes duplicates: a file may be in the symbol index and be parsed as well. */
function removeDuplicates(found: readonly UnrankedDefinition[]): UnrankedDefinition[] {
  const seen = new Set<string>();
  return found.filter(({ symbol: { document, range } }) => {
    const key = `${document.repositoryId} ${range.start.byteOffset} ${document.blobSha} ${document.path}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Runs `work`. If `signal` fires, resolves with `TIME_LIMIT` even if `work` fails, unless the caller canceled. */
export async function catchTimeLimit(
  signal: AbortSignal,
  caller: AbortSignal,
  work: () => Promise<FlushReason>,
): Promise<FlushReason> {
  try {
    const reason = await work();
    return signal.aborted ? addReason(reason, "TIME_LIMIT") : reason;
  } catch (error) {
    if (!signal.aborted || caller.aborted) throw error;
    return "TIME_LIMIT";
  }
}
