/** Handlers of symbol operations. */
import type { CallContext, Handler } from "#contract/service";
import type * as contract from "#contract/symbols";
import type { Engine, SymbolRequest } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import { addReason, type FlushReason } from "#model/stats";
import { type SymbolKind, symbolKinds } from "#model/symbol";
import { engineScope } from "#service/repositories/repositoryFilters";
import { viewGaps } from "#service/repositories/repositoryView";
import { runBeforeDeadline } from "#service/search/beforeDeadline";
import { preferredRepositories, toUnsavedDocuments } from "#service/search/searchPlan";
import { CallHierarchies } from "./callHierarchy";
import { CodeFiles } from "./codeFiles";
import { Definitions } from "./definitions";
import { requestedLanguages } from "./languageFamilies";
import { Packages } from "./packages";
import type { ParsedCode } from "./parsedCode";
import { References, type ReferencingFile } from "./references";
import { SymbolDescriber } from "./symbolDescriber";
import { createSymbolQuery, type SymbolQuery, type SymbolQueryOptions } from "./symbolQuery";
import {
  type ResultContext,
  sortByConfidence,
  toCalls,
  toDefinitionFiles,
  toFoundSymbol,
  toOutline,
  toReferenceFiles,
  toRepositoryInfos,
} from "./symbolResults";

export interface SymbolOptions extends Omit<SymbolQueryOptions, "files"> {
  readonly engine: Engine;
  readonly code: ParsedCode;
}

type SymbolOperation =
  | "findDefinitions"
  | "findReferences"
  | "streamReferences"
  | "callHierarchy"
  | "findSymbols"
  | "outline"
  | "symbolAt"
  | "describeSymbol";

export function symbolHandlers(options: SymbolOptions): { readonly [Row in SymbolOperation]: Handler<Row> } {
  const { engine, repositories, code } = options;
  const codeFiles = new CodeFiles(options);
  const packages = new Packages(engine);
  const definitions = new Definitions({ engine, repositories, code, packages });
  const references = new References({ engine, repositories, code, packages, definitions });
  const hierarchies = new CallHierarchies({ engine, repositories, code, packages, definitions });
  const queryOptions = { ...options, files: codeFiles };
  const describer = new SymbolDescriber({ ...queryOptions, definitions });

  function contextOf({ scopes }: Pick<SymbolQuery, "scopes">, context: CallContext): ResultContext {
    return { repositories, context, scopes };
  }

  /** Resolves with `undefined` if the deadline passes first. */
  function createQuery(
    request: contract.SymbolRequest,
    context: CallContext,
  ): Promise<SymbolQuery | undefined> {
    return runBeforeDeadline(context, (signal) =>
      createSymbolQuery(request, { ...context, signal }, queryOptions),
    );
  }

  async function searchReferences(
    request: contract.SymbolRequest,
    context: CallContext,
    onFiles: (files: readonly ReferencingFile[], resultContext: ResultContext) => Promise<void> | void,
  ) {
    const query = await createQuery(request, context);
    const resultContext = contextOf(query ?? { scopes: [] }, context);
    if (query === undefined) return { stats: timedOutStats, resultContext, originId: undefined };
    const found = await references.find(query, context.signal, (files) => onFiles(files, resultContext));
    const stats = {
      matchCount: found.matchCount,
      isExhaustive: isExhaustive(found.reason, reasonsOf(query)),
      unparsedFiles: found.unparsedFiles,
      filesMissing: found.filesMissing,
    };
    return { stats, resultContext, originId: query.origin?.repository.id };
  }

  /** Includes what has changed since the query was created. */
  function reasonsOf({ reasons, evictionCount }: SymbolQuery): readonly FlushReason[] {
    const hasEvicted = repositories.evictionCount() !== evictionCount;
    return hasEvicted ? [...reasons, "REPOSITORY_EVICTED"] : reasons;
  }

  function areReady(wanted: ReadonlySet<RepositoryId> | "all"): boolean {
    const known =
      wanted === "all" ? repositories.all() : [...wanted].flatMap((id) => repositories.get(id) ?? []);
    return known.every(({ state }) => state === "ready");
  }

  return {
    async findDefinitions(request, context) {
      const query = await createQuery(request, context);
      if (query === undefined) return { stats: timedOutStats, files: [], repositoryInfo: [] };
      const { definitions: found, reason, filesMissing } = await definitions.find(query, context.signal);
      const resultContext = contextOf(query, context);
      const files = toDefinitionFiles(found, resultContext);
      repositories.noteUse({
        ids: [...new Set(files.map(({ repositoryId }) => repositoryId as RepositoryId))],
      });
      const stats = {
        matchCount: files.reduce((sum, { matches }) => sum + matches.length, 0),
        isExhaustive: isExhaustive(reason, reasonsOf(query)),
        unparsedFiles: files.filter(({ isParsed }) => !isParsed).length,
        filesMissing,
      };
      return { stats, files, repositoryInfo: toRepositoryInfos(files, resultContext) };
    },

    async findReferences(request, context) {
      const found: ReferencingFile[] = [];
      const { stats, resultContext, originId } = await searchReferences(request, context, (files) => {
        found.push(...files);
      });
      const files = toReferenceFiles(sortByConfidence(found, originId), resultContext);
      return { stats, files, repositoryInfo: toRepositoryInfos(files, resultContext) };
    },

    async streamReferences(request, context) {
      const known = new Set<number>();
      const { stats, resultContext } = await searchReferences(
        request,
        context,
        async (referencingFiles, fileContext) => {
          const files = toReferenceFiles(referencingFiles, fileContext);
          const repositoryInfo = toRepositoryInfos(files, fileContext).filter(({ id }) => !known.has(id));
          for (const { id } of repositoryInfo) known.add(id);
          await context.emit?.({ event: "files", data: { files, repositoryInfo } });
        },
      );
      const all = [...known].map((repositoryId) => ({ repositoryId }));
      return { stats, repositoryInfo: toRepositoryInfos(all, resultContext) };
    },

    async callHierarchy(request, context) {
      const query = await createQuery(request, context);
      if (query === undefined) {
        const stats = { ...timedOutStats, flushReason: "TIME_LIMIT" as const };
        return { stats, definitions: [], calls: [], repositoryInfo: [] };
      }
      const { graph, reason, ...found } = await hierarchies.find(query, request, context.signal);
      const resultContext = contextOf(query, context);
      const { definitions: nodes, calls } = toCalls(graph, resultContext);
      const flushReason = reasonsOf(query).reduce(addReason, reason);
      const matchCount = calls.reduce((sum, { sites }) => sum + sites.length, 0);
      const stats = {
        matchCount,
        isExhaustive: flushReason === "NONE" && nodes.length > 0,
        flushReason,
        ...found,
      };
      return { stats, definitions: nodes, calls, repositoryInfo: toRepositoryInfos(nodes, resultContext) };
    },

    async findSymbols(request, context) {
      const { query, match, kinds, language, limit } = request;
      const name = query.trim();
      const wanted = scopeOf(request, context, options);
      const resultContext = contextOf({ scopes: [{ repositories: wanted, revisions: [] }] }, context);
      if (wanted !== "all" && wanted.size === 0) {
        return { symbols: [], repositoryInfo: [], isExhaustive: true };
      }
      const engineRequest: SymbolRequest = {
        name: { kind: match, text: name, caseSensitive: false },
        ...(kinds === undefined ? {} : { kinds: kinds.filter(isSymbolKind) }),
        ...(language === undefined ? {} : { languages: requestedLanguages(language) }),
        withLocals: false,
        repositories: wanted,
        revisions: [],
        unsaved: (context.unsaved ?? []).flatMap((document) =>
          toUnsavedDocuments(document, repositories, options.languageOf),
        ),
        preferred: preferredRepositories(context.folders ?? [], repositories.all()),
        limit,
      };
      const evictionCount = repositories.evictionCount();
      const found = await runBeforeDeadline(context, (signal) => engine.findSymbols(engineRequest, signal));
      if (found === undefined) return { symbols: [], repositoryInfo: [], isExhaustive: false };
      const symbols = found.symbols.flatMap((symbol) => toFoundSymbol(symbol, resultContext) ?? []);
      return {
        symbols,
        repositoryInfo: toRepositoryInfos(symbols, resultContext),
        isExhaustive:
          found.flushReason === "NONE" &&
          viewGaps(repositories).length === 0 &&
          areReady(wanted) &&
          repositories.evictionCount() === evictionCount,
        filesMissing: found.filesMissing,
      };
    },

    async outline({ place }, context) {
      const text = await codeFiles.read(codeFiles.find(place, context), context);
      const symbols = await code.symbols(text, context.signal);
      if (symbols.kind === "unparsed")
        return { language: text.language, symbols: [], reason: symbols.reason };
      return { language: text.language, symbols: toOutline(text.positions, symbols.definitions) };
    },

    symbolAt: ({ place }, context) => describer.nameAt(place, context),
    describeSymbol: ({ place }, context) => describer.describe(place, context),
  };
}

const timedOutStats = { matchCount: 0, isExhaustive: false, unparsedFiles: 0 };

function isExhaustive(reason: FlushReason, reasons: readonly FlushReason[]): boolean {
  return reasons.reduce(addReason, reason) === "NONE";
}

function isSymbolKind(kind: string): kind is SymbolKind {
  return symbolKinds.some((each) => each === kind);
}

/** Returns the repositories to search. Throws NOT_FOUND for an unknown name. */
function scopeOf(
  { repoNames, withoutOpen }: contract.SymbolsRequest,
  { folders = [] }: CallContext,
  { repositories, history }: SymbolOptions,
): ReadonlySet<RepositoryId> | "all" {
  const all = repositories.all();
  const open = new Set(withoutOpen ? preferredRepositories(folders, all) : []);
  if (repoNames === undefined && open.size === 0) return engineScope(repositories, all);
  const selected = repoNames === undefined ? all : repoNames.map((name) => history.repository(name));
  return new Set(selected.map(({ id }) => id).filter((id) => !open.has(id)));
}
