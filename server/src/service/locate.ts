/** From a file as an answer gave it to the one on this computer that can be edited, and to its lines as they are now. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isServiceError } from "#base/error";
import { mapLines, splitLines } from "#base/lineMap";
import type { Location } from "#contract/editor";
import type { CallContext, Handler, OpenDocument } from "#contract/service";
import { blobName } from "#git/blobName";
import { bytePathOfText } from "#git/bytePath";
import { WorkingFiles } from "#git/workingFile";
import type { Repository } from "#model/repository";
import { checkPath, type History } from "./history";

/** Of larger files the lines are not compared. */
const maxComparedBytes = 8 * 1024 * 1024;

export function locateHandlers(history: History): { locate: Handler<"locate"> } {
  return {
    async locate({ repository: name, path, blobSha, lines }, context) {
      const repository = history.repository(name);
      const inside = checkPath(path, "INVALID_REQUEST_BODY").replace(/\/+$/, "");
      const unknown = lines.map(() => null);
      if (repository.kind === "bare" || !existsSync(repository.path)) {
        return { state: "noClone", lines: unknown };
      }
      const files = new WorkingFiles(repository.path);
      const place = inside === "" ? repository.path : join(repository.path, ...inside.split("/"));
      if (files.isFolder(bytePathOfText(inside))) return { state: "same", path: place, lines: unknown };
      const now = currentContent(files, inside, place, context.unsaved ?? []);
      if (now === "absent") return { state: "gone", path: place, lines: unknown };
      if (now === "unreadable") return { state: "changed", path: place, lines: unknown };
      if (blobSha === undefined || blobName(now, blobSha) === blobSha) return same(place, now, lines);
      const then = await textOfBlob(history, repository, blobSha, context);
      if (then === undefined) return { state: "changed", path: place, lines: unknown };
      const text = now.toString("utf8");
      if (withoutLineEnds(then) === withoutLineEnds(text)) return same(place, now, lines);
      return { state: "changed", path: place, lines: mapLines(then, text, lines) };
    },
  };
}

function same(path: string, now: Buffer, lines: readonly number[]): Location {
  const count = splitLines(now.toString("utf8")).length;
  return { state: "same", path, lines: lines.map((line) => (line <= count ? line : null)) };
}

/** What the caller's editor shows, else what is on disk. A symbolic link is its target's name, not what is there. */
export function currentContent(
  files: WorkingFiles,
  path: string,
  place: string,
  unsaved: readonly OpenDocument[],
): Buffer | "absent" | "unreadable" {
  const open = unsaved.find((document) => isSamePlace(document.path, place));
  if (open !== undefined) {
    const bytes = Buffer.from(open.text);
    return bytes.length > maxComparedBytes ? "unreadable" : bytes;
  }
  const file = files.read(bytePathOfText(path), maxComparedBytes);
  if (file.kind === "absent") return "absent";
  return file.kind === "content" ? file.bytes : "unreadable";
}

/** An editor may have come to the file through a link around it. */
function isSamePlace(path: string, place: string): boolean {
  if (path === place) return true;
  if (basename(path) !== basename(place)) return false;
  try {
    return realpathSync.native(dirname(path)) === dirname(place);
  } catch {
    return false;
  }
}

/** `undefined` for what was never committed, is no text that can be compared, or cannot be had. */
async function textOfBlob(
  history: History,
  repository: Repository,
  blobSha: string,
  context: CallContext,
): Promise<string | undefined> {
  if (repository.kind === "folder" || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(blobSha)) return undefined;
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

/** Git and editors may write the same lines with other ends, and without a byte order mark. */
function withoutLineEnds(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}
