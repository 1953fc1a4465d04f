/** Lists of repositories, and completions that name them. */
import type { RepositoriesRequest, RepositoryItem } from "#contract/repositories";
import type { Page } from "#contract/service";
import { TimeLimit } from "#platform/timeLimit";
import { requestPart, type TeamHandler } from "./teamContext";

/** How long to wait for the server's list. Editors show the list here first, and are notified once the server's is known. */
const listWaitMs = 500;
const notKnownYet = "The repositories of the team's server are not known yet. Try again in a second.";

/** Repositories of the server follow those here, as packages do. */
export const repos: TeamHandler<"repos"> = async (request, call, context) => {
  const local = await context.local("repos", request, call);
  if (request.dependencies === "only" || (request.name !== undefined && local.total > 0)) return local;
  const { connection } = context;
  const limit = new TimeLimit(call.signal, listWaitMs);
  await connection.ready(limit.signal).catch(() => undefined);
  limit.dispose();
  const here = await context.localRepositories.set(call);
  const others = sorted(
    connection.repositories.filter((item) => !here.has(item) && isWanted(item, request)),
    request,
  );
  const start = (request.page - 1) * request.perPage + local.items.length - local.total;
  const from = Math.max(0, start);
  const items = [...local.items, ...others.slice(from, from + request.perPage - local.items.length)];
  const page: Page<RepositoryItem> = { ...local, items, total: local.total + others.length };
  const { state, problem = state === "connecting" ? notKnownYet : undefined } = connection.state;
  return problem === undefined ? page : { ...page, incomplete: problem };
};

function isWanted(
  { repoName, formerNames = [] }: RepositoryItem,
  { name, query }: RepositoriesRequest,
): boolean {
  const names = [repoName, ...formerNames].map((each) => each.toLowerCase());
  if (name !== undefined) return names.includes(name.toLowerCase());
  return (
    query === undefined ||
    repoName.toLowerCase().includes(query.toLowerCase()) ||
    names.includes(query.toLowerCase())
  );
}

function sorted(
  items: readonly RepositoryItem[],
  { sort, direction }: RepositoriesRequest,
): RepositoryItem[] {
  const key = ({ pushedAt, indexedAt }: RepositoryItem) => (sort === "pushed" ? pushedAt : indexedAt) ?? "";
  const ascending = [...items];
  // The list of the server is in the order of names.
  if (sort !== "name")
    ascending.sort((left, right) => (key(left) < key(right) ? -1 : key(left) > key(right) ? 1 : 0));
  return direction === "asc" ? ascending : ascending.reverse();
}

/** Alternates between those of both, because each list alone may reach the limit. */
export const completeQuery: TeamHandler<"completeQuery"> = async (request, call, context) => {
  const [local, part] = await Promise.all([
    context.local("completeQuery", request, call),
    isConnected(context) ? requestPart(context, "completeQuery", request, call.signal) : undefined,
  ]);
  const response = part?.response;
  // Another version may see the cursor in another word.
  if (response?.offset !== local.offset || response.length !== local.length) return local;
  const known = new Set(local.items.map(({ text }) => text));
  const others = response.items.filter(({ text }) => !known.has(text));
  const count = Math.max(local.items.length, others.length);
  const items = Array.from({ length: count }, (_, at) => [local.items[at], others[at]]).flat();
  return { ...local, items: items.filter((item) => item !== undefined).slice(0, request.limit) };
};

/** A name that one of both knows is no mistake. */
export const readQuery: TeamHandler<"readQuery"> = async (request, call, context) => {
  const local = await context.local("readQuery", request, call);
  if (!local.problems.some(({ severity }) => severity === "hint") || !isConnected(context)) return local;
  const { response } = await requestPart(context, "readQuery", request, call.signal);
  if (response === undefined) return local;
  const isShared = ({ offset, length }: { readonly offset: number; readonly length: number }) =>
    response.problems.some((other) => other.offset === offset && other.length === length);
  const problems = local.problems.filter((problem) => problem.severity === "error" || isShared(problem));
  return { ...local, problems };
};

/** Whether the server may be asked while the user types, which must not wait for it. */
function isConnected({ connection }: Parameters<TeamHandler<"repos">>[2]): boolean {
  return connection.state.state === "connected";
}
