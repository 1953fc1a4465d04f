/**
 * One caller for as long as the process lives, whoever leads: calls go to the present leader, and when it has gone this
 * process takes its place or follows the one that did.
 */
import { cancelled, isServiceError, ServiceError } from "#base/error";
import { type OperationName, operation } from "#contract/operations";
import type { AnswerOf, Call, EventOf } from "#contract/service";
import { type Endpoint, readEndpoint } from "#platform/endpoint";
import { isVacant } from "#platform/lock";
import { wasNeverSent } from "#remote/remote";
import { prepareToLead } from "./leader";
import { answering, type FollowerSeat, type Seat, type SeatOptions, takeSeat } from "./seat";

/** A leader that ended without a word to anybody is missed within this time. */
const lookMs = 400;
/** After its start, when everything else is done. */
const prepareMs = 1000;
/** While the leader is being replaced calls wait for so long. */
const callPatienceMs = 3000;

/** Told after a change. */
type OnSeat = (seat: Seat) => void;

export class Succession {
  readonly #options: SeatOptions;
  readonly #closing = new AbortController();
  readonly #onSeat: OnSeat;
  #seat: Seat;
  /** Of the leader that this process follows, as it stands by now. */
  #endpoint: Endpoint | undefined;
  #next: Promise<Seat> | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: SeatOptions, seat: Seat, onSeat: OnSeat) {
    this.#options = { ...options, signal: AbortSignal.any([options.signal, this.#closing.signal]) };
    this.#onSeat = onSeat;
    this.#seat = seat;
    this.#sit(seat);
  }

  get seat(): Seat {
    return this.#seat;
  }

  /** Of the leader; absent where this process is it. */
  get endpoint(): Endpoint | undefined {
    return this.#endpoint;
  }

  readonly call = async <Name extends OperationName>(
    name: Name,
    request: unknown,
    call: Call<Name>,
  ): Promise<AnswerOf<Name>> => {
    let emitted = false;
    const { emit } = call;
    const noting: Call<Name> =
      emit === undefined
        ? call
        : {
            ...call,
            emit: (event: EventOf<Name>) => {
              emitted = true;
              return emit(event);
            },
          };
    for (let seat = await this.#present(call.signal); ; ) {
      try {
        return await seat.caller(name, request, noting);
      } catch (error) {
        if (!isServiceError(error, "ENGINE_UNAVAILABLE") || call.signal.aborted) throw error;
        const next = await this.#successorOf(seat, call.signal);
        if (next === undefined || !(wasNeverSent(error) || mayRepeat(name, emitted))) throw error;
        seat = next;
      }
    }
  };

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#watch);
    await this.#next?.catch(() => undefined);
    await this.#seat.close();
  }

  /** Who answers now, or as soon as somebody does. */
  #present(signal: AbortSignal): Promise<Seat> | Seat {
    return this.#next === undefined ? this.#seat : within(this.#next, callPatienceMs, signal);
  }

  /** `undefined` where `seat` is still the present one, and where it is this process's own. */
  async #successorOf(seat: Seat, signal: AbortSignal): Promise<Seat | undefined> {
    if (seat.role === "leader" || this.#closing.signal.aborted) return undefined;
    if (seat === this.#seat && this.#next === undefined) {
      const found = await answering(this.#options.dataDir, this.#options.signal);
      if (found?.pid === seat.endpoint.pid) return undefined;
      this.#replace(seat);
    }
    return await this.#present(signal);
  }

  #replace(seat: FollowerSeat): void {
    if (this.#seat !== seat || this.#next !== undefined || this.#closing.signal.aborted) return;
    clearInterval(this.#watch);
    this.#next = this.#take(seat).finally(() => {
      this.#next = undefined;
    });
    this.#next.catch((error: unknown) => {
      if (this.#closing.signal.aborted) return;
      this.#options.log.warn("The index has no leader yet.", { error });
      this.#sit(seat);
    });
  }

  async #take(before: FollowerSeat): Promise<Seat> {
    // One that was killed has left its last word.
    const last = this.#announced();
    const known = this.#endpoint ?? before.endpoint;
    const seat = await takeSeat(this.#options, last?.pid === known.pid ? last : known);
    this.#sit(seat);
    before.close().catch(() => undefined);
    this.#onSeat(seat);
    return seat;
  }

  #sit(seat: Seat): void {
    this.#seat = seat;
    this.#endpoint = seat.role === "follower" ? seat.endpoint : undefined;
    // Whoever is there for one command notices by its calls.
    if (seat.role === "leader" || this.#options.purpose !== "serve" || this.#closing.signal.aborted) return;
    this.#watch = setInterval(() => this.#look(seat), lookMs);
    this.#watch.unref();
    setTimeout(() => void prepareToLead().catch(() => undefined), prepareMs).unref();
  }

  #look(seat: FollowerSeat): void {
    const announced = this.#announced();
    const isOther = announced !== undefined && announced.pid !== seat.endpoint.pid;
    if (announced !== undefined && !isOther) this.#endpoint = announced;
    if (isOther || isVacant(this.#options.dataDir)) this.#replace(seat);
  }

  #announced(): Endpoint | undefined {
    try {
      return readEndpoint(this.#options.dataDir);
    } catch {
      // It says nothing that we know; the lock counts.
      return undefined;
    }
  }
}

/** What may be asked of the next leader, where the one before may have carried it out. */
function mayRepeat(name: OperationName, hasEmitted: boolean): boolean {
  const { again } = operation(name);
  return again === undefined ? !hasEmitted : again === "always";
}

/** Throws CANCELLED, or ENGINE_UNAVAILABLE where it takes longer. */
async function within<Value>(promise: Promise<Value>, limitMs: number, signal: AbortSignal): Promise<Value> {
  const { promise: end, reject } = withRejection();
  const abort = () => reject(cancelled());
  const late = new ServiceError("ENGINE_UNAVAILABLE", "No Trawl holds the index at the moment. Try again.");
  const timer = setTimeout(() => reject(late), limitMs);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function withRejection(): { readonly promise: Promise<never>; readonly reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  return { promise, reject };
}
