/** Tools for agents: their definitions, and the LSP request that runs one. Over MCP, they are called as MCP defines it. */

export const toolMethod = "trawl/tool";

export interface ToolRequest {
  readonly name: string;
  /** Checked by the tool. */
  readonly arguments: unknown;
}

export interface ToolResponse {
  /** The result, or what is wrong with the arguments and how to correct them. */
  readonly text: string;
  readonly isError: boolean;
  /** The same as data, if that was requested and the text is not an error. */
  readonly structured?: object;
}

/** A tool as clients list it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
  /** The schema of structured content, for clients that request it. */
  readonly outputSchema?: ToolDefinition["inputSchema"];
}

/** The agents that `trawl mcp --install` sets up, by name. */
export const agentTitles = {
  claude: "Claude Code",
  codex: "Codex",
  cursor: "Cursor",
  vscode: "VS Code",
  opencode: "OpenCode",
  gemini: "Gemini CLI",
} as const;
