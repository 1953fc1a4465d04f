/** Folders of a repository at a revision, as a person opens them one by one. */
import type { TreeNode } from "#contract/history";
import type { Handler } from "#contract/service";
import { type BytePath, bytePathOfText, joined, textOf } from "#git/bytePath";
import { neverRead } from "#git/folderFiles";
import type { ObjectReader } from "#git/objectReader";
import { answerTooLarge, maxGitAnswerBytes } from "#git/question";
import { lookUpHead } from "#git/refs";
import { unresolved } from "#git/resolve";
import { folderMode, readTree, submoduleMode } from "#git/treePath";
import { WorkingFiles } from "#git/workingFile";
import { readFolder } from "#git/workingTree";
import type { Repository } from "#model/repository";
import { Pace } from "#platform/pace";
import { sortByTurns } from "#platform/sortByTurns";
import { checkPath, type History } from "./history";

/** Folders that are open, by the names of what is in them. */
interface Open {
  readonly inside: Map<string, Open>;
}

/** What is in a folder, in no order yet; `folder` names a folder among it. */
interface Entry {
  readonly name: string;
  readonly type: TreeNode["type"];
  /** Its tree's hash, or its path on disk. */
  readonly folder?: string;
}

type ReadEntries = (folder: string) => Promise<readonly Entry[]>;

/** Git itself follows no more. */
const maxDepth = 2000;

export function treeHandlers(history: History): { tree: Handler<"tree"> } {
  return {
    async tree({ repoName, revisionName, paths }, context) {
      const repository = history.repository(repoName);
      const open = openFolders(paths.map((path) => checkPath(path, "INVALID_REQUEST_BODY")));
      const isDefault = revisionName === "HEAD";
      if (repository.kind === "folder" && isDefault) {
        return { tree: await root(open, "", entriesOnDisk(repository)) };
      }
      const opened = history.open(repository, context);
      const revision = await history.find(opened, isDefault ? undefined : revisionName);
      if (revision !== undefined) {
        const tree = (await revision.objects.treeOf(revision.commit)) ?? "";
        return { tree: await root(open, tree, committedEntries(revision.objects)) };
      }
      // Nobody has committed anything yet.
      const isEmpty = isDefault && lookUpHead(opened.question.place).kind === "branch";
      if (!isEmpty) throw unresolved(revisionName);
      return { tree: await root(open, "", async () => []) };
    },
  };
}

function openFolders(paths: readonly string[]): Open {
  const root: Open = { inside: new Map() };
  for (const path of paths) {
    let at = root;
    for (const name of path.split("/", maxDepth)) {
      if (name === "") continue;
      const next = at.inside.get(name) ?? { inside: new Map() };
      at.inside.set(name, next);
      at = next;
    }
  }
  return root;
}

async function root(open: Open, folder: string, read: ReadEntries): Promise<TreeNode> {
  const answer = { read, pace: new Pace(), bytesLeft: maxGitAnswerBytes };
  return { type: "tree", path: "", name: "root", children: await children(open, "", folder, answer) };
}

interface GrowingAnswer {
  readonly read: ReadEntries;
  readonly pace: Pace;
  /** One tree may stand in a thousand places of another, so that a small repository has a tree without end. */
  bytesLeft: number;
}

/** Of a node, besides path and name. */
const nodeBytes = 50;

/** Throws ANSWER_TOO_LARGE. */
async function children(
  open: Open,
  path: string,
  folder: string,
  answer: GrowingAnswer,
): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (const entry of await inOrder(await answer.read(folder))) {
    if (answer.pace.isOver) await answer.pace.rest();
    const { name, type } = entry;
    const inside = path === "" ? name : `${path}/${name}`;
    answer.bytesLeft -= nodeBytes + inside.length + name.length;
    if (answer.bytesLeft < 0) throw answerTooLarge();
    const opened = entry.folder === undefined ? undefined : open.inside.get(name);
    const below =
      opened === undefined || entry.folder === undefined
        ? []
        : await children(opened, inside, entry.folder, answer);
    nodes.push({ type, path: inside, name, children: below });
  }
  return nodes;
}

const byName = new Intl.Collator("en", { sensitivity: "base" });

/** Folders first, then by name whatever the case and the accents; what reads the same keeps git's order. */
function inOrder(entries: readonly Entry[]): Promise<readonly Entry[]> {
  const isFolder = ({ type }: Entry) => Number(type === "tree");
  return sortByTurns(
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

/** Of a plain folder; symbolic links are not followed. */
function entriesOnDisk({ path: root }: Repository): ReadEntries {
  const files = new WorkingFiles(root);
  return async (folder) => {
    const path = bytePathOfText(folder);
    if (!files.isFolder(path)) return [];
    const entries = readFolder(root, path).sort((one, other) => (one.name < other.name ? -1 : 1));
    return entries.flatMap(({ name, isFolder, isFile, isLink }): Entry[] => {
      const text = textOf(name as BytePath);
      if (isFolder)
        return neverRead.has(name) ? [] : [{ name: text, type: "tree", folder: joined(folder, text) }];
      return isFile || isLink ? [{ name: text, type: "blob" }] : [];
    });
  };
}
