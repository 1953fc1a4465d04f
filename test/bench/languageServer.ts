/** A language server that knows what a project calls, as its compiler does. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type CallHierarchyIncomingCall,
  type CallHierarchyItem,
  createProtocolConnection,
  type Location,
  type ProtocolConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type TextDocumentPositionParams,
} from "vscode-languageserver/node";

export interface LanguageServerOptions {
  readonly root: string;
  readonly command: string;
  readonly args: readonly string[];
  /** As the protocol calls the language. */
  readonly languageId: string;
}

export interface CodeLocation {
  /** Relative to the root. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export class LanguageServer {
  readonly #process: ChildProcess;
  readonly #connection: ProtocolConnection;
  readonly #root: string;
  readonly #languageId: string;
  readonly #opened = new Set<string>();

  private constructor(
    process: ChildProcess,
    connection: ProtocolConnection,
    { root, languageId }: LanguageServerOptions,
  ) {
    this.#process = process;
    this.#connection = connection;
    this.#root = root;
    this.#languageId = languageId;
  }

  static async start(options: LanguageServerOptions): Promise<LanguageServer> {
    const { root, command, args } = options;
    const child = spawn(command, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
    await once(child, "spawn");
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.onRequest("client/registerCapability", () => null);
    connection.listen();
    const uri = pathToFileURL(root).href;
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: "bench" }],
      capabilities: { textDocument: { callHierarchy: {} } },
    });
    await connection.sendNotification("initialized", {});
    return new LanguageServer(child, connection, options);
  }

  /** Returns the calls in the project, one for each line, by `path:line`. */
  async callers(definition: CodeLocation): Promise<Map<string, CodeLocation>> {
    const items = await this.#connection.sendRequest<CallHierarchyItem[] | null>(
      "textDocument/prepareCallHierarchy",
      await this.#open(definition),
    );
    const sites = new Map<string, CodeLocation>();
    for (const item of items ?? []) {
      const calls = await this.#connection.sendRequest<CallHierarchyIncomingCall[] | null>(
        "callHierarchy/incomingCalls",
        { item },
      );
      for (const { from, fromRanges } of calls ?? []) {
        const caller = fileURLToPath(from.uri);
        if (!caller.startsWith(`${this.#root}/`)) continue;
        const path = caller.slice(this.#root.length + 1);
        for (const { start } of fromRanges) {
          const line = start.line + 1;
          sites.set(`${path}:${line}`, { path, line, column: start.character + 1 });
        }
      }
    }
    return sites;
  }

  /** Returns the lines of what the name at a location refers to, as `path:line`. */
  async definitions(location: CodeLocation): Promise<Set<string>> {
    return await this.#locations("textDocument/definition", location);
  }

  /** Returns the lines of what the name at a location may run, as `path:line`. */
  async implementations(location: CodeLocation): Promise<Set<string>> {
    return await this.#locations("textDocument/implementation", location);
  }

  async #locations(method: string, location: CodeLocation): Promise<Set<string>> {
    const params = await this.#open(location);
    const found = await this.#connection
      .sendRequest<Location | Location[] | null>(method, params)
      .catch((error: unknown) => {
        // gopls reports an error if a name has no implementations.
        if (error instanceof ResponseError) return null;
        throw error;
      });
    return new Set(
      [found ?? []].flat().map(({ uri, range }) => {
        return `${fileURLToPath(uri).slice(this.#root.length + 1)}:${range.start.line + 1}`;
      }),
    );
  }

  /** Opens the file of a location once. Returns the parameters of a request about it. */
  async #open({ path, line, column }: CodeLocation): Promise<TextDocumentPositionParams> {
    const file = join(this.#root, path);
    const uri = pathToFileURL(file).href;
    if (!this.#opened.has(uri)) {
      this.#opened.add(uri);
      const textDocument = {
        uri,
        languageId: this.#languageId,
        version: 1,
        text: readFileSync(file, "utf8"),
      };
      await this.#connection.sendNotification("textDocument/didOpen", { textDocument });
    }
    return { textDocument: { uri }, position: { line: line - 1, character: column - 1 } };
  }

  async stop(): Promise<void> {
    const closed = once(this.#process, "close");
    this.#connection.dispose();
    this.#process.kill();
    await closed;
  }
}
