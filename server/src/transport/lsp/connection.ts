/**
 * Trawl as a language server: over standard input and output, Node's channel, a pipe or a socket, as the command line
 * says (`--stdio`, `--node-ipc`, `--pipe=`, `--socket=`; `vscode-languageserver` reads it itself, and ends the process
 * when the editor's process has ended).
 */
import {
  createConnection,
  type InitializeParams,
  type InitializeResult,
  LSPErrorCodes,
  ProposedFeatures,
  ResponseError,
  TextDocumentSyncKind,
} from "vscode-languageserver/node";
import { isServiceError } from "#base/error";
import { toErrorObject } from "#contract/error";
import type { Caller } from "#contract/service";
import type { EditorSettings } from "#contract/settings";
import type { Log, LogSink } from "#platform/log";
import { followDocuments } from "./documents";
import { logSink } from "./logMessages";
import { serveNavigation } from "./navigation";
import { pathOf } from "./paths";
import { Places } from "./places";
import { indexingNotices } from "./progress";
import { type Surroundings, serveRows } from "./requests";
import { readSettings } from "./settings";

export interface LspOptions {
  readonly version: string;
  readonly caller: Promise<Caller>;
  /** Whether the folders of the editor are what is indexed: there were no paths on the command line. */
  readonly indexFolders: boolean;
  /** Address for links, once there is a listener. */
  readonly baseUrl: () => string | undefined;
  /** Takes what the editor is set to: before anything else is asked, and whenever it changes. */
  readonly configure: (settings: EditorSettings) => Promise<void>;
  /** Closes what the process has open, before the editor is told that it may go. */
  readonly close: () => Promise<void>;
  readonly log: Log;
  /** Told where the editor shows what is logged. */
  readonly onConnection: (sink: LogSink) => void;
}

/** Speaks until the editor says `exit`, which ends the process; the promise is never kept. */
export function speakLsp(options: LspOptions): Promise<never> {
  const { caller, log } = options;
  const connection = createConnection(ProposedFeatures.all);
  const documents = followDocuments(connection);
  const closing = new AbortController();
  const { indexFolders } = options;
  const places = new Places({ caller, indexFolders, signal: closing.signal, report });
  let showsProgress = false;
  let followsFolders = false;
  let includesUnsaved = true;

  connection.onInitialize(async (params): Promise<InitializeResult> => {
    options.onConnection(logSink(connection));
    places.change(foldersOf(params), []);
    showsProgress = params.capabilities.window?.workDoneProgress === true;
    followsFolders = params.capabilities.workspace?.workspaceFolders === true;
    await configure(params.initializationOptions).catch((error: unknown) => {
      throw new ResponseError(LSPErrorCodes.RequestFailed, messageOf(error), toErrorObject(error));
    });
    return {
      serverInfo: { name: "Trawl", version: options.version },
      capabilities: {
        textDocumentSync: {
          openClose: true,
          change: TextDocumentSyncKind.Incremental,
          save: { includeText: false },
        },
        definitionProvider: true,
        referencesProvider: true,
        hoverProvider: true,
        documentSymbolProvider: true,
        workspaceSymbolProvider: true,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  connection.onInitialized(async () => {
    if (followsFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
        places.change(pathsOf(added), pathsOf(removed));
        await places.follow();
      });
    }
    tellOfIndexing().catch(report);
    await places.follow();
  });

  connection.onDidChangeConfiguration(async ({ settings }) => {
    // Editors that know nothing of our settings say so.
    if (typeof settings !== "object" || settings === null) return;
    await configure(settings).catch(report);
    await places.follow();
  });

  connection.onShutdown(async () => {
    closing.abort();
    await options.close();
  });

  const surroundings: Surroundings = {
    caller,
    medium: async () => {
      const baseUrl = options.baseUrl();
      return {
        unsaved: includesUnsaved ? await documents.unsaved() : [],
        folders: places.open,
        ...(baseUrl === undefined ? {} : { baseUrl }),
      };
    },
    log,
  };
  serveRows(connection, surroundings);
  serveNavigation(connection, surroundings, documents);
  connection.listen();
  return new Promise(() => undefined);

  async function configure(value: unknown): Promise<void> {
    const { settings, complaints } = readSettings(value);
    for (const complaint of complaints) log.error(complaint);
    includesUnsaved = settings.includeUnsaved ?? true;
    places.configure(settings);
    await options.configure(settings);
  }

  async function tellOfIndexing(): Promise<void> {
    const notices = indexingNotices(connection, showsProgress);
    await (await caller)(
      "indexing",
      { follow: true },
      { credentials: { kind: "local" }, signal: closing.signal, emit: (event) => notices.tell(event) },
    );
  }

  function report(error: unknown): void {
    if (isServiceError(error, "CANCELLED")) return;
    if (isServiceError(error)) log.error(error.message);
    else log.error("A folder of the editor could not be indexed.", { error });
  }
}

function foldersOf({ workspaceFolders, rootUri }: InitializeParams): string[] {
  return pathsOf(workspaceFolders ?? (rootUri === null ? [] : [{ uri: rootUri }]));
}

function pathsOf(folders: readonly { readonly uri: string }[]): string[] {
  return folders.map(({ uri }) => pathOf(uri)).filter((path) => path !== undefined);
}

function messageOf(error: unknown): string {
  return isServiceError(error) ? error.message : toErrorObject(error).message;
}
