/** Read-only tools for VS Code's agent mode. */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setting } from "#client/workbench/settings";
import { formatSearch, formatSource, formatSymbols } from "./agentResults";

/** Inputs of the tools, as `languageModelTools` in the manifest declares them; VS Code validates them. */
interface Inputs {
  readonly trawl_search_code: {
    readonly query: string;
    readonly isRegex?: boolean;
    readonly matches?: number;
  };
  readonly trawl_read_file: {
    readonly repository: string;
    readonly path: string;
    readonly revision?: string;
    readonly fromLine?: number;
    readonly toLine?: number;
  };
  readonly trawl_find_symbol: {
    readonly name: string;
    readonly role: "definitions" | "references";
    readonly repository?: string;
  };
}

const defaultMatches = 50;

type ToolHandlers = {
  readonly [Name in keyof Inputs]: (input: Inputs[Name], token: vscode.CancellationToken) => Promise<string>;
};

function toolHandlers(service: Pick<ServiceClient, "call">): ToolHandlers {
  return {
    async trawl_search_code({ query, isRegex = false, matches = defaultMatches }, token) {
      const request = { query, matches, contextLines: 1, isRegexEnabled: isRegex };
      return formatSearch(await service.call("search", request, { token }));
    },
    async trawl_read_file({ repository: repo, path, revision, fromLine, toLine }, token) {
      const request = { repo, path, ...(revision === undefined ? {} : { ref: revision }) };
      return formatSource(await service.call("source", request, { token }), fromLine, toLine);
    },
    async trawl_find_symbol({ name, role, repository }, token) {
      const request = { symbolName: name, ...(repository === undefined ? {} : { repoName: repository }) };
      const operation = role === "references" ? "findReferences" : "findDefinitions";
      return formatSymbols(await service.call(operation, request, { token }));
    },
  };
}

/** Registers the tools while the setting is on. */
export class AgentTools implements vscode.Disposable {
  #tools: vscode.Disposable | undefined;
  readonly #service: Pick<ServiceClient, "call">;
  readonly #subscription: vscode.Disposable;

  constructor(service: Pick<ServiceClient, "call">, onSettings: vscode.Event<void>) {
    this.#service = service;
    this.#subscription = onSettings(() => this.#update());
    this.#update();
  }

  #update(): void {
    const isEnabled = setting("api.agentTools");
    if (isEnabled === (this.#tools !== undefined)) return;
    this.#tools?.dispose();
    this.#tools = isEnabled ? register(toolHandlers(this.#service)) : undefined;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#tools?.dispose();
  }
}

function register(all: ToolHandlers): vscode.Disposable {
  const tool = <Name extends keyof Inputs>(name: Name) =>
    vscode.lm.registerTool<Inputs[Name]>(name, {
      async invoke({ input }, token) {
        const text = await all[name](input, token).catch((error: unknown) => {
          if (error instanceof vscode.CancellationError) throw error;
          // Agents use the message to correct their request.
          return `Error: ${callError(error).message}`;
        });
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      },
    });
  return vscode.Disposable.from(
    tool("trawl_search_code"),
    tool("trawl_read_file"),
    tool("trawl_find_symbol"),
  );
}
