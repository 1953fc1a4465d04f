/** LSP notification from the server with an `IndexingProgress`: the state of repositories has changed. */
export const indexingMethod = "trawl/indexing";
