/** The connections that a leader uses: those of its configuration file, and those of `connections.jsonc`. */
import { isServiceError } from "#base/error";
import type { Connection } from "#hosts/connection";
import type { EditorTokens } from "#hosts/editorTokens";
import type { Log } from "#platform/log";
import type { CodeHostsSetup } from "#sync/codeHosts";
import { codeHostsSetup, type KnownFiles } from "./codeHosts";
import type { Configuration } from "./configuration";
import { readConnectionsFile } from "./connectionsFile";

export class UsedConnections {
  readonly #configuration: Configuration;
  readonly #editorTokens: EditorTokens;
  #files: KnownFiles;
  #applying: Promise<void> = Promise.resolve();

  /** If `connections.jsonc` is damaged, starts without its connections, whose mirrors are kept but not fetched. */
  constructor(
    configuration: Configuration,
    configured: KnownFiles["configured"],
    editorTokens: EditorTokens,
    log: Log,
  ) {
    this.#configuration = configuration;
    this.#editorTokens = editorTokens;
    const { dataDir } = configuration;
    try {
      this.#files = { configured, added: { connections: readConnectionsFile(dataDir), isCurrent: true } };
    } catch (error) {
      if (!isServiceError(error, "USAGE")) throw error;
      log.error(`${error.message} Until this is corrected, the mirrors of its connections are not fetched.`);
      this.#files = { configured, added: { connections: {}, isCurrent: false } };
    }
  }

  /** Returns `undefined` if there are no connections, and never were. */
  setup(): Promise<CodeHostsSetup<Connection> | undefined> {
    return codeHostsSetup(this.#configuration, this.#files, this.#editorTokens);
  }

  /** Uses other connections of the configuration file. */
  configure(
    connections: Configuration["connections"],
    use: (setup: CodeHostsSetup) => Promise<void>,
  ): Promise<void> {
    return this.#apply(() => ({ configured: { connections, isCurrent: true } }), use);
  }

  /** Reads `connections.jsonc` again. Rejects with USAGE, and changes nothing, if it is damaged. */
  reload(use: (setup: CodeHostsSetup) => Promise<void>): Promise<void> {
    const { dataDir } = this.#configuration;
    return this.#apply(
      () => ({ added: { connections: readConnectionsFile(dataDir), isCurrent: true } }),
      use,
    );
  }

  /** Applies one change after the other. */
  #apply(change: () => Partial<KnownFiles>, use: (setup: CodeHostsSetup) => Promise<void>): Promise<void> {
    const next = this.#applying.then(async () => {
      const files = { ...this.#files, ...change() };
      const setup = await codeHostsSetup(this.#configuration, files, this.#editorTokens);
      if (setup !== undefined) await use(setup);
      this.#files = files;
    });
    this.#applying = next.catch(() => undefined);
    return next;
  }
}
