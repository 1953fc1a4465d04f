/**
 * Remembers that the user started the local endpoint, so that it reopens when the server starts again, on the same
 * port and only with the same protection. Stored on the computer that the endpoint belongs to, for all its windows.
 */
import * as vscode from "vscode";
import type { Instance } from "#client/model/instance";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setting } from "#client/workbench/settings";
import type { ApiKeys } from "./apiKeys";

interface SavedState {
  readonly port: number;
  /** The data directory that the endpoint served. */
  readonly dataDir: string;
  /** Whether programs needed an API key. */
  readonly hasKeys: boolean;
}

export interface SavedEndpointOptions {
  readonly service: ServiceClient;
  readonly instance: Instance;
  readonly keys: ApiKeys;
  /** A folder on the computer that the server runs on. */
  readonly folder: vscode.Uri;
  readonly warn: (message: string) => void;
}

export class SavedEndpoint implements vscode.Disposable {
  readonly #options: SavedEndpointOptions;
  readonly #file: vscode.Uri;
  /** Changes to the file run one after the other, so that none undoes another. */
  #changes: Promise<unknown> = Promise.resolve();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: SavedEndpointOptions) {
    const { service, keys, folder, warn } = options;
    this.#options = options;
    this.#file = vscode.Uri.joinPath(folder, "endpoint.json");
    const report = (error: unknown) => warn(`Local endpoint: ${callError(error).message}`);
    this.#subscriptions = vscode.Disposable.from(
      service.onState((state) => {
        if (state === "running") this.#restore().catch(report);
      }),
      keys.onChange(() => {
        if ((keys.known ?? []).length > 0) this.#rememberKeys().catch(report);
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        const isTurnedOff = change.affectsConfiguration("trawl.api.enabled") && !setting("api.enabled");
        if (isTurnedOff) this.forget().catch(report);
      }),
    );
  }

  /** Call after the user started the endpoint. */
  async remember(url: string): Promise<void> {
    const { instance, keys } = this.#options;
    await instance.refresh();
    const dataDir = instance.state?.dataDir;
    if (dataDir === undefined) return;
    const port = Number(new URL(url).port);
    // Keys that are not known may exist.
    await this.#change(() => this.#write({ port, dataDir, hasKeys: keys.known?.length !== 0 }));
  }

  /** Call before the user stops the endpoint or deletes its data. */
  async forget(): Promise<void> {
    await this.#change(async () => {
      try {
        await vscode.workspace.fs.delete(this.#file);
      } catch (error) {
        if (!(error instanceof vscode.FileSystemError && error.code === "FileNotFound")) throw error;
      }
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Starts the endpoint if it was on, unless the settings or another window do. */
  async #restore(): Promise<void> {
    const { service, instance, keys } = this.#options;
    const remembered = await this.#read();
    if (remembered === undefined || setting("api.enabled")) return;
    await instance.refresh();
    const { state } = instance;
    if (state === undefined || state.url !== undefined || state.dataDir !== remembered.dataDir) return;
    // Without its keys, it would answer programs that it refused before.
    if (remembered.hasKeys && (await keys.load()).length === 0) {
      await this.forget();
      return;
    }
    await service.call("startEndpoint", {
      port: remembered.port,
      allowedOrigins: [...setting("api.allowedOrigins")],
    });
    // Another window may have stopped it in the meantime.
    if ((await this.#read()) === undefined) await service.call("stopEndpoint", {});
    await instance.refresh();
  }

  /** Keys are never forgotten: a list that is empty now may be that of a lost database. */
  async #rememberKeys(): Promise<void> {
    await this.#change(async () => {
      const remembered = await this.#read();
      if (remembered?.hasKeys === false) await this.#write({ ...remembered, hasKeys: true });
    });
  }

  async #change(change: () => Promise<void>): Promise<void> {
    const changed = this.#changes.then(change);
    this.#changes = changed.catch(() => undefined);
    await changed;
  }

  /** Returns undefined if nothing is remembered, or the file is damaged. */
  async #read(): Promise<SavedState | undefined> {
    try {
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#file));
      const value: Partial<Record<keyof SavedState, unknown>> = JSON.parse(text);
      const { port, dataDir, hasKeys } = value;
      return typeof port === "number" && typeof dataDir === "string" && typeof hasKeys === "boolean"
        ? { port, dataDir, hasKeys }
        : undefined;
    } catch {
      return undefined;
    }
  }

  async #write(remembered: SavedState): Promise<void> {
    await vscode.workspace.fs.createDirectory(this.#options.folder);
    await vscode.workspace.fs.writeFile(this.#file, new TextEncoder().encode(JSON.stringify(remembered)));
  }
}
