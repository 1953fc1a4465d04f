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
  ProgressType,
  RevealOutputChannelOn,
  type ServerOptions,
  TransportKind,
} from "vscode-languageclient/node";
import { readLogLine } from "./serverLog";

export interface ServerProcess {
  /** Absolute path of the server's program. */
  readonly path: string;
  readonly arguments: readonly string[];
  readonly initializationOptions: unknown;
  readonly serverLog: vscode.LogOutputChannel;
  readonly traceLog: vscode.LogOutputChannel;
  /** Called when the server has ended without being asked to. */
  readonly ended: () => void;
}

export class QuietClient extends LanguageClient {
  constructor(server: ServerProcess) {
    const run = { module: server.path, args: ["serve", ...server.arguments], transport: TransportKind.ipc };
    const options: ServerOptions = { run, debug: { ...run, options: { execArgv: ["--inspect=0"] } } };
    super("trawl", "Trawl", options, {
      documentSelector: [{ scheme: "file" }],
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

function logLines(input: NodeJS.ReadableStream, log: vscode.LogOutputChannel): void {
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
    const { level, text } = readLogLine(line);
    log[level](text);
  });
}
