/** `connections.jsonc` in the data directory: the connections to code hosts that were added in an editor. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { usageError } from "#base/error";
import { diskFiles, replaceFile } from "#platform/files";
import { type Configuration, readConfigurationFile } from "./configuration";

const emptyFile = `// Code hosts that Trawl mirrors, as in "connections" of a configuration file.
{
  "connections": {}
}
`;

export function connectionsFile(dataDir: string): string {
  return join(dataDir, "connections.jsonc");
}

/** Returns no connections if there is no such file. Throws USAGE if it is not valid, or others can write to it. */
export function readConnectionsFile(dataDir: string): Configuration["connections"] {
  const file = connectionsFile(dataDir);
  return existsSync(file) ? (readConfigurationFile(file, "added").connections ?? {}) : {};
}

/** Whether there are connections, or a file that is not valid, whose error another command reports. */
export function hasAddedConnections(dataDir: string): boolean {
  try {
    return Object.keys(readConnectionsFile(dataDir)).length > 0;
  } catch {
    return true;
  }
}

/**
 * Adds a connection, and keeps the comments and the order of the others.
 *
 * Throws USAGE if the file is not valid, or already contains the name, and STORAGE_FAILED if it cannot be written.
 */
export function addToConnectionsFile(dataDir: string, name: string, settings: object): void {
  const file = connectionsFile(dataDir);
  if (Object.hasOwn(readConnectionsFile(dataDir), name))
    throw usageError(`There is already a connection "${name}" in ${file}.`);
  change(dataDir, name, settings);
}

/** Removes a connection. Returns whether there was one. Throws as `addToConnectionsFile` does. */
export function removeFromConnectionsFile(dataDir: string, name: string): boolean {
  if (!Object.hasOwn(readConnectionsFile(dataDir), name)) return false;
  change(dataDir, name, undefined);
  return true;
}

function change(dataDir: string, name: string, settings: object | undefined): void {
  const file = connectionsFile(dataDir);
  const text = existsSync(file) ? readFileSync(file, "utf8") : emptyFile;
  const edits = modify(text, ["connections", name], settings, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  replaceFile(diskFiles, file, new TextEncoder().encode(applyEdits(text, edits)));
}
