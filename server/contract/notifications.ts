/** LSP notification from the server when the state of repositories changes, with an `IndexingProgress`. */
export const indexingMethod = "trawl/indexing";

/** LSP request from the client: connects to the team's server, or disconnects from it. See `team.ts`. */
export const connectServerMethod = "trawl/connectServer";

/** LSP notification from the server when the connection to the team's server changes. See `team.ts`. */
export const serverStateMethod = "trawl/serverState";
