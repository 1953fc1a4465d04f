/**
 * Unpacks archives of sources into a folder, because editors and git can read files only from a folder. Each archive is
 * unpacked once: `<name>/files` contains its files, and `<name>/contents.json`, written last, what is in them.
 */
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskFiles, type Files, replaceFile } from "#platform/files";
import { isPortablePath, readZip, type ZipEntry } from "#platform/zip";
import { isFolder, isObject, readEntries, readText } from "./package";

export interface UnpackedArchive {
  /** Absolute path of the folder that contains the files. */
  readonly path: string;
  /** See `InstalledPackage`. */
  readonly namespaces: readonly string[];
}

const maxArchiveBytes = 64 * 1024 * 1024;
const maxFiles = 20_000;
const maxBytes = 100 * 1024 * 1024;
const maxNamespaces = 5000;
const maxContentsBytes = 4 * 1024 * 1024;

/** Returns where the files of the archive are. `folder` is its own. Throws an error whose message is a reason. */
export function unpackArchive(archive: string, folder: string, files: Files): UnpackedArchive {
  const path = join(folder, "files");
  const contents = join(folder, "contents.json");
  const known = isFolder(path) ? readNamespaces(contents) : undefined;
  if (known !== undefined) return { path, namespaces: known };
  files.removeFolder(folder);
  try {
    const namespaces = writeFiles(archive, path, files);
    replaceFile(files, contents, Buffer.from(JSON.stringify({ namespaces })));
    return { path, namespaces };
  } catch (error) {
    files.removeFolder(folder);
    throw error;
  }
}

/** Deletes the folders of all archives but these, which are the paths of `UnpackedArchive`. */
export function removeUnpackedArchives(
  folder: string,
  kept: ReadonlySet<string>,
  files: Files = diskFiles,
): void {
  for (const { name } of readEntries(folder))
    if (!kept.has(join(folder, name, "files"))) files.removeFolder(join(folder, name));
}

function readNamespaces(path: string): readonly string[] | undefined {
  try {
    const contents: unknown = JSON.parse(readText(path, maxContentsBytes) ?? "");
    const namespaces = isObject(contents) ? contents["namespaces"] : undefined;
    return Array.isArray(namespaces) ? namespaces.filter((each) => typeof each === "string") : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the namespaces of the written files. */
function writeFiles(archive: string, folder: string, files: Files): readonly string[] {
  if (lstatSync(archive).size > maxArchiveBytes) throw new Error("the archive is larger than 64 MiB");
  const entries = filesOf(readZip(readFileSync(archive)));
  const namespaces = new Set<string>();
  const folders = new Set<string>();
  files.mkdir(folder);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!folders.has(dirname(path))) files.mkdir(dirname(path));
    folders.add(dirname(path));
    const bytes = entry.read();
    const descriptor = files.create(path);
    try {
      files.write(descriptor, bytes);
    } finally {
      files.close(descriptor);
    }
    const namespace = /\.(?:java|kt|scala|groovy)$/.test(entry.name) ? namespaceOf(bytes) : undefined;
    if (namespace !== undefined && namespaces.size < maxNamespaces) namespaces.add(namespace);
  }
  return [...namespaces].sort();
}

/** Omits folders, files that would overwrite others, also where case is ignored, and names that no source file has. */
function filesOf(all: Iterable<ZipEntry>): readonly ZipEntry[] {
  const found = new Map<string, ZipEntry>();
  const folders = new Set<string>();
  let bytes = 0;
  for (const entry of all) {
    if (!isPortablePath(entry.name)) continue;
    const key = entry.name.toLowerCase();
    const outer = outerFolders(key);
    if (found.has(key) || folders.has(key) || outer.some((each) => found.has(each))) continue;
    found.set(key, entry);
    for (const each of outer) folders.add(each);
    bytes += entry.size;
    if (found.size > maxFiles || bytes > maxBytes)
      throw new Error(`the archive has more than ${maxFiles} files, or more than 100 MiB`);
  }
  return [...found.values()];
}

function outerFolders(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Real files declare their package after no more than a license. */
const maxHeaderBytes = 16 * 1024;

/** Folders of Kotlin may omit the common part of a package's name, so that only the declaration states it. */
function namespaceOf(bytes: Uint8Array): string | undefined {
  const header = Buffer.from(bytes.subarray(0, maxHeaderBytes)).toString("utf8");
  return /^[ \t]{0,8}package[ \t]{1,8}([\w.]{1,200})[ \t]{0,8};?[ \t]{0,8}(?:\/\/.*)?\r?$/m.exec(header)?.[1];
}
