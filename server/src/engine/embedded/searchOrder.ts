/** The order in which the workers of a search evaluate shards. What comes first counts when a search stops at its limit. */

/** The position of a shard in the search order, compared from left to right. */
export type ShardOrder = readonly [layer: number, repositoryId: number, fileNumber: number];

/**
 * The layers of the search order: unsaved documents, then working trees, then documents that contain the words of the
 * query as a phrase, then documents that define a queried name (`definingDocuments.ts`), then repositories in use, then all
 * others. Phrases and definitions in repositories in use come before those in others.
 */
export const layers = {
  unsaved: 0,
  overlay: 1,
  preferredPhrases: 2,
  phrases: 3,
  preferredDefinitions: 4,
  definitions: 5,
  preferred: 6,
  other: 7,
} as const;

/** Whether a shard contains only defining documents, all of which are evaluated even after the limit is reached. */
export function isDefinitionLayer([layer]: ShardOrder): boolean {
  return layer === layers.preferredDefinitions || layer === layers.definitions;
}

export function compareOrder(left: ShardOrder, right: ShardOrder): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}
