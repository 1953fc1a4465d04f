/**
 * The language server, over standard input and output, Node's IPC channel, a pipe or a socket (`--stdio`, `--node-ipc`,
 * `--pipe=`, `--socket=`). `vscode-languageserver` parses these flags itself, and exits the process after the editor's
 * process has exited.
 */
import {
  createConnection,
  DidChangeConfigurationNotification,
  type InitializeParams,
  type InitializeResult,
  LSPErrorCodes,
  ProposedFeatures,
  ResponseError,
  type ServerCapabilities,
  TextDocumentSyncKind,
} from "vscode-languageserver/node";
import { isServiceError } from "#base/error";
import { ClientOptions, EditorSettings } from "#contract/editorOptions";
import { toErrorObject } from "#contract/error";
import type { Caller } from "#contract/service";
import { snapshotScheme } from "#contract/snapshotUri";
import type { Log, LogSink } from "#platform/log";
import type { Team } from "#team/team";
import { serveAgentTools } from "./agentTools";
import { type ClientFeatures, readClientFeatures } from "./clientFeatures";
import { trackDocuments } from "./documents";
import { IndexedFolders } from "./indexedFolders";
import { LocationConverter } from "./locations";
import { createLogSink } from "./logMessages";
import { MessageGate, refusalMethod } from "./messageGate";
import { serveNavigation } from "./navigation";
import { fileUriToPath } from "./paths";
import { createIndexingReporter } from "./progress";
import { readFields, settingsSection } from "./readFields";
import { type LspSession, serveOperations } from "./requests";
import { SnapshotCopies } from "./snapshotCopies";
import { serveTeamConnection } from "./teamServer";

export interface LspOptions {
  readonly version: string;
  readonly dataDir: string;
  readonly caller: Promise<Caller>;
  readonly team: Promise<Team>;
  /** Whether to index the editor's folders, because there are no paths on the command line. */
  readonly indexesFolders: boolean;
  /** Returns the base URL of links; `undefined` while there is no listener. */
  readonly baseUrl: () => string | undefined;
  /** Applies the editor's settings: before any other request, and whenever they change. */
  readonly configure: (settings: EditorSettings) => Promise<void>;
  /** Closes everything. The response to `shutdown` waits for it. */
  readonly close: () => Promise<void>;
  readonly log: Log;
  /** Called once, when the client has sent its capabilities. */
  readonly onClient: (client: LspClient) => void;
}

export interface LspClient {
  /** Shows log messages in the editor. */
  readonly sink: LogSink;
  readonly showsProgress: boolean;
}

/** Serves until the editor sends `exit`, which ends the process; the promise never resolves. */
export function serveLsp(options: LspOptions): Promise<never> {
  const { caller, log, indexesFolders } = options;
  const gate = new MessageGate(log);
  const connection = createConnection(ProposedFeatures.all, { messageStrategy: gate });
  const documents = trackDocuments(connection);
  const closing = new AbortController();
  const indexedFolders = new IndexedFolders({
    caller,
    indexesFolders: indexesFolders,
    signal: closing.signal,
    report: reportError,
  });
  const copies = new SnapshotCopies(options.dataDir);
  let features = readClientFeatures({ capabilities: {} }, {});
  let initialSettings: EditorSettings = {};
  let includesUnsaved = true;

  connection.onRequest(refusalMethod, (params: object) => {
    throw gate.refusalOf(params);
  });

  connection.onInitialize(async (params): Promise<InitializeResult> => {
    const { fields, problems } = readFields(ClientOptions, params.initializationOptions);
    for (const problem of problems) log.error(problem);
    features = readClientFeatures(params, fields);
    options.onClient({ sink: createLogSink(connection), showsProgress: features.showsProgress });
    indexedFolders.change(excludeCopies(foldersOf(params)), []);
    initialSettings = readSettings(params.initializationOptions);
    await configure(initialSettings).catch((error: unknown) => {
      gate.initializeFailed();
      throw new ResponseError(LSPErrorCodes.RequestFailed, messageOf(error), toErrorObject(error));
    });
    return {
      serverInfo: { name: "Trawl", version: options.version },
      capabilities: serverCapabilities(features),
    };
  });

  connection.onInitialized(async () => {
    if (features.sendsFolderChanges) {
      connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
        indexedFolders.change(excludeCopies(pathsOf(added)), pathsOf(removed));
        await indexedFolders.update();
      });
    }
    reportIndexing().catch(reportError);
    copies.evict().catch(reportError);
    if (features.registersConfiguration) {
      // A client may refuse in spite of its capabilities. It then sends no changes; the connection logs the refusal.
      await connection.client
        .register(DidChangeConfigurationNotification.type, { section: settingsSection })
        .catch(() => undefined);
    }
    if (features.sendsConfiguration) await pullSettings().catch(reportError);
    await indexedFolders.update();
  });

  connection.onDidChangeConfiguration(async ({ settings }) => {
    // Clients that support `workspace/configuration` need not send their settings here.
    if (features.sendsConfiguration) await pullSettings(settings).catch(reportError);
    else await changeSettings(settings).catch(reportError);
    await indexedFolders.update();
  });

  connection.onShutdown(async () => {
    closing.abort();
    await options.close();
  });

  const session: LspSession = {
    caller,
    callContext: async () => {
      const baseUrl = options.baseUrl();
      const unsaved = includesUnsaved ? await documents.unsaved() : [];
      return {
        unsaved: unsaved.filter(({ path }) => !copies.contains(path)),
        folders: indexedFolders.openFolders,
        ...(baseUrl === undefined ? {} : { baseUrl }),
      };
    },
    features: () => features,
    log,
  };
  serveOperations(connection, session);
  serveAgentTools(connection, session);
  serveTeamConnection(connection, options.team, log);
  serveNavigation(connection, session, new LocationConverter({ session, documents, copies }));
  connection.listen();
  return new Promise(() => undefined);

  function readSettings(value: unknown): EditorSettings {
    const { fields, problems } = readFields(EditorSettings, value);
    for (const problem of problems) log.error(problem);
    return fields;
  }

  /** Requests the settings from the client. Falls back to `sent`, the settings in the client's notification. */
  async function pullSettings(notified?: unknown): Promise<void> {
    const pulled: unknown = await connection.workspace.getConfiguration(settingsSection);
    await changeSettings(typeof pulled === "object" && pulled !== null ? pulled : notified);
  }

  async function changeSettings(value: unknown): Promise<void> {
    await configure({ ...initialSettings, ...readSettings(value) });
  }

  async function configure(settings: EditorSettings): Promise<void> {
    includesUnsaved = settings.includeUnsaved ?? true;
    indexedFolders.configure(settings);
    await options.configure(settings);
  }

  async function reportIndexing(): Promise<void> {
    const { showsProgress } = features;
    const sendsNotifications = features.options.indexingNotifications === true;
    if (!showsProgress && !sendsNotifications) return;
    const emit = createIndexingReporter(connection, { showsProgress, sendsNotifications });
    await (await caller)(
      "indexing",
      { follow: true },
      { credentials: { kind: "local" }, signal: closing.signal, emit },
    );
  }

  /** Excludes the folders of copies: an editor that opens only a copy treats its folder as a project. */
  function excludeCopies(folders: readonly string[]): string[] {
    return folders.filter((folder) => !copies.contains(folder));
  }

  function reportError(error: unknown): void {
    if (isServiceError(error, "CANCELLED")) return;
    if (isServiceError(error)) log.error(error.message);
    else log.error("A background task of the connection failed.", { error });
  }
}

function serverCapabilities({ columnUnit, snapshots }: ClientFeatures): ServerCapabilities {
  return {
    positionEncoding: columnUnit,
    textDocumentSync: {
      openClose: true,
      // `TextDocuments` supports changed ranges in UTF-16 only.
      change: columnUnit === "utf-16" ? TextDocumentSyncKind.Incremental : TextDocumentSyncKind.Full,
      save: { includeText: false },
    },
    definitionProvider: true,
    referencesProvider: true,
    hoverProvider: true,
    // VS Code uses only the provider whose selector matches best, so any other extension takes precedence.
    callHierarchyProvider: { id: "trawl.callHierarchy", documentSelector: [{ language: "*" }] },
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
    workspace: {
      workspaceFolders: { supported: true, changeNotifications: true },
      ...(snapshots === "content" ? { textDocumentContent: { schemes: [snapshotScheme] } } : {}),
    },
  };
}

function foldersOf({ workspaceFolders, rootUri, rootPath }: InitializeParams): string[] {
  if (workspaceFolders && workspaceFolders.length > 0) return pathsOf(workspaceFolders);
  if (rootUri) return pathsOf([{ uri: rootUri }]);
  return rootPath ? [rootPath] : [];
}

function pathsOf(folders: readonly { readonly uri: string }[]): string[] {
  return folders.map(({ uri }) => fileUriToPath(uri)).filter((path) => path !== undefined);
}

function messageOf(error: unknown): string {
  return isServiceError(error) ? error.message : toErrorObject(error).message;
}
