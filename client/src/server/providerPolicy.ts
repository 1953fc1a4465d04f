/** Decides whether Trawl provides a language feature that other extensions may provide, too. */
import type * as vscode from "vscode";

export type Feature = "definition" | "references" | "hover";

export type Outline = vscode.DocumentSymbol[] | vscode.SymbolInformation[];

/** Requests the outline of a document from our language server. */
export type RequestOutline = (token: vscode.CancellationToken) => vscode.ProviderResult<Outline>;

/** Each method either calls `request`, which sends a request to our language server, or returns `undefined`. */
export interface ProviderPolicy {
  provide<Result>(
    feature: Feature,
    document: vscode.TextDocument,
    position: vscode.Position,
    request: () => vscode.ProviderResult<Result>,
  ): Promise<Result | undefined>;
  /** VS Code sends this request only to one extension: to ours if no other provides call hierarchies. */
  callHierarchy<Result>(
    document: vscode.TextDocument,
    request: () => vscode.ProviderResult<Result>,
  ): Promise<Result | undefined>;
  outline(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
    request: RequestOutline,
  ): Promise<Outline | undefined>;
  workspaceSymbols<Result>(
    query: string,
    request: () => vscode.ProviderResult<Result>,
  ): Promise<Result | undefined>;
}
