/**
 * Finds which definitions call one another, level by level. A level needs one search for all its names; files that
 * contain them are parsed once, and cached by content.
 */
import { setMaxListeners } from "node:events";
import { Limiter } from "#base/limiter";
import { TextPositions } from "#base/textPositions";
import type { CallRequest } from "#contract/calls";
import type { Engine, FoundSymbol } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { addReason } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import { TimeSlice } from "#platform/timeSlice";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { definesNames, parsedLanguages } from "#symbols/grammars/grammars";
import {
  CallGraph,
  type CallNode,
  CallTargets,
  callerOf,
  definitionEnd,
  type FoundCall,
  keyOf,
  sourceOf,
} from "./callGraph";
import { CallResolver, isCommonMember, type ResolvedCall } from "./callResolver";
import {
  addCompleteness,
  type Completeness,
  type FoundText,
  readTexts,
  searchCandidates,
  wholeWordPattern,
} from "./candidates";
import { ConfidenceEstimator, targetOf } from "./confidence";
import { catchTimeLimit, type Definitions } from "./definitions";
import { languagesWithoutDefinitions } from "./languageFamilies";
import type { Packages } from "./packages";
import { type FileCalls, type ParsedCode, toCodeDefinition } from "./parsedCode";
import type { QueryOrigin, SymbolQuery } from "./symbolQuery";

export interface CallHierarchyOptions {
  readonly engine: Engine;
  readonly repositories: RepositoryView;
  readonly code: ParsedCode;
  readonly packages: Packages;
  readonly definitions: Definitions;
}

export interface FoundCalls extends Completeness {
  readonly graph: CallGraph;
  readonly unparsedFiles: number;
}

type Direction = Pick<CallRequest, "direction" | "depth">;

/** More definitions of one name cannot be told apart in reasonable time. */
const maxDefinitions = 200;
/** Definitions whose calls are looked up in one level. */
const maxPerLevel = 200;
/** Languages whose files contain no calls. */
const withoutCalls: ReadonlySet<string> = new Set([...languagesWithoutDefinitions, ...parsedLanguages()]);
/** Names that are looked up in one level. */
const maxNames = 2000;
const maxLookups = 16;
/** Calls to collect in one level, before they are sorted. */
const maxFoundCalls = 50_000;
const textsPerCall = 8;
/** Definitions to list for one call if only their name is the same. */
const maxUncertain = 5;

export class CallHierarchies {
  readonly #options: CallHierarchyOptions;

  constructor(options: CallHierarchyOptions) {
    this.#options = options;
  }

  /** Returns what is found before the query's deadline. Rejects with CANCELLED when `caller` fires. */
  async find(query: SymbolQuery, direction: Direction, caller: AbortSignal): Promise<FoundCalls> {
    const limit = new TimeLimit(caller, query.deadline - monotonicNow());
    const { signal } = limit;
    setMaxListeners(0, signal);
    const graph = new CallGraph(query.maxMatches, query.origin?.repository.id);
    const search = new LevelSearch(query, this.#options, signal);
    const reason = await catchTimeLimit(signal, caller, async () => {
      this.#options.code.prepare();
      const roots = await this.#options.definitions.find({ ...query, maxMatches: maxDefinitions }, signal);
      search.add(roots);
      const best = roots.definitions.filter(({ certainty }) => certainty === roots.definitions[0]?.certainty);
      for (const { symbol, isParsed } of best) if (!isParsed) search.addUnparsed(symbol.document);
      let level = best.filter(({ isParsed }) => isParsed).map(({ symbol }) => graph.addRoot({ symbol }));
      for (let depth = 1; depth <= direction.depth && level.length > 0 && !graph.isFull; depth++) {
        if (level.length > maxPerLevel) search.add({ reason: "MATCH_LIMIT", filesMissing: 0 });
        const targets = level.slice(0, maxPerLevel);
        const found =
          direction.direction === "incoming"
            ? await search.incoming(targets)
            : await search.outgoing(targets);
        level = graph.addLevel(found, direction.direction, depth);
      }
      await search.addWholeRanges(graph.nodes);
      return "NONE";
    }).finally(() => {
      limit.abort();
      limit.dispose();
    });
    const all = addReason(search.completeness.reason, reason);
    return {
      graph,
      reason: graph.isFull ? addReason(all, "MATCH_LIMIT") : all,
      filesMissing: search.completeness.filesMissing,
      unparsedFiles: search.unparsedFiles.size,
    };
  }
}

/** The searches of one request. */
class LevelSearch {
  completeness: Completeness = { reason: "NONE", filesMissing: 0 };
  readonly unparsedFiles = new Set<string>();
  readonly #query: SymbolQuery;
  readonly #options: CallHierarchyOptions;
  readonly #signal: AbortSignal;
  readonly #lookups = new Limiter(maxLookups);
  readonly #definitions = new Map<string, Promise<readonly FoundSymbol[]>>();
  /** Names with more definitions than were looked up. */
  readonly #cutNames = new Set<string>();

  constructor(query: SymbolQuery, options: CallHierarchyOptions, signal: AbortSignal) {
    this.#query = query;
    this.#options = options;
    this.#signal = signal;
  }

  add(found: Completeness): void {
    this.completeness = addCompleteness(this.completeness, found);
  }

  /** Returns the calls of these definitions. */
  async incoming(targets: readonly CallNode[]): Promise<FoundCall[]> {
    const wanted = new CallTargets(targets);
    const names = [...wanted.byName.keys()];
    const candidates = await this.#lookUp(names);
    for (const [name, nodes] of wanted.byName) {
      const known = candidates.get(name) ?? [];
      const keys = new Set(known.map(keyOf));
      const missing = nodes.map(({ symbol }) => symbol).filter((each) => !keys.has(keyOf(each)));
      candidates.set(name, [...known, ...missing]);
    }
    const resolver = await this.#resolver([...candidates.values()].flat());
    const found: FoundCall[] = [];
    const slice = new TimeSlice();
    const readFile = async (file: FoundSymbol["document"], { calls, imports }: FileCalls) => {
      const from = sourceOf(file, imports);
      for (const call of calls) {
        if (!wanted.byName.has(call.name)) continue;
        if (slice.isExpired) await slice.yieldToEventLoop();
        if (this.#signal.aborted) return;
        if (found.length >= maxFoundCalls) {
          this.add({ reason: "MATCH_LIMIT", filesMissing: 0 });
          return;
        }
        for (const { definition, certainty } of resolver.resolve(call, from, candidates.get(call.name) ?? []))
          for (const known of wanted.calledAs(definition))
            found.push({ known, other: callerOf(file, call), certainty, call });
      }
    };
    await this.#readFilesWith(names, readFile);
    return found;
  }

  /** Returns the calls in these definitions. */
  async outgoing(callers: readonly CallNode[]): Promise<FoundCall[]> {
    const { code } = this.#options;
    const texts = await this.#textsOf(callers);
    const readable = [...new Set(texts.filter((text) => text !== undefined))];
    const parsed = await code.calls(readable, this.#signal);
    const sites = callers.flatMap((known, index) => {
      const text = texts[index];
      const file = text && parsed[readable.indexOf(text)];
      const { start, end } = known.symbol;
      if (file === undefined || text === undefined) {
        this.addUnparsed(known.symbol.document);
        return [];
      }
      const calls = file.calls.filter((call) => call.start >= start && call.start < end);
      return calls.map((call) => ({ known, call, file, text }));
    });
    const names = [...new Set(sites.map(({ call }) => call.name))];
    if (names.length > maxNames) this.add({ reason: "MATCH_LIMIT", filesMissing: 0 });
    const candidates = await this.#lookUp(names.slice(0, maxNames));
    if (names.some((name) => this.#cutNames.has(name))) this.add({ reason: "MATCH_LIMIT", filesMissing: 0 });
    const resolver = await this.#resolver([...candidates.values()].flat());
    return sites.flatMap(({ known, call, file, text }): FoundCall[] => {
      const { document } = known.symbol;
      const own =
        call.declaredAt < 0
          ? undefined
          : file.definitions.find(({ nameStart }) => nameStart === call.declaredAt);
      if (own !== undefined) {
        const definition = toCodeDefinition(own, file.definitions, new TextPositions(text.content));
        return [{ known, other: definitionEnd(document, definition), certainty: "exact", call }];
      }
      const resolved = resolver.resolve(
        call,
        sourceOf(document, file.imports),
        candidates.get(call.name) ?? [],
      );
      return withoutConstructors(limitUncertain(resolved, call.name)).map(({ definition, certainty }) => ({
        known,
        other: { symbol: definition },
        certainty,
        call,
      }));
    });
  }

  /** Reads the texts of definitions whose whole ranges are not known yet. */
  async addWholeRanges(nodes: readonly CallNode[]): Promise<void> {
    const unknown = nodes.filter(({ wholeRange }) => wholeRange === undefined);
    const texts = await this.#textsOf(unknown);
    const positions = new Map<FoundText, TextPositions>();
    for (const [index, node] of unknown.entries()) {
      const text = texts[index];
      if (text === undefined) continue;
      const known = positions.get(text) ?? new TextPositions(text.content);
      positions.set(text, known);
      const { start, end } = node.symbol;
      node.wholeRange = { start: known.positionOf(start), end: known.positionOf(end) };
    }
  }

  /** Parses the files that contain one of the names, those of the origin's repository first. */
  async #readFilesWith(
    names: readonly string[],
    onFile: (file: FileMatch, calls: FileCalls) => Promise<void>,
  ): Promise<void> {
    const { engine, code } = this.#options;
    const query = this.#query;
    const pattern = names.map(wholeWordPattern);
    for (const scope of query.scopes) {
      const candidates = { query, scope, pattern };
      const searched = await searchCandidates(engine, candidates, this.#signal, async (files) => {
        const uncached: FileMatch[] = [];
        for (const file of files) {
          const known = file.origin === "unsaved" ? undefined : code.cachedCalls(file.language, file.blobSha);
          if (known !== undefined) await onFile(file, known);
          else if (definesNames(file.language)) uncached.push(file);
          else if (!withoutCalls.has(file.language))
            this.unparsedFiles.add(`${file.repositoryId} ${file.path}`);
        }
        const parsing: Promise<void>[] = [];
        for (let at = 0; at < uncached.length && !this.#signal.aborted; at += textsPerCall)
          parsing.push(this.#parseFiles(uncached.slice(at, at + textsPerCall), onFile));
        await Promise.all(parsing);
      });
      this.add(searched);
    }
  }

  async #parseFiles(
    files: readonly FileMatch[],
    onFile: (file: FileMatch, calls: FileCalls) => Promise<void>,
  ): Promise<void> {
    const { engine, code } = this.#options;
    const texts = await readTexts(engine, files, this.#query, this.#signal);
    const readable = texts.filter((text) => text !== undefined);
    const parsed = await code.calls(readable, this.#signal);
    for (const [index, file] of files.entries()) {
      const text = texts[index];
      const calls = text && parsed[readable.indexOf(text)];
      if (calls === undefined) this.addUnparsed(file);
      else await onFile(file, calls);
    }
  }

  /** Records a file that is no longer indexed, or that cannot be parsed: it may contain more calls. */
  addUnparsed({ repositoryId, path }: FoundSymbol["document"]): void {
    this.unparsedFiles.add(`${repositoryId} ${path}`);
    this.add({ reason: "ENGINE_PARTIAL", filesMissing: 0 });
  }

  /** Returns the definitions of each name. */
  async #lookUp(names: readonly string[]): Promise<Map<string, readonly FoundSymbol[]>> {
    const found = await Promise.all(
      names.map(async (name) => {
        const lookup =
          this.#definitions.get(name) ?? this.#lookups.run(() => this.#findSymbols(name), this.#signal);
        this.#definitions.set(name, lookup);
        return [name, await lookup] as const;
      }),
    );
    return new Map(found);
  }

  async #findSymbols(name: string): Promise<readonly FoundSymbol[]> {
    const { languages, scopes, unsaved, preferred } = this.#query;
    const found: FoundSymbol[] = [];
    for (const { repositories, revisions } of scopes) {
      const { symbols, flushReason, filesMissing } = await this.#options.engine.findSymbols(
        {
          name: { kind: "exact", text: name, caseSensitive: true },
          withLocals: false,
          ...(languages === undefined ? {} : { languages }),
          repositories,
          revisions,
          unsaved: revisions.length === 0 ? unsaved : [],
          preferred,
          limit: maxDefinitions,
        },
        this.#signal,
      );
      found.push(...symbols);
      if (flushReason === "MATCH_LIMIT") this.#cutNames.add(name);
      // With more definitions of a name, some callers are less certain, but none is hidden.
      this.add({ reason: flushReason === "MATCH_LIMIT" ? "NONE" : flushReason, filesMissing });
    }
    return found;
  }

  async #resolver(definitions: readonly FoundSymbol[]): Promise<CallResolver> {
    const { packages, repositories } = this.#options;
    const targets = definitions.map(targetOf);
    return new CallResolver(await ConfidenceEstimator.load(targets, packages, repositories, this.#signal));
  }

  /** Returns the texts of the files of these definitions; the same object for the same file. */
  async #textsOf(nodes: readonly CallNode[]): Promise<readonly (FoundText | undefined)[]> {
    const { origin } = this.#query;
    const byFile = new Map<string, FoundSymbol["document"]>();
    const keyOfFile = ({ symbol: { document } }: CallNode) =>
      `${document.repositoryId} ${document.origin} ${document.blobSha} ${document.path}`;
    for (const node of nodes) byFile.set(keyOfFile(node), node.symbol.document);
    const documents = [...byFile.values()];
    const stored = documents.filter((document) => !isOriginText(document, origin));
    const read = await readTexts(this.#options.engine, stored, this.#query, this.#signal);
    const texts = new Map<FoundSymbol["document"], FoundText | undefined>(
      documents.map((document) => [document, origin?.text]),
    );
    for (const [index, document] of stored.entries()) texts.set(document, read[index]);
    return nodes.map((node) => {
      const document = byFile.get(keyOfFile(node));
      return document && texts.get(document);
    });
  }
}

function isOriginText(
  { repositoryId, path, blobSha }: FoundSymbol["document"],
  origin: QueryOrigin | undefined,
) {
  const { text } = origin ?? {};
  return text?.repository.id === repositoryId && text.path === path && text.blobSha === blobSha;
}

/** Of a type and its constructors, keeps the type. */
function withoutConstructors(resolved: readonly ResolvedCall[]): readonly ResolvedCall[] {
  const types = resolved.filter(({ definition }) => definition.parent.name !== definition.name);
  return types.length > 0 ? types : resolved;
}

/** Omits definitions that only have the same name if that is common, or if there are many. */
function limitUncertain(resolved: readonly ResolvedCall[], name: string): readonly ResolvedCall[] {
  if (resolved[0]?.certainty !== "name") return resolved;
  return isCommonMember(name) ? [] : resolved.slice(0, maxUncertain);
}
