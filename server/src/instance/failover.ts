/**
 * The only `Caller` of a process, for its whole lifetime. Decides when a follower takes over.
 *
 * Calls go to the current leader. When that has exited, this process becomes the leader, or follows the process that
 * did.
 */
import { canceled, isServiceError, ServiceError } from "#base/error";
import { type OperationName, operation } from "#contract/operations";
import type { Call, EventOf, ResponseOf } from "#contract/service";
import { type Endpoint, readEndpoint } from "#platform/endpoint";
import { isVacant } from "#platform/lock";
import { wasNeverSent } from "#remote/remote";
import { prepareToLead } from "./prepareToLead";
import { acquireRole, type FollowerRole, findLeader, type ProcessRole, type RoleOptions } from "./role";

/** How often a follower that serves checks whether its leader still runs. */
const pollIntervalMs = 400;
/** How long after startup a follower prepares to lead, so that its startup is not slowed down. */
const prepareAfterMs = 1000;
/** How long calls wait while the leader is being replaced. */
const callWaitMs = 3000;

/** Called after a takeover. */
type OnRoleChange = (role: ProcessRole) => void;

export class Failover {
  readonly #options: RoleOptions;
  readonly #closing = new AbortController();
  readonly #onRoleChange: OnRoleChange;
  #role: ProcessRole;
  /** Latest known endpoint of the leader that this process follows. */
  #endpoint: Endpoint | undefined;
  /** The next role, while the leader is being replaced. */
  #next: Promise<ProcessRole> | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(options: RoleOptions, role: ProcessRole, onRoleChange: OnRoleChange) {
    this.#options = { ...options, signal: AbortSignal.any([options.signal, this.#closing.signal]) };
    this.#onRoleChange = onRoleChange;
    this.#role = role;
    this.#adopt(role);
  }

  get role(): ProcessRole {
    return this.#role;
  }

  /** Endpoint of the leader; absent if that is this process. */
  get endpoint(): Endpoint | undefined {
    return this.#endpoint;
  }

  /** Sends a call to the current leader. If the leader exits, resends the call to the next one where that is safe. */
  readonly call = async <Name extends OperationName>(
    name: Name,
    request: unknown,
    call: Call<Name>,
  ): Promise<ResponseOf<Name>> => {
    let hasEmitted = false;
    const { emit } = call;
    const tracked: Call<Name> =
      emit === undefined
        ? call
        : {
            ...call,
            emit: (event: EventOf<Name>) => {
              hasEmitted = true;
              return emit(event);
            },
          };
    for (let role = await this.#currentRole(call.signal); ; ) {
      try {
        return await role.caller(name, request, this.#withCurrentRule(tracked));
      } catch (error) {
        if (!isServiceError(error, "ENGINE_UNAVAILABLE") || call.signal.aborted) throw error;
        const next = await this.#nextRole(role, call.signal);
        if (next === undefined || !(wasNeverSent(error) || mayResend(name, hasEmitted))) throw error;
        role = next;
      }
    }
  };

  /** Applies the current access rule to a call that may have waited for the next leader. */
  #withCurrentRule<Name extends OperationName>(call: Call<Name>): Call<Name> {
    const { anonymous } = call;
    return anonymous === undefined
      ? call
      : { ...call, anonymous: this.#options.ports.currentRule(anonymous) };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#pollTimer);
    await this.#next?.catch(() => undefined);
    await this.#role.close();
  }

  /** The current role, or the next one while the leader is being replaced. */
  #currentRole(signal: AbortSignal): Promise<ProcessRole> | ProcessRole {
    return this.#next === undefined ? this.#role : withTimeout(this.#next, callWaitMs, signal);
  }

  /** The role to resend a failed call to; `undefined` if `role` is still current, or this process is the leader. */
  async #nextRole(role: ProcessRole, signal: AbortSignal): Promise<ProcessRole | undefined> {
    if (role.kind === "leader" || this.#closing.signal.aborted) return undefined;
    if (role === this.#role && this.#next === undefined) {
      if (await this.#isStillLeader(role)) return undefined;
      this.#startTakeover(role);
    }
    return await this.#currentRole(signal);
  }

  async #isStillLeader(role: FollowerRole): Promise<boolean> {
    const found = await findLeader(this.#options.dataDir, this.#options.signal);
    return found?.pid === role.endpoint.pid;
  }

  #startTakeover(role: FollowerRole): void {
    if (this.#role !== role || this.#next !== undefined || this.#closing.signal.aborted) return;
    clearInterval(this.#pollTimer);
    this.#next = this.#takeOver(role).finally(() => {
      this.#next = undefined;
    });
    this.#next.catch((error: unknown) => {
      if (this.#closing.signal.aborted) return;
      this.#options.log.warn("Cannot replace the leader yet.", { error });
      this.#adopt(role);
    });
  }

  async #takeOver(previous: FollowerRole): Promise<ProcessRole> {
    // A killed leader does not remove its announcement.
    const last = readEndpoint(this.#options.dataDir);
    const known = this.#endpoint ?? previous.endpoint;
    const role = await acquireRole(this.#options, last?.pid === known.pid ? last : known);
    this.#adopt(role);
    previous.close().catch(() => undefined);
    this.#onRoleChange(role);
    return role;
  }

  #adopt(role: ProcessRole): void {
    this.#role = role;
    this.#follow(role.kind === "follower" ? role.endpoint : undefined);
    // A process that runs a single command does not poll: it notices when its calls fail.
    if (role.kind === "leader" || this.#options.purpose !== "serve" || this.#closing.signal.aborted) return;
    this.#pollTimer = setInterval(() => void this.#poll(role), pollIntervalMs);
    this.#pollTimer.unref();
    setTimeout(() => void prepareToLead().catch(() => undefined), prepareAfterMs).unref();
  }

  #follow(endpoint: Endpoint | undefined): void {
    this.#endpoint = endpoint;
    if (endpoint !== undefined) this.#options.ports.follow(endpoint);
  }

  /** Runs one check at a time, because a leader that hangs may take longer to answer than the poll interval. */
  async #poll(role: FollowerRole): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      await this.#pollOnce(role);
    } catch (error) {
      this.#options.log.warn("Cannot check whether the leader still runs.", { error });
    } finally {
      this.#isPolling = false;
    }
  }

  async #pollOnce(role: FollowerRole): Promise<void> {
    const announced = readEndpoint(this.#options.dataDir);
    const isOtherLeader = announced !== undefined && announced.pid !== role.endpoint.pid;
    if (announced !== undefined && !isOtherLeader) this.#follow(announced);
    if (!isOtherLeader && !isVacant(this.#options.dataDir)) return;
    // The lock and the announcement are files, which may be removed at any time. A leader that still answers restores
    // them.
    if (!(await this.#isStillLeader(role))) this.#startTakeover(role);
  }
}

/** Whether a call that the previous leader may have executed can be sent to the next one. */
function mayResend(name: OperationName, hasEmitted: boolean): boolean {
  const { resend } = operation(name);
  return resend === undefined ? !hasEmitted : resend === "always";
}

/** Throws CANCELLED if the signal fires, and ENGINE_UNAVAILABLE after `limitMs`. */
async function withTimeout<Value>(
  promise: Promise<Value>,
  limitMs: number,
  signal: AbortSignal,
): Promise<Value> {
  const { promise: end, reject } = rejectablePromise();
  const abort = () => reject(canceled());
  const timedOut = new ServiceError(
    "ENGINE_UNAVAILABLE",
    "No Trawl process serves this index at the moment. Try again.",
  );
  const timer = setTimeout(() => reject(timedOut), limitMs);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function rejectablePromise(): { readonly promise: Promise<never>; readonly reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise;
  });
  return { promise, reject };
}
