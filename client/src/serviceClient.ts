/**
 * The way to the server: starts it on first use, carries the calls of the contract, and starts it again when it ended.
 *
 * A server that ends by itself is started again without a word, and calls that it did not answer are made once more.
 * One that ends five times in three minutes, or refuses to start, is left alone until `restart`, and `state` says so.
 */
import * as vscode from "vscode";
import type { IndexingProgress } from "#contract/local";
import { methodOf } from "#contract/methods";
import { indexingMethod } from "#contract/notifications";
import type { OperationName, operations } from "#contract/operations";
import type { AnswerOf, EventOf, SentOf } from "#contract/service";
import { CallError, callError } from "./callError";
import { Crashes, crashesAtMost, crashWindowMs } from "./crashes";
import type { QuietClient } from "./languageClient";
import type { NativeFirst } from "./navigation/nativeFirst";

export type ServerState = "idle" | "starting" | "running" | "failed";

export interface CallOptions<Name extends OperationName> {
  readonly token?: vscode.CancellationToken;
  /** Takes what comes before the answer; without it nothing is sent before. */
  readonly onEvent?: (event: EventOf<Name>) => void;
}

export interface ServiceClientOptions {
  /** Absolute path of the server's program. */
  readonly serverPath: () => string;
  readonly arguments: () => readonly string[];
  /** What the server is told of the settings, when it starts and whenever they change. */
  readonly settings: () => unknown;
  readonly onSettings: vscode.Event<void>;
  readonly serverLog: vscode.LogOutputChannel;
  readonly traceLog: vscode.LogOutputChannel;
  readonly nativeFirst: NativeFirst;
}

type Rows = typeof operations;
/** Calls that cannot be made twice: the server may have carried them out before it ended. */
type Once = {
  [Name in OperationName]: Rows[Name] extends { readonly again: "never" } ? Name : never;
}[OperationName];
const once: Readonly<Record<Once, true>> = {
  removePaths: true,
  removeRepositories: true,
  addMember: true,
  removeMember: true,
  removeUser: true,
  createKey: true,
  revokeKey: true,
  restore: true,
};

/** How long a server has for its end, in milliseconds; then it is ended. */
const shutdownMs = 4_000;

export class ServiceClient implements vscode.Disposable {
  #state: ServerState = "idle";
  #problem: string | undefined;
  #client: Promise<QuietClient> | undefined;
  /** Another value for each server process, so that what an earlier one still says is told from what counts. */
  #launch: symbol | undefined;
  #restarting: Promise<void> = Promise.resolve();
  #isDisposed = false;
  readonly #crashes = new Crashes();
  readonly #stateChanged = new vscode.EventEmitter<ServerState>();
  readonly #indexing = new vscode.EventEmitter<IndexingProgress>();
  readonly #options: ServiceClientOptions;
  readonly #subscription: vscode.Disposable;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#subscription = options.onSettings(() => this.#tellSettings());
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Why the state is `failed`. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get onState(): vscode.Event<ServerState> {
    return this.#stateChanged.event;
  }

  /** What the server tells of its indexing, a few times a second while there is something to tell. */
  get onIndexing(): vscode.Event<IndexingProgress> {
    return this.#indexing.event;
  }

  /** Rejects with a `CallError`, or with a `vscode.CancellationError` where the token fired. */
  async call<Name extends OperationName>(
    name: Name,
    request: SentOf<Name>,
    { token, onEvent }: CallOptions<Name> = {},
  ): Promise<AnswerOf<Name>> {
    let hasEvents = false;
    const take = (event: EventOf<Name>) => {
      hasEvents = true;
      onEvent?.(event);
    };
    const attempt = () => this.#attempt(name, request, token, onEvent === undefined ? undefined : take);
    try {
      return await attempt();
    } catch (error) {
      const mayBeAgain =
        error instanceof CallError && error.errorCode === "SERVER_GONE" && !hasEvents && !(name in once);
      if (!mayBeAgain || this.#state === "failed" || this.#isDisposed) throw error;
      return attempt();
    }
  }

  /** The running client; starts it where it is not. */
  start(): Promise<QuietClient> {
    if (this.#isDisposed || this.#state === "failed") {
      return Promise.reject(new CallError("SERVER_GONE", this.#problem ?? vscode.l10n.t("Trawl has ended.")));
    }
    if (this.#client === undefined) {
      this.#launch = Symbol();
      this.#client = this.#start(this.#launch);
    }
    return this.#client;
  }

  /**
   * Ends the server and starts a new one; `between` is done while there is none. Restarts asked for meanwhile wait for
   * their turn. Never rejects for the server's sake: `state` tells how it went.
   */
  restart(between: () => Promise<void> = async () => undefined): Promise<void> {
    const restarted = this.#restarting.then(async () => {
      await this.stop();
      try {
        await between();
      } finally {
        await this.start().catch(() => undefined);
      }
    });
    this.#restarting = restarted.catch(() => undefined);
    return restarted;
  }

  /** Ends the server; the next call starts it again. */
  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#launch = undefined;
    this.#crashes.forget();
    const running = await client?.catch(() => undefined);
    // One that does not answer is killed by its client.
    await running?.dispose(shutdownMs).catch(() => undefined);
    if (this.#launch === undefined) this.#become("idle");
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
    void this.stop();
    this.#stateChanged.dispose();
    this.#indexing.dispose();
  }

  async #attempt<Name extends OperationName>(
    name: Name,
    request: SentOf<Name>,
    token: vscode.CancellationToken | undefined,
    take: ((event: EventOf<Name>) => void) | undefined,
  ): Promise<AnswerOf<Name>> {
    let listening: vscode.Disposable | undefined;
    try {
      const client = await this.start();
      if (token?.isCancellationRequested) throw new vscode.CancellationError();
      const params: Record<string, unknown> = { ...request };
      if (take !== undefined) {
        const partial = `trawl-${++lastPartial}`;
        params["partialResultToken"] = partial;
        listening = client.onPartialResult<EventOf<Name>>(partial, take);
      }
      return await client.ask<AnswerOf<Name>>(methodOf(name), params, token);
    } catch (error) {
      const wasCancelled = (error as { readonly code?: unknown }).code === requestCancelled;
      if (token?.isCancellationRequested || wasCancelled) throw new vscode.CancellationError();
      throw callError(error);
    } finally {
      listening?.dispose();
    }
  }

  async #start(launch: symbol): Promise<QuietClient> {
    this.#become("starting");
    try {
      const { QuietClient } = await import("./languageClient");
      const { serverPath, arguments: words, settings, serverLog, traceLog, nativeFirst } = this.#options;
      const client = new QuietClient({
        path: serverPath(),
        arguments: words(),
        initializationOptions: settings(),
        serverLog,
        traceLog,
        nativeFirst,
        ended: () => this.#ended(launch),
      });
      client.onNotification(indexingMethod, (event: IndexingProgress) => this.#indexing.fire(event));
      await client.start();
      if (this.#launch === launch) this.#become("running");
      return client;
    } catch (error) {
      // One that ended while it started has been dealt with: this is for one that refused.
      if (this.#launch === launch) this.#fail(callError(error).message);
      throw error;
    }
  }

  #ended(launch: symbol): void {
    if (this.#launch !== launch) return;
    this.#client = undefined;
    this.#launch = undefined;
    if (this.#isDisposed) return;
    if (this.#crashes.mayStartAgain(Date.now())) {
      this.start().catch(() => undefined);
      return;
    }
    const minutes = crashWindowMs / 60_000;
    this.#fail(vscode.l10n.t("The search server stopped {0} times in {1} minutes.", crashesAtMost, minutes));
  }

  #fail(problem: string): void {
    this.#client = undefined;
    this.#launch = undefined;
    this.#problem = problem;
    this.#options.serverLog.error(problem);
    this.#become("failed");
  }

  async #tellSettings(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client
      ?.sendNotification("workspace/didChangeConfiguration", { settings: this.#options.settings() })
      .catch(() => undefined);
  }

  #become(state: ServerState): void {
    if (this.#state === state) return;
    this.#state = state;
    if (state !== "failed") this.#problem = undefined;
    this.#stateChanged.fire(state);
  }
}

/** JSON-RPC's code of a request that its server gave up because it was cancelled. */
const requestCancelled = -32800;

let lastPartial = 0;
