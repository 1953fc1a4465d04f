/**
 * Adds Trawl to the configuration files of MCP clients.
 *
 * A JSON file that cannot be parsed, or a file that has another entry of the same name, is left to its user: the caller
 * prints what to add. An entry for the same Trawl in another folder is replaced, except in TOML. TOML is not parsed: a table is appended, unless the file may contain it in another form.
 */
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import { agentTitles } from "#contract/agentTools";

export interface McpClient {
  readonly name: keyof typeof agentTitles;
  readonly title: string;
  /** Path of its configuration file, below the user's folder for configuration (`config`) or home folder (`home`). */
  readonly file: { readonly in: "home" | "config"; readonly path: readonly string[] };
  /** Path of the file below the folder that an environment variable names, if it is set. */
  readonly movedFile?: { readonly variable: string; readonly path: readonly string[] };
  readonly format: "json" | "toml";
  /** Path of the entry in the file. */
  readonly entry: readonly string[];
  readonly settingsFor: (command: ServerCommand) => object;
}

/** The command that starts the server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const entryName = "trawl";

export const mcpClients: readonly McpClient[] = [
  {
    name: "claude",
    title: agentTitles.claude,
    file: { in: "home", path: [".claude.json"] },
    movedFile: { variable: "CLAUDE_CONFIG_DIR", path: [".claude.json"] },
    format: "json",
    entry: ["mcpServers", entryName],
    settingsFor: (command) => ({ type: "stdio", ...command }),
  },
  {
    name: "codex",
    title: agentTitles.codex,
    file: { in: "home", path: [".codex", "config.toml"] },
    movedFile: { variable: "CODEX_HOME", path: ["config.toml"] },
    format: "toml",
    entry: ["mcp_servers", entryName],
    settingsFor: (command) => command,
  },
  {
    name: "cursor",
    title: agentTitles.cursor,
    file: { in: "home", path: [".cursor", "mcp.json"] },
    format: "json",
    entry: ["mcpServers", entryName],
    settingsFor: (command) => command,
  },
  {
    // For those without the Trawl extension, whose tools are the same.
    name: "vscode",
    title: agentTitles.vscode,
    file: { in: "config", path: ["Code", "User", "mcp.json"] },
    format: "json",
    entry: ["servers", entryName],
    settingsFor: (command) => ({ type: "stdio", ...command }),
  },
  {
    name: "opencode",
    title: agentTitles.opencode,
    // On every platform.
    file: { in: "home", path: [".config", "opencode", "opencode.json"] },
    movedFile: { variable: "XDG_CONFIG_HOME", path: ["opencode", "opencode.json"] },
    format: "json",
    entry: ["mcp", entryName],
    settingsFor: ({ command, args, env }) => ({
      type: "local",
      command: [command, ...args],
      ...(env === undefined ? {} : { environment: env }),
      enabled: true,
    }),
  },
  {
    name: "gemini",
    title: agentTitles.gemini,
    file: { in: "home", path: [".gemini", "settings.json"] },
    format: "json",
    entry: ["mcpServers", entryName],
    settingsFor: (command) => command,
  },
];

export type ConfigurationChange =
  | { readonly kind: "unchanged" }
  | { readonly kind: "changed"; readonly text: string }
  /** The user has to change the file. `reason` is a clause: "it is not valid JSON". */
  | { readonly kind: "refused"; readonly reason: string };

/** Returns the file with the entry. `text` is its present content; `undefined` if it does not exist. */
export function withTrawl(
  client: McpClient,
  text: string | undefined,
  command: ServerCommand,
): ConfigurationChange {
  return client.format === "json"
    ? withJsonEntry(client, text, command)
    : withTable(client, text ?? "", command);
}

function withJsonEntry(
  { entry, settingsFor }: McpClient,
  text: string | undefined,
  command: ServerCommand,
): ConfigurationChange {
  const before = text === undefined || text.trim() === "" ? "{}" : text;
  const errors: ParseError[] = [];
  const root = parseTree(before, errors, { allowTrailingComma: true });
  if (root?.type !== "object" || errors.length > 0)
    return { kind: "refused", reason: "it is not valid JSON" };
  const parent = findNodeAtLocation(root, [entry[0] ?? ""]);
  if (parent !== undefined && parent.type !== "object") {
    return { kind: "refused", reason: `its "${entry[0]}" is not an object` };
  }
  const present = findNodeAtLocation(root, [...entry]);
  const value = settingsFor(command);
  if (present !== undefined) {
    const isSame = JSON.stringify(getNodeValue(present)) === JSON.stringify(value);
    if (isSame) return { kind: "unchanged" };
    if (!isMoved(getNodeValue(present), settingsFor, command)) return { kind: "refused", reason: otherEntry };
  }
  const indentation = /\n(\t| +)\S/.exec(before)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: indentation !== "\t",
    tabSize: indentation === "\t" ? 1 : indentation.length,
    eol: before.includes("\r\n") ? "\r\n" : "\n",
  };
  const after = applyEdits(before, modify(before, [...entry], value, { formattingOptions }));
  return { kind: "changed", text: after.endsWith("\n") ? after : `${after}\n` };
}

/** Whether an entry differs only in where Node and Trawl are, as after an update of the extension. */
function isMoved(entry: unknown, settingsFor: McpClient["settingsFor"], command: ServerCommand): boolean {
  const { command: node, args = [] } = (entry ?? {}) as {
    readonly command?: unknown;
    readonly args?: unknown;
  };
  const [oldNode, oldProgram] = [node, args].flat();
  if (typeof oldNode !== "string" || typeof oldProgram !== "string") return false;
  const old = { ...command, command: oldNode, args: [oldProgram, ...command.args.slice(1)] };
  return /[\\/]trawl\.js$/.test(oldProgram) && JSON.stringify(settingsFor(old)) === JSON.stringify(entry);
}

const otherEntry = `it already has another entry "${entryName}"`;

/** Appends a table, which is valid after any TOML, unless the same table exists in some form. */
function withTable(client: McpClient, before: string, command: ServerCommand): ConfigurationChange {
  const table = entrySnippet(client, command);
  if (before.replaceAll("\r\n", "\n").includes(table)) return { kind: "unchanged" };
  const [group = "", name = ""] = client.entry;
  if (new RegExp(`^\\s*\\[\\s*["']?${group}["']?\\s*\\.\\s*["']?${name}["']?\\s*[\\].]`, "m").test(before)) {
    return { kind: "refused", reason: otherEntry };
  }
  // In a table that is written as a value, no other table can be added.
  if (new RegExp(`^\\s*["']?${group}["']?\\s*[.=]`, "m").test(before)) {
    return { kind: "refused", reason: `it writes "${group}" in a form that Trawl does not change` };
  }
  const separator = before === "" ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const added = `${separator}${table}`;
  return {
    kind: "changed",
    text: `${before}${before.includes("\r\n") ? added.replaceAll("\n", "\r\n") : added}`,
  };
}

/** Returns what to add to the file. */
export function entrySnippet({ format, entry, settingsFor }: McpClient, command: ServerCommand): string {
  const value = settingsFor(command);
  if (format === "json") {
    const [group = "", name = ""] = entry;
    return `${JSON.stringify({ [group]: { [name]: value } }, undefined, 2)}\n`;
  }
  // Strings and arrays of strings are the same in TOML as in JSON.
  const fields = Object.entries(value).map(([field, each]) => `${field} = ${tomlValue(each)}\n`);
  return `[${entry.join(".")}]\n${fields.join("")}`;
}

function tomlValue(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([field, each]) => `${field} = ${tomlValue(each)}`)
    .join(", ")} }`;
}
