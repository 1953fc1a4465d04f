/** What VS Code's agent mode can ask by itself: three questions, none of which changes anything. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import { searchAnswer, sourceAnswer, symbolAnswer } from "./agentAnswers";

/** As `languageModelTools` in the manifest describes them; VS Code checks what comes. */
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

const usualMatches = 50;

type Answers = {
  readonly [Name in keyof Inputs]: (input: Inputs[Name], token: vscode.CancellationToken) => Promise<string>;
};

function answers(service: Pick<ServiceClient, "call">): Answers {
  return {
    async trawl_search_code({ query, isRegex = false, matches = usualMatches }, token) {
      const request = { query, matches, contextLines: 1, isRegexEnabled: isRegex };
      return searchAnswer(await service.call("search", request, { token }));
    },
    async trawl_read_file({ repository: repo, path, revision, fromLine, toLine }, token) {
      const request = { repo, path, ...(revision === undefined ? {} : { ref: revision }) };
      return sourceAnswer(await service.call("source", request, { token }), fromLine, toLine);
    },
    async trawl_find_symbol({ name, role, repository }, token) {
      const request = { symbolName: name, ...(repository === undefined ? {} : { repoName: repository }) };
      const row = role === "references" ? "findReferences" : "findDefinitions";
      return symbolAnswer(await service.call(row, request, { token }));
    },
  };
}

/** Registers them as long as the setting says so. */
export class AgentTools implements vscode.Disposable {
  #tools: vscode.Disposable | undefined;
  readonly #service: Pick<ServiceClient, "call">;
  readonly #subscription: vscode.Disposable;

  constructor(service: Pick<ServiceClient, "call">, onSettings: vscode.Event<void>) {
    this.#service = service;
    this.#subscription = onSettings(() => this.#follow());
    this.#follow();
  }

  #follow(): void {
    const isWanted = setting("api.agentTools");
    if (isWanted === (this.#tools !== undefined)) return;
    this.#tools?.dispose();
    this.#tools = isWanted ? register(answers(this.#service)) : undefined;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#tools?.dispose();
  }
}

function register(all: Answers): vscode.Disposable {
  const tool = <Name extends keyof Inputs>(name: Name) =>
    vscode.lm.registerTool<Inputs[Name]>(name, {
      async invoke({ input }, token) {
        const text = await all[name](input, token).catch((error: unknown) => {
          if (error instanceof vscode.CancellationError) throw error;
          // Agents mend a question by what is wrong with it.
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
