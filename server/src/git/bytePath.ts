/**
 * Paths inside a repository are bytes: git knows no encoding.
 *
 * A `BytePath` is a string with one character (U+0000 to U+00FF) for each byte, so that it can be a key, be compared
 * and be sorted as git sorts, byte by byte. It is relative to the root of the tree and `/`-separated. It becomes text
 * at the border only.
 */
import { sep } from "node:path";
import type { Brand } from "#base/brand";

export type BytePath = Brand<string, "BytePath">;

export function bytePath(bytes: Uint8Array): BytePath {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1") as BytePath;
}

/** The path of a text: its UTF-8 bytes. */
export function bytePathOfText(text: string): BytePath {
  return (isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1")) as BytePath;
}

/** Whether the bytes are UTF-8, so that they can be an argument of a command. */
export function isText(path: BytePath): boolean {
  return bytePathOfText(textOf(path)) === path;
}

export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, "latin1");
}

/** What a person reads; bytes that are no UTF-8 become U+FFFD. */
export function textOf(path: BytePath): string {
  return isAscii(path) ? path : bytesOf(path).toString("utf8");
}

/** What the file system is asked for: bytes where a string would be encoded anew. */
export function onDisk(root: string, path: BytePath): string | Buffer {
  const relative = sep === "/" ? path : path.replaceAll("/", sep);
  const base = root.endsWith(sep) ? root : root + sep;
  return isAscii(path)
    ? base + relative
    : Buffer.concat([Buffer.from(base), Buffer.from(relative, "latin1")]);
}

/** Where `name` lies in `folder`; the root is `""`. */
export function joined(folder: string, name: string): BytePath {
  return (folder === "" ? name : `${folder}/${name}`) as BytePath;
}

/** The folder of a path, `""` for the root. */
export function folderOf(path: string): BytePath {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0)) as BytePath;
}

/** All folders in which these paths lie, at any depth, the root among them. */
export function foldersOf(paths: Iterable<BytePath>): BytePath[] {
  const folders = new Set<BytePath>(["" as BytePath]);
  for (const path of paths) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return [...folders];
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
