/** Every row of the contract as a request `trawl/<row>`. */
import {
  type CancellationToken,
  type Connection,
  LSPErrorCodes,
  type ProgressToken,
  ProgressType,
  ResponseError,
} from "vscode-languageserver/node";
import { cancelled, isServiceError } from "#base/error";
import { toErrorObject } from "#contract/error";
import { methodOf } from "#contract/methods";
import { type OperationName, operationNames } from "#contract/operations";
import type { Call, Caller, EventOf } from "#contract/service";
import type { Log } from "#platform/log";

export interface Surroundings {
  readonly caller: Promise<Caller>;
  /** What the editor knows of a call besides the request. */
  readonly medium: () => Promise<Pick<Call, "unsaved" | "folders" | "baseUrl">>;
  readonly log: Log;
}

export function serveRows(connection: Connection, surroundings: Surroundings): void {
  for (const name of operationNames) {
    connection.onRequest(methodOf(name), (params: unknown, token: CancellationToken) =>
      answer(connection, surroundings, name, params, token),
    );
  }
}

async function answer(
  connection: Connection,
  surroundings: Surroundings,
  name: OperationName,
  params: unknown,
  token: CancellationToken,
): Promise<unknown> {
  const { caller, log } = surroundings;
  const { signal, release } = signalOf(token);
  const progress = connection.window.attachWorkDoneProgress(tokenIn(params, "workDoneToken"));
  const partial = tokenIn(params, "partialResultToken");
  try {
    progress.begin(name === "search" || name === "streamSearch" ? "Searching" : "Trawl");
    const ask = await caller;
    const call = await callOf(surroundings, signal);
    const send = (value: unknown) => connection.sendProgress(anyProgress, partial ?? "", value);
    if (name === "search" && partial !== undefined) {
      // What was sent in parts is left out of the answer, as LSP has it.
      const end = await ask("streamSearch", params, {
        ...call,
        async emit(event) {
          if (event.event === "files") await send(event.data);
          else progress.report(`${event.data.matchCount} matches`);
        },
      });
      return { ...end, files: [] };
    }
    const emit = partial === undefined ? {} : { emit: (event: EventOf<OperationName>) => send(event) };
    return await ask(name, params, { ...call, ...emit });
  } catch (error) {
    throw responseError(error, log);
  } finally {
    progress.done();
    release();
  }
}

/** A call as the person at the editor makes it. */
export async function callOf({ medium }: Surroundings, signal: AbortSignal) {
  const client = `editor ${process.pid}`;
  const known = { credentials: { kind: "local" }, signal, client, source: "editor" } as const;
  return { ...known, ...(await medium()) };
}

/** The generic token of `$/progress`: what travels is typed by the contract. */
const anyProgress = new ProgressType<unknown>();

export function responseError(error: unknown, log: Log): ResponseError<unknown> {
  if (isServiceError(error, "CANCELLED")) {
    return new ResponseError(LSPErrorCodes.RequestCancelled, cancelled().message);
  }
  const told = toErrorObject(error);
  if (told.errorCode === "UNEXPECTED_ERROR") log.error("A request of the editor failed.", { error });
  return new ResponseError(LSPErrorCodes.RequestFailed, told.message, told);
}

export function signalOf(token: CancellationToken): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const controller = new AbortController();
  const listening = token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  return { signal: controller.signal, release: () => listening.dispose() };
}

function tokenIn(params: unknown, field: "workDoneToken" | "partialResultToken"): ProgressToken | undefined {
  const value =
    typeof params === "object" && params !== null ? (params as Record<string, unknown>)[field] : undefined;
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
