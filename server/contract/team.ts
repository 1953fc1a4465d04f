/** The connection of an editor to its team's server, as LSP requests and notifications describe it. */
import * as z from "zod";

/** The parameters of `trawl/connectServer`. Without `url`, the editor is disconnected. */
export const ServerConnectionRequest = z.object({
  url: z.string().max(2000).nullish(),
  /** An API key or an OAuth access token. It is sent only to the origin of `url`, and never stored. */
  key: z.string().max(16_384).nullish(),
});

/** The parameters of `trawl/logInToServer`. */
export const ServerLoginRequest = z.object({
  url: z.string().max(2000),
  /** Names the editor and its computer. */
  name: z.string().min(1).max(200),
});

/** The response to `trawl/logInToServer`. */
export interface ServerLogin {
  /** An API key. */
  readonly key: string;
}

/** The state of the connection; the response to `trawl/connectServer`, and the parameters of `trawl/serverState`. */
export interface ServerConnectionState {
  /** `off`: there is no server. `rejected`: the server wants another key. `unreachable`: all other problems. */
  readonly state: "off" | "connecting" | "connected" | "rejected" | "unreachable";
  /** URL of the server; absent if there is none. */
  readonly url?: string;
  /** Version of the server, once known. */
  readonly version?: string;
  /** Number of its repositories, once known. */
  readonly repositories?: number;
  /** One or two sentences: why it is not connected, and what to do. */
  readonly problem?: string;
}
