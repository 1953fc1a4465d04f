/** Forwards calls to the leader of the data directory. Protocol: `contract/envelope.ts`. */
import { canceled, isServiceError, ServiceError } from "#base/error";
import { callPath, type Envelope } from "#contract/envelope";
import { ErrorObject, isErrorCode } from "#contract/error";
import type { OperationName } from "#contract/operations";
import type { Call, Caller, EventOf, ResponseOf } from "#contract/service";
import { type HttpResponse, socketClient } from "#platform/http";
import { readEvents } from "./events";

export interface RemoteCaller {
  readonly call: Caller;
  close(): Promise<void>;
}

/**
 * Forwards calls to the process that listens on `socket`. Calls of the local user need no credentials, because only
 * that user can connect; the calls of other callers carry theirs.
 *
 * A call rejects with ENGINE_UNAVAILABLE if no process listens, or if that process exits before it has responded.
 */
export function connectRemote(socket: string): RemoteCaller {
  const client = socketClient(socket);
  return {
    async call<Name extends OperationName>(name: Name, request: unknown, call: Call<Name>) {
      const {
        credentials,
        emit,
        signal,
        arrivedAt,
        repositoryRules,
        acceptsJsonText: _acceptsJsonText,
        requestId,
        unsaved = [],
        folders = [],
        ...rest
      } = call;
      const envelope: Envelope = {
        request,
        events: emit !== undefined,
        ...(credentials.kind === "local" ? {} : { credentials }),
        ...(arrivedAt === undefined ? {} : { waitedMs: performance.now() - arrivedAt }),
        ...(repositoryRules === undefined ? {} : { repositoryRules: [...repositoryRules] }),
        unsaved: [...unsaved],
        folders: [...folders],
        ...rest,
      };
      try {
        const response = await client.request({
          method: "POST",
          path: callPath(name),
          headers: {
            "content-type": "application/json",
            ...(requestId === undefined ? {} : { "x-request-id": requestId }),
          },
          body: JSON.stringify(envelope),
          signal,
        });
        return await (response.mediaType === "text/event-stream"
          ? readStream<Name>(response, emit)
          : readWhole<Name>(response));
      } catch (error) {
        if (isServiceError(error)) throw error;
        throw signal.aborted ? canceled() : leaderExited(error);
      }
    },
    close: () => client.close(),
  };
}

// Responses are not validated. Both ends are Trawl, and the contract is only ever extended, so other versions are
// compatible. Validation would take longer than the search.

async function readWhole<Name extends OperationName>({
  status,
  body,
}: HttpResponse): Promise<ResponseOf<Name>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const response: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  if (status !== 200) throw toServiceError(response);
  return response as ResponseOf<Name>;
}

async function readStream<Name extends OperationName>(
  { body }: HttpResponse,
  emit: ((event: EventOf<Name>) => void | Promise<void>) | undefined,
): Promise<ResponseOf<Name>> {
  for await (const { event, data } of readEvents(body)) {
    const value: unknown = JSON.parse(data);
    if (event === "event") await emit?.(value as EventOf<Name>);
    else if (event === "done") return value as ResponseOf<Name>;
    else if (event === "error") throw toServiceError(value);
  }
  throw leaderExited(undefined);
}

function toServiceError(errorObject: unknown): ServiceError {
  const { errorCode, message } = ErrorObject.parse(errorObject);
  return new ServiceError(isErrorCode(errorCode) ? errorCode : "UNEXPECTED_ERROR", message);
}

/** Whether a call that rejected with `error` never reached another process, and so had no effect. */
export function wasNeverSent(error: ServiceError): boolean {
  const { cause } = error;
  return cause instanceof Error && "code" in cause && ["ECONNREFUSED", "ENOENT"].includes(String(cause.code));
}

function leaderExited(cause: unknown): ServiceError {
  return new ServiceError(
    "ENGINE_UNAVAILABLE",
    'The Trawl process that serves the index has exited. Start it again, for example with "trawl serve".',
    { cause },
  );
}
