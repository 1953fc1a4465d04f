/** The list of repositories, whole: what `status`, `index` and the `Ready` line count. */
import type { RepositoryItem } from "#contract/repositories";
import type { Caller } from "#contract/service";
import { bytesInWords, counted } from "./units";

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
export function sizeInWords(repository: RepositoryItem): string {
  const { documentCount, revisions, contentBytes } = repository;
  const history = revisions.length === 0 ? "no history" : counted(revisions.length, "revision");
  return `${counted(documentCount, "file")}, ${history}, ${bytesInWords(contentBytes)} of text`;
}

/** `2 repositories, 1,204 files (3 skipped), 12.4 MB of text, 15.1 MB of index` */
export function totalsInWords(totals: Totals): string {
  const skipped = totals.skipped === 0 ? "" : ` (${totals.skipped.toLocaleString("en-US")} by name only)`;
  return [
    counted(totals.repositories, "repository", "repositories"),
    `${counted(totals.documents, "file")}${skipped}`,
    `${bytesInWords(totals.contentBytes)} of text`,
    `${bytesInWords(totals.indexBytes)} of index`,
  ].join(", ");
}
