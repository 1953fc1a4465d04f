/** Serves every operation of the contract as a request `trawl/<name>`. */
import {
  type CancellationToken,
  type Connection,
  ErrorCodes,
  LSPErrorCodes,
  type ProgressToken,
  ProgressType,
  ResponseError,
} from "vscode-languageserver/node";
import { canceled, isServiceError } from "#base/error";
import { toErrorObject } from "#contract/error";
import { methodOf } from "#contract/methods";
import { type OperationName, operationNames } from "#contract/operations";
import type { Call, Caller, EventOf } from "#contract/service";
import type { Log } from "#platform/log";
import type { ClientFeatures } from "./clientFeatures";

/** Shared by the handlers of one connection. */
export interface LspSession {
  readonly caller: Promise<Caller>;
  /** Returns the editor's part of a call: unsaved documents, open folders, and the base URL of links. */
  readonly callContext: () => Promise<Pick<Call, "unsaved" | "folders" | "baseUrl">>;
  /** Returns the client's features, which every handler may use: the client sends them in `initialize`. */
  readonly features: () => ClientFeatures;
  readonly log: Log;
}

export function serveOperations(connection: Connection, session: Omit<LspSession, "features">): void {
  for (const name of operationNames) {
    connection.onRequest(methodOf(name), (params: unknown, token: CancellationToken) =>
      handleRequest(connection, session, name, params, token),
    );
  }
}

async function handleRequest(
  connection: Connection,
  session: Omit<LspSession, "features">,
  name: OperationName,
  params: unknown,
  token: CancellationToken,
): Promise<unknown> {
  const { caller, log } = session;
  const { signal, release } = toAbortSignal(token);
  const arrivedAt = performance.now();
  const progress = connection.window.attachWorkDoneProgress(progressTokenOf(params, "workDoneToken"));
  const partialToken = progressTokenOf(params, "partialResultToken");
  try {
    progress.begin(name === "search" || name === "streamSearch" ? "Searching" : "Trawl");
    const operationCaller = await caller;
    const call = await createCall(session, { signal, arrivedAt });
    const send = (value: unknown) => connection.sendProgress(anyProgress, partialToken ?? "", value);
    if (name === "search" && partialToken !== undefined) {
      // As LSP requires, the response omits what was sent as partial results.
      const end = await operationCaller("streamSearch", params, {
        ...call,
        async emit(event) {
          if (event.event === "files") await send(event.data);
          else progress.report(`${event.data.matchCount} matches`);
        },
      });
      return { ...end, files: [] };
    }
    const emit = partialToken === undefined ? {} : { emit: (event: EventOf<OperationName>) => send(event) };
    return await operationCaller(name, params, { ...call, ...emit });
  } catch (error) {
    throw responseError(error, log);
  } finally {
    progress.done();
    release();
  }
}

/** Returns the context of a call from the local user's editor. */
export async function createCall(
  { callContext }: Pick<LspSession, "callContext">,
  request: Required<Pick<Call, "signal" | "arrivedAt">>,
) {
  const client = `editor ${process.pid}`;
  const known = { ...request, credentials: { kind: "local" }, client, source: "editor" } as const;
  return { ...known, ...(await callContext()) };
}

/** `$/progress` with a value of any type. The contract defines the types. */
const anyProgress = new ProgressType<unknown>();

/** Converts an error to one that LSP can send, with the error object as `data`. Logs defects. */
export function responseError(error: unknown, log: Log): ResponseError<unknown> {
  if (isServiceError(error, "CANCELLED")) {
    return new ResponseError(LSPErrorCodes.RequestCancelled, canceled().message);
  }
  const object = toErrorObject(error);
  if (object.errorCode === "UNEXPECTED_ERROR") log.error("A request from the editor failed.", { error });
  const code = invalidParams.has(object.errorCode) ? ErrorCodes.InvalidParams : LSPErrorCodes.RequestFailed;
  return new ResponseError(code, object.message, object);
}

/** Error codes of requests whose fields have wrong types or values; sent as `InvalidParams`. */
const invalidParams: ReadonlySet<string> = new Set(["INVALID_REQUEST_BODY", "INVALID_QUERY_PARAMS"]);

/** Returns a signal that fires when the request is canceled. Call `release` when the request is done. */
export function toAbortSignal(token: CancellationToken): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const controller = new AbortController();
  const subscription = token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  return { signal: controller.signal, release: () => subscription.dispose() };
}

function progressTokenOf(
  params: unknown,
  field: "workDoneToken" | "partialResultToken",
): ProgressToken | undefined {
  const value =
    typeof params === "object" && params !== null ? (params as Record<string, unknown>)[field] : undefined;
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
