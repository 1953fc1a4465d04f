/** A question about a name, with everything decided: where to look, in which languages, and from where it is asked. */
import { ServiceError } from "#base/error";
import type { CallContext } from "#contract/service";
import type { SymbolRequest } from "#contract/symbols";
import type { UnsavedDocument } from "#engine/engine";
import { checkRef } from "#git/resolve";
import type { Repository, RepositoryId } from "#model/repository";
import type { FlushReason } from "#model/stats";
import { isRevisionGlob } from "#query/revisionName";
import type { History } from "#service/history";
import type { RepositoryView } from "#service/repositoryView";
import { lackingRevisions } from "#service/revisions";
import { bringRevisions } from "#service/search";
import { type PlanOptions, preferredRepositories, unsavedDocument } from "#service/searchPlan";
import type { NamedPlace } from "#symbols/symbols";
import type { CodePlaces, CodeText, FilePlace } from "./codePlaces";
import { languagesAround, requestedLanguages } from "./languageFamilies";
import type { ParsedCode } from "./parsedCode";

/** Repositories at one revision each: of the default view where there are no `revisions`. */
export interface Scope {
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  readonly revisions: readonly string[];
}

/** Where a name was read. */
export interface Asking {
  readonly repository: Repository;
  /** Absent where the repository as a whole asks. */
  readonly text?: CodeText;
  /** What the file imports, as written. */
  readonly imports: readonly string[];
  /** The name's place, where that is known and it is the name that is asked for. */
  readonly place?: NamedPlace;
}

export interface Question {
  readonly name: string;
  /** Linguist's names; absent for all. */
  readonly languages?: readonly string[];
  /** In the order in which they are looked through: first the repository that asks. */
  readonly scopes: readonly Scope[];
  readonly asking?: Asking;
  readonly maxMatches: number;
  readonly unsaved: readonly UnsavedDocument[];
  readonly preferred: readonly RepositoryId[];
  /** Milliseconds since 1970 at which a partial answer is given. */
  readonly deadline: number;
  /** Why something may be hidden that no engine knows of. */
  readonly reasons: readonly FlushReason[];
}

export interface QuestionOptions {
  readonly history: History;
  readonly repositories: RepositoryView;
  readonly languageOf: PlanOptions["languageOf"];
  readonly timeLimitMs: number;
  readonly code: ParsedCode;
  readonly places: CodePlaces;
}

/** Throws INVALID_REQUEST_BODY, NOT_FOUND, INVALID_GIT_REF, and what reading the place throws that asks. */
export async function createQuestion(
  request: SymbolRequest,
  context: CallContext,
  options: QuestionOptions,
): Promise<Question> {
  const { history, repositories, timeLimitMs } = options;
  const { symbolName: name, repoName, revisionName, language, matches } = request;
  const deadline = Date.now() + timeLimitMs;
  const only = repoName === undefined ? undefined : history.repository(repoName);
  if (revisionName !== undefined) await checkRevision(revisionName, only, history, context);
  const from = request.askedFrom && options.places.find(request.askedFrom, context);
  const asking = from && (await askingFrom(request, from, context, options));
  const languages = language === undefined ? languagesOf(asking) : requestedLanguages(language);

  const all = only === undefined ? repositories.all() : [only];
  const own = all.filter(({ id }) => id === asking?.repository.id);
  const others = all.filter(({ id }) => id !== asking?.repository.id);
  const ownRevision = revisionName ?? from?.ref;
  const isWhole = only === undefined && own.length === 0;
  const scopes = isWhole
    ? [{ repositories: "all" as const, revisions: revisionName === undefined ? [] : [revisionName] }]
    : [...scopeOf(own, ownRevision), ...scopeOf(others, revisionName)];
  const reasons = [
    ...(await bring(own, ownRevision, deadline, options, context.signal)),
    ...(await bring(others, revisionName, deadline, options, context.signal)),
  ];
  if (repositories.isScanning() || all.some(({ state }) => state !== "ready")) reasons.push("INDEXING");
  return {
    name,
    ...(languages === undefined ? {} : { languages }),
    scopes,
    ...(asking === undefined ? {} : { asking }),
    maxMatches: matches,
    unsaved: (context.unsaved ?? []).flatMap((document) =>
      unsavedDocument(document, repositories, options.languageOf),
    ),
    preferred: preferredRepositories(context.folders ?? [], repositories.all()),
    deadline,
    reasons,
  };
}

function languagesOf(asking: Asking | undefined): readonly string[] | undefined {
  return asking?.text && languagesAround(asking.text.language);
}

function scopeOf(repositories: readonly Repository[], revision: string | undefined): Scope[] {
  if (repositories.length === 0) return [];
  const ids = new Set(repositories.map(({ id }) => id));
  return [{ repositories: ids, revisions: revision === undefined ? [] : [revision] }];
}

/** One revision is meant, and where one repository is, it has to be there. */
async function checkRevision(
  revision: string,
  only: Repository | undefined,
  history: History,
  context: CallContext,
): Promise<void> {
  checkRef(revision);
  if (isRevisionGlob(revision)) {
    throw new ServiceError("INVALID_GIT_REF", `"${revision}" is a pattern, and no name of a revision.`);
  }
  if (only !== undefined) await history.resolve(history.open(only, context), revision);
}

async function bring(
  repositories: readonly Repository[],
  revision: string | undefined,
  deadline: number,
  options: QuestionOptions,
  signal: AbortSignal,
): Promise<readonly FlushReason[]> {
  if (revision === undefined) return [];
  const lacking = lackingRevisions({ kind: "revision", names: [revision] }, repositories);
  return await bringRevisions(lacking, deadline, options.repositories, signal);
}

async function askingFrom(
  { symbolName, askedFrom }: SymbolRequest,
  from: FilePlace,
  context: CallContext,
  { places, code }: QuestionOptions,
): Promise<Asking> {
  const { repository } = from;
  if (from.path === undefined || from.path === "") return { repository, imports: [] };
  const text = await places.read(from, context);
  const symbols = await code.symbols(text, context.signal);
  const imports = symbols.kind === "parsed" ? symbols.imports : [];
  const { lineNumber, column = 1 } = askedFrom ?? {};
  const offset = lineNumber === undefined ? undefined : text.places.offsetOf(lineNumber, column);
  if (offset === undefined || symbols.kind === "unparsed") return { repository, text, imports };
  const found = await code.placeAt(text, offset, context.signal);
  const place = found.kind === "parsed" && found.place?.name === symbolName ? found.place : undefined;
  return { repository, text, imports, ...(place === undefined ? {} : { place }) };
}
