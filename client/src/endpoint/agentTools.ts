/** The tools for VS Code's agent mode. The server runs them and prints their results, as for any other agent. */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setting } from "#client/workbench/settings";
import { toolPrefix } from "./toolNames";

/** Returns how agent mode gets the tools. */
export function toolsRoute(): "languageModel" | "mcp" | "off" {
  if (setting("api.agentTools")) return "languageModel";
  return setting("api.agentMcpServer") && hasMcpApi(vscode.version) ? "mcp" : "off";
}

/** VS Code 1.100 has the functions too, but throws if an extension calls them. */
function hasMcpApi(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 1 || minor > 100;
}

/** Registers the tools that the manifest declares, while the setting says so. */
export class AgentTools implements vscode.Disposable {
  #tools: vscode.Disposable | undefined;
  readonly #service: Pick<ServiceClient, "runTool">;
  readonly #names: readonly string[];
  readonly #subscription: vscode.Disposable;

  /** `names` are the names in the manifest. */
  constructor(
    service: Pick<ServiceClient, "runTool">,
    names: readonly string[],
    onSettings: vscode.Event<void>,
  ) {
    this.#service = service;
    this.#names = names;
    this.#subscription = onSettings(() => this.#update());
    this.#update();
  }

  #update(): void {
    const isEnabled = toolsRoute() === "languageModel";
    if (isEnabled === (this.#tools !== undefined)) return;
    this.#tools?.dispose();
    this.#tools = isEnabled
      ? vscode.Disposable.from(...this.#names.map((name) => register(this.#service, name)))
      : undefined;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#tools?.dispose();
  }
}

function register(service: Pick<ServiceClient, "runTool">, name: string): vscode.Disposable {
  return vscode.lm.registerTool<object>(name, {
    async invoke({ input }, token) {
      const request = { name: name.slice(toolPrefix.length), arguments: input };
      const { text } = await service.runTool(request, token).catch((error: unknown) => {
        if (error instanceof vscode.CancellationError) throw error;
        return { text: `Error: ${callError(error).message}` };
      });
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  });
}
