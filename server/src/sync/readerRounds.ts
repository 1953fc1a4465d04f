/**
 * Asks code hosts who may read the repositories of their connections, from time to time in the background.
 *
 * What a host said is kept while it is down, busy or limits requests, and dropped when it refuses to say it.
 */
import { isServiceError } from "#base/error";
import type { CodeHost } from "#hosts/codeHost";
import type { KnownConnections } from "#mirrors/applyListing";
import type { MirrorRecord } from "#mirrors/mirrorRecord";
import type { ReaderState } from "#mirrors/readerState";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import { maxDelayMs } from "#platform/timeLimit";

export interface ReaderRoundsOptions {
  readonly state: ReaderState;
  readonly connections: () => KnownConnections["connections"];
  /** The mirrors whose readers are asked for. */
  readonly mirrorsOf: (connection: string) => readonly MirrorRecord[];
  /** The names on the host, in lower case, of all people who may search. Rejects while they cannot be read. */
  readonly loginsOf: (connection: string) => Promise<readonly string[]>;
  readonly hostOf: (connection: string) => CodeHost;
  /** Called after rights have changed. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

const retryMs = 30_000;
/** After so many repositories in a row for which a host decides nothing, the round ends until later. */
const maxUnknown = 3;
/** Delay of a round for repositories and people that are new. */
const soonMs = 200;

interface Schedule {
  cancel: () => void;
  /** When the next round starts, in milliseconds of elapsed time. */
  dueAt: number;
  isRunning: boolean;
  /** The next round, if it is to follow the current one at once. */
  wanted: "all" | "new" | undefined;
  failures: number;
  /** The people whom the last round was about. */
  asked: ReadonlySet<string>;
  /** The number of the mirror at which the last round ended early. */
  stoppedAt: number | undefined;
  readonly controller: AbortController;
}

/** How a round ended: `refused` if the credentials were, with when to try again if the host decided nothing. */
type RoundEnd =
  | { readonly kind: "done" | "refused" }
  | { readonly kind: "failed"; readonly retryAt?: number | undefined };

export class ReaderRounds {
  readonly #options: ReaderRoundsOptions;
  readonly #schedules = new Map<string, Schedule>();
  readonly #rounds = new Set<Promise<void>>();

  constructor(options: ReaderRoundsOptions) {
    this.#options = options;
  }

  /** Asks about a connection from now on, beginning soon. Replaces an earlier schedule. */
  start(name: string): void {
    this.stop(name);
    const controller = new AbortController();
    const schedule: Schedule = {
      cancel: () => {},
      dueAt: 0,
      isRunning: false,
      wanted: undefined,
      failures: 0,
      asked: new Set(),
      stoppedAt: undefined,
      controller,
    };
    this.#schedules.set(name, schedule);
    this.#later(name, schedule, soonMs, "all");
  }

  stop(name: string): void {
    const schedule = this.#schedules.get(name);
    schedule?.cancel();
    schedule?.controller.abort();
    this.#schedules.delete(name);
  }

  /** Asks soon about people and repositories that are new. While a host fails, that waits for the next attempt. */
  askSoon(name: string): void {
    const schedule = this.#schedules.get(name);
    if (schedule === undefined || schedule.failures > 0) return;
    if (schedule.isRunning) schedule.wanted ??= "new";
    // Repeated calls must not postpone the round.
    else if (schedule.dueAt > this.#options.clock.elapsed() + soonMs)
      this.#later(name, schedule, soonMs, "new");
  }

  /** Asks about everything again, as soon as possible. */
  askAll(name: string): void {
    const schedule = this.#schedules.get(name);
    if (schedule === undefined) return;
    schedule.failures = 0;
    if (schedule.isRunning) schedule.wanted = "all";
    else this.#later(name, schedule, 0, "all");
  }

  /** Whether the last round of a connection was about a person. */
  wasAsked(name: string, login: string): boolean {
    return this.#schedules.get(name)?.asked.has(login) === true;
  }

  async close(): Promise<void> {
    for (const name of [...this.#schedules.keys()]) this.stop(name);
    await Promise.all(this.#rounds);
  }

  #later(name: string, schedule: Schedule, delayMs: number, what: "all" | "new"): void {
    const { clock } = this.#options;
    schedule.cancel();
    schedule.dueAt = clock.elapsed() + delayMs;
    schedule.cancel = clock.after(Math.min(delayMs, maxDelayMs), () => {
      const round = this.#run(name, schedule, what).finally(() => this.#rounds.delete(round));
      this.#rounds.add(round);
    });
  }

  async #run(name: string, schedule: Schedule, what: "all" | "new"): Promise<void> {
    const { clock, log, state, random, connections } = this.#options;
    const { signal } = schedule.controller;
    schedule.isRunning = true;
    schedule.wanted = undefined;
    let end: RoundEnd;
    try {
      end = await this.#round(name, schedule, what);
    } catch (error) {
      if (signal.aborted) return;
      log.warn(`Cannot find out who may read the repositories of connection "${name}".`, { error });
      end = { kind: "failed" };
    } finally {
      schedule.isRunning = false;
    }
    if (signal.aborted) return;
    const checkEvery = connections()[name]?.access?.checkEvery ?? 3_600_000;
    const failed = end.kind === "failed" ? end : undefined;
    schedule.failures = failed === undefined ? 0 : schedule.failures + 1;
    if (failed !== undefined) {
      const backoff = Math.min(retryMs * 2 ** Math.min(schedule.failures - 1, 20), checkEvery);
      const delayMs = failed.retryAt === undefined ? backoff : failed.retryAt - clock.now();
      this.#later(name, schedule, Math.max(delayMs, retryMs) * (1 + random() / 10), "all");
      return;
    }
    if (what === "all" && end.kind === "done") state.setAskedAt(name, clock.now());
    if (schedule.wanted !== undefined) {
      this.#later(name, schedule, soonMs, schedule.wanted);
      return;
    }
    const lastAt = end.kind === "done" ? (state.askedAt(name) ?? clock.now()) : clock.now();
    // Spreads the connections over time.
    const dueAt = lastAt + checkEvery * (0.9 + random() / 10);
    this.#later(name, schedule, Math.max(soonMs, dueAt - clock.now()), "all");
  }

  async #round(name: string, schedule: Schedule, what: "all" | "new"): Promise<RoundEnd> {
    const { state, mirrorsOf, loginsOf, hostOf, log, onChange } = this.#options;
    const { signal } = schedule.controller;
    const logins = await loginsOf(name);
    if (signal.aborted) return { kind: "done" };
    const host = hostOf(name);
    const mirrors = mirrorsOf(name);
    // Goes on where the last round ended, so that a limit of the host does not keep it from ever reaching the others.
    const start = mirrors.findIndex(({ number }) => number === schedule.stoppedAt) + 1;
    schedule.stoppedAt = undefined;
    let unknownCount = 0;
    for (const mirror of [...mirrors.slice(start), ...mirrors.slice(0, start)]) {
      const known = state.get(name, mirror);
      const isNew = (login: string) => !known?.readers.has(login) && !known?.others.has(login);
      if (what === "new" && known !== undefined && !logins.some(isNew)) continue;
      const answer = await host.readers(mirror.repository, logins, signal).catch((error: unknown) => {
        if (isServiceError(error, "CANCELLED")) return undefined;
        throw error;
      });
      if (answer === undefined || signal.aborted) return { kind: "done" };
      if (answer.kind === "known") {
        const readers = new Set(answer.logins);
        const others = new Set(logins.filter((login) => !readers.has(login)));
        if (state.put(name, mirror, { readers, others })) onChange();
        unknownCount = 0;
        continue;
      }
      const { message, status, retryAt } = answer.problem;
      log.warn(`Connection "${name}": who may read ${mirror.repository.path} is unknown: ${message}`);
      if (answer.kind === "unknown") {
        // A host that limits requests would refuse the next ones as well.
        if (retryAt === undefined && ++unknownCount < maxUnknown) continue;
        schedule.stoppedAt = mirror.number;
        return { kind: "failed", retryAt };
      }
      if (status === 401) {
        if (mirrorsOf(name).filter((each) => state.put(name, each, undefined)).length > 0) onChange();
        schedule.asked = new Set(logins);
        return { kind: "refused" };
      }
      // The host refuses to name anyone, so nobody may read it.
      if (state.put(name, mirror, { readers: new Set(), others: new Set(logins) })) onChange();
    }
    schedule.asked = new Set(logins);
    return unknownCount === 0 ? { kind: "done" } : { kind: "failed" };
  }
}
