/** The file tree of a repository at a revision, for clients that open one folder at a time. */
import type { TreeNode } from "#contract/history";
import type { Handler } from "#contract/service";
import { type BytePath, bytePathFromText, joinPath, textOf } from "#git/bytePath";
import { maxGitOutputBytes, responseTooLarge } from "#git/gitRequest";
import { folderMode, submoduleMode } from "#git/objects/fileMode";
import type { ObjectReader } from "#git/objects/objectReader";
import { readTree } from "#git/objects/treePath";
import { readHeadFile } from "#git/refs/refs";
import { unresolvedRef } from "#git/refs/resolveRef";
import { skippedFolders } from "#git/workTree/folderFiles";
import { WorkingFiles } from "#git/workTree/workingFile";
import { readFolder } from "#git/workTree/workingTree";
import { isPlainFolder, type Repository } from "#model/repository";
import { sortCooperatively } from "#platform/sortCooperatively";
import { TimeSlice } from "#platform/timeSlice";
import { checkPath, type History } from "./history";

/** A tree of open folders: the open subfolders of a folder, by name. */
interface OpenFolders {
  readonly subfolders: Map<string, OpenFolders>;
}

/** An entry of a folder, unsorted. */
interface Entry {
  readonly name: string;
  readonly type: TreeNode["type"];
  /** For a folder: the hash of its tree or, in a plain folder, its path from the root. Absent for all other entries. */
  readonly folder?: string;
}

type ReadEntries = (folder: string) => Promise<readonly Entry[]>;

/** About the depth that git itself supports by default. */
const maxDepth = 2000;

export function treeHandlers(history: History): { tree: Handler<"tree"> } {
  return {
    async tree({ repoName, revisionName, paths }, context) {
      const repository = history.repository(repoName);
      const open = parseOpenFolders(paths.map((path) => checkPath(path, "INVALID_REQUEST_BODY")));
      const isDefault = revisionName === "HEAD";
      if (isPlainFolder(repository.kind) && isDefault) {
        return { tree: await buildRoot(open, "", entriesOnDisk(repository)) };
      }
      const opened = history.open(repository, context);
      const revision = await history.find(opened, isDefault ? undefined : revisionName);
      if (revision !== undefined) {
        const tree = (await revision.objects.treeOf(revision.commit)) ?? "";
        return { tree: await buildRoot(open, tree, committedEntries(revision.objects)) };
      }
      // The repository may have no commits yet.
      const isEmpty = isDefault && readHeadFile(opened.gitRequest.gitRepository).kind === "branch";
      if (!isEmpty) throw unresolvedRef(revisionName);
      return { tree: await buildRoot(open, "", async () => []) };
    },
  };
}

function parseOpenFolders(paths: readonly string[]): OpenFolders {
  const root: OpenFolders = { subfolders: new Map() };
  for (const path of paths) {
    let folder = root;
    for (const name of path.split("/", maxDepth)) {
      if (name === "") continue;
      const next = folder.subfolders.get(name) ?? { subfolders: new Map() };
      folder.subfolders.set(name, next);
      folder = next;
    }
  }
  return root;
}

async function buildRoot(open: OpenFolders, folder: string, read: ReadEntries): Promise<TreeNode> {
  const builder = { read, timeSlice: new TimeSlice(), bytesLeft: maxGitOutputBytes };
  return { type: "tree", path: "", name: "root", children: await buildChildren(open, "", folder, builder) };
}

interface TreeBuilder {
  readonly read: ReadEntries;
  readonly timeSlice: TimeSlice;
  /** How much larger the response may get. A small repository can contain the same tree a thousand times. */
  bytesLeft: number;
}

/** Size of a node without its path and name. */
const nodeBytes = 50;

/** Returns the nodes of a folder and of the open folders below it. Throws ANSWER_TOO_LARGE. */
async function buildChildren(
  open: OpenFolders,
  path: string,
  folder: string,
  builder: TreeBuilder,
): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (const entry of await sortEntries(await builder.read(folder))) {
    if (builder.timeSlice.isExpired) await builder.timeSlice.yieldToEventLoop();
    const { name, type } = entry;
    const childPath = path === "" ? name : `${path}/${name}`;
    builder.bytesLeft -= nodeBytes + childPath.length + name.length;
    if (builder.bytesLeft < 0) throw responseTooLarge();
    const opened = entry.folder === undefined ? undefined : open.subfolders.get(name);
    const grandchildren =
      opened === undefined || entry.folder === undefined
        ? []
        : await buildChildren(opened, childPath, entry.folder, builder);
    nodes.push({ type, path: childPath, name, children: grandchildren });
  }
  return nodes;
}

const byName = new Intl.Collator("en", { sensitivity: "base" });

/** Sorts folders first, then by name, ignoring case and accents. Equal names keep git's order. */
function sortEntries(entries: readonly Entry[]): Promise<readonly Entry[]> {
  const isFolder = ({ type }: Entry) => Number(type === "tree");
  return sortCooperatively(
    entries,
    (one, other) => isFolder(other) - isFolder(one) || byName.compare(one.name, other.name),
  );
}

function committedEntries(objects: ObjectReader): ReadEntries {
  return async (tree) => {
    const entries = await readTree(objects, tree, "" as BytePath);
    return entries.map(({ path, mode, hash }): Entry => {
      const name = textOf(path);
      if (mode === folderMode) return { name, type: "tree", folder: hash };
      return { name, type: mode === submoduleMode ? "commit" : "blob" };
    });
  };
}

/** Reads entries of a plain folder. Symbolic links are not followed. */
function entriesOnDisk({ path: root }: Repository): ReadEntries {
  const files = new WorkingFiles(root);
  return async (folder) => {
    const path = bytePathFromText(folder);
    if (!files.isFolder(path)) return [];
    const entries = readFolder(root, path).sort((one, other) => (one.name < other.name ? -1 : 1));
    return entries.flatMap(({ name, isFolder, isFile, isLink }): Entry[] => {
      const text = textOf(name as BytePath);
      if (isFolder)
        return skippedFolders.has(name) ? [] : [{ name: text, type: "tree", folder: joinPath(folder, text) }];
      return isFile || isLink ? [{ name: text, type: "blob" }] : [];
    });
  };
}
