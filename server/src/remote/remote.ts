/** The same service, answered by the Trawl that holds the data folder. */
import { isServiceError, ServiceError } from "#base/error";
import type { OperationName } from "#contract/operations";
import type { AnswerOf, Call, Caller, EventOf } from "#contract/service";
import { type HttpAnswer, socketClient } from "#platform/http";
import { callPath, fromWireError, linesOf, type WireCall, type WireLine } from "./wire";

export interface Remote {
  readonly call: Caller;
  close(): Promise<void>;
}

/**
 * Calls whoever listens on `socket`. Credentials do not travel: to reach the socket is to be the person.
 *
 * A call rejects with ENGINE_UNAVAILABLE where nobody listens, or where the other process ends before it has answered.
 */
export function connectRemote(socket: string): Remote {
  const client = socketClient(socket);
  return {
    async call<Name extends OperationName>(name: Name, request: unknown, call: Call<Name>) {
      const { baseUrl, unsaved, folders, emit, signal } = call;
      const sent: WireCall = {
        request,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(unsaved === undefined ? {} : { unsaved }),
        ...(folders === undefined ? {} : { folders }),
        events: emit !== undefined,
      };
      try {
        const answer = await client.request({
          method: "POST",
          path: callPath + name,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(sent),
          signal,
        });
        return await readAnswer<Name>(answer, emit);
      } catch (cause) {
        if (isServiceError(cause)) throw cause;
        throw gone(cause);
      }
    },
    close: () => client.close(),
  };
}

async function readAnswer<Name extends OperationName>(
  { body }: HttpAnswer,
  emit: ((event: EventOf<Name>) => void | Promise<void>) | undefined,
): Promise<AnswerOf<Name>> {
  for await (const text of linesOf(body)) {
    // Both ends are this program; the contract only ever grows, so that another version's answer fits as well.
    const line = JSON.parse(text) as WireLine;
    if ("event" in line) await emit?.(line.event as EventOf<Name>);
    else if ("error" in line) throw fromWireError(line.error);
    else return line.answer as AnswerOf<Name>;
  }
  throw gone(undefined);
}

function gone(cause: unknown): ServiceError {
  return new ServiceError(
    "ENGINE_UNAVAILABLE",
    'The Trawl process that holds the index has gone. Start it again, for example with "trawl serve".',
    { cause },
  );
}
