/** What the handlers of merged operations share. */
import { isServiceError, ServiceError } from "#base/error";
import type { OperationName } from "#contract/operations";
import type { Call, Caller, EventOf, RequestOf, ResponseOf } from "#contract/service";
import { TimeLimit } from "#platform/timeLimit";
import type { LocalRepositories, RepositorySet } from "./localRepositories";
import { ServerFailure } from "./serverFailure";
import type { TeamConnection } from "./teamConnection";

/** How long a merged response waits for the server, in milliseconds from its start. */
const partTimeLimitMs = 8_000;
/** How long a response waits that only the server can give. Git may take a while. */
const forwardedTimeLimitMs = 30_000;

export interface TeamContext {
  readonly local: Caller;
  readonly connection: TeamConnection;
  readonly localRepositories: LocalRepositories;
}

export type TeamHandler<Name extends OperationName> = (
  request: RequestOf<Name>,
  call: Call<Name>,
  context: TeamContext,
) => Promise<ResponseOf<Name>>;

/** The server's part of a response, or why it is missing. */
export type Part<Response> =
  | { readonly response: Response; readonly problem?: undefined }
  | { readonly response?: undefined; readonly problem: string };

/** Calls the server for its part of a response. Rejects only with CANCELLED. */
export async function requestPart<Name extends OperationName>(
  { connection }: TeamContext,
  name: Name,
  request: object | (() => Promise<object>),
  signal: AbortSignal,
  emit?: (event: EventOf<Name>) => void | Promise<void>,
): Promise<Part<ResponseOf<Name>>> {
  try {
    await waitForList(connection, signal);
    const sent = typeof request === "function" ? await request() : request;
    return { response: await connection.call(name, sent, { signal, timeLimitMs: partTimeLimitMs, emit }) };
  } catch (error) {
    return { problem: problemOf(error, connection) };
  }
}

/** Waits until the list of the server's repositories is known. A long one may take longer than a search should. */
async function waitForList(connection: TeamConnection, signal: AbortSignal): Promise<void> {
  const limit = new TimeLimit(signal, partTimeLimitMs);
  try {
    await connection.ready(limit.signal);
  } catch (error) {
    if (!limit.isExpired || signal.aborted) throw error;
    throw new ServerFailure("unreachable", "The list of its repositories is still loading. Try again later.");
  } finally {
    limit.dispose();
  }
}

/** Returns why the server's part is missing, as sentences. Throws other errors, which are defects, and CANCELLED. */
function problemOf(error: unknown, { address }: TeamConnection): string {
  const isExpected = error instanceof ServerFailure || (isServiceError(error) && error.code !== "CANCELLED");
  if (!isExpected) throw error;
  return `Results of the team's server (${address.url}) are missing. ${error.message}`;
}

/** Forwards a call about a repository of the server. */
export async function forward<Name extends OperationName>(
  { connection }: TeamContext,
  name: Name,
  request: object,
  { signal, emit }: Pick<Call<Name>, "signal" | "emit">,
): Promise<ResponseOf<Name>> {
  try {
    return await connection.call(name, request, { signal, timeLimitMs: forwardedTimeLimitMs, emit });
  } catch (error) {
    throw error instanceof ServerFailure ? unavailable(error, connection) : error;
  }
}

function unavailable(failure: ServerFailure, { address }: TeamConnection): ServiceError {
  return new ServiceError(
    "ENGINE_UNAVAILABLE",
    `The team's server (${address.url}) is not available. ${failure.message}`,
    { cause: failure },
  );
}

/** The contract allows no more. */
const maxExceptions = 10_000;

/** Returns the names that the server must skip: those in the request, and repositories that are indexed here. */
export function exceptionsOf(
  { exceptRepositories = [] }: Pick<RequestOf<"count">, "exceptRepositories">,
  { connection }: TeamContext,
  here: RepositorySet,
): string[] {
  const duplicates = connection.repositories.filter((item) => here.has(item));
  return [...exceptRepositories, ...duplicates.map(({ repoName }) => repoName)].slice(0, maxExceptions);
}

/**
 * Returns whether only the server has the repository with this name. Rejects with ENGINE_UNAVAILABLE if it is not here,
 * and it is not known what the server has.
 */
export async function isOnlyOnServer(
  name: string | undefined,
  call: Call,
  context: TeamContext,
): Promise<boolean> {
  const { connection, localRepositories } = context;
  if (name === undefined) return false;
  const isListKnown = connection.state.repositories !== undefined;
  if (isListKnown && !isOnServer(name, connection)) return false;
  if ((await localRepositories.set(call)).hasName(name)) return false;
  if (isListKnown) return true;
  if (await localRepositories.hasName(name, call)) return false;
  try {
    await waitForList(connection, call.signal);
  } catch (error) {
    throw error instanceof ServerFailure ? unavailable(error, connection) : error;
  }
  return isOnServer(name, connection);
}

function isOnServer(name: string, { repositories }: TeamConnection): boolean {
  const wanted = name.toLowerCase();
  return repositories.some(
    ({ repoName, formerNames = [] }) =>
      repoName.toLowerCase() === wanted || formerNames.some((each) => each.toLowerCase() === wanted),
  );
}
