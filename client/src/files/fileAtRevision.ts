/** A file at another revision, under the name that it has there. */
import { callError } from "#client/callError";
import type { ServiceClient } from "#client/serviceClient";
import type { FileSource } from "#contract/history";
import type { IndexedFile } from "./indexedFiles";

type Service = Pick<ServiceClient, "call">;

const perPage = 100;
/** Older names are not looked for. */
const pagesAtMost = 10;

/** Rejects with a `CallError`: with FILE_NOT_FOUND where it is not there under any name that is known. */
export async function sourceAt(service: Service, file: IndexedFile, ref: string): Promise<FileSource> {
  const under = (path: string) => service.call("source", { repo: file.repository, path, ref });
  try {
    return await under(file.path);
  } catch (error) {
    if (callError(error).errorCode !== "FILE_NOT_FOUND") throw error;
    for await (const path of otherNames(service, file, ref)) {
      const found = await under(path).catch(() => undefined);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

/** First what the two revisions tell, then the names of the past, the last one first. */
async function* otherNames(
  service: Service,
  { repository: repo, path, commit = "HEAD" }: IndexedFile,
  ref: string,
): AsyncGenerator<string> {
  const { files } = await service.call("diff", { repo, base: ref, head: commit, path, hunks: false });
  const renamed = files.find((file) => file.newPath === path);
  if (renamed !== undefined) yield renamed.oldPath;
  for (let page = 1; page <= pagesAtMost; page++) {
    const { items } = await service.call("commits", { repo, ref: commit, path, page, perPage });
    for (const { oldPath } of items) if (oldPath !== undefined) yield oldPath;
    if (items.length < perPage) return;
  }
}
