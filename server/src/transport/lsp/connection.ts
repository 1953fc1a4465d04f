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
import type { Log } from "#platform/log";
import { followDocuments } from "./documents";
import { pathOf } from "./paths";
import { indexingNotices } from "./progress";
import { serveRows } from "./requests";

export interface LspOptions {
  readonly version: string;
  readonly caller: Promise<Caller>;
  /** Whether the folders of the editor are what is indexed: there were no paths on the command line. */
  readonly indexFolders: boolean;
  /** Address for links, once there is a listener. */
  readonly baseUrl: () => string | undefined;
  /** Closes what the process has open, before the editor is told that it may go. */
  readonly close: () => Promise<void>;
  readonly log: Log;
}

/** Speaks until the editor says `exit`, which ends the process; the promise is never kept. */
export function speakLsp(options: LspOptions): Promise<never> {
  const { caller, log } = options;
  const connection = createConnection(ProposedFeatures.all);
  const documents = followDocuments(connection);
  const folders = new Set<string>();
  let showsProgress = false;
  let followsFolders = false;
  const closing = new AbortController();

  connection.onInitialize(async (params): Promise<InitializeResult> => {
    for (const folder of foldersOf(params)) folders.add(folder);
    showsProgress = params.capabilities.window?.workDoneProgress === true;
    followsFolders = params.capabilities.workspace?.workspaceFolders === true;
    await caller.catch((error: unknown) => {
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
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  connection.onInitialized(async () => {
    if (followsFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
        for (const path of pathsOf(removed)) folders.delete(path);
        const paths = pathsOf(added);
        for (const path of paths) folders.add(path);
        await index(paths);
      });
    }
    tellOfIndexing().catch(report);
    await index([...folders]);
  });

  connection.onShutdown(async () => {
    closing.abort();
    await options.close();
  });

  serveRows(connection, {
    caller,
    medium: async () => {
      const baseUrl = options.baseUrl();
      return {
        unsaved: await documents.unsaved(),
        folders: [...folders],
        ...(baseUrl === undefined ? {} : { baseUrl }),
      };
    },
    log,
  });
  connection.listen();
  return new Promise(() => undefined);

  async function index(paths: readonly string[]): Promise<void> {
    if (!options.indexFolders || paths.length === 0) return;
    const call = { credentials: { kind: "local" }, signal: closing.signal } as const;
    await (await caller)("addPaths", { paths }, call).catch(report);
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
    log.error("The editor's folders could not be indexed.", { error });
    connection.console.error(messageOf(error));
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
