/** A resolved symbol request: the repositories, revisions and languages to search, and where the name was read. */
import { ServiceError } from "#base/error";
import type { CallContext } from "#contract/service";
import type { SymbolRequest } from "#contract/symbols";
import type { UnsavedDocument } from "#engine/engine";
import { checkRef } from "#git/refs/resolveRef";
import type { Repository, RepositoryId } from "#model/repository";
import type { FlushReason } from "#model/stats";
import { isRevisionGlob } from "#query/revisionName";
import type { History } from "#service/history/history";
import { restoreNamed } from "#service/repositories/evictedRepositories";
import { engineScope } from "#service/repositories/repositoryFilters";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { findUnindexedRevisions } from "#service/repositories/unindexedRevisions";
import { indexRevisions } from "#service/search/search";
import { type PlanOptions, preferredRepositories, toUnsavedDocuments } from "#service/search/searchPlan";
import type { Identifier } from "#symbols/symbols";
import type { CodeFiles, CodeText, FileLocation } from "./codeFiles";
import { importedPackages } from "./importedPackages";
import { lookupLanguages, requestedLanguages } from "./languageFamilies";
import type { ParsedCode } from "./parsedCode";

/** Repositories and revisions to search. If `revisions` is empty, searches cover the default view. */
export interface SearchScope {
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  readonly revisions: readonly string[];
}

/** The location at which the requested name was read. */
export interface QueryOrigin {
  readonly repository: Repository;
  /** Absent if only the repository is known. */
  readonly text?: CodeText;
  /** Imports of the file, as written. */
  readonly imports: readonly string[];
  /** The identifier at the location, if it is the requested name. */
  readonly identifier?: Identifier;
}

export interface SymbolQuery {
  readonly name: string;
  /** Linguist's names of the languages to search; if absent, all. */
  readonly languages?: readonly string[];
  /** In search order: the repository of the origin comes first. */
  readonly scopes: readonly SearchScope[];
  /** Where definitions are searched: also in packages that the file of the origin imports. */
  readonly definitionScopes: readonly SearchScope[];
  readonly origin?: QueryOrigin;
  readonly maxMatches: number;
  readonly unsaved: readonly UnsavedDocument[];
  readonly preferred: readonly RepositoryId[];
  /** When a partial result is returned, in milliseconds of `monotonicNow`. */
  readonly deadline: number;
  /** Why the response may be incomplete, in addition to the reasons that the engine reports. */
  readonly reasons: readonly FlushReason[];
  /** How many evictions there were before the search. */
  readonly evictionCount: number;
}

export interface SymbolQueryOptions {
  readonly history: History;
  readonly repositories: RepositoryView;
  readonly languageOf: PlanOptions["languageOf"];
  readonly code: ParsedCode;
  readonly files: CodeFiles;
}

/**
 * Resolves a request, and indexes the requested revision where it is missing.
 *
 * Throws INVALID_REQUEST_BODY, NOT_FOUND, INVALID_GIT_REF, and the errors of reading the origin.
 */
export async function createSymbolQuery(
  request: SymbolRequest,
  context: CallContext,
  options: SymbolQueryOptions,
): Promise<SymbolQuery> {
  const { history, repositories } = options;
  const { symbolName: name, repoName, revisionName, language, matches } = request;
  const { deadline } = context;
  const named = repoName === undefined ? [] : [history.repository(repoName)];
  repositories.noteUse({ ids: named.map(({ id }) => id) });
  await restoreNamed(named, repositories, context);
  const requestedRepository = repoName === undefined ? undefined : history.repository(repoName);
  if (revisionName !== undefined) await checkRevision(revisionName, requestedRepository, history, context);
  const from = request.askedFrom && options.files.find(request.askedFrom, context);
  const queryOrigin = from && (await resolveOrigin(request, from, context, options));
  const languages = language === undefined ? languagesOf(queryOrigin) : requestedLanguages(language);

  const originId = queryOrigin?.repository.id;
  const all = requestedRepository === undefined ? repositories.all() : [requestedRepository];
  // The origin may be in a package, which is not among all repositories.
  const isOwnSearched = requestedRepository === undefined || requestedRepository.id === originId;
  const own = queryOrigin !== undefined && isOwnSearched ? [queryOrigin.repository] : [];
  const others = all.filter(({ id }) => id !== originId);
  let imported = requestedRepository === undefined ? importedBy(queryOrigin, repositories) : [];
  if (await restoreNamed(imported, repositories, context)) imported = importedBy(queryOrigin, repositories);
  const ownRevision = revisionName ?? from?.ref;
  const isUnscoped = requestedRepository === undefined && own.length === 0;
  const scopes = isUnscoped
    ? [{ repositories: engineScope(repositories, all), revisions: revisionsOf(revisionName) }]
    : [...scopeOf(own, ownRevision), ...scopeOf(others, revisionName)];
  const reasons = [
    ...(await indexMissingRevision(own, ownRevision, deadline, options, context)),
    ...(await indexMissingRevision(others, revisionName, deadline, options, context)),
  ];
  const evictionCount = repositories.evictionCount();
  // Some may have been evicted meanwhile.
  const searched = [...all, ...imported].flatMap(({ id }) => repositories.get(id) ?? []);
  if (searched.some(({ state }) => state === "evicted")) reasons.push("REPOSITORY_EVICTED");
  if (repositories.hasUnknownRights()) reasons.push("RIGHTS_UNKNOWN");
  const isScanning = repositories.isScanning() || (imported.length > 0 && repositories.isScanningPackages());
  if (isScanning || searched.some(({ state }) => state !== "ready" && state !== "evicted"))
    reasons.push("INDEXING");
  // A package does not refer to the code of those who use it.
  const isInPackage = queryOrigin?.repository.kind === "package" && isOwnSearched;
  return {
    name,
    ...(languages === undefined ? {} : { languages }),
    scopes,
    definitionScopes: [
      ...(isInPackage ? scopeOf(own, ownRevision) : scopes),
      ...scopeOf(imported, revisionName),
    ],
    ...(queryOrigin === undefined ? {} : { origin: queryOrigin }),
    maxMatches: matches,
    unsaved: (context.unsaved ?? []).flatMap((document) =>
      toUnsavedDocuments(document, repositories, options.languageOf),
    ),
    preferred: preferredRepositories(context.folders ?? [], repositories.all()),
    deadline,
    reasons,
    evictionCount,
  };
}

function languagesOf(queryOrigin: QueryOrigin | undefined): readonly string[] | undefined {
  return queryOrigin?.text && lookupLanguages(queryOrigin.text.language);
}

function importedBy(
  queryOrigin: QueryOrigin | undefined,
  repositories: RepositoryView,
): readonly Repository[] {
  if (queryOrigin?.text === undefined) return [];
  const { repository, imports, text } = queryOrigin;
  return importedPackages({ repository, imports, language: text.language }, repositories);
}

function scopeOf(repositories: readonly Repository[], revision: string | undefined): SearchScope[] {
  if (repositories.length === 0) return [];
  const ids = new Set(repositories.map(({ id }) => id));
  return [{ repositories: ids, revisions: revisionsOf(revision) }];
}

function revisionsOf(revision: string | undefined): readonly string[] {
  return revision === undefined ? [] : [revision];
}

/** Throws INVALID_GIT_REF for a pattern, or if the revision does not exist in the requested repository. */
async function checkRevision(
  revision: string,
  requestedRepository: Repository | undefined,
  history: History,
  context: CallContext,
): Promise<void> {
  checkRef(revision);
  if (isRevisionGlob(revision)) {
    throw new ServiceError("INVALID_GIT_REF", `"${revision}" is a pattern, not the name of a revision.`);
  }
  if (requestedRepository !== undefined)
    await history.resolve(history.open(requestedRepository, context), revision);
}

async function indexMissingRevision(
  repositories: readonly Repository[],
  revision: string | undefined,
  deadline: number,
  options: SymbolQueryOptions,
  context: CallContext,
): Promise<readonly FlushReason[]> {
  if (revision === undefined) return [];
  const unindexed = await findUnindexedRevisions({ kind: "revision", names: [revision] }, repositories);
  return await indexRevisions(unindexed, deadline, options, context);
}

async function resolveOrigin(
  { symbolName, askedFrom }: SymbolRequest,
  from: FileLocation,
  context: CallContext,
  { files, code }: SymbolQueryOptions,
): Promise<QueryOrigin> {
  const { repository } = from;
  if (from.path === undefined || from.path === "") return { repository, imports: [] };
  const text = await files.read(from, context);
  const symbols = await code.symbols(text, context.signal);
  const imports = symbols.kind === "parsed" ? symbols.imports : [];
  const { lineNumber, column = 1 } = askedFrom ?? {};
  const offset = lineNumber === undefined ? undefined : text.positions.offsetOf(lineNumber, column);
  if (offset === undefined || symbols.kind === "unparsed") return { repository, text, imports };
  const found = await code.identifierAt(text, offset, context.signal);
  const identifier =
    found.kind === "parsed" && found.identifier?.name === symbolName ? found.identifier : undefined;
  return { repository, text, imports, ...(identifier === undefined ? {} : { identifier }) };
}
