/**
 * The connection to a team's server: its state, and its list of repositories.
 *
 * A failure of the server is remembered, so that calls fail at once instead of waiting for it again. The connection then
 * tries to load the list of repositories, later and later, and calls are sent again once that succeeds.
 */
import { isServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { OperationName } from "#contract/operations";
import type { RepositoryItem } from "#contract/repositories";
import type { ResponseOf } from "#contract/service";
import type { ServerConnectionState } from "#contract/team";
import type { ServerAddress } from "./address";
import { ServerFailure, shownText } from "./serverFailure";
import { type ReadKey, type SendOptions, ServerRequests } from "./serverRequests";

const perPage = 100;
/** Repositories beyond this number are found, but not listed. */
const maxPages = 200;
/** Maximum size of the list as JSON, in characters. */
const maxListCharacters = 64 * 1024 * 1024;
const parallelPages = 4;
const listTimeLimitMs = 5_000;
/** The list is loaded again with the first call after this time; a long one less often. */
const listMaxAgeMs = { short: 30_000, long: 300_000 };
const longListPages = 10;
/**
 * The first and the longest delay between attempts to reach the server. A rejected key is tried rarely, because servers
 * count wrong ones, and because few become valid again.
 */
const retryMs = { first: 1_000, max: 30_000 };
const rejectedRetryMs = { first: 60_000, max: 3_600_000 };

export interface TeamConnectionOptions {
  readonly address: ServerAddress;
  readonly readKey: ReadKey;
  readonly onState?: (state: ServerConnectionState) => void;
}

export class TeamConnection {
  readonly address: ServerAddress;
  readonly #requests: ServerRequests;
  readonly #onState: (state: ServerConnectionState) => void;
  readonly #closing = new AbortController();
  #repositories: readonly RepositoryItem[] | undefined;
  #version: string | undefined;
  #loadedAt = 0;
  #loading: Promise<void> | undefined;
  #failure: ServerFailure | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  /** Failures in a row of the kind of the last one. */
  #failureCount = 0;
  #announced = "";

  constructor({ address, readKey, onState = () => {} }: TeamConnectionOptions) {
    this.address = address;
    this.#requests = new ServerRequests(address, readKey);
    this.#onState = onState;
  }

  get state(): ServerConnectionState {
    const { url } = this.address;
    const failure = this.#failure;
    const known = {
      url,
      ...(this.#version === undefined ? {} : { version: this.#version }),
      ...(this.#repositories === undefined ? {} : { repositories: this.#repositories.length }),
    };
    if (failure !== undefined)
      return {
        ...known,
        state: failure.kind === "rejected" ? "rejected" : "unreachable",
        problem: failure.message,
      };
    return { ...known, state: this.#repositories === undefined ? "connecting" : "connected" };
  }

  /** The last known list, also while the server cannot be reached; empty before it is known. */
  get repositories(): readonly RepositoryItem[] {
    return this.#repositories ?? [];
  }

  /** Waits until the list of repositories is known. Rejects with the `ServerFailure` at once if there is one. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { short, long } = listMaxAgeMs;
    const maxAgeMs = this.repositories.length > longListPages * perPage ? long : short;
    const isKnown = this.#repositories !== undefined;
    if (isKnown && performance.now() - this.#loadedAt < maxAgeMs) return;
    const loading = this.#load();
    if (!isKnown) await untilAborted(loading, signal);
    else loading.catch(() => undefined);
  }

  /**
   * Calls an operation of the server. Rejects with a `ServerFailure` if the server is at fault: at once if it was
   * already, with the `ServiceError` of the server if the request is, and with CANCELLED when the signal fires.
   */
  async call<Name extends OperationName>(
    name: Name,
    request: object,
    options: SendOptions<Name>,
  ): Promise<ResponseOf<Name>> {
    await this.ready(options.signal);
    try {
      return await this.#requests.send(name, request, options);
    } catch (error) {
      if (error instanceof ServerFailure) this.#fail(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retryTimer);
    await this.#requests.close();
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadList()
      .catch((error: unknown) => {
        // The calls that wait were not canceled.
        if (this.#closing.signal.aborted)
          throw new ServerFailure("unreachable", "The connection was closed.");
        // An error of one request is one of the server here: it cannot even list its repositories.
        const failure =
          error instanceof ServerFailure
            ? error
            : new ServerFailure("invalid", isServiceError(error) ? error.message : "The server failed.");
        this.#fail(failure);
        throw failure;
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }

  async #loadList(): Promise<void> {
    const options = { signal: this.#closing.signal, timeLimitMs: listTimeLimitMs };
    const { version } = await this.#requests.send("version", {}, options);
    this.#version = shownText(version);
    const load = (page: number) => this.#requests.send("repos", { page, perPage }, options);
    const first = await load(1);
    const pages = Math.min(maxPages, Math.ceil(first.total / perPage));
    const found: RepositoryItem[] = [];
    let characters = 0;
    const add = ({ items }: { readonly items: readonly RepositoryItem[] }) => {
      characters += JSON.stringify(items).length;
      if (characters > maxListCharacters)
        throw new ServerFailure("invalid", "The server's list of repositories is too large.");
      found.push(...items.slice(0, perPage));
    };
    add(first);
    for (let page = 2; page <= pages; page += parallelPages) {
      const numbers = Array.from(
        { length: Math.min(parallelPages, pages - page + 1) },
        (_, index) => page + index,
      );
      for (const page of await Promise.all(numbers.map(load))) add(page);
    }
    this.#repositories = found;
    this.#loadedAt = performance.now();
    this.#failure = undefined;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.#announce();
  }

  #fail(failure: ServerFailure): void {
    if (this.#closing.signal.aborted) return;
    const isSame = failure.kind === this.#failure?.kind;
    // A request that was sent before the failure became known.
    if (isSame && this.#retryTimer !== undefined) return;
    this.#failureCount = isSame ? this.#failureCount + 1 : 0;
    this.#failure = failure;
    clearTimeout(this.#retryTimer);
    const { first, max } = failure.kind === "rejected" ? rejectedRetryMs : retryMs;
    const delayMs = failure.retryAfterMs ?? Math.min(first * 2 ** this.#failureCount, max);
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      void this.#load().catch(() => undefined);
    }, delayMs);
    this.#retryTimer.unref();
    this.#announce();
  }

  #announce(): void {
    const { state } = this;
    const text = JSON.stringify(state);
    if (text === this.#announced) return;
    this.#announced = text;
    this.#onState(state);
  }
}
