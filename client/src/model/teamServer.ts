/**
 * The connection to the team's server: where it is, and its state as the search server last reported it.
 *
 * The key is in VS Code's secret storage, under the origin that it was entered for, so that it is sent to no other.
 */
import { hostname } from "node:os";
import * as vscode from "vscode";
import type { ServiceClient } from "#client/server/serviceClient";
import { setContext } from "#client/workbench/commands";
import { setting } from "#client/workbench/settings";
import type { ServerConnectionState } from "#contract/team";

const off: ServerConnectionState = { state: "off" };

export interface TeamServerAddress {
  readonly url: string;
  readonly key?: string;
}

export class TeamServer implements vscode.Disposable {
  #state: ServerConnectionState = off;
  #url = setting("server.url");
  readonly #service: ServiceClient;
  readonly #secrets: vscode.SecretStorage;
  readonly #changed = new vscode.EventEmitter<ServerConnectionState>();
  readonly #subscriptions: vscode.Disposable;

  constructor(service: ServiceClient, secrets: vscode.SecretStorage, onSettings: vscode.Event<void>) {
    this.#service = service;
    this.#secrets = secrets;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      service.onTeamServer((state) => this.#show(state)),
      service.onState((state) => {
        if (state === "idle" || state === "failed") this.#show(off);
      }),
      onSettings(() => {
        if (setting("server.url") === this.#url) return;
        this.#url = setting("server.url");
        void this.#reconnect();
      }),
      // Another window may have entered another key.
      secrets.onDidChange(({ key }) => {
        if (key === secretName(this.#url)) void this.#reconnect();
      }),
    );
    setContext("trawl.hasTeamServer", this.#url !== "");
  }

  get state(): ServerConnectionState {
    return this.#state;
  }

  get onChange(): vscode.Event<ServerConnectionState> {
    return this.#changed.event;
  }

  /** Returns the configured server with its key; `undefined` if there is none. */
  async address(): Promise<TeamServerAddress | undefined> {
    const url = setting("server.url");
    if (url === "") return undefined;
    const key = await this.keyOf(url);
    return key === undefined ? { url } : { url, key };
  }

  /** Connects until `save` or `restore` is called. Rejects with a `CallError` if the URL or the key is malformed. */
  async try(address: TeamServerAddress): Promise<ServerConnectionState> {
    return this.#service.connectTeamServer(address);
  }

  /** Returns a key after a login in the browser; `undefined` if the user canceled. Rejects with a `CallError`. */
  async logIn(url: string, token: vscode.CancellationToken): Promise<string | undefined> {
    const name = `${vscode.env.appName} on ${hostname()}`;
    try {
      return (await this.#service.logInToTeamServer({ url, name }, token)).key;
    } catch (error) {
      if (error instanceof vscode.CancellationError) return undefined;
      throw error;
    }
  }

  /** Connects again as configured, after `try`. */
  async restore(): Promise<void> {
    await this.#reconnect();
  }

  /** Remembers a server, and its key in the secret storage. */
  async save({ url, key }: TeamServerAddress): Promise<void> {
    const name = secretName(url);
    if (name !== undefined && key !== undefined) await this.#secrets.store(name, key);
    else if (name !== undefined) await this.#secrets.delete(name);
    await vscode.workspace
      .getConfiguration("trawl")
      .update("server.url", url, vscode.ConfigurationTarget.Global);
    await this.#reconnect();
  }

  /** Forgets the server and its key. */
  async forget(): Promise<void> {
    const name = secretName(setting("server.url"));
    await vscode.workspace
      .getConfiguration("trawl")
      .update("server.url", undefined, vscode.ConfigurationTarget.Global);
    if (name !== undefined) await this.#secrets.delete(name);
    await this.#reconnect();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Returns the stored key of a server. */
  async keyOf(url: string): Promise<string | undefined> {
    const name = secretName(url);
    return name === undefined ? undefined : await this.#secrets.get(name);
  }

  /** Connects a server process that runs; one that starts later asks for the address itself. */
  async #reconnect(): Promise<void> {
    setContext("trawl.hasTeamServer", setting("server.url") !== "");
    if (this.#service.state !== "running") return;
    const address = await this.address();
    try {
      await this.#service.connectTeamServer(address ?? {});
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#show({ state: "unreachable", ...(address === undefined ? {} : { url: address.url }), problem });
    }
  }

  #show(state: ServerConnectionState): void {
    this.#state = state;
    setContext("trawl.hasTeamServer", setting("server.url") !== "");
    this.#changed.fire(state);
  }
}

/** Returns the name of the secret of a server; `undefined` for a malformed URL. */
function secretName(url: string): string | undefined {
  return URL.canParse(url) ? `trawl.server.key ${new URL(url).origin}` : undefined;
}
