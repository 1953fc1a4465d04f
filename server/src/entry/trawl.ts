/** The process `trawl`: what the command line asks, in the house that answers it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { House, Instance } from "#cli/instance";
import { main } from "#cli/main";
import { processTerminal } from "#cli/terminal";
import { createLog, heldLog } from "#platform/log";
import { coloursWanted, defaultDataDirectory } from "#platform/settings";
import { openInstance } from "./house";

const words = process.argv.slice(2);
// Every user of a computer can read the command lines of others, and the address of a database may hold a password.
if (words.some((word) => word.startsWith("--database"))) process.title = "trawl";

const log = createLog("warn");
/** A command says itself what went wrong; what it logs is for those who look for a defect. */
const quietLog = createLog("error");
/** The editor shows all of it, as soon as it is there. */
const editorLog = heldLog();
const interruption = new AbortController();
const terminal = processTerminal(coloursWanted);

/** Stop as one should; whoever asks a second time means at once. */
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  process.on(signal, () => {
    if (interruption.signal.aborted) process.exit(code);
    interruption.abort();
  });
}

/** The channel to the process that started this one: without it there is nobody to work for. */
process.on("disconnect", () => end());

process.on("unhandledRejection", (error) => log.error("A promise was broken and nobody noticed.", { error }));

process.on("beforeExit", () => {
  log.error("Trawl has ended before it was done.");
  process.exit(70);
});

const house: House = {
  version: versionOfPackage(),
  terminal,
  currentFolder: process.cwd(),
  defaultDataDir: defaultDataDirectory(),
  interrupted: interruption.signal,
  open: (configuration, purpose, forEditor) =>
    openInstance({
      configuration,
      purpose,
      version: house.version,
      log: forEditor ? editorLog.log : purpose === "serve" ? log : quietLog,
      signal: interruption.signal,
      awaitsSettings: forEditor !== undefined,
    }),
  async speakLsp(configuration, opened) {
    const { speakLsp } = await import("#transport/lsp/connection");
    let instance: Instance | undefined;
    opened.then(
      (each) => {
        instance = each;
      },
      // The editor is told by the answer to its first request.
      () => undefined,
    );
    await speakLsp({
      version: house.version,
      caller: opened.then(({ caller }) => caller),
      indexFolders: configuration.paths.length === 0,
      baseUrl: () => instance?.url(),
      configure: async (settings) => (await opened).configure(settings),
      close: async () => instance?.close(),
      log: editorLog.log,
      onConnection: editorLog.sendTo,
    });
  },
};

/** Whatever still hangs after this time is not waited for. */
const endMs = 5000;

function end(): void {
  interruption.abort();
  setTimeout(() => process.exit(1), endMs).unref();
}

main(words, house).then(
  (code) => process.exit(code),
  (error: unknown) => {
    log.error("Trawl has ended because of a defect.", { error });
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
