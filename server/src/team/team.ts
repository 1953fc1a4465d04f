/** The team's server of this process: at most one at a time. */
import { usageError } from "#base/error";
import { ServerConnectionRequest, type ServerConnectionState } from "#contract/team";
import { parseServerAddress } from "./address";
import type { ReadKey } from "./serverRequests";
import { TeamConnection } from "./teamConnection";

const off: ServerConnectionState = { state: "off" };

export class Team {
  #connection: TeamConnection | undefined;
  #onState: (state: ServerConnectionState) => void = () => {};

  /** Absent if there is no server. */
  get connection(): TeamConnection | undefined {
    return this.#connection;
  }

  /** Calls `listener` whenever the state changes. There is one listener. */
  onState(listener: (state: ServerConnectionState) => void): void {
    this.#onState = listener;
  }

  /** Uses the server at `url` for the calls that follow, which connect to it. Throws USAGE for an invalid URL. */
  use(url: string, readKey: ReadKey): TeamConnection {
    const address = parseServerAddress(url);
    const previous = this.#connection;
    const connection = new TeamConnection({
      address,
      readKey,
      onState: (state) => {
        if (this.#connection === connection) this.#onState(state);
      },
    });
    this.#connection = connection;
    void previous?.close();
    return connection;
  }

  /**
   * Connects to the server that an editor names, or disconnects, and returns the state after the first attempt. Rejects
   * with USAGE if the request is invalid; then nothing changes.
   */
  async connect(params: unknown, signal: AbortSignal): Promise<ServerConnectionState> {
    const request = ServerConnectionRequest.safeParse(params);
    if (!request.success)
      throw usageError("The request must have a URL and, unless it is public, an API key.");
    const { url, key } = request.data;
    if (url == null || url === "") {
      await this.close();
      this.#onState(off);
      return off;
    }
    if (key != null && !/^[\x21-\x7e]+$/.test(key))
      throw usageError("The API key contains a character that no key contains.");
    const connection = this.use(url, async () => key ?? undefined);
    await connection.ready(signal).catch(() => undefined);
    return connection.state;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }
}
