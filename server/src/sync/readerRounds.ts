/**
 * Asks code hosts who may read the repositories of their connections, from time to time in the background.
 *
 * What a host said is kept for a week while it is down, busy or limits requests, and dropped when it refuses to say it.
 */
import { isServiceError } from "#base/error";
import type { CodeHost } from "#hosts/codeHost";
import type { KnownConnections } from "#mirrors/applyListing";
import type { ConnectionProblem, MirrorRecord } from "#mirrors/mirrorRecord";
import type { ReaderState } from "#mirrors/readerState";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import { maxDelayMs } from "#platform/timeLimit";
import {
  describeRefusedCredentials,
  describeRepositoryProblem,
  type RepositoryProblem,
} from "./readerProblems";

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
/**
 * How long a right lasts that the host could not be asked about again: longer than most outages, but not forever, because
 * the user may have lost it meanwhile.
 */
const maxAgeMs = 7 * 24 * 3_600_000;
const expireEveryMs = 3_600_000;
const defaultCheckEvery = 3_600_000;
/** After so many repositories in a row for which a host decides nothing, the round ends until later. */
const maxUnknown = 3;
/** Delay of a round for repositories and people that are new. */
const soonMs = 200;

/**
 * `new`: people and repositories that are new; `retry`: in addition, repositories that the host decided nothing about;
 * `all`: everything that the pass has not come to yet.
 */
type What = "all" | "new" | "retry";

interface Schedule {
  cancel: () => void;
  /** When the next round starts, in milliseconds of elapsed time. */
  dueAt: number;
  isRunning: boolean;
  /** The next round, if it is to follow the current one at once. */
  wanted: "all" | "new" | undefined;
  /** Rounds in a row that ended early, since the host decided anything. */
  failures: number;
  /** Rounds in a row that left out some repositories, and when these are asked about again, in elapsed time. */
  retries: number;
  retryAt: number;
  /** What is wrong with all of the connection. */
  problem: ConnectionProblem | undefined;
  /** What is wrong with repositories, by the number of their mirror. Those about which the host decided nothing are in the order of their last requests. */
  readonly problems: Map<number, RepositoryProblem>;
  /** The people whom the last round was about. */
  asked: ReadonlySet<string>;
  /** The progress of rounds about everything that ended early, so that the next one continues them. */
  pass: Pass | undefined;
  readonly controller: AbortController;
}

interface Pass {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Numbers of the mirrors about which the host has decided. */
  readonly decided: Set<number>;
}

/**
 * How a round ended: `refused` if the credentials were, `partial` if the host decided nothing about some repositories,
 * and `failed`, with when to try again, if it decides nothing at all.
 */
type RoundEnd =
  | { readonly kind: "done" | "partial" | "refused" }
  | { readonly kind: "failed"; readonly retryAt?: number | undefined };

export class ReaderRounds {
  readonly #options: ReaderRoundsOptions;
  readonly #schedules = new Map<string, Schedule>();
  readonly #rounds = new Set<Promise<void>>();
  #cancelExpiry = () => {};

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
      retries: 0,
      retryAt: 0,
      problem: undefined,
      problems: new Map(),
      asked: new Set(),
      pass: undefined,
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
    schedule.pass = undefined;
    if (schedule.isRunning) schedule.wanted = "all";
    else this.#later(name, schedule, 0, "all");
  }

  /** Whether the last round of a connection was about a person. */
  wasAsked(name: string, login: string): boolean {
    return this.#schedules.get(name)?.asked.has(login) === true;
  }

  /** Returns what keeps the rights of a connection from being current: of all of it, then of repositories. */
  problems(name: string): readonly ConnectionProblem[] {
    const schedule = this.#schedules.get(name);
    if (schedule === undefined) return [];
    const { problem, problems } = schedule;
    return [
      ...(problem === undefined ? [] : [problem]),
      ...this.#options.mirrorsOf(name).flatMap((mirror) => {
        const found = problems.get(mirror.number);
        return found === undefined ? [] : [this.#describe(name, mirror, found)];
      }),
    ];
  }

  /**
   * Ends old rights from now on: of all connections, because a round may wait for its host for days, and nobody asks about
   * those whose settings are unknown.
   */
  expireOld(): void {
    const { clock, state, onChange } = this.#options;
    for (const name of state.connections) {
      if (state.expire(name, clock.now() - this.#maxAge(name))) onChange();
    }
    this.#cancelExpiry = clock.after(expireEveryMs, () => this.expireOld());
  }

  async close(): Promise<void> {
    this.#cancelExpiry();
    for (const name of [...this.#schedules.keys()]) this.stop(name);
    await Promise.all(this.#rounds);
  }

  #describe(name: string, mirror: MirrorRecord, problem: RepositoryProblem): ConnectionProblem {
    const statedAt = this.#options.state.statedAt(name, mirror);
    return describeRepositoryProblem(
      problem,
      statedAt === undefined ? undefined : statedAt + this.#maxAge(name),
    );
  }

  #maxAge(name: string): number {
    // A host that is rarely asked may miss one response.
    return Math.max(maxAgeMs, 2 * this.#checkEvery(name));
  }

  #checkEvery(name: string): number {
    return this.#options.connections()[name]?.access?.checkEvery ?? defaultCheckEvery;
  }

  #later(name: string, schedule: Schedule, delayMs: number, what: What): void {
    const { clock } = this.#options;
    schedule.cancel();
    schedule.dueAt = clock.elapsed() + delayMs;
    schedule.cancel = clock.after(Math.min(delayMs, maxDelayMs), () => {
      const round = this.#run(name, schedule, what).finally(() => this.#rounds.delete(round));
      this.#rounds.add(round);
    });
  }

  async #run(name: string, schedule: Schedule, what: What): Promise<void> {
    const { clock, log, state, random } = this.#options;
    const { signal } = schedule.controller;
    const earlier = schedule.pass;
    const pass =
      what === "all" ? (earlier ?? { startedAt: clock.now(), decided: new Set<number>() }) : undefined;
    schedule.pass = pass;
    schedule.isRunning = true;
    schedule.wanted = undefined;
    let end: RoundEnd;
    try {
      end = await this.#round(name, schedule, what, pass);
    } catch (error) {
      if (signal.aborted) return;
      const message = "The host cannot be asked who may read its repositories.";
      log.warn(`Connection "${name}": ${message}`, { error });
      const kept = "What it said last stays in force, for a week at most.";
      schedule.problem = { message: `${message} ${kept} The log has the reason.` };
      end = { kind: "failed" };
    } finally {
      schedule.isRunning = false;
    }
    if (signal.aborted) return;
    const checkEvery = this.#checkEvery(name);
    const backoff = (count: number) => Math.min(retryMs * 2 ** Math.min(count - 1, 20), checkEvery);
    if (end.kind === "failed") {
      const requestedMs = (end.retryAt ?? 0) - clock.now();
      // A host may ask to wait for years by mistake.
      const leastMs = Math.max(requestedMs, backoff(++schedule.failures), retryMs);
      const delayMs = Math.min(leastMs * (1 + random() / 10), maxAgeMs);
      const isAll = what === "all" || schedule.wanted === "all";
      this.#later(name, schedule, delayMs, isAll ? "all" : "retry");
      return;
    }
    schedule.failures = 0;
    schedule.pass = undefined;
    if (pass !== undefined && end.kind !== "refused")
      state.setAskedAt(name, earlier === undefined ? clock.now() : pass.startedAt);
    if (end.kind !== "partial") schedule.retries = 0;
    else if (what !== "new" || schedule.retries === 0)
      schedule.retryAt = clock.elapsed() + backoff(++schedule.retries);
    if (schedule.wanted !== undefined) {
      this.#later(name, schedule, soonMs, schedule.wanted);
      return;
    }
    const lastAt = end.kind === "refused" ? clock.now() : (state.askedAt(name) ?? clock.now());
    // Spreads the connections over time.
    const delayMs = Math.max(soonMs, lastAt + checkEvery * (0.9 + random() / 10) - clock.now());
    const retryDelayMs = Math.max(soonMs, schedule.retryAt - clock.elapsed());
    if (schedule.retries > 0 && retryDelayMs < delayMs) this.#later(name, schedule, retryDelayMs, "retry");
    else this.#later(name, schedule, delayMs, "all");
  }

  async #round(name: string, schedule: Schedule, what: What, pass: Pass | undefined): Promise<RoundEnd> {
    const { state, mirrorsOf, loginsOf, hostOf, log, onChange } = this.#options;
    const { signal } = schedule.controller;
    const { problems } = schedule;
    const logins = await loginsOf(name);
    if (signal.aborted) return { kind: "done" };
    const host = hostOf(name);
    const mirrors = mirrorsOf(name);
    const byNumber = new Map(mirrors.map((mirror) => [mirror.number, mirror]));
    for (const number of problems.keys()) if (!byNumber.has(number)) problems.delete(number);
    schedule.problem = undefined;
    // Repositories that failed before are last, so that they do not keep the host from being asked about the others.
    const failing = new Map(
      [...problems]
        .filter(([, { isRefused }]) => !isRefused)
        .flatMap(([number]) => {
          const mirror = byNumber.get(number);
          return mirror === undefined ? [] : [[number, mirror]];
        }),
    );
    const first = mirrors.filter(({ number }) => !failing.has(number));
    const people = state.people(logins);
    let unknownCount = 0;
    const decided = ({ number }: MirrorRecord) => {
      unknownCount = 0;
      schedule.failures = 0;
      pass?.decided.add(number);
    };
    for (const mirror of what === "new" ? first : [...first, ...failing.values()]) {
      const isFailing = failing.has(mirror.number);
      const isDecided = pass === undefined || pass.decided.has(mirror.number);
      if (isDecided && !isFailing && state.isStatedAbout(name, mirror, people)) continue;
      const answer = await host.readers(mirror.repository, logins, signal).catch((error: unknown) => {
        if (isServiceError(error, "CANCELLED")) return undefined;
        throw error;
      });
      if (answer === undefined || signal.aborted) return { kind: "done" };
      if (answer.kind === "known") {
        const readers = new Set(answer.logins);
        const others = logins.filter((login) => !readers.has(login));
        if (state.put(name, mirror, { readers, others })) onChange();
        problems.delete(mirror.number);
        decided(mirror);
        continue;
      }
      const { status, retryAt } = answer.problem;
      if (status === 401) {
        if (mirrorsOf(name).filter((each) => state.put(name, each, undefined)).length > 0) onChange();
        schedule.asked = new Set(logins);
        problems.clear();
        schedule.problem = describeRefusedCredentials(answer.problem);
        log.warn(`Connection "${name}": ${schedule.problem.message}`);
        return { kind: "refused" };
      }
      const found = {
        path: mirror.repository.path,
        problem: answer.problem,
        isRefused: answer.kind === "refused",
      };
      log.warn(`Connection "${name}", ${found.path}: ${this.#describe(name, mirror, found).message}`);
      problems.delete(mirror.number);
      problems.set(mirror.number, found);
      if (answer.kind === "unknown") {
        // A host that limits requests would refuse the next ones as well. One that fails may fail for this one only.
        const isLimited = retryAt !== undefined && (status ?? 0) < 500;
        if (!isLimited && ++unknownCount < maxUnknown) continue;
        // What is left has failed before.
        if (isFailing) break;
        return { kind: "failed", retryAt };
      }
      // The host refuses to name anyone, so nobody may read it.
      if (state.put(name, mirror, { readers: [], others: logins })) onChange();
      decided(mirror);
    }
    schedule.asked = new Set(logins);
    return [...problems.values()].every(({ isRefused }) => isRefused)
      ? { kind: "done" }
      : { kind: "partial" };
  }
}
