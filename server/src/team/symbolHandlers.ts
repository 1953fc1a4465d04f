/** Definitions and references here and on the team's server. */
import type { Call, RequestOf } from "#contract/service";
import type {
  FoundSymbol,
  FoundSymbols,
  ReferenceEnd,
  ReferenceEvent,
  SymbolResult,
} from "#contract/symbols";
import type { RepositorySet } from "./localRepositories";
import { linkedSignal } from "./searchHandlers";
import {
  forward,
  isOnlyOnServer,
  type Part,
  requestPart,
  type TeamContext,
  type TeamHandler,
} from "./teamContext";

type SymbolRequest = RequestOf<"findReferences">;
type ServerRequest = Omit<SymbolRequest, "askedFrom">;

/** The side that has the file in which the user selected the name comes first; the other one, if that finds nothing. */
export const findDefinitions: TeamHandler<"findDefinitions"> = async (request, call, context) => {
  if (await isOnlyOnServer(request.repoName, call, context))
    return forward(context, "findDefinitions", await forServer(request, call, context), call);
  if (await isOnlyOnServer(request.askedFrom?.repo, call, context)) {
    const found = await forward(context, "findDefinitions", request, call);
    return found.files.length > 0 ? found : context.local("findDefinitions", withoutLocation(request), call);
  }
  const local = await context.local("findDefinitions", request, call);
  if (local.files.length > 0 || request.repoName !== undefined) return local;
  const sent = async () => forServer(request, call, context);
  const part = await requestPart(context, "findDefinitions", sent, call.signal);
  return part.response === undefined
    ? { ...local, stats: { ...local.stats, isExhaustive: false }, serverProblem: part.problem }
    : withoutDuplicates(part.response, await context.localRepositories.set(call));
};

export const findReferences: TeamHandler<"findReferences"> = async (request, call, context) => {
  if (await isOnlyOnServer(request.repoName, call, context))
    return forward(context, "findReferences", await forServer(request, call, context), call);
  if (request.repoName !== undefined) return context.local("findReferences", request, call);
  const { signal, end } = linkedSignal(call.signal);
  try {
    const sent = async () => forServer(request, call, context);
    const teamPart = requestPart(context, "findReferences", sent, signal);
    teamPart.catch(() => undefined);
    const local = await context.local("findReferences", await forLocal(request, call, context), call);
    const part = await teamPart;
    const merged = mergeReferences(local, part);
    if (part.response === undefined) return { ...merged, files: local.files };
    const other = withoutDuplicates(part.response, await context.localRepositories.set(call)).files;
    const isFromServer = await isOnlyOnServer(request.askedFrom?.repo, call, context);
    return { ...merged, files: isFromServer ? [...other, ...local.files] : [...local.files, ...other] };
  } finally {
    end();
  }
};

export const streamReferences: TeamHandler<"streamReferences"> = async (request, call, context) => {
  if (await isOnlyOnServer(request.repoName, call, context))
    return forward(context, "streamReferences", await forServer(request, call, context), call);
  if (request.repoName !== undefined) return context.local("streamReferences", request, call);
  const here = await context.localRepositories.set(call);
  const { signal, end } = linkedSignal(call.signal);
  const { emit } = call;
  let sent: Promise<void> = Promise.resolve();
  const send = (event: ReferenceEvent) => {
    sent = sent.then(() => emit?.(event));
    sent.catch(() => undefined);
    return sent;
  };
  const sendOther = ({ event, data }: ReferenceEvent) =>
    send({
      event,
      data: { ...data, files: data.files.filter(({ repository }) => !here.hasName(repository)) },
    });
  try {
    const teamRequest = async () => forServer(request, call, context);
    const teamPart = requestPart(context, "streamReferences", teamRequest, signal, emit && sendOther);
    teamPart.catch(() => undefined);
    const { emit: _, ...rest } = call;
    const local = await context.local("streamReferences", await forLocal(request, call, context), {
      ...rest,
      ...(emit === undefined ? {} : { emit: send }),
    });
    const merged = mergeReferences(local, await teamPart);
    await sent;
    return merged;
  } finally {
    end();
  }
};

export const findSymbols: TeamHandler<"findSymbols"> = async (request, call, context) => {
  const names = request.repoNames ?? [];
  const areOnServer = await Promise.all(names.map((name) => isOnlyOnServer(name, call, context)));
  const onServer = names.filter((_, index) => areOnServer[index]);
  const here = names.filter((_, index) => !areOnServer[index]);
  const limited = (repoNames: readonly string[]) => ({ ...request, repoNames: [...repoNames] });
  if (names.length > 0 && here.length === 0) return forward(context, "findSymbols", limited(onServer), call);
  if (names.length > 0 && onServer.length === 0) return context.local("findSymbols", request, call);
  const isLimited = names.length > 0;
  const { signal, end } = linkedSignal(call.signal);
  try {
    const teamPart = requestPart(context, "findSymbols", isLimited ? limited(onServer) : request, signal);
    teamPart.catch(() => undefined);
    const local = await context.local("findSymbols", isLimited ? limited(here) : request, call);
    return mergeSymbols(local, await teamPart, await context.localRepositories.set(call), request.limit);
  } finally {
    end();
  }
};

/** Returns the request without the location, which the other side cannot read. */
function withoutLocation({ askedFrom: _, ...request }: SymbolRequest): ServerRequest {
  return request;
}

/** The request for the server. A location in a file here becomes its language. */
async function forServer(request: SymbolRequest, call: Call, context: TeamContext): Promise<object> {
  const { askedFrom } = request;
  if (askedFrom === undefined || (await isOnlyOnServer(askedFrom.repo, call, context))) return request;
  const rest = withoutLocation(request);
  if (rest.language !== undefined) return rest;
  const { emit: _, ...own } = call;
  const { language } = await context
    .local("symbolAt", { place: askedFrom }, own)
    .catch(() => ({ language: "" }));
  return language === "" ? rest : { ...rest, language };
}

/** The request for this side. A location in a file of the server becomes its language, if the request names one. */
async function forLocal(request: SymbolRequest, call: Call, context: TeamContext): Promise<SymbolRequest> {
  return (await isOnlyOnServer(request.askedFrom?.repo, call, context)) ? withoutLocation(request) : request;
}

function withoutDuplicates(result: SymbolResult, here: RepositorySet): SymbolResult {
  const files = result.files.filter(({ repository }) => !here.hasName(repository));
  if (files.length === result.files.length) return result;
  const matchCount = files.reduce((sum, { matches }) => sum + matches.length, 0);
  return { ...result, files, stats: { ...result.stats, matchCount } };
}

function mergeReferences(local: ReferenceEnd, { response, problem }: Part<ReferenceEnd>): ReferenceEnd {
  const { stats } = local;
  if (response === undefined)
    return { ...local, stats: { ...stats, isExhaustive: false }, serverProblem: problem };
  const unparsedFiles = (stats.unparsedFiles ?? 0) + (response.stats.unparsedFiles ?? 0);
  const filesMissing = (stats.filesMissing ?? 0) + (response.stats.filesMissing ?? 0);
  return {
    repositoryInfo: [...local.repositoryInfo, ...response.repositoryInfo],
    stats: {
      ...stats,
      matchCount: stats.matchCount + response.stats.matchCount,
      isExhaustive: stats.isExhaustive !== false && response.stats.isExhaustive !== false,
      ...(unparsedFiles === 0 ? {} : { unparsedFiles }),
      ...(filesMissing === 0 ? {} : { filesMissing }),
    },
  };
}

/** Alternates between both, because neither knows how good the other's are. */
function mergeSymbols(
  local: FoundSymbols,
  { response, problem }: Part<FoundSymbols>,
  here: RepositorySet,
  limit: number,
): FoundSymbols {
  if (response === undefined) return { ...local, isExhaustive: false, serverProblem: problem };
  const others = response.symbols.filter(({ repository }) => !here.hasName(repository));
  const symbols: FoundSymbol[] = [];
  for (let at = 0; at < Math.max(local.symbols.length, others.length); at++)
    symbols.push(...[local.symbols[at], others[at]].filter((symbol) => symbol !== undefined));
  const filesMissing = (local.filesMissing ?? 0) + (response.filesMissing ?? 0);
  return {
    symbols: symbols.slice(0, limit),
    repositoryInfo: [...local.repositoryInfo, ...response.repositoryInfo],
    isExhaustive: local.isExhaustive && response.isExhaustive && symbols.length <= limit,
    ...(filesMissing === 0 ? {} : { filesMissing }),
  };
}
