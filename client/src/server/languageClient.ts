/**
 * A language client that shows no notifications and serves one server process.
 *
 * Loaded when the server starts, because the package is large. The package's own restart mistakes a server that dies
 * during startup for one that refused to start, so each process gets a new client, which also reopens all documents.
 */
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  type InitializeParams,
  LanguageClient,
  type Middleware,
  ProgressType,
  RevealOutputChannelOn,
  type ServerOptions,
  TransportKind,
} from "vscode-languageclient/node";
import type { ClientOptions, EditorSettings } from "#contract/editorOptions";
import { parseSnapshotUri, snapshotDocumentUri, snapshotScheme } from "#contract/snapshotUri";
import type { ProviderPolicy } from "./providerPolicy";
import { readLogLine } from "./serverLog";

export interface ServerProcess {
  /** Absolute path of the server's program. */
  readonly path: string;
  readonly arguments: readonly string[];
  readonly settings: EditorSettings;
  readonly serverLog: vscode.LogOutputChannel;
  readonly traceLog: vscode.LogOutputChannel;
  /** Decides whether our server provides a feature that several extensions could. */
  readonly providerPolicy: ProviderPolicy;
  /** Called when the server ends unexpectedly. */
  readonly onEnd: () => void;
}

/** With these, glibc returns freed memory to the system earlier. */
const allocatorSettings = {
  MALLOC_ARENA_MAX: process.env["MALLOC_ARENA_MAX"] ?? "2",
  MALLOC_TRIM_THRESHOLD_: process.env["MALLOC_TRIM_THRESHOLD_"] ?? "131072",
};

/** In MiB. Recent versions of Node would keep several times as many new objects before collecting them, at no gain. */
const youngGenerationFlag = "--max-semi-space-size=8";

export class QuietClient extends LanguageClient {
  constructor(server: ServerProcess) {
    const run = {
      module: server.path,
      args: ["serve", ...server.arguments],
      transport: TransportKind.ipc,
      options: { env: allocatorSettings, execArgv: [youngGenerationFlag] },
    };
    const debug = { ...run, options: { ...run.options, execArgv: [youngGenerationFlag, "--inspect=0"] } };
    const options: ServerOptions = { run, debug };
    super("trawl", "Trawl", options, {
      documentSelector: [{ scheme: "file" }, { scheme: snapshotScheme }],
      middleware: middlewareOf(server.providerPolicy),
      outputChannel: server.serverLog,
      traceOutputChannel: server.traceLog,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { ...server.settings, ...clientOptions },
      uriConverters: { code2Protocol: (uri) => uri.toString(), protocol2Code: documentUri },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed() {
          server.onEnd();
          return { action: CloseAction.DoNotRestart, handled: true, message: "The server has stopped." };
        },
      },
      stdioOptions: { stdout: logLines, stderr: logLines },
    });
  }

  /** Sends a request. Omits an `undefined` token, which the client would send as a second parameter. */
  request<Response>(
    method: string,
    params: object,
    token: vscode.CancellationToken | undefined,
  ): Promise<Response> {
    return token === undefined ? this.sendRequest(method, params) : this.sendRequest(method, params, token);
  }

  onPartialResult<Value>(token: string, handler: (value: Value) => void): vscode.Disposable {
    return this.onProgress(new ProgressType<Value>(), token, handler);
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }

  /** Turns off progress, which the status item shows, and configuration, which is sent under the server's names. */
  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    const { window, workspace } = params.capabilities;
    params.capabilities.window = { ...window, workDoneProgress: false };
    params.capabilities.workspace = {
      ...workspace,
      configuration: false,
      didChangeConfiguration: { dynamicRegistration: false },
    };
  }
}

/** What the server may assume: open folders have symbol providers of their own, and `trawl:` URIs can be opened. */
const clientOptions: ClientOptions = {
  indexingNotifications: true,
  workspaceSymbols: "otherRepositories",
  snapshotUris: "trawl",
};

/** Converts URIs. Files at a commit get the URIs of their documents. */
function documentUri(value: string): vscode.Uri {
  const uri = vscode.Uri.parse(value);
  const snapshot = uri.query === "" ? parseSnapshotUri(uri) : undefined;
  return snapshot === undefined ? uri : vscode.Uri.from(snapshotDocumentUri(snapshot));
}

function middlewareOf(policy: ProviderPolicy): Middleware {
  return {
    provideDefinition: (document, position, token, next) =>
      policy.provide("definition", document, position, () => next(document, position, token)),
    provideReferences: (document, position, context, token, next) =>
      policy.provide("references", document, position, () => next(document, position, context, token)),
    provideHover: (document, position, token, next) =>
      policy.provide("hover", document, position, () => next(document, position, token)),
    prepareCallHierarchy: (document, position, token, next) =>
      policy.callHierarchy(document, () => next(document, position, token)),
    provideDocumentSymbols: (document, token, next) =>
      policy.outline(document, token, (ownToken) => next(document, ownToken)),
    provideWorkspaceSymbols: (query, token, next) => policy.workspaceSymbols(query, () => next(query, token)),
  };
}

function logLines(input: NodeJS.ReadableStream, log: vscode.LogOutputChannel): void {
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    const { level, text } = readLogLine(line);
    log[level](text);
  });
}
