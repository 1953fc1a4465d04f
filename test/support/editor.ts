/** An editor's end of the wire: the built server in a process of its own, spoken to over LSP. */
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  ProgressType,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import type { EditorSettings } from "#contract/settings";
import { type RunningTrawl, startTrawl } from "#test/support/trawl";

export interface EditorOptions {
  readonly folders?: readonly string[];
  readonly settings?: EditorSettings;
  /** Further words of the command line. */
  readonly args?: readonly string[];
}

export interface Editor {
  readonly server: RunningTrawl;
  readonly client: ProtocolConnection;
  readonly pid: number;
  /** What the server has written to the editor's log, each line with its level. */
  readonly log: readonly string[];
  /** Tells what it is set to from now on. */
  configure(settings: EditorSettings): Promise<void>;
  /** Calls a row. */
  call<Answer>(row: string, request?: object): Promise<Answer>;
  /** Calls a row with events; gives what ends it. */
  follow(row: string, request: object, onEvent: (event: never) => void): { readonly ended: Promise<unknown> };
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Ends as editors do; gives the exit code. */
  close(): Promise<number | null>;
}

let tokens = 0;

/** `t`: ends with that test at the latest. */
export async function openEditor(
  dataDir: string,
  options: EditorOptions = {},
  t?: TestContext,
): Promise<Editor> {
  const { folders = [], settings, args = [] } = options;
  const server = startTrawl(["serve", "--stdio", "--data-dir", dataDir, ...args]);
  const client = createProtocolConnection(
    new StreamMessageReader(server.process.stdout),
    new StreamMessageWriter(server.process.stdin),
  );
  t?.after(() => server.process.kill("SIGKILL"));
  const log: string[] = [];
  client.onNotification("window/logMessage", ({ type, message }: { type: number; message: string }) => {
    log.push(`${["", "error", "warn", "info", "log", "debug"][type]} ${message}`);
  });
  client.listen();
  await client.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: { workspace: { workspaceFolders: true } },
    workspaceFolders: folders.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
    ...(settings === undefined ? {} : { initializationOptions: { settings } }),
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

/** Asks until `look` gives true; throws after the limit. Gives the milliseconds that it took. */
export async function until(look: () => Promise<boolean> | boolean, limitMs = 10_000): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    if (await look()) return performance.now() - startedAt;
    if (performance.now() - startedAt > limitMs) throw new Error(`It was not so within ${limitMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
