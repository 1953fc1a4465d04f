/** The API keys of the Trawl that answers this window. Their values are never here but for the moment of creation. */
import * as vscode from "vscode";
import type { ServiceClient } from "#client/serviceClient";
import type { ApiKey } from "#contract/organisation";

export class ApiKeys implements vscode.Disposable {
  #known: readonly ApiKey[] | undefined;
  /** E-mail addresses by member id. */
  #owners: ReadonlyMap<string, string> = new Map();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #service: ServiceClient;
  readonly #subscription: vscode.Disposable;

  constructor(service: ServiceClient) {
    this.#service = service;
    this.#subscription = service.onState((state) => {
      if (state === "running") return;
      this.#known = undefined;
      this.#changed.fire();
    });
  }

  /** As they were when somebody looked last; absent until then. */
  get known(): readonly ApiKey[] | undefined {
    return this.#known;
  }

  /** Fires when what is known changes. */
  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Asks the server, which opens its database for it. */
  async load(): Promise<readonly ApiKey[]> {
    const keys = await this.#service.call("keys", {});
    // To ask who there is, is recorded: it is done where somebody is new.
    if (keys.some(({ userId }) => !this.#owners.has(userId))) {
      const members = await this.#service.call("members", {});
      this.#owners = new Map(members.map(({ id, email }) => [id, email]));
    }
    const before = this.#known;
    this.#known = keys;
    if (JSON.stringify(before) !== JSON.stringify(keys)) this.#changed.fire();
    return keys;
  }

  /** Gives the key itself, which nobody can ask for again. */
  async create(name: string, expiresAt: string | undefined): Promise<string> {
    const { key } = await this.#service.call("createKey", {
      name,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
    // The key is told here alone: nothing that fails afterwards may hide it.
    await this.load().catch(() => undefined);
    return key;
  }

  async revoke(id: string): Promise<void> {
    await this.#service.call("revokeKey", { keyId: id });
    await this.load();
  }

  ownerOf({ userId }: ApiKey): string {
    return this.#owners.get(userId) ?? userId;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}
