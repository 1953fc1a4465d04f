/** Where a name is defined: in the file that asks, by the index of symbols, and in text that nobody has parsed yet. */

import { setMaxListeners } from "node:events";
import { TextPlaces } from "#base/textPlaces";
import type { Engine, FoundSymbol } from "#engine/engine";
import type { FileMatch, Range } from "#model/match";
import { addReason, type FlushReason } from "#model/stats";
import type { Definition, DocumentSymbols } from "#model/symbol";
import { TimeLimit } from "#platform/timeLimit";
import type { RepositoryView } from "#service/repositoryView";
import { definesNames, parsedLanguages } from "#symbols/grammars";
import { named, searchCandidates, textsOf } from "./candidates";
import { withoutDefinitions } from "./languageFamilies";
import type { Packages } from "./packages";
import { maxLineBytes, type ParsedCode } from "./parsedCode";
import type { Asking, Question, Scope } from "./question";
import { type RankedDefinition, rankDefinitions, type Unranked } from "./rankDefinitions";
import { definitionsAsText } from "./textDefinitions";

export interface FoundDefinitions {
  /** The surest first, then best first. */
  readonly definitions: readonly RankedDefinition[];
  readonly reason: FlushReason;
}

export interface DefinitionsOptions {
  readonly engine: Engine;
  readonly repositories: RepositoryView;
  readonly code: ParsedCode;
  readonly packages: Packages;
}

/** Files that are parsed because their symbols are not indexed yet. */
const maxFilesParsed = 200;
/** Of the time for an answer, what parsing them may take. */
const parsingMs = 3000;

interface HowToLook {
  /** Of what is not indexed nothing is looked for. */
  readonly isQuick: boolean;
  /** Also what can be named only where it is. */
  readonly withLocals: boolean;
}

export class Definitions {
  readonly #options: DefinitionsOptions;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  /** `isQuick`: of what is not indexed nothing is looked for. Rejects with CANCELLED. */
  async find(
    question: Question,
    signal: AbortSignal,
    { isQuick = false }: { readonly isQuick?: boolean } = {},
  ): Promise<FoundDefinitions> {
    const { asking, maxMatches } = question;
    const resolved = asking && (await this.#resolved(asking, question.name, signal));
    if (resolved?.isLocal) {
      const certainty = "exact";
      return { definitions: [{ symbol: resolved, certainty, isParsed: true }], reason: "NONE" };
    }
    const answer = await this.#inScopes(question, signal, { isQuick, withLocals: false });
    let { found, reason } = answer;
    // Whoever asks from nowhere, and finds nothing else, means a function inside of another.
    if (found.length === 0 && asking === undefined && !isQuick)
      ({ found } = await this.#inScopes(question, signal, { isQuick: true, withLocals: true }));
    const { packages, repositories } = this.#options;
    const distinct = withoutRepetition(found);
    const ranked =
      asking === undefined
        ? distinct
        : await rankDefinitions(distinct, { asking, resolved }, { packages, repositories }, signal);
    if (ranked.length > maxMatches) reason = addReason(reason, "MATCH_LIMIT");
    return { definitions: ranked.slice(0, maxMatches), reason };
  }

  /** What counts at the place that asks, by the scopes of its file. */
  async #resolved(
    { text, place }: Asking,
    name: string,
    signal: AbortSignal,
  ): Promise<FoundSymbol | undefined> {
    if (text === undefined || place === undefined || place.declaredAt < 0) return undefined;
    const symbols = await this.#options.code.symbols(text, signal);
    const definitions = symbols.kind === "parsed" ? symbols.definitions : [];
    const definition = definitions.find(({ nameStart }) => nameStart === place.declaredAt);
    const document = {
      repositoryId: text.repository.id,
      path: text.path,
      language: text.language,
      branches: [],
      origin: text.origin,
      commit: text.commit,
      blobSha: text.blobSha,
    };
    if (definition !== undefined) return foundIn(document, text.places, definition, definitions);
    // A variable or parameter is no definition of its file.
    const nameEnd = place.declaredAt + Buffer.byteLength(name);
    const range = { start: text.places.placeOf(place.declaredAt), end: text.places.placeOf(nameEnd) };
    return {
      document,
      name,
      kind: "variable",
      isLocal: place.isLocal,
      parent: { name: "", kind: "" },
      range,
      start: place.declaredAt,
      end: nameEnd,
      line: text.places.line(range.start.lineNumber, maxLineBytes),
      score: 0,
    };
  }

  async #inScopes(question: Question, signal: AbortSignal, how: HowToLook) {
    let reason: FlushReason = "NONE";
    const found: Unranked[] = [];
    for (const scope of question.scopes) {
      const answer = await this.#inScope(question, scope, signal, how);
      found.push(...answer.definitions);
      reason = addReason(reason, answer.reason);
    }
    return { found, reason };
  }

  async #inScope(
    question: Question,
    scope: Scope,
    signal: AbortSignal,
    { isQuick, withLocals }: HowToLook,
  ): Promise<{ definitions: readonly Unranked[]; reason: FlushReason }> {
    const { name, languages, maxMatches, unsaved, preferred } = question;
    const looking = this.#options.engine.findSymbols(
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
    const [{ symbols, flushReason }, asText] = await Promise.all([
      looking,
      isQuick ? noneFound : this.#asText(question, scope, signal),
    ]);
    const indexed = symbols.map((symbol) => ({ symbol, isParsed: true }));
    if (isQuick) return { definitions: indexed, reason: flushReason };
    // What is not parsed yet is parsed now, as far as there is time.
    const pending = flushReason === "INDEXING" ? await this.#inTexts(question, scope, signal) : noneFound;
    const reason = flushReason === "INDEXING" ? pending.reason : flushReason;
    return {
      definitions: [...indexed, ...pending.definitions, ...asText.definitions],
      reason: addReason(reason, asText.reason),
    };
  }

  async #inTexts(question: Question, scope: Scope, caller: AbortSignal) {
    const { engine, code } = this.#options;
    const { name } = question;
    const limit = new TimeLimit(caller, Math.min(question.deadline - Date.now(), parsingMs));
    const { signal } = limit;
    setMaxListeners(0, signal, caller);
    const definitions: Unranked[] = [];
    let files = 0;
    const look = async (file: FileMatch) => {
      if (!definesNames(file.language) || signal.aborted) return;
      if (++files >= maxFilesParsed) limit.stop();
      const [text] = await textsOf(engine, [file], { ...question, withSymbols: true }, caller);
      if (text === undefined) return;
      const symbols = text.symbols ?? (await parsedSymbols(code, text, caller));
      const places = new TextPlaces(text.content);
      for (const definition of symbols?.definitions ?? []) {
        if (definition.name !== name || definition.isLocal) continue;
        const symbol = foundIn(file, places, definition, symbols?.definitions ?? []);
        definitions.push({ symbol, isParsed: true });
      }
    };
    const reason = await unlessStopped(signal, caller, () =>
      searchCandidates(engine, { question, scope, pattern: named(name) }, signal, async (found) => {
        await Promise.all(found.map(look));
      }),
    ).finally(() => limit.end());
    return { definitions, reason };
  }

  /** In languages that nobody parses: behind a word with which many of them define. */
  async #asText(question: Question, scope: Scope, signal: AbortSignal) {
    const { name, languages } = question;
    const without = [...parsedLanguages(), ...withoutDefinitions];
    if (languages?.every((language) => without.includes(language))) return noneFound;
    const definitions: Unranked[] = [];
    const filters = [{ kind: "not", child: { kind: "language", names: without } }] as const;
    const reason = await searchCandidates(
      this.#options.engine,
      { question, scope, pattern: named(name), filters },
      signal,
      async (files) => {
        for (const file of files)
          for (const symbol of definitionsAsText(file, name)) definitions.push({ symbol, isParsed: false });
      },
    );
    return { definitions, reason };
  }
}

const noneFound = { definitions: [] as readonly Unranked[], reason: "NONE" as FlushReason };

function foundIn(
  document: FoundSymbol["document"],
  places: TextPlaces,
  definition: Definition,
  all: readonly Definition[],
): FoundSymbol {
  const { name, kind, nameStart, nameEnd, start, end, isLocal, owner } = definition;
  const parent = all[definition.parent];
  const range: Range = { start: places.placeOf(nameStart), end: places.placeOf(nameEnd) };
  return {
    document,
    name,
    kind,
    isLocal,
    parent: parent === undefined ? { name: owner, kind: "" } : { name: parent.name, kind: parent.kind },
    range,
    start,
    end,
    line: places.line(range.start.lineNumber, maxLineBytes),
    score: 0,
  };
}

async function parsedSymbols(
  code: ParsedCode,
  text: Parameters<ParsedCode["symbols"]>[0],
  signal: AbortSignal,
): Promise<DocumentSymbols | undefined> {
  const symbols = await code.symbols(text, signal);
  return symbols.kind === "parsed" ? symbols : undefined;
}

/** A file may be found by the index of symbols and be parsed as well. */
function withoutRepetition(found: readonly Unranked[]): Unranked[] {
  const seen = new Set<string>();
  return found.filter(({ symbol: { document, range } }) => {
    const key = `${document.repositoryId} ${range.start.byteOffset} ${document.blobSha} ${document.path}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** `TIME_LIMIT` where `signal` has fired and the caller has not. */
export async function unlessStopped(
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
