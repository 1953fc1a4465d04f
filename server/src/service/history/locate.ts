/** Maps a file of a response, and its lines, to the editable file on this computer. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isServiceError } from "#base/error";
import { mapLines, splitLines } from "#base/lineMap";
import type { LocatedFile } from "#contract/editor";
import type { CallContext, Handler, OpenDocument } from "#contract/service";
import { bytePathFromText } from "#git/bytePath";
import { blobHash } from "#git/objects/blobHash";
import { WorkingFiles } from "#git/workTree/workingFile";
import { isPlainFolder, type Repository } from "#model/repository";
import { checkPath, type History } from "./history";

/** Larger files are neither read nor compared. */
const maxComparedBytes = 8 * 1024 * 1024;

export function locateHandlers(history: History): { locate: Handler<"locate"> } {
  return {
    async locate({ repository: name, path, blobSha, lines }, context) {
      const repository = history.repository(name);
      const relativePath = checkPath(path, "INVALID_REQUEST_BODY").replace(/\/+$/, "");
      const unknownLines = lines.map(() => null);
      if (repository.kind === "bare" || !existsSync(repository.path)) {
        return { state: "noClone", lines: unknownLines };
      }
      const files = new WorkingFiles(repository.path);
      const absolutePath =
        relativePath === "" ? repository.path : join(repository.path, ...relativePath.split("/"));
      if (files.isFolder(bytePathFromText(relativePath)))
        return { state: "same", path: absolutePath, lines: unknownLines };
      const current = currentContent(files, relativePath, absolutePath, context.unsaved ?? []);
      if (current === "absent") return { state: "gone", path: absolutePath, lines: unknownLines };
      if (current === "unreadable") return { state: "changed", path: absolutePath, lines: unknownLines };
      if (blobSha === undefined || blobHash(current, blobSha) === blobSha)
        return unchangedFile(absolutePath, current, lines);
      const committedText = await textOfBlob(history, repository, blobSha, context);
      if (committedText === undefined) return { state: "changed", path: absolutePath, lines: unknownLines };
      const currentText = current.toString("utf8");
      if (normalizeText(committedText) === normalizeText(currentText))
        return unchangedFile(absolutePath, current, lines);
      return { state: "changed", path: absolutePath, lines: mapLines(committedText, currentText, lines) };
    },
  };
}

function unchangedFile(path: string, current: Buffer, lines: readonly number[]): LocatedFile {
  const count = splitLines(current.toString("utf8")).length;
  return { state: "same", path, lines: lines.map((line) => (line <= count ? line : null)) };
}

/**
 * Returns the unsaved content of a file if there is any, otherwise its content on disk; for a symbolic link, its
 * target. Returns `"unreadable"` also for content larger than `maxComparedBytes`, and `"absent"` also for a folder.
 */
export function currentContent(
  files: WorkingFiles,
  path: string,
  absolutePath: string,
  unsaved: readonly OpenDocument[],
): Buffer | "absent" | "unreadable" {
  const openDocument = findUnsavedDocument(absolutePath, unsaved);
  if (openDocument !== undefined) {
    const bytes = Buffer.from(openDocument.text);
    return bytes.length > maxComparedBytes ? "unreadable" : bytes;
  }
  const file = files.read(bytePathFromText(path), maxComparedBytes);
  if (file.kind === "absent") return "absent";
  return file.kind === "content" ? file.bytes : "unreadable";
}

export function findUnsavedDocument(
  absolutePath: string,
  unsaved: readonly OpenDocument[],
): OpenDocument | undefined {
  return unsaved.find((document) => isSameFile(document.path, absolutePath));
}

/** Returns whether both paths name the same file. The editor's `path` may go through a symbolic link. */
function isSameFile(path: string, absolutePath: string): boolean {
  if (path === absolutePath) return true;
  if (basename(path) !== basename(absolutePath)) return false;
  try {
    return realpathSync.native(dirname(path)) === dirname(absolutePath);
  } catch {
    return false;
  }
}

/** Returns the text of a blob, or `undefined` if the repository does not contain it or it is too large to compare. */
async function textOfBlob(
  history: History,
  repository: Repository,
  blobSha: string,
  context: CallContext,
): Promise<string | undefined> {
  if (isPlainFolder(repository.kind) || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(blobSha)) return undefined;
  try {
    const blob = await history.open(repository, context).objects.read(blobSha);
    const isText = blob?.type === "blob" && blob.bytes.length <= maxComparedBytes;
    return isText ? blob.bytes.toString("utf8") : undefined;
  } catch (error) {
    if (isServiceError(error, "CANCELLED")) throw error;
    // The file itself was found; without its old text only the lines are unknown.
    return undefined;
  }
}

/** Normalizes line endings and drops the byte order mark, because a working file may differ from its blob in both. */
function normalizeText(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}
