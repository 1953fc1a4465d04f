/** The editor's side of an LSP connection to the built server, which runs in a separate process. */
import type { Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  type Logger,
  ProgressType,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  SymbolKind,
} from "vscode-languageserver/node";
import type { ClientOptions, EditorSettings } from "#contract/editorOptions";
import { type RunningTrawl, startTrawl } from "#test/support/trawl";

export interface EditorOptions {
  readonly folders?: readonly string[];
  readonly settings?: EditorSettings;
  /** The client's initialization options; those of the extension by default. */
  readonly clientOptions?: Partial<ClientOptions>;
  /** Additional command-line arguments. */
  readonly args?: readonly string[];
}

export interface Editor {
  readonly server: RunningTrawl;
  readonly client: ProtocolConnection;
  readonly pid: number;
  /** Lines that the server wrote to the editor's log, each with its level. */
  readonly log: readonly string[];
  /** Sends changed settings. */
  configure(settings: EditorSettings): Promise<void>;
  /** Calls an operation. */
  call<Result>(row: string, request?: object): Promise<Result>;
  /** Calls a streaming operation and returns its final event. */
  follow(row: string, request: object, onEvent: (event: never) => void): { readonly ended: Promise<unknown> };
  /** Resolves when the process has exited. */
  kill(): Promise<void>;
  /** Sends `shutdown` and `exit`; returns the exit code. */
  close(): Promise<number | null>;
}

let tokens = 0;

const extensionOptions: ClientOptions = {
  indexingNotifications: true,
  workspaceSymbols: "otherRepositories",
  snapshotUris: "trawl",
};

const symbolKind = { valueSet: Object.values(SymbolKind) };
const modernCapabilities = {
  workspace: { workspaceFolders: true, symbol: { symbolKind } },
  textDocument: {
    hover: { contentFormat: ["markdown", "plaintext"] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind },
  },
};

/** The client's side of a connection to a server that is not listened to yet. */
export function connectTo(
  { stdin, stdout }: { readonly stdin: Writable; readonly stdout: Readable },
  logger?: Logger,
): ProtocolConnection {
  const reader = new StreamMessageReader(stdout);
  // Its timer would keep this process alive if the server is killed while it writes a message.
  reader.partialMessageTimeout = 0;
  return createProtocolConnection(reader, new StreamMessageWriter(stdin), logger);
}

/** Starts a server that ends with test `t` at the latest. */
export async function openEditor(
  dataDir: string,
  options: EditorOptions = {},
  t?: TestContext,
): Promise<Editor> {
  const { folders = [], settings = {}, clientOptions = extensionOptions, args = [] } = options;
  const server = startTrawl(["serve", "--stdio", "--data-dir", dataDir, ...args]);
  const client = connectTo(server.process);
  t?.after(() => server.process.kill("SIGKILL"));
  const log: string[] = [];
  client.onNotification("window/logMessage", ({ type, message }: { type: number; message: string }) => {
    log.push(`${["", "error", "warn", "info", "log", "debug"][type]} ${message}`);
  });
  client.listen();
  await client.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: modernCapabilities,
    workspaceFolders: folders.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
    initializationOptions: { ...settings, ...clientOptions },
  });
  await client.sendNotification("initialized", {});
  return {
    server,
    client,
    pid: server.process.pid ?? 0,
    log,
    configure: (next) => client.sendNotification("workspace/didChangeConfiguration", { settings: next }),
    call: (row, request = {}) => client.sendRequest(`trawl/${row}`, request),
    follow(row, request, onEvent) {
      const token = `token ${++tokens}`;
      const listening = client.onProgress(new ProgressType<never>(), token, onEvent);
      const ended = client.sendRequest(`trawl/${row}`, { ...request, partialResultToken: token });
      return { ended: ended.finally(() => listening.dispose()) };
    },
    async kill() {
      server.process.kill("SIGKILL");
      await server.ended;
    },
    async close() {
      await client.sendRequest("shutdown");
      await client.sendNotification("exit");
      return (await server.ended).code;
    },
  };
}
