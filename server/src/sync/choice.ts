/** What the person wants indexed; it may become another one at any time. */
import { type ScanChoice, usualScan } from "#git/discover";
import { allBranches, type RevisionChoice } from "#git/revisions";
import { type ContentChoice, everyContent } from "#shard/skipReason";

/** What of a repository. */
export interface IndexChoice extends RevisionChoice, ContentChoice {}

/** And which repositories. */
export interface SyncChoice extends IndexChoice, ScanChoice {}

export const usualChoice: SyncChoice = { ...allBranches, ...everyContent, ...usualScan };

export function isSameIndex(left: IndexChoice, right: IndexChoice): boolean {
  const parts = ({ branches, remoteBranches = [], tags, newestTags, ...rest }: IndexChoice) =>
    JSON.stringify([branches, remoteBranches, tags, newestTags, contentStamp(rest)]);
  return parts(left) === parts(right);
}

export function isSameScan(left: ScanChoice, right: ScanChoice): boolean {
  const parts = ({ scanDepth, exclude, submodules }: ScanChoice) =>
    JSON.stringify([scanDepth, exclude, submodules]);
  return parts(left) === parts(right);
}

/** Another one means other shards from the same commits; empty for what is usual. */
export function contentStamp({ maxFileBytes, indexExclude }: ContentChoice): string {
  const isUsual = maxFileBytes === everyContent.maxFileBytes && indexExclude.length === 0;
  return isUsual ? "" : JSON.stringify([maxFileBytes, indexExclude]);
}
