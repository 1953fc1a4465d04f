/** Reads files as search sees them: without a revision, with uncommitted and unsaved changes. */
import { isServiceError } from "#base/error";
import { fileHeading } from "./fileHeading";
import { unknownFile, withRepository } from "./names";
import { fileItem } from "./output";
import { exactFileFilter, repositoryFilter } from "./queryText";
import type { Send } from "./tool";

export interface FileLocation {
  readonly repo: string;
  readonly path: string;
  readonly rev?: string | undefined;
}

export interface FileText {
  /** The full name of the repository. */
  readonly repo: string;
  readonly heading: string;
  /** The file in structured content. */
  readonly item: object;
  readonly language: string;
  readonly lines: readonly string[];
}

/** Throws NOT_FOUND and FILE_NOT_FOUND with the nearest names, and INVALID_GIT_REF. */
export async function readFile(send: Send, { repo, path, rev }: FileLocation): Promise<FileText> {
  return await withRepository(send, repo, async (name) => {
    if (rev === undefined) {
      const current = await readChanged(send, name, path);
      if (current !== undefined) return current;
    }
    const request = { repo: name, path, ...(rev === undefined ? {} : { ref: rev }) };
    try {
      const { source, language, path: found } = await send("source", request);
      const file = { repository: name, path: found, branches: rev === undefined ? [] : [rev] };
      return {
        repo: name,
        heading: fileHeading(file),
        item: fileItem(file),
        language,
        lines: splitLines(source),
      };
    } catch (error) {
      if (!isServiceError(error, "FILE_NOT_FOUND")) throw error;
      throw await unknownFile(send, name, path, rev);
    }
  });
}

/** Returns the text of a file with uncommitted or unsaved changes; `undefined` for any other. */
async function readChanged(send: Send, repo: string, path: string): Promise<FileText | undefined> {
  const query = `${repositoryFilter(repo, "exact")} ${exactFileFilter(path.replace(/^\//, ""))} case:yes`;
  const { files } = await send("search", { query, matches: 1, whole: true });
  const file = files.find(
    ({ repository, fileName }) => repository === repo && fileName.text === path.replace(/^\//, ""),
  );
  if (file === undefined || file.origin === "commit" || file.content === "") return undefined;
  const found = { repository: repo, path: file.fileName.text, origin: file.origin };
  const { language, content } = file;
  return { repo, heading: fileHeading(found), item: fileItem(found), language, lines: splitLines(content) };
}

function splitLines(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
