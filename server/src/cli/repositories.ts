/** The complete list of repositories and its totals. */
import type { RepositoryItem } from "#contract/repositories";
import type { Caller } from "#contract/service";
import { formatBytes, formatCount } from "./format";

export async function allRepositories(caller: Caller, signal: AbortSignal): Promise<RepositoryItem[]> {
  const found: RepositoryItem[] = [];
  for (let page = 1; ; page++) {
    const call = { credentials: { kind: "local" }, signal } as const;
    const { items, total } = await caller("repos", { page, perPage: 100 }, call);
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}

export interface Totals {
  readonly repositories: number;
  readonly documents: number;
  readonly skipped: number;
  readonly contentBytes: number;
  readonly indexBytes: number;
}

export function totalsOf(repositories: readonly RepositoryItem[]): Totals {
  const sum = (count: (each: RepositoryItem) => number) =>
    repositories.reduce((total, each) => total + count(each), 0);
  return {
    repositories: repositories.length,
    documents: sum((each) => each.documentCount),
    skipped: sum((each) => each.skippedCount),
    contentBytes: sum((each) => each.contentBytes),
    indexBytes: sum((each) => each.indexBytes),
  };
}

/** `1,204 files, 3 revisions, 12.4 MB of text` */
export function formatSize(repository: RepositoryItem): string {
  const { documentCount, revisions, contentBytes } = repository;
  const history = revisions.length === 0 ? "no history" : formatCount(revisions.length, "revision");
  return `${formatCount(documentCount, "file")}, ${history}, ${formatBytes(contentBytes)} of text`;
}

/** `2 repositories, 1,204 files (3 by name only), 12.4 MB of text, 15.1 MB of index` */
export function formatTotals(totals: Totals): string {
  const skipped = totals.skipped === 0 ? "" : ` (${totals.skipped.toLocaleString("en-US")} by name only)`;
  return [
    formatCount(totals.repositories, "repository", "repositories"),
    `${formatCount(totals.documents, "file")}${skipped}`,
    `${formatBytes(totals.contentBytes)} of text`,
    `${formatBytes(totals.indexBytes)} of index`,
  ].join(", ");
}
