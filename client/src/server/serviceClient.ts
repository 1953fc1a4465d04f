/**
 * The connection to the server: starts it on first use, sends the calls of the contract, and restarts it after a crash.
 *
 * A server that crashes is restarted silently, and calls without a response are resent once. After five crashes in
 * three minutes, or if it refuses to start, `state` is `failed` until `restart`.
 */
import * as vscode from "vscode";
import { type ToolRequest, type ToolResponse, toolMethod } from "#contract/agentTools";
import type { EditorSettings } from "#contract/editorOptions";
import type { IndexingProgress } from "#contract/local";
import { methodOf } from "#contract/methods";
import {
  connectServerMethod,
  indexingMethod,
  logInToServerMethod,
  serverStateMethod,
} from "#contract/notifications";
import type { OperationName, operations } from "#contract/operations";
import type { EventOf, RequestInput, ResponseOf } from "#contract/service";
import type { ServerConnectionState, ServerLogin } from "#contract/team";
import { CallError, callError } from "./callError";
import { Crashes, crashWindowMs, maxCrashes } from "./crashes";
import type { QuietClient } from "./languageClient";
import type { ProviderPolicy } from "./providerPolicy";

export type ServerState = "idle" | "starting" | "running" | "failed";

export interface CallOptions<Name extends OperationName> {
  readonly token?: vscode.CancellationToken;
  /** Receives events that precede the response; without it, the server sends none. */
  readonly onEvent?: (event: EventOf<Name>) => void;
}

export interface ServiceClientOptions {
  /** Absolute path of the server's entry script. */
  readonly serverPath: () => string;
  readonly arguments: () => readonly string[];
  /** Settings sent to the server when it starts and whenever they change. */
  readonly settings: () => EditorSettings;
  readonly onSettings: vscode.Event<void>;
  /** Returns the team's server with its key, which a server process connects to when it starts. */
  readonly teamServer: () => Promise<TeamServerRequest | undefined>;
  readonly serverLog: vscode.LogOutputChannel;
  readonly traceLog: vscode.LogOutputChannel;
  readonly providerPolicy: ProviderPolicy;
}

interface TeamServerRequest {
  readonly url?: string;
  readonly key?: string;
}

type Operations = typeof operations;
/** Calls that are never resent, because the server may have performed them before it crashed. */
type NeverResent = {
  [Name in OperationName]: Operations[Name] extends { readonly resend: "never" } ? Name : never;
}[OperationName];
const neverResent: Readonly<Record<NeverResent, true>> = {
  removePaths: true,
  removeRepositories: true,
  addMember: true,
  addService: true,
  removeMember: true,
  removeUser: true,
  createKey: true,
  revokeKey: true,
  completeLogin: true,
  allowEditor: true,
  connectEditor: true,
  revokeSession: true,
  restore: true,
  addCodeHost: true,
  removeCodeHost: true,
};

/** How long a server may take to shut down before it is killed, in milliseconds. */
const shutdownMs = 4_000;

export class ServiceClient implements vscode.Disposable {
  #state: ServerState = "idle";
  #problem: string | undefined;
  #client: Promise<QuietClient> | undefined;
  /** Identifies the server process, so that late events of an earlier one are ignored. */
  #launch: symbol | undefined;
  #restarting: Promise<void> = Promise.resolve();
  #isDisposed = false;
  readonly #crashes = new Crashes();
  readonly #stateChanged = new vscode.EventEmitter<ServerState>();
  readonly #indexing = new vscode.EventEmitter<IndexingProgress>();
  readonly #teamServer = new vscode.EventEmitter<ServerConnectionState>();
  readonly #options: ServiceClientOptions;
  readonly #subscription: vscode.Disposable;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#subscription = options.onSettings(() => this.#sendSettings());
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

  /** Fires a few times a second while repositories are being indexed. */
  get onIndexing(): vscode.Event<IndexingProgress> {
    return this.#indexing.event;
  }

  /** Fires when the state of the connection to the team's server changes. */
  get onTeamServer(): vscode.Event<ServerConnectionState> {
    return this.#teamServer.event;
  }

  /** Connects the server process to the team's server, or disconnects it. Rejects with a `CallError`. */
  async connectTeamServer(request: TeamServerRequest): Promise<ServerConnectionState> {
    const state = await this.#request<ServerConnectionState>(connectServerMethod, undefined, () => request);
    this.#teamServer.fire(state);
    return state;
  }

  /** Logs in to a team's server in the browser. Rejects like `call`. */
  async logInToTeamServer(
    request: { readonly url: string; readonly name: string },
    token: vscode.CancellationToken,
  ): Promise<ServerLogin> {
    return await this.#request<ServerLogin>(logInToServerMethod, token, () => request);
  }

  /** Calls an operation. Rejects with a `CallError`, or with a `vscode.CancellationError` if it was canceled. */
  async call<Name extends OperationName>(
    name: Name,
    request: RequestInput<Name>,
    { token, onEvent }: CallOptions<Name> = {},
  ): Promise<ResponseOf<Name>> {
    let hasEvents = false;
    const receive = (event: EventOf<Name>) => {
      hasEvents = true;
      onEvent?.(event);
    };
    const attempt = () => this.#attempt(name, request, token, onEvent === undefined ? undefined : receive);
    try {
      return await attempt();
    } catch (error) {
      const canResend =
        error instanceof CallError &&
        error.errorCode === "SERVER_GONE" &&
        !hasEvents &&
        !(name in neverResent);
      if (!canResend || this.#state === "failed" || this.#isDisposed) throw error;
      return attempt();
    }
  }

  /** Runs a tool for agents. Rejects as `call` does. */
  runTool(request: ToolRequest, token?: vscode.CancellationToken): Promise<ToolResponse> {
    return this.#request(toolMethod, token, () => request);
  }

  /** Returns the running client, starting it if needed. */
  start(): Promise<QuietClient> {
    if (this.#isDisposed || this.#state === "failed") {
      return Promise.reject(
        new CallError("SERVER_GONE", this.#problem ?? vscode.l10n.t("Trawl has stopped.")),
      );
    }
    if (this.#client === undefined) {
      this.#launch = Symbol();
      this.#client = this.#start(this.#launch);
    }
    return this.#client;
  }

  /**
   * Stops the server, runs `between`, and starts a new server. Concurrent restarts run one after the other.
   * Rejects only if `between` does; `state` reports whether the server started.
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

  /** Stops the server; the next call starts it again. */
  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#launch = undefined;
    this.#crashes.reset();
    const running = await client?.catch(() => undefined);
    // The client kills a server that does not respond in time.
    await running?.dispose(shutdownMs).catch(() => undefined);
    if (this.#launch === undefined) this.#setState("idle");
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
    void this.stop();
    this.#stateChanged.dispose();
    this.#indexing.dispose();
    this.#teamServer.dispose();
  }

  async #attempt<Name extends OperationName>(
    name: Name,
    request: RequestInput<Name>,
    token: vscode.CancellationToken | undefined,
    receive: ((event: EventOf<Name>) => void) | undefined,
  ): Promise<ResponseOf<Name>> {
    let listening: vscode.Disposable | undefined;
    try {
      return await this.#request<ResponseOf<Name>>(methodOf(name), token, (client) => {
        if (receive === undefined) return { ...request };
        const partialResultToken = `trawl-${++lastToken}`;
        listening = client.onPartialResult<EventOf<Name>>(partialResultToken, receive);
        return { ...request, partialResultToken };
      });
    } finally {
      listening?.dispose();
    }
  }

  async #request<Response>(
    method: string,
    token: vscode.CancellationToken | undefined,
    paramsFor: (client: QuietClient) => object,
  ): Promise<Response> {
    try {
      const client = await this.start();
      if (token?.isCancellationRequested) throw new vscode.CancellationError();
      return await client.request<Response>(method, paramsFor(client), token);
    } catch (error) {
      const wasCanceled = (error as { readonly code?: unknown }).code === requestCanceled;
      if (token?.isCancellationRequested || wasCanceled) throw new vscode.CancellationError();
      throw callError(error);
    }
  }

  async #start(launch: symbol): Promise<QuietClient> {
    this.#setState("starting");
    try {
      const { QuietClient } = await import("./languageClient");
      const { serverPath, arguments: args, settings, serverLog, traceLog, providerPolicy } = this.#options;
      const client = new QuietClient({
        path: serverPath(),
        arguments: args(),
        settings: settings(),
        serverLog,
        traceLog,
        providerPolicy,
        onEnd: () => this.#ended(launch),
      });
      client.onNotification(indexingMethod, (event: IndexingProgress) => this.#indexing.fire(event));
      client.onNotification(serverStateMethod, (state: ServerConnectionState) =>
        this.#teamServer.fire(state),
      );
      await client.start();
      await this.#connectStarted(client);
      if (this.#launch === launch) this.#setState("running");
      return client;
    } catch (error) {
      // Only for a server that refused to start: `#ended` has handled one that crashed during startup.
      if (this.#launch === launch) this.#fail(callError(error).message);
      throw error;
    }
  }

  /** Sends the team's server before the first call, and does not wait until it is connected. */
  async #connectStarted(client: QuietClient): Promise<void> {
    const request = await this.#options.teamServer().catch(() => undefined);
    if (request === undefined) return;
    client.request<ServerConnectionState>(connectServerMethod, request, undefined).then(
      (state) => this.#teamServer.fire(state),
      (error: unknown) => this.#teamServer.fire({ state: "unreachable", problem: callError(error).message }),
    );
  }

  #ended(launch: symbol): void {
    if (this.#launch !== launch) return;
    this.#client = undefined;
    this.#launch = undefined;
    if (this.#isDisposed) return;
    if (this.#crashes.mayRestart(Date.now())) {
      this.start().catch(() => undefined);
      return;
    }
    const minutes = crashWindowMs / 60_000;
    this.#fail(vscode.l10n.t("The search server stopped {0} times in {1} minutes.", maxCrashes, minutes));
  }

  #fail(problem: string): void {
    this.#client = undefined;
    this.#launch = undefined;
    this.#problem = problem;
    this.#options.serverLog.error(problem);
    this.#setState("failed");
  }

  async #sendSettings(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client
      ?.sendNotification("workspace/didChangeConfiguration", { settings: this.#options.settings() })
      .catch(() => undefined);
  }

  #setState(state: ServerState): void {
    if (this.#state === state) return;
    this.#state = state;
    if (state !== "failed") this.#problem = undefined;
    this.#stateChanged.fire(state);
  }
}

/** LSP's error code of a canceled request. */
const requestCanceled = -32800;

let lastToken = 0;
