/**
 * The language client as this extension wants it: one for each server process, and without a word to the person.
 *
 * Loaded when the server starts, because the package is large. Its own way of starting a server again mistakes a server
 * that dies while it starts for one that refused, so each process gets a new client, which also opens all documents
 * anew.
 */
import { createInterface } from "node:readline";
import type * as vscode from "vscode";
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
import { snapshotScheme } from "#contract/snapshotUri";
import type { NativeFirst } from "./navigation/nativeFirst";
import { readLogLine } from "./serverLog";

export interface ServerProcess {
  /** Absolute path of the server's program. */
  readonly path: string;
  readonly arguments: readonly string[];
  readonly initializationOptions: unknown;
  readonly serverLog: vscode.LogOutputChannel;
  readonly traceLog: vscode.LogOutputChannel;
  /** Decides whose answers count where several language servers have some. */
  readonly nativeFirst: NativeFirst;
  /** Called when the server has ended without being asked to. */
  readonly ended: () => void;
}

export class QuietClient extends LanguageClient {
  constructor(server: ServerProcess) {
    const run = { module: server.path, args: ["serve", ...server.arguments], transport: TransportKind.ipc };
    const options: ServerOptions = { run, debug: { ...run, options: { execArgv: ["--inspect=0"] } } };
    super("trawl", "Trawl", options, {
      documentSelector: [{ scheme: "file" }, { scheme: snapshotScheme }],
      middleware: middlewareOf(server.nativeFirst),
      outputChannel: server.serverLog,
      traceOutputChannel: server.traceLog,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: server.initializationOptions,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed() {
          server.ended();
          return { action: CloseAction.DoNotRestart, handled: true, message: "The server has ended." };
        },
      },
      stdioOptions: { stdout: logLines, stderr: logLines },
    });
  }

  /** `params` goes as the one parameter that it is; with a token that is `undefined` it would be the first of two. */
  ask<Answer>(method: string, params: object, token: vscode.CancellationToken | undefined): Promise<Answer> {
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

  /** Progress of indexing is shown by our own status item. */
  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    params.capabilities.window = { ...params.capabilities.window, workDoneProgress: false };
  }
}

function middlewareOf(nativeFirst: NativeFirst): Middleware {
  return {
    provideDefinition: (document, position, token, next) =>
      nativeFirst.at("definition", document, position, () => next(document, position, token)),
    provideReferences: (document, position, context, token, next) =>
      nativeFirst.at("references", document, position, () => next(document, position, context, token)),
    provideHover: (document, position, token, next) =>
      nativeFirst.at("hover", document, position, () => next(document, position, token)),
    provideDocumentSymbols: (document, token, next) =>
      nativeFirst.outline(document, token, (ownToken) => next(document, ownToken)),
    provideWorkspaceSymbols: (query, token, next) =>
      nativeFirst.workspaceSymbols(query, () => next(query, token)),
  };
}

function logLines(input: NodeJS.ReadableStream, log: vscode.LogOutputChannel): void {
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    const { level, text } = readLogLine(line);
    log[level](text);
  });
}
