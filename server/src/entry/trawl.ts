/** The process `trawl`: what the command line asks, in the house that answers it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { House, Instance } from "#cli/instance";
import { main } from "#cli/main";
import { processTerminal } from "#cli/terminal";
import { createLog } from "#platform/log";
import { coloursWanted, defaultDataDirectory } from "#platform/settings";
import { openInstance } from "./house";

const log = createLog("warn");
/** A command says itself what went wrong; what it logs is for those who look for a defect. */
const quietLog = createLog("error");
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
  open: (configuration, purpose) =>
    openInstance({
      configuration,
      purpose,
      version: house.version,
      log: purpose === "serve" ? log : quietLog,
      signal: interruption.signal,
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
      close: async () => instance?.close(),
      log,
    });
  },
};

main(process.argv.slice(2), house).then(
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
