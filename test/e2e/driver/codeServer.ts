/**
 * VS Code as a server, for one test: its own home, data, extensions, temporary folder and organisation, all below one
 * folder. Whatever runs on behalf of it has that folder in its environment, by which it is found when it should be gone.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeOrganisation, type Organisation } from "#e2e/driver/organisation";
import { processesOf, socketFilesIn, until } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { target } from "#e2e/driver/target";

export interface CodeServerOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Reaches the extension host, and the servers that it starts. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly arguments?: readonly string[];
  /** Whether the packaged extension is installed; without it the window says where it is loaded from. */
  readonly hasVsix?: boolean;
  /** Whether folders have to be trusted first. */
  readonly asksForTrust?: boolean;
  /** Whether nobody has said which repositories there are; the whole organisation is indexed otherwise. */
  readonly isFirstRun?: boolean;
}

export interface CodeServer {
  readonly url: string;
  /** Everything of this run lies below it. */
  readonly root: string;
  readonly organisation: Organisation;
  /** Trawl's data folder. */
  readonly dataFolder: string;
  /** Resolves when it ends before it is stopped. */
  readonly died: Promise<string>;
  /** Ends it with all that belongs to it. Throws where something has to be killed, or is left behind. */
  stop(): Promise<void>;
}

const quietSettings = {
  "telemetry.telemetryLevel": "off",
  // Enter would take a proposal, depending on how quick it is.
  "editor.acceptSuggestionOnEnter": "off",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.settings.enableNaturalLanguageSearch": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "chat.disableAIFeatures": true,
  "chat.commandCenter.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "git.enabled": false,
  "git.openRepositoryInParentFolders": "never",
  "files.simpleDialog.enable": true,
  "files.autoSave": "off",
  // Ports that others open on this machine are nobody's business.
  "remote.autoForwardPorts": false,
};

const running = new Set<CodeServer>();
process.on("exit", () => {
  for (const { root } of running) for (const { pid } of processesOf(root)) kill(pid, "SIGKILL");
});

export async function startCodeServer(options: CodeServerOptions = {}): Promise<CodeServer> {
  const { vsCode, vsix, keeps } = target();
  // Paths of sockets may have 107 characters.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "te-")));
  const organisation = makeOrganisation(join(root, "acme"));
  const environment = makeHome(root, organisation, options);
  const places = ["--config", join(root, "config.yaml"), "--user-data-dir", join(root, "data")];
  const words = [vsCode.entry, ...places, "--extensions-dir", join(root, "extensions")];
  if (options.hasVsix) {
    const done = spawnSync(vsCode.node, [...words, "--install-extension", vsix], {
      env: environment,
      encoding: "utf8",
    });
    if (done.status !== 0) throw new Error(`${vsix} was not installed:\n${done.stdout}\n${done.stderr}`);
  }
  words.push("--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check");
  words.push("--disable-getting-started-override", "--disable-proxy", "--ignore-last-opened");
  if (!options.asksForTrust) words.push("--disable-workspace-trust");
  words.push(...(options.arguments ?? []));
  const child = spawn(vsCode.node, words, {
    env: environment,
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const url = await listening(child, join(root, "code-server.log"));
  let isStopped = false;
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(`code-server ended: ${signal ?? code}`));
  });
  const server: CodeServer = {
    url,
    root,
    organisation,
    dataFolder: join(root, "share/trawl"),
    died: ended.then((how) => (isStopped ? new Promise(() => {}) : how)),
    async stop() {
      if (isStopped) return;
      isStopped = true;
      try {
        await end(child, root, ended);
      } finally {
        running.delete(server);
        if (keeps) process.stdout.write(`      kept: ${root}\n`);
        else rmSync(root, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
  running.add(server);
  return server;
}

/** Gives the environment that knows nobody's own settings. */
function makeHome(
  root: string,
  organisation: Organisation,
  { settings, environment, asksForTrust, isFirstRun }: CodeServerOptions,
): NodeJS.ProcessEnv {
  for (const name of ["data/User", "data/Machine", "extensions", "t", "share"]) {
    mkdirSync(join(root, name), { recursive: true });
  }
  const all = {
    ...quietSettings,
    ...(isFirstRun ? {} : { "trawl.repositories.roots": [organisation.folder] }),
    "security.workspace.trust.enabled": asksForTrust === true,
    "security.workspace.trust.startupPrompt": "never",
    ...settings,
  };
  writeSettings(root, all);
  writeFileSync(join(root, "config.yaml"), "auth: none\n");
  return {
    PATH: `${dirname(target().vsCode.node)}:${process.env["PATH"]}`,
    HOME: root,
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    TMPDIR: join(root, "t"),
    XDG_RUNTIME_DIR: join(root, "t"),
    XDG_DATA_HOME: join(root, "share"),
    // No gallery of extensions is asked for anything.
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "", itemUrl: "" }),
    TRAWL_E2E_ORGANISATION: organisation.folder,
    ...environment,
  };
}

/** Settings of the machine count only in the second of the two files. */
function writeSettings(root: string, settings: Readonly<Record<string, unknown>>): void {
  for (const name of ["User", "Machine"]) {
    writeFileSync(join(root, "data", name, "settings.json"), JSON.stringify(settings, null, 2));
  }
}

/** Changes settings while windows are open. */
export function changeSettings({ root }: CodeServer, change: Readonly<Record<string, unknown>>): void {
  const present = JSON.parse(readFileSync(join(root, "data/User/settings.json"), "utf8"));
  writeSettings(root, { ...present, ...change });
}

async function listening(child: ChildProcess, logPath: string): Promise<string> {
  const log = createWriteStream(logPath);
  child.stderr?.pipe(log, { end: false });
  return await new Promise((resolve, reject) => {
    let text = "";
    const failed = (why: string) => reject(new Error(`${why}\n${text}`));
    const timer = setTimeout(() => failed("code-server did not start within 60 s."), 60_000);
    child.once("exit", (code) => failed(`code-server ended with ${code}.`));
    child.stdout?.on("data", (part: Buffer) => {
      log.write(part);
      text += part.toString("utf8");
      const url = /HTTP server listening on (http:\/\/\S+?)\/?\s/.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

/** Asks the whole group to end, and counts as left behind what is still there when code-server has gone. */
async function end(child: ChildProcess, root: string, ended: Promise<unknown>): Promise<void> {
  kill(-(child.pid ?? 0), "SIGTERM");
  const timer = setTimeout(() => kill(-(child.pid ?? 0), "SIGKILL"), 10_000);
  await ended;
  clearTimeout(timer);
  try {
    await until("nothing of the run is left", () => processesOf(root).length === 0, 10_000);
  } catch {
    const left = processesOf(root);
    for (const { pid } of left) kill(pid, "SIGKILL");
    if (left.length > 0) {
      const lines = left.map(({ pid, command }) => `${pid} ${command}`);
      throw new Error(`Left behind when VS Code had ended:\n${lines.join("\n")}`);
    }
  }
}

/** Sockets of Trawl below the folder of a run. */
export function trawlSockets({ root }: CodeServer): readonly string[] {
  return socketFilesIn(root).filter((path) => path.includes("trawl"));
}

/** The running servers of Trawl. */
export function trawlServers({ root }: CodeServer): readonly number[] {
  return processesOf(root)
    .filter(({ command }) => command.includes("dist/server/trawl.js"))
    .map(({ pid }) => pid);
}
