/** Why the text of a document is not indexed. Its path still is. */
export const skipReasons = [
  "tooLarge",
  "binary",
  "notText",
  "tooManyTrigrams",
  "missing",
  "unreadable",
  "excluded",
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Where the text of a match comes from. */
export type Origin = "commit" | "workingTree" | "unsaved";

/** The categories of documents, which are determined by path and affect ranking. Best first. */
export const documentCategories = ["source", "documentation", "test", "generated", "vendored"] as const;
export type DocumentCategory = (typeof documentCategories)[number];
