/** LSP notification from the server when the state of repositories changes, with an `IndexingProgress`. */
export const indexingMethod = "trawl/indexing";

/** LSP request from the client: connects to the team's server, or disconnects from it. See `team.ts`. */
export const connectServerMethod = "trawl/connectServer";

/**
 * LSP request from the client: logs in to the team's server in the browser, which the server opens by
 * `window/showDocument`. See `team.ts`.
 */
export const logInToServerMethod = "trawl/logInToServer";

/** LSP notification from the server when the connection to the team's server changes. See `team.ts`. */
export const serverStateMethod = "trawl/serverState";
