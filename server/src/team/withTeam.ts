/**
 * A `Caller` that also asks the team's server: repositories of this computer are answered here, all others by the
 * server, and searches by both.
 *
 * Only calls of the local user reach the server, because they carry that user's key.
 */
import { type OperationName, operation } from "#contract/operations";
import type { Call, Caller, RequestOf, ResponseOf } from "#contract/service";
import { count } from "./countHandler";
import { completeQuery, readQuery, repos } from "./listHandlers";
import { LocalRepositories } from "./localRepositories";
import { search, streamSearch } from "./searchHandlers";
import { findDefinitions, findReferences, findSymbols, streamReferences } from "./symbolHandlers";
import type { Team } from "./team";
import { forward, isOnlyOnServer, type TeamContext, type TeamHandler } from "./teamContext";

type Handlers = { readonly [Name in OperationName]?: TeamHandler<Name> };

/** Operations that both sides answer. */
const merged: Handlers = {
  search,
  streamSearch,
  count,
  repos,
  completeQuery,
  readQuery,
  findDefinitions,
  findReferences,
  streamReferences,
  findSymbols,
};

/** Operations about one repository, with its name in their request. */
const repositoryOf: { readonly [Name in OperationName]?: (request: RequestOf<Name>) => string | undefined } =
  {
    branches: ({ repo }) => repo,
    tree: ({ repoName }) => repoName,
    source: ({ repo }) => repo,
    diff: ({ repo }) => repo,
    commit: ({ repo }) => repo,
    commits: ({ repo }) => repo,
    authors: ({ repo }) => repo,
    blame: ({ repo }) => repo,
    skippedRepos: ({ repo }) => repo,
    unparsedRepos: ({ repo }) => repo,
    outline: ({ place }) => place.repo,
    symbolAt: ({ place }) => place.repo,
    describeSymbol: ({ place }) => place.repo,
    callHierarchy: ({ repoName, askedFrom }) => repoName ?? askedFrom?.repo,
  };

export function withTeam(local: Caller, team: Team): Caller {
  const localRepositories = new LocalRepositories(local);
  return async <Name extends OperationName>(
    name: Name,
    raw: unknown,
    call: Call<Name>,
  ): Promise<ResponseOf<Name>> => {
    const { connection } = team;
    if (connection === undefined || call.credentials.kind !== "local") return local(name, raw, call);
    const request = operation(name).request.safeParse(raw);
    // The error says what is wrong with the request.
    if (!request.success) return local(name, raw, call);
    const context: TeamContext = { local, connection, localRepositories };
    const handler = merged[name] as TeamHandler<Name> | undefined;
    if (handler !== undefined) return handler(request.data as RequestOf<Name>, call, context);
    if (name === "locate") return locate(name, request.data as RequestOf<Name>, call, context);
    const repository = repositoryOf[name]?.(request.data as never);
    return (await isOnlyOnServer(repository, call, context))
      ? forward(context, name, request.data, call)
      : local(name, raw, call);
  };
}

/** Files of the server are not on this computer. */
async function locate<Name extends OperationName>(
  name: Name,
  request: RequestOf<Name>,
  call: Call<Name>,
  context: TeamContext,
): Promise<ResponseOf<Name>> {
  const { repository, lines } = request as RequestOf<"locate">;
  if (!(await isOnlyOnServer(repository, call, context))) return context.local(name, request, call);
  return { state: "noClone", lines: lines.map(() => null) } as ResponseOf<"locate"> as ResponseOf<Name>;
}
