/**
 * The file that agents start. The path of the extension's own program contains its version, and VS Code deletes the
 * folder some time after an update.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Writes the file to a folder that outlives updates. Returns its path. */
export function writeAgentLauncher(folder: string, extensionPath: string): string {
  // `trawl mcp --install` recognizes entries of Trawl by this name.
  const path = join(folder, "trawl.js");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, launcherText(extensionPath));
  return path;
}

/** The program chooses the newest version whenever it starts, because an update does not activate the extension. */
function launcherText(extensionPath: string): string {
  const prefix = basename(extensionPath).replace(/-\d+\.\d+\.\d.*$/, "-");
  return `// Starts Trawl for agents. Written by the Trawl extension for VS Code.
const { readdirSync, statSync } = require("node:fs");
const { join } = require("node:path");
const own = ${JSON.stringify(extensionPath)};
const parent = ${JSON.stringify(dirname(extensionPath))};
const prefix = ${JSON.stringify(prefix)};

function modifiedAt(path) {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function installed() {
  try {
    return readdirSync(parent).filter((name) => name.startsWith(prefix) && /^\\d/.test(name.slice(prefix.length)));
  } catch {
    return [];
  }
}

const [newest] = [own, ...installed().map((name) => join(parent, name))]
  .map((folder) => join(folder, "dist", "server", "trawl.js"))
  .map((path) => ({ path, at: modifiedAt(path) }))
  .filter(({ at }) => at > 0)
  .sort((left, right) => right.at - left.at);
if (newest === undefined) {
  process.stderr.write(\`trawl: There is no Trawl extension in \${parent}. Install it, or remove Trawl from this agent's configuration.\\n\`);
  process.exit(1);
}
require(newest.path);
`;
}
