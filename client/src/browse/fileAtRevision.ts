/** Finds a file at another revision, following renames. */

import type { IndexedFile } from "#client/documents/indexedFiles";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import type { FileSource } from "#contract/history";

type Service = Pick<ServiceClient, "call">;

const perPage = 100;
/** How much of the history to search for former paths. */
const maxPages = 10;

/**
 * Fetches a file at a revision. Rejects with a `CallError`: FILE_NOT_FOUND if the revision has the file under none of its
 * known paths.
 */
export async function sourceAt(service: Service, file: IndexedFile, ref: string): Promise<FileSource> {
  const fetchAt = (path: string) => service.call("source", { repo: file.repository, path, ref });
  try {
    return await fetchAt(file.path);
  } catch (error) {
    if (callError(error).errorCode !== "FILE_NOT_FOUND") throw error;
    for await (const path of formerPaths(service, file, ref)) {
      const found = await fetchAt(path).catch(() => undefined);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

/** Yields the path that a diff of both revisions finds, then the former paths from the history, latest first. */
async function* formerPaths(
  service: Service,
  { repository: repo, path, commit = "HEAD" }: IndexedFile,
  ref: string,
): AsyncGenerator<string> {
  const { files } = await service.call("diff", { repo, base: ref, head: commit, path, hunks: false });
  const renamed = files.find((file) => file.newPath === path);
  if (renamed !== undefined) yield renamed.oldPath;
  for (let page = 1; page <= maxPages; page++) {
    const { items } = await service.call("commits", { repo, ref: commit, path, page, perPage });
    for (const { oldPath } of items) if (oldPath !== undefined) yield oldPath;
    if (items.length < perPage) return;
  }
}
