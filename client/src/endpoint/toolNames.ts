/** Names of the tools for VS Code's agent mode. Pure: does not use VS Code. */

/** VS Code shares the names of tools between extensions. */
export const toolPrefix = "trawl_";

/** Identifies the MCP server of the extension. */
export const mcpProviderId = "trawl.mcp";

/** Returns the names of the tools that the manifest of the extension declares. */
export function toolNames({ packageJSON }: { readonly packageJSON: unknown }): readonly string[] {
  const { contributes } = packageJSON as {
    readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
  };
  return contributes.languageModelTools.map(({ name }) => name);
}
