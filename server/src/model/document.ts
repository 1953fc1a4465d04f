/** Why the text of a document is not in the index. Its name is. */
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

/** Where the text of a hit comes from. */
export type Origin = "commit" | "workingTree" | "unsaved";

/** What a path says about its document's weight in ranking; the first is the best. */
export const documentCategories = ["source", "documentation", "test", "generated", "vendored"] as const;
export type DocumentCategory = (typeof documentCategories)[number];
