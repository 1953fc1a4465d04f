/**
 * Adds Trawl to the configuration files of MCP clients.
 *
 * A JSON file that cannot be parsed, or a file that has another entry of the same name, is left to its user: the caller
 * prints what to add. TOML is not parsed: a table is appended, unless the file may contain it in another form.
 */
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type ParseError,
  parseTree,
} from "jsonc-parser";

export interface McpClient {
  readonly name: string;
  readonly title: string;
  /** Path of its configuration file, below the user's folder for configuration (`config`) or home folder (`home`). */
  readonly file: { readonly in: "home" | "config"; readonly path: readonly string[] };
  /** Path of the file below the folder that an environment variable names, if it is set. */
  readonly movedFile?: { readonly variable: string; readonly path: readonly string[] };
  readonly format: "json" | "toml";
  /** Path of the entry in the file. */
  readonly entry: readonly string[];
  readonly settingsFor: (command: readonly string[]) => object;
}

const entryName = "trawl";

const commandAndArgs = ([command = "", ...args]: readonly string[]) => ({ command, args });

export const mcpClients: readonly McpClient[] = [
  {
    name: "claude",
    title: "Claude Code",
    file: { in: "home", path: [".claude.json"] },
    movedFile: { variable: "CLAUDE_CONFIG_DIR", path: [".claude.json"] },
    format: "json",
    entry: ["mcpServers", entryName],
    settingsFor: (command) => ({ type: "stdio", ...commandAndArgs(command) }),
  },
  {
    name: "codex",
    title: "Codex",
    file: { in: "home", path: [".codex", "config.toml"] },
    movedFile: { variable: "CODEX_HOME", path: ["config.toml"] },
    format: "toml",
    entry: ["mcp_servers", entryName],
    settingsFor: commandAndArgs,
  },
  {
    name: "cursor",
    title: "Cursor",
    file: { in: "home", path: [".cursor", "mcp.json"] },
    format: "json",
    entry: ["mcpServers", entryName],
    settingsFor: commandAndArgs,
  },
  {
    // For those without the Trawl extension, whose tools are the same.
    name: "vscode",
    title: "VS Code",
    file: { in: "config", path: ["Code", "User", "mcp.json"] },
    format: "json",
    entry: ["servers", entryName],
    settingsFor: (command) => ({ type: "stdio", ...commandAndArgs(command) }),
  },
  {
    name: "opencode",
    title: "OpenCode",
    // On every platform.
    file: { in: "home", path: [".config", "opencode", "opencode.json"] },
    movedFile: { variable: "XDG_CONFIG_HOME", path: ["opencode", "opencode.json"] },
    format: "json",
    entry: ["mcp", entryName],
    settingsFor: (command) => ({ type: "local", command, enabled: true }),
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    file: { in: "home", path: [".gemini", "settings.json"] },
    format: "json",
    entry: ["mcpServers", entryName],
    settingsFor: commandAndArgs,
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
  command: readonly string[],
): ConfigurationChange {
  return client.format === "json"
    ? withJsonEntry(client, text, command)
    : withTable(client, text ?? "", command);
}

function withJsonEntry(
  { entry, settingsFor }: McpClient,
  text: string | undefined,
  command: readonly string[],
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
    return isSame ? { kind: "unchanged" } : { kind: "refused", reason: otherEntry };
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

const otherEntry = `it already has another entry "${entryName}"`;

/** Appends a table, which is valid after any TOML, unless the same table exists in some form. */
function withTable(client: McpClient, before: string, command: readonly string[]): ConfigurationChange {
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
export function entrySnippet({ format, entry, settingsFor }: McpClient, command: readonly string[]): string {
  const value = settingsFor(command);
  if (format === "json") {
    const [group = "", name = ""] = entry;
    return `${JSON.stringify({ [group]: { [name]: value } }, undefined, 2)}\n`;
  }
  // Strings and arrays of strings are the same in TOML as in JSON.
  const fields = Object.entries(value).map(([field, each]) => `${field} = ${JSON.stringify(each)}\n`);
  return `[${entry.join(".")}]\n${fields.join("")}`;
}
