/** Declares the tools for VS Code's agent mode, and the MCP server. */
import type { ToolDefinition } from "#contract/agentTools";
import { mcpProviderId, toolPrefix } from "./toolNames";

const icons: Readonly<Record<string, string>> = {
  grep: "$(search)",
  find: "$(go-to-file)",
  read: "$(file-code)",
  outline: "$(symbol-class)",
  uses: "$(references)",
  history: "$(history)",
  diff: "$(diff)",
  repos: "$(repo)",
};

export function languageModelTools(
  tools: readonly ToolDefinition[],
  translate: (key: string, english: string) => string,
) {
  return tools.map(({ name, title, description, inputSchema }) => ({
    name: `${toolPrefix}${name}`,
    toolReferenceName: `trawl${name[0]?.toUpperCase()}${name.slice(1)}`,
    displayName: translate(`tool.${name}`, title),
    userDescription: translate(`tool.${name}.user`, description),
    modelDescription: description,
    canBeReferencedInPrompt: true,
    icon: icons[name] ?? "$(search)",
    // VS Code 1.100 does not list tools whose condition has several parts.
    when: "config.trawl.api.agentTools",
    inputSchema,
  }));
}

export const mcpServerDefinitionProviders = [
  {
    id: mcpProviderId,
    label: "Trawl",
    when: "!config.trawl.api.agentTools && config.trawl.api.agentMcpServer",
  },
];
