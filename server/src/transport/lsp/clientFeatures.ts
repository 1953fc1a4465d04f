/** The capabilities and options of a client, from its `initialize` request. */
import {
  type ClientCapabilities,
  type InitializeParams,
  MarkupKind,
  SymbolKind,
} from "vscode-languageserver/node";
import type { ClientOptions } from "#contract/editorOptions";
import { type ColumnUnit, negotiateColumnUnit } from "./columns";

export interface ClientFeatures {
  readonly columnUnit: ColumnUnit;
  readonly hoverFormat: MarkupKind;
  /** Whether the client supports hierarchical document symbols. */
  readonly hasSymbolTree: boolean;
  /** Replaces a symbol kind that the client does not support in outlines. */
  readonly outlineKind: (kind: SymbolKind) => SymbolKind;
  /** Replaces a symbol kind that the client does not support in results of `workspace/symbol`. */
  readonly workspaceSymbolKind: (kind: SymbolKind) => SymbolKind;
  /** Whether the client shows progress that the server initiates. */
  readonly showsProgress: boolean;
  readonly sendsFolderChanges: boolean;
  /** Whether settings can be requested with `workspace/configuration`. */
  readonly sendsConfiguration: boolean;
  /** Whether the server can register to be notified of changed settings. */
  readonly registersConfiguration: boolean;
  /**
   * How the client opens files at a commit: on its own, with text from `workspace/textDocumentContent`, or as read-only
   * copies.
   */
  readonly snapshots: "client" | "content" | "copies";
  readonly options: Partial<ClientOptions>;
}

export function readClientFeatures(
  { capabilities }: Pick<InitializeParams, "capabilities">,
  options: Partial<ClientOptions>,
): ClientFeatures {
  const { general, textDocument, window, workspace } = capabilities;
  return {
    columnUnit: negotiateColumnUnit(general?.positionEncodings),
    hoverFormat: hoverFormat(textDocument?.hover?.contentFormat),
    hasSymbolTree: textDocument?.documentSymbol?.hierarchicalDocumentSymbolSupport === true,
    outlineKind: kindReplacer(textDocument?.documentSymbol?.symbolKind?.valueSet),
    workspaceSymbolKind: kindReplacer(workspace?.symbol?.symbolKind?.valueSet),
    showsProgress: window?.workDoneProgress === true,
    sendsFolderChanges: workspace?.workspaceFolders === true,
    sendsConfiguration: workspace?.configuration === true,
    registersConfiguration: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    snapshots: snapshotAccess(workspace, options),
    options,
  };
}

function snapshotAccess(
  workspace: ClientCapabilities["workspace"],
  { snapshotUris }: Partial<ClientOptions>,
): ClientFeatures["snapshots"] {
  if (snapshotUris === "trawl") return "client";
  const hasContent = typeof workspace?.textDocumentContent === "object";
  return snapshotUris === undefined && hasContent ? "content" : "copies";
}

/** Returns the format that the client prefers; plain text if it states none. */
function hoverFormat(formats: readonly MarkupKind[] | undefined): MarkupKind {
  const isMarkdown = Array.isArray(formats) && formats[0] === MarkupKind.Markdown;
  return isMarkdown ? MarkupKind.Markdown : MarkupKind.PlainText;
}

/** The kinds of the first protocol version, which every client supports. */
const baselineKinds: ReadonlySet<SymbolKind> = new Set(
  Object.values(SymbolKind).filter((kind): kind is SymbolKind => kind <= SymbolKind.Array),
);

/** Replacements for later kinds, for clients that do not support them. */
const olderKinds: Readonly<Partial<Record<SymbolKind, SymbolKind>>> = {
  [SymbolKind.Key]: SymbolKind.Constant,
  [SymbolKind.EnumMember]: SymbolKind.Constant,
  [SymbolKind.Struct]: SymbolKind.Class,
  [SymbolKind.Event]: SymbolKind.Field,
  [SymbolKind.Operator]: SymbolKind.Function,
  [SymbolKind.TypeParameter]: SymbolKind.Class,
};

function kindReplacer(valueSet: readonly SymbolKind[] | undefined): (kind: SymbolKind) => SymbolKind {
  const known = Array.isArray(valueSet) ? new Set<SymbolKind>(valueSet) : baselineKinds;
  return (kind) => (known.has(kind) ? kind : (olderKinds[kind] ?? kind));
}
