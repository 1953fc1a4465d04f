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
      provider: {
        readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
        readonly provideMcpServerDefinitions: () => readonly object[];
      },
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
  readonly #programChanged = new vscode.EventEmitter<void>();
  /** The program and its arguments that VS Code knows. */
  #program = "";
  #provider: vscode.Disposable | undefined;

  constructor(options: McpProviderOptions) {
    this.#options = options;
    this.#subscription = options.onSettings(() => this.#update());
    this.#update();
  }

  #update(): void {
    const isWanted = toolsRoute() === "mcp";
    const program = JSON.stringify(this.#options.program());
    if (program !== this.#program) {
      this.#program = program;
      this.#programChanged.fire();
    }
    if (isWanted === (this.#provider !== undefined)) return;
    this.#provider?.dispose();
    this.#provider = isWanted ? this.#register() : undefined;
  }

  #register(): vscode.Disposable {
    const { McpStdioServerDefinition, lm } = vscode as unknown as McpApi;
    return lm.registerMcpServerDefinitionProvider(mcpProviderId, {
      onDidChangeMcpServerDefinitions: this.#programChanged.event,
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
    this.#programChanged.dispose();
  }
}
