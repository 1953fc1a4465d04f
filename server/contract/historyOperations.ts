import type { OperationName } from "./operations";

/** The operations about one repository that need git and no index. */
export const historyOperations = [
  "branches",
  "tree",
  "source",
  "diff",
  "commit",
  "commits",
  "authors",
  "blame",
] as const satisfies readonly OperationName[];
export type HistoryOperation = (typeof historyOperations)[number];
