/**
 * Paths inside a repository, which are bytes: git does not define their encoding.
 *
 * A `BytePath` is a string with one character (U+0000 to U+00FF) per byte, so that it can be a map key and sorts byte
 * by byte, as in git. It is relative to the root of the tree and `/`-separated. It is decoded only in responses.
 */
import { sep } from "node:path";
import type { Brand } from "#base/brand";

export type BytePath = Brand<string, "BytePath">;

export function bytePath(bytes: Uint8Array): BytePath {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1") as BytePath;
}

/** Encodes `text` as UTF-8. */
export function bytePathFromText(text: string): BytePath {
  return (isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1")) as BytePath;
}

/** Whether the path is valid UTF-8, so that it can be a command-line argument. */
export function isUtf8(path: BytePath): boolean {
  return bytePathFromText(textOf(path)) === path;
}

export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, "latin1");
}

/** Decodes the path as UTF-8 for display; invalid bytes become U+FFFD. */
export function textOf(path: BytePath): string {
  return isAscii(path) ? path : bytesOf(path).toString("utf8");
}

/** Returns the path on disk, as bytes unless it is ASCII: Node would encode a string again. */
export function diskPath(root: string, path: BytePath): string | Buffer {
  const relative = sep === "/" ? path : path.replaceAll("/", sep);
  const base = root.endsWith(sep) ? root : root + sep;
  return isAscii(path)
    ? base + relative
    : Buffer.concat([Buffer.from(base), Buffer.from(relative, "latin1")]);
}

/** Joins a folder (`""` for the root) and a name. */
export function joinPath(folder: string, name: string): BytePath {
  return (folder === "" ? name : `${folder}/${name}`) as BytePath;
}

/** Returns the folder that contains `path`, or `""` for the root. */
export function parentOf(path: string): BytePath {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0)) as BytePath;
}

/** Whether `folder` is the parent of `path`. Faster than comparing it with `parentOf`. */
export function isDirectlyIn(path: string, folder: string): boolean {
  return folder === ""
    ? !path.includes("/")
    : path.lastIndexOf("/") === folder.length && path.startsWith(folder);
}

/** Returns all ancestor folders of these paths, including the root. */
export function ancestorsOf(paths: Iterable<BytePath>): BytePath[] {
  const folders = new Set<BytePath>(["" as BytePath]);
  let last = "" as BytePath;
  for (const path of paths) {
    // Mostly, the path before was in the same folder.
    if (isDirectlyIn(path, last)) continue;
    last = parentOf(path);
    for (let folder = last; !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
  }
  return [...folders];
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
