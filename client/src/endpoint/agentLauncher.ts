/**
 * The file that agents start. The path of the extension's own program contains its version, and VS Code deletes the
 * folder some time after an update.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Writes the file to a folder that outlives updates, atomically: an agent may be starting it. Returns its path. */
export function writeAgentLauncher(folder: string, extensionPath: string): string {
  // `trawl mcp --install` recognizes entries of Trawl by this name.
  const path = join(folder, "trawl.js");
  const text = launcherText(extensionPath);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return path;
  mkdirSync(folder, { recursive: true });
  // Other windows may write it at the same time.
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
  return path;
}

/**
 * The program chooses the version that was installed last whenever it starts, because an update does not activate the
 * extension.
 */
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

const [latest] = [own, ...installed().map((name) => join(parent, name))]
  .map((folder) => join(folder, "dist", "server", "trawl.js"))
  .map((path) => ({ path, at: modifiedAt(path) }))
  .filter(({ at }) => at > 0)
  .sort((left, right) => right.at - left.at);
if (latest === undefined) {
  process.stderr.write(\`trawl: There is no Trawl extension in \${parent}. Install it, or remove Trawl from this agent's configuration.\\n\`);
  process.exit(1);
}
require(latest.path);
`;
}
