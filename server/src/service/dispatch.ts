/** The one way in, for every transport: admit, validate, record, run. */
import type { Access } from "#access/access";
import type { Audit } from "#access/audit";
import { ServiceError, throwIfAborted } from "#base/error";
import { Limiter } from "#base/limiter";
import { type OperationName, operation } from "#contract/operations";
import type { AnswerOf, Call, CallContext, Caller, Handler, RequestOf, Service } from "#contract/service";
import { validate } from "./validate";

export interface DispatchOptions {
  readonly service: Service;
  readonly access: Access;
  readonly audit: Audit;
  /**
   * Calls that run at once. The engine's workers set the pace; more calls than workers only keep them busy while
   * answers are written, and every running call may hold an answer of up to 64 MiB.
   */
  readonly maxRunning?: number;
  /** Calls that wait for their turn; past them OVERLOADED is the answer. */
  readonly maxWaiting?: number;
}

export function createDispatch(options: DispatchOptions): Caller {
  const { service, access, audit, maxRunning = 16, maxWaiting = 256 } = options;
  // Calls that wait for git must not keep others from searching.
  const queues = { git: createQueue(maxRunning, maxWaiting), other: createQueue(maxRunning, maxWaiting) };

  return async function carryOut<Name extends OperationName>(
    name: Name,
    raw: unknown,
    call: Call<Name>,
  ): Promise<AnswerOf<Name>> {
    const row = operation(name);
    const actor = await access.admit(row, call);
    const request = validate(row, raw) as RequestOf<Name>;
    throwIfAborted(call.signal);
    const handler: Handler<Name> = service[name];
    const { credentials: _shown, anonymous: _rule, ...rest } = call;
    const context: CallContext<Name> = { ...rest, actor };
    const work = async () => {
      // Nobody is answered before it is written down that they asked.
      if (!row.audit?.afterwards) await audit.ofCall(row, request, context);
      const answer = await handler(request, context);
      if (row.audit?.afterwards) await audit.ofCall(row, request, context);
      return answer;
    };
    // What is open must also answer when everything else is busy; what only this computer's person asks may last as
    // long as their editor is open, and must not keep a place from others.
    if (row.access === "open" || row.http === undefined) return work();
    const inTurn = row.tag === "Git" ? queues.git : queues.other;
    return inTurn(work, call);
  };
}

type InTurn = <Answer>(work: () => Promise<Answer>, call: Pick<Call, "signal" | "client">) => Promise<Answer>;

/** Callers take turns. Throws OVERLOADED. */
function createQueue(maxRunning: number, maxWaiting: number): InTurn {
  const limiter = new Limiter(maxRunning);
  let admitted = 0;
  return async (work, { signal, client }) => {
    if (admitted >= maxRunning + maxWaiting) {
      throw new ServiceError(
        "OVERLOADED",
        `More than ${maxWaiting} calls are waiting. Try again in a second.`,
      );
    }
    admitted++;
    try {
      return await limiter.run(work, signal, client);
    } finally {
      admitted--;
    }
  };
}
