/**
 * Tokens of code hosts that VS Code keeps: in its secret storage, or as sessions of its accounts.
 *
 * The server has them in memory while the call that lends them is open, and sends each only to its origin. None is read
 * before a host was added with one.
 */
import * as vscode from "vscode";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Memento } from "#client/workbench/memento";
import { isSessionProvider, type SessionProvider, sessionProviders } from "./hostTypes";

export interface HostTokensOptions {
  readonly service: Pick<ServiceClient, "call" | "onState" | "state">;
  readonly secrets: Pick<vscode.SecretStorage, "get" | "store" | "delete" | "onDidChange">;
  /** The user's, for all windows. */
  readonly memento: Memento;
  readonly warn: (message: string) => void;
}

/** A token, with the origin that it was given for. */
interface StoredToken {
  readonly origin: string;
  readonly token: string;
}

const keyPrefix = "trawl.hosts.token.";
const namesKey = "trawl.hosts.tokens";
/** GitHub has no narrower scope with which private repositories can be read. */
const scopes = ["repo"];

export class HostTokens implements vscode.Disposable {
  readonly #options: HostTokensOptions;
  readonly #subscriptions: vscode.Disposable;
  /** Cancels the call that lends the tokens. */
  #lent: vscode.CancellationTokenSource | undefined;
  #lending: Promise<void> = Promise.resolve();

  constructor(options: HostTokensOptions) {
    this.#options = options;
    const { service, secrets } = options;
    this.#subscriptions = vscode.Disposable.from(
      service.onState((state) => {
        if (state === "running") this.#lendInBackground();
      }),
      // Also fires for changes in other windows.
      secrets.onDidChange(({ key }) => {
        if (key.startsWith(keyPrefix)) void this.#secretChanged(key.slice(keyPrefix.length));
      }),
      vscode.authentication.onDidChangeSessions(({ provider }) => {
        if (this.names.includes(provider.id)) this.#lendInBackground();
      }),
    );
  }

  /** The names of the tokens that connections may use. */
  get names(): readonly string[] {
    const names = this.#options.memento.get(namesKey);
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  }

  /** Keeps a token for a host, or replaces it. Resolves when the server can use it. */
  async store(name: string, origin: string, token: string): Promise<void> {
    const stored: StoredToken = { origin, token };
    await this.#options.secrets.store(keyPrefix + name, JSON.stringify(stored));
    await this.#remember(name);
    await this.#lend();
  }

  /** Signs in to an account of VS Code. Rejects if the user cancels that. Resolves when the server can use the token. */
  async signIn(provider: SessionProvider, isAgain = false): Promise<void> {
    const options = isAgain ? { forceNewSession: true } : { createIfNone: true };
    await vscode.authentication.getSession(provider, scopes, options);
    await this.#remember(provider);
    await this.#lend();
  }

  /** Deletes a token. The sessions of VS Code's accounts remain. */
  async forget(name: string): Promise<void> {
    await this.#forgetName(name);
    if (!isSessionProvider(name)) await this.#options.secrets.delete(keyPrefix + name);
    await this.#lend();
  }

  dispose(): void {
    this.#lent?.cancel();
    this.#subscriptions.dispose();
  }

  async #secretChanged(name: string): Promise<void> {
    if ((await this.#readSecret(name)) === undefined) await this.#forgetName(name);
    else await this.#remember(name);
    this.#lendInBackground();
  }

  async #forgetName(name: string): Promise<void> {
    await this.#setNames(this.names.filter((each) => each !== name));
  }

  async #remember(name: string): Promise<void> {
    if (!this.names.includes(name)) await this.#setNames([...this.names, name]);
  }

  async #setNames(names: readonly string[]): Promise<void> {
    await this.#options.memento.update(namesKey, names);
  }

  #lendInBackground(): void {
    const { service, warn } = this.#options;
    if (service.state !== "running") return;
    this.#lend().catch((error: unknown) =>
      warn(`Tokens of code hosts: ${error instanceof Error ? error.message : String(error)}`),
    );
  }

  /** Lends the current tokens to the server in place of the previous ones. */
  #lend(): Promise<void> {
    const lent = this.#lending.then(() => this.#lendNow());
    this.#lending = lent.catch(() => undefined);
    return lent;
  }

  async #lendNow(): Promise<void> {
    const previous = this.#lent;
    const found = await Promise.all(this.names.map((name) => this.#read(name)));
    const tokens = found.filter((each) => each !== undefined);
    const lent = tokens.length === 0 ? undefined : new vscode.CancellationTokenSource();
    if (lent !== undefined)
      await new Promise<void>((resolve, reject) => {
        this.#options.service
          .call("holdCodeHostTokens", { tokens }, { token: lent.token, onEvent: () => resolve() })
          // It ends only when it is canceled, or with the server.
          .then(() => resolve(), reject);
      });
    this.#lent = lent;
    previous?.cancel();
  }

  async #read(name: string): Promise<(StoredToken & { readonly name: string }) | undefined> {
    const found = isSessionProvider(name) ? await readSession(name) : await this.#readSecret(name);
    return found && { name, ...found };
  }

  async #readSecret(name: string): Promise<StoredToken | undefined> {
    const text = await this.#options.secrets.get(keyPrefix + name);
    return text === undefined ? undefined : parseToken(text);
  }
}

/** Returns `undefined` for a damaged one. The error of the parser would contain some of it. */
function parseToken(text: string): StoredToken | undefined {
  try {
    const { origin, token } = JSON.parse(text) as Partial<StoredToken>;
    return typeof origin === "string" && typeof token === "string" ? { origin, token } : undefined;
  } catch {
    return undefined;
  }
}

async function readSession(provider: SessionProvider): Promise<StoredToken | undefined> {
  const origin = sessionOrigin(provider);
  if (origin === undefined) return undefined;
  try {
    const session = await vscode.authentication.getSession(provider, scopes, { silent: true });
    return session && { origin, token: session.accessToken };
  } catch {
    // The extension that provides the accounts may be disabled.
    return undefined;
  }
}

/** Returns the provider of VS Code's accounts for a host; `undefined` if there is none. */
export function sessionProviderOf(address: string): SessionProvider | undefined {
  const { origin } = new URL(address);
  return sessionProviders.find((each) => sessionOrigin(each) === origin);
}

function sessionOrigin(provider: SessionProvider): string | undefined {
  if (provider === "github") return "https://github.com";
  const uri: unknown = vscode.workspace.getConfiguration("github-enterprise").get("uri");
  return typeof uri === "string" && URL.canParse(uri) ? new URL(uri).origin : undefined;
}
