/** The clients of code hosts that are open: one for each connection, from its first use. */
import type { CodeHost } from "#hosts/codeHost";
import type { Log } from "#platform/log";

export class OpenHosts {
  readonly #open: (name: string) => CodeHost;
  readonly #log: Log;
  readonly #hosts = new Map<string, CodeHost>();

  constructor(open: (name: string) => CodeHost, log: Log) {
    this.#open = open;
    this.#log = log;
  }

  get(name: string): CodeHost {
    const opened = this.#hosts.get(name) ?? this.#open(name);
    this.#hosts.set(name, opened);
    return opened;
  }

  /** From now on, opens the connection again. The returned function closes the previous client, and never rejects. */
  replace(name: string): () => Promise<void> {
    const host = this.#hosts.get(name);
    this.#hosts.delete(name);
    return async () => {
      try {
        await host?.close();
      } catch (error) {
        this.#log.warn(`Connection "${name}" could not be closed.`, { error });
      }
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.keys()].map((name) => this.replace(name)()));
  }
}
