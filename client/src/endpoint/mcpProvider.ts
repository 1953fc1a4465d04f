/** Offers `trawl mcp` to VS Code as an MCP server, instead of the tools, if the user prefers that. */
import * as vscode from "vscode";
import { toolsRoute } from "./agentTools";
import { mcpProviderId } from "./toolNames";

/** The part of the API of VS Code 1.101 that is used here. The extension supports older versions. */
interface McpApi {
  readonly McpStdioServerDefinition: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version: string,
  ) => object;
  readonly lm: {
    readonly registerMcpServerDefinitionProvider: (
      id: string,
      provider: { readonly provideMcpServerDefinitions: () => readonly object[] },
    ) => vscode.Disposable;
  };
}

export interface McpProviderOptions {
  readonly version: string;
  /** Returns the path of the server, and the arguments that select its data directory. */
  readonly program: () => readonly [path: string, ...args: string[]];
  readonly onSettings: vscode.Event<void>;
}

/** Registers the server while the setting says so, so that no window has the same tools twice. */
export class McpProvider implements vscode.Disposable {
  readonly #options: McpProviderOptions;
  readonly #subscription: vscode.Disposable;
  #provider: vscode.Disposable | undefined;

  constructor(options: McpProviderOptions) {
    this.#options = options;
    this.#subscription = options.onSettings(() => this.#update());
    this.#update();
  }

  #update(): void {
    const isWanted = toolsRoute() === "mcp";
    if (isWanted === (this.#provider !== undefined)) return;
    this.#provider?.dispose();
    this.#provider = isWanted ? this.#register() : undefined;
  }

  /** Returns undefined in versions of VS Code without such providers. */
  #register(): vscode.Disposable | undefined {
    if (!hasMcpApi(vscode.version)) return undefined;
    const { McpStdioServerDefinition, lm } = vscode as unknown as McpApi;
    return lm.registerMcpServerDefinitionProvider(mcpProviderId, {
      provideMcpServerDefinitions: () => {
        const [path, ...args] = this.#options.program();
        const env = { ELECTRON_RUN_AS_NODE: "1" };
        const { version } = this.#options;
        return [
          new McpStdioServerDefinition("Trawl", process.execPath, [path, "mcp", ...args], env, version),
        ];
      },
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#provider?.dispose();
  }
}

/** VS Code 1.100 has the functions too, but throws if an extension calls them. */
function hasMcpApi(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 1 || minor > 100;
}
