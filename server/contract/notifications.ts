/** LSP notification from the server when the state of repositories changes, with an `IndexingProgress`. */
export const indexingMethod = "trawl/indexing";
