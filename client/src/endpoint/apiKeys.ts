/** The API keys of the instance that serves this window. Their secrets are only seen when they are created. */
import * as vscode from "vscode";
import type { ServiceClient } from "#client/server/serviceClient";
import type { ApiKey } from "#contract/organization";

export class ApiKeys implements vscode.Disposable {
  #known: readonly ApiKey[] | undefined;
  /** Email addresses by member id. */
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

  /** The keys as of the last load; absent before it. */
  get known(): readonly ApiKey[] | undefined {
    return this.#known;
  }

  /** Fires when `known` changes. */
  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Loads the keys, for which the server opens its database. */
  async load(): Promise<readonly ApiKey[]> {
    const keys = await this.#service.call("keys", {});
    // Only for new owners: listing members is recorded in the audit log.
    if (keys.some(({ userId }) => !this.#owners.has(userId))) {
      const members = await this.#service.call("members", {});
      this.#owners = new Map(members.map(({ id, email }) => [id, email]));
    }
    const before = this.#known;
    this.#known = keys;
    if (JSON.stringify(before) !== JSON.stringify(keys)) this.#changed.fire();
    return keys;
  }

  /** Returns the secret of the new key, which cannot be read again. */
  async create(name: string, expiresAt: string | undefined): Promise<string> {
    const { key } = await this.#service.call("createKey", {
      name,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
    // A failed load must not lose the secret.
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
