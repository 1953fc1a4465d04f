/** Adds nodes to `engine.zoekt` in a configuration file. */
import { chmodSync, chownSync, readFileSync, realpathSync, statSync } from "node:fs";
import { applyEdits, modify } from "jsonc-parser";
import { ServiceError, usageError } from "#base/error";
import { fetchList } from "#engine/zoekt/nodeRepositories";
import { NodeFailure, ZoektNode } from "#engine/zoekt/zoektNode";
import { systemClock } from "#platform/clock";
import { diskFiles, replaceFile } from "#platform/files";
import { type Configuration, readConfigurationFile } from "./configuration";

export interface NewNode {
  readonly name: string;
  readonly url: string;
  /** On the computer of the node, where its indexer writes to it. */
  readonly indexFolder: string;
  readonly weight?: number;
}

/**
 * Adds a node with an indexer to the configuration file, and keeps the comments. Returns the path of the file.
 *
 * Throws USAGE if there is no file, or if it would not be valid with the node, ENGINE_UNAVAILABLE if the node does not
 * respond, and an error of the system if the file cannot be written. Nothing is then changed.
 */
export async function addNode({ source, zoekt }: Configuration, node: NewNode): Promise<string> {
  if (source === undefined)
    throw usageError("Name the configuration file with --config, to add the node there.");
  if (zoekt === undefined) throw usageError(`${source.file} names no Zoekt nodes ("engine.zoekt").`);
  // The folder is on the computer of the node, which may have another system than this one.
  if (!/^(\/|[A-Za-z]:[\\/])/.test(node.indexFolder))
    throw usageError(`--index-folder must be an absolute path, not "${node.indexFolder}".`);
  const file = realpathSync(source.file);
  const { uid, gid, mode } = statSync(file);
  const user = process.getuid?.();
  if (user !== undefined && user !== 0 && user !== uid)
    throw usageError(`${file} belongs to another user. Run this command as that user or as root.`);
  const text = readFileSync(file, "utf8");
  const edits = modify(
    text,
    ["engine", "zoekt", "nodes", -1],
    { ...node, hasIndexer: true },
    { isArrayInsertion: true, formattingOptions: { insertSpaces: true, tabSize: 2 } },
  );
  const changed = applyEdits(text, edits);
  const { engine } = readConfigurationFile(file, "configuration", changed);
  const added = engine?.zoekt.nodes.at(-1);
  await checkResponds(node.name, added?.url ?? node.url);
  replaceFile(diskFiles, file, new TextEncoder().encode(changed));
  if (user === 0) chownSync(file, uid, gid);
  chmodSync(file, mode & 0o777);
  return file;
}

async function checkResponds(name: string, url: string): Promise<void> {
  const node = new ZoektNode({ name, url, clock: systemClock });
  try {
    await fetchList(node, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    throw new ServiceError(
      "ENGINE_UNAVAILABLE",
      `Node ${name} ${error.message}. Start "zoekt-webserver -rpc" at ${url} first.`,
      { cause: error },
    );
  } finally {
    await node.close();
  }
}
