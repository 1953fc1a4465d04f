/** `trawl mcp --install CLIENT`: adds Trawl to the configuration of an MCP client. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  entrySnippet,
  type McpClient,
  mcpClients,
  type ServerCommand,
  withTrawl,
} from "#agents/clientConfiguration";
import { usageError } from "#base/error";
import { absolutePath } from "#instance/settingValues";
import { folderFromEnvironment, homeFolder, userConfigFolder } from "#platform/environment";
import { diskFiles, realPath, replaceFile } from "#platform/files";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";

/** Returns 1 if the user has to change the file. */
export async function installMcp(context: CommandContext, flags: Flags): Promise<number> {
  const { terminal } = context;
  const name = flags.choice(
    "install",
    mcpClients.map((client) => client.name),
  );
  const client = mcpClients.find((each) => each.name === name);
  if (client === undefined) throw usageError("--print requires --install.");
  if (flags.positionals[0] !== undefined) {
    throw usageError(`Run "trawl index ${flags.positionals[0]}" instead: --install takes no PATH.`);
  }
  const command = serverCommand(context, flags);
  const file = configurationFile(client);
  const snippet = entrySnippet(client, command);
  if (flags.has("print")) {
    await terminal.print(`Add to ${file}:\n\n${snippet}`);
    return 0;
  }
  const change = withTrawl(client, readIfExists(file), command);
  switch (change.kind) {
    case "unchanged":
      await terminal.print(`${file} already contains Trawl.\n`);
      return 0;
    case "refused":
      terminal.printError(`trawl: Cannot change ${file}, because ${change.reason}. Add to it:\n\n${snippet}`);
      return 1;
    case "changed":
      writeConfiguration(file, change.text);
      await terminal.print(`Added Trawl to ${file}. Restart ${client.title} to use it.\n`);
      return 0;
  }
}

/** The command that the client runs: absolute, because clients start with other folders and paths. */
function serverCommand({ programPath, currentFolder }: CommandContext, flags: Flags): ServerCommand {
  const paths = ["data-dir", "config"].flatMap((name) => {
    const path = flags.text(name);
    return path === undefined ? [] : [`--${name}`, absolutePath(path, currentFolder)];
  });
  const structured = flags.has("structured") ? ["--structured"] : [];
  const server = { command: process.execPath, args: [programPath, "mcp", ...structured, ...paths] };
  // The extension runs on the Node of VS Code's desktop application, which starts as Node only with this variable.
  return process.versions["electron"] === undefined
    ? server
    : { ...server, env: { ELECTRON_RUN_AS_NODE: "1" } };
}

/** Follows symbolic links: users keep such files in repositories of their own. */
function configurationFile({ file, movedFile }: McpClient): string {
  const moved = movedFile === undefined ? undefined : folderFromEnvironment(movedFile.variable);
  const folder = file.in === "home" ? homeFolder() : userConfigFolder();
  const path =
    movedFile === undefined || moved === undefined
      ? join(folder, ...file.path)
      : join(moved, ...movedFile.path);
  const withComments = path.replace(/\.json$/, ".jsonc");
  const used = !existsSync(path) && existsSync(withComments) ? withComments : path;
  return realPath(used) ?? used;
}

function readIfExists(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(`Cannot read ${file}: ${messageOf(error)}.`);
  }
}

function writeConfiguration(file: string, text: string): void {
  const mode = existsSync(file) ? statSync(file).mode & 0o777 : undefined;
  try {
    diskFiles.mkdir(dirname(file));
    replaceFile(diskFiles, file, Buffer.from(text), mode);
  } catch (error) {
    throw usageError(`Cannot write ${file}: ${messageOf(error)}.`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
