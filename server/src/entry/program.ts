/** The `trawl` process: runs a command line, and opens an instance for its command. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "#cli/context";
import { main } from "#cli/main";
import { createTerminal } from "#cli/terminal";
import type { Instance } from "#instance/instance";
import { openInstance } from "#instance/instance";
import { defaultDataDirectory, isColorEnabled } from "#platform/environment";
import { bufferedLog, createLog } from "#platform/log";
import { startTracing, stopTracing } from "#platform/tracing";

const args = process.argv.slice(2);
// Other users of the computer can read command lines, and the URL of a database may contain a password.
if (args.some((word) => word.startsWith("--database"))) process.title = "trawl";

const log = createLog("warn");
/** Commands print their errors themselves; only defects are logged. */
const quietLog = createLog("error");
/** Logs to the editor, once it is connected. */
const editorLog = bufferedLog();
const interruption = new AbortController();
/** How long an interrupted process may take to shut down before it exits anyway. */
const exitTimeoutMs = 5000;
const terminal = createTerminal(isColorEnabled);

/** The first signal starts an orderly shutdown with a time limit; a second one exits at once. */
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  process.on(signal, () => {
    if (interruption.signal.aborted) process.exit(code);
    interruption.abort();
    setTimeout(() => process.exit(code), exitTimeoutMs).unref();
  });
}

/** The parent process closed Node's IPC channel or has exited. */
process.on("disconnect", () => end());

process.on("unhandledRejection", (error) => log.error("Unhandled rejection.", { error }));

process.on("beforeExit", () => {
  log.error("Trawl exited before its command finished.");
  process.exit(70);
});

const context: CommandContext = {
  version: versionOfPackage(),
  // The launcher of the extension (`client/src/endpoint/agentLauncher.ts`), if that started this program.
  programPath: require.main?.filename ?? __filename,
  terminal,
  currentFolder: process.cwd(),
  defaultDataDir: defaultDataDirectory(),
  interrupted: interruption.signal,
  async open(configuration, purpose, forEditor) {
    if (purpose === "serve" && forEditor === undefined) await startTracing(context.version, log);
    return await openInstance({
      configuration,
      purpose,
      version: context.version,
      log: forEditor ? editorLog.log : purpose === "serve" ? log : quietLog,
      signal: interruption.signal,
      awaitsSettings: forEditor !== undefined,
    });
  },
  async serveLsp(configuration, opened, onClient) {
    const { serveLsp } = await import("#transport/lsp/connection");
    let instance: Instance | undefined;
    opened.then(
      (each) => {
        instance = each;
      },
      // The response to the editor's first request reports the error.
      () => undefined,
    );
    await serveLsp({
      version: context.version,
      dataDir: configuration.dataDir,
      caller: opened.then(({ teamCaller }) => teamCaller),
      team: opened.then(({ team }) => team),
      indexesFolders: configuration.paths.length === 0,
      baseUrl: () => instance?.url(),
      configure: async (settings) => (await opened).configure(settings),
      close: async () => instance?.close(),
      log: editorLog.log,
      onClient({ sink, showsProgress }) {
        editorLog.attachSink(sink);
        onClient(showsProgress ? (text) => editorLog.log.info(text.trimEnd()) : terminal.printError);
      },
    });
  },
  async openIndexer(configuration, node) {
    const { openIndexer } = await import("#instance/indexer");
    await startTracing(context.version, log);
    return await openIndexer({ configuration, node, version: context.version, log });
  },
  async addClusterNode(configuration, node) {
    const { addNode } = await import("#instance/clusterNodes");
    return await addNode(configuration, node);
  },
  async openCluster(configuration) {
    const { openCluster } = await import("#instance/clusterStatus");
    return await openCluster(configuration, quietLog);
  },
  async serveMcp(opened, { isStructured }) {
    const { serveMcpOverStdio } = await import("#transport/mcp/stdio");
    const caller = opened.then((instance) => instance.teamCaller);
    // The response to the client's first request reports the error.
    caller.catch(() => undefined);
    const { version } = context;
    await serveMcpOverStdio({ version, caller, log, isStructured, signal: interruption.signal });
  },
};

function end(): void {
  interruption.abort();
  setTimeout(() => process.exit(1), exitTimeoutMs).unref();
}

main(args, context).then(
  async (code) => {
    await stopTracing();
    process.exit(code);
  },
  (error: unknown) => {
    log.error("Trawl exited because of an internal error.", { error });
    process.exit(70);
  },
);

/** `package.json` lies two folders above the bundle, in a checkout as in an installed extension. */
function versionOfPackage(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}
