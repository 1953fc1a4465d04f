/** The same service, answered by the Trawl that holds the data folder. Protocol: `contract/envelope.ts`. */
import { cancelled, isServiceError, ServiceError } from "#base/error";
import { callPath, type Envelope } from "#contract/envelope";
import { ErrorObject, isErrorCode } from "#contract/error";
import type { OperationName } from "#contract/operations";
import type { AnswerOf, Call, Caller, EventOf } from "#contract/service";
import { type HttpAnswer, socketClient } from "#platform/http";
import { readEvents } from "./events";

export interface Remote {
  readonly call: Caller;
  close(): Promise<void>;
}

/**
 * Calls whoever listens on `socket`. To reach the socket is to be the person; what somebody else has shown to this
 * process travels with their call.
 *
 * A call rejects with ENGINE_UNAVAILABLE where nobody listens, or where the other process ends before it has answered.
 */
export function connectRemote(socket: string): Remote {
  const client = socketClient(socket);
  return {
    async call<Name extends OperationName>(name: Name, request: unknown, call: Call<Name>) {
      const { credentials, emit, signal, unsaved = [], folders = [], ...told } = call;
      const envelope: Envelope = {
        request,
        events: emit !== undefined,
        ...(credentials.kind === "local" ? {} : { credentials }),
        unsaved: [...unsaved],
        folders: [...folders],
        ...told,
      };
      try {
        const answer = await client.request({
          method: "POST",
          path: callPath(name),
          headers: { "content-type": "application/json" },
          body: JSON.stringify(envelope),
          signal,
        });
        return await (answer.mediaType === "text/event-stream"
          ? readStream<Name>(answer, emit)
          : readWhole<Name>(answer));
      } catch (error) {
        if (isServiceError(error)) throw error;
        throw signal.aborted ? cancelled() : gone(error);
      }
    },
    close: () => client.close(),
  };
}

// Both ends are this program, and the contract only ever grows, so that another version's answer fits as well: a
// schema over every answer would cost more than the search.

async function readWhole<Name extends OperationName>({ status, body }: HttpAnswer): Promise<AnswerOf<Name>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const answer: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  if (status !== 200) throw failure(answer);
  return answer as AnswerOf<Name>;
}

async function readStream<Name extends OperationName>(
  { body }: HttpAnswer,
  emit: ((event: EventOf<Name>) => void | Promise<void>) | undefined,
): Promise<AnswerOf<Name>> {
  for await (const { event, data } of readEvents(body)) {
    const value: unknown = JSON.parse(data);
    if (event === "event") await emit?.(value as EventOf<Name>);
    else if (event === "done") return value as AnswerOf<Name>;
    else if (event === "error") throw failure(value);
  }
  throw gone(undefined);
}

function failure(told: unknown): ServiceError {
  const { errorCode, message } = ErrorObject.parse(told);
  return new ServiceError(isErrorCode(errorCode) ? errorCode : "UNEXPECTED_ERROR", message);
}

/** Whether a call that was rejected with `error` has never reached anybody, so that nothing of it was carried out. */
export function wasNeverSent(error: ServiceError): boolean {
  const { cause } = error;
  return cause instanceof Error && "code" in cause && ["ECONNREFUSED", "ENOENT"].includes(String(cause.code));
}

function gone(cause: unknown): ServiceError {
  return new ServiceError(
    "ENGINE_UNAVAILABLE",
    'The Trawl process that holds the index has gone. Start it again, for example with "trawl serve".',
    { cause },
  );
}
