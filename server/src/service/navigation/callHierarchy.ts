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
import type { RepositoryView } from "#service/repositories/repositoryView";
import { definesNames } from "#symbols/grammars/grammars";
import {
  CallGraph,
  type CallNode,
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
/** Names that are looked up in one level. */
const maxNames = 2000;
const maxLookups = 16;
const textsPerCall = 8;
/** Definitions to list for one call if only their name is the same. */
const maxUncertain = 5;

/** Names of constructors that are called by the name of their type. */
const constructorNames: ReadonlySet<string> = new Set([
  "constructor",
  "__init__",
  "__construct",
  "init",
  "initialize",
]);

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
      const best = roots.definitions[0]?.certainty;
      let level = roots.definitions
        .filter(({ certainty, isParsed }) => certainty === best && isParsed)
        .map(({ symbol }) => graph.addRoot({ symbol }));
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
    const byName = new Map<string, CallNode[]>();
    for (const target of targets) {
      const name = calledName(target.symbol);
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [target]);
      else same.push(target);
    }
    const names = [...byName.keys()];
    const candidates = await this.#lookUp(names);
    for (const [name, nodes] of byName) {
      const known = candidates.get(name) ?? [];
      const keys = new Set(known.map(keyOf));
      const missing = nodes.map(({ symbol }) => symbol).filter((each) => !keys.has(keyOf(each)));
      candidates.set(name, [...known, ...missing]);
    }
    const resolver = await this.#resolver([...candidates.values()].flat());
    const found: FoundCall[] = [];
    const readFile = (file: FoundSymbol["document"], { calls, imports }: FileCalls) => {
      const from = sourceOf(file, imports);
      for (const call of calls) {
        const nodes = byName.get(call.name);
        if (nodes === undefined) continue;
        for (const { definition, certainty } of resolver.resolve(call, from, candidates.get(call.name) ?? []))
          for (const known of nodes)
            if (isTarget(known.symbol, definition))
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
      const calls = file?.calls.filter((call) => call.start >= start && call.start < end) ?? [];
      return file === undefined || text === undefined
        ? []
        : calls.map((call) => ({ known, call, file, text }));
    });
    const names = [...new Set(sites.map(({ call }) => call.name))];
    if (names.length > maxNames) this.add({ reason: "MATCH_LIMIT", filesMissing: 0 });
    const candidates = await this.#lookUp(names.slice(0, maxNames));
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
    onFile: (file: FileMatch, calls: FileCalls) => void,
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
          if (known !== undefined) onFile(file, known);
          else if (definesNames(file.language)) uncached.push(file);
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
    onFile: (file: FileMatch, calls: FileCalls) => void,
  ): Promise<void> {
    const { engine, code } = this.#options;
    const texts = await readTexts(engine, files, this.#query, this.#signal);
    const readable = texts.filter((text) => text !== undefined);
    const parsed = await code.calls(readable, this.#signal);
    for (const [index, file] of files.entries()) {
      const text = texts[index];
      if (text === undefined) continue;
      const calls = parsed[readable.indexOf(text)];
      if (calls === undefined) this.unparsedFiles.add(`${file.repositoryId} ${file.path}`);
      else onFile(file, calls);
    }
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
      // With more definitions of a name, some calls are less certain, but none is hidden.
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

/** Returns the name by which a definition is called. */
function calledName({ name, kind, parent }: FoundSymbol): string {
  const isConstructor = kind === "constructor" || (constructorNames.has(name) && parent.kind !== "");
  return isConstructor && parent.name !== "" ? parent.name : name;
}

/** Whether a call that refers to `found` calls `target`: also a constructor, if it refers to the type. */
function isTarget(target: FoundSymbol, found: FoundSymbol): boolean {
  if (keyOf(target) === keyOf(found)) return true;
  const isSameFile =
    target.document.repositoryId === found.document.repositoryId &&
    target.document.path === found.document.path;
  return isSameFile && calledName(target) === found.name && target.parent.name === found.name;
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
