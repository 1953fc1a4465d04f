/**
 * Runs VS Code as a server for one spec, with its own home, data, extensions, temporary folder and organization, all
 * below one folder. All its processes have that folder in their environment, which identifies any that fail to exit.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { processesOf, socketFilesIn } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { target } from "#e2e/driver/target";
import { copyExtensions } from "#e2e/install/extensionPackage";
import { eventually } from "#test/support/eventually";
import { makeOrganization, type Organization } from "./organization";

export interface CodeServerOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Passed to the extension host and to the servers that it starts. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly arguments?: readonly string[];
  /** Whether to install the packaged extension. Otherwise the window's parameters say where to load it from. */
  readonly hasVsix?: boolean;
  /** Whether folders must be trusted first. */
  readonly asksForTrust?: boolean;
  /** Whether to configure no repositories. Otherwise the whole organization is indexed. */
  readonly isFirstRun?: boolean;
  /** How long processes may take to exit after code-server, in milliseconds; otherwise 30,000. */
  readonly exitLimitMs?: number;
}

export interface CodeServer {
  readonly url: string;
  /** The folder that contains everything of this run. */
  readonly root: string;
  readonly organization: Organization;
  /** Trawl's data directory. */
  readonly dataDirectory: string;
  /** Resolves if the server exits before `stop` is called. */
  readonly died: Promise<string>;
  /** Stops the server and all its processes. Throws if one of them outlives it. */
  stop(): Promise<void>;
}

const quietSettings = {
  "telemetry.telemetryLevel": "off",
  // Otherwise Enter accepts a suggestion if it arrives quickly enough.
  "editor.acceptSuggestionOnEnter": "off",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.reduceMotion": "on",
  "editor.cursorBlinking": "solid",
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
  // Otherwise a click that opens a view hides the side bar if VS Code has just restored it.
  "workbench.activityBar.iconClickBehavior": "focus",
  "window.commandCenter": false,
  "git.enabled": false,
  "git.openRepositoryInParentFolders": "never",
  "files.simpleDialog.enable": true,
  "files.autoSave": "off",
  // Ignore ports of other programs on this machine.
  "remote.autoForwardPorts": false,
};

const running = new Set<CodeServer>();

function killRunning(): void {
  for (const { root } of running) for (const { pid } of processesOf(root)) kill(pid, "SIGKILL");
}

export async function startCodeServer(options: CodeServerOptions = {}): Promise<CodeServer> {
  const { vsCode, extensions, keepsFolders } = target();
  // A socket path may have at most 107 characters.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "te-")));
  const organization = makeOrganization(join(root, "acme"));
  const environment = makeHome(root, organization, options);
  const pathOptions = ["--config", join(root, "config.yaml"), "--user-data-dir", join(root, "data")];
  const words = [vsCode.entry, ...pathOptions, "--extensions-dir", join(root, "extensions")];
  if (options.hasVsix) copyExtensions(extensions, join(root, "extensions"));
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
  const url = await waitForUrl(child, join(root, "code-server.log"));
  let isStopped = false;
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(`code-server ended: ${signal ?? code}`));
  });
  const server: CodeServer = {
    url,
    root,
    organization,
    dataDirectory: join(root, "share/trawl"),
    died: ended.then((how) => (isStopped ? new Promise(() => {}) : how)),
    async stop() {
      if (isStopped) return;
      isStopped = true;
      try {
        await end(child, root, ended, options.exitLimitMs);
      } finally {
        running.delete(server);
        // Each spec is a bundle with its own copy of this module, and would leave a listener.
        if (running.size === 0) process.off("exit", killRunning);
        if (keepsFolders) process.stdout.write(`      kept: ${root}\n`);
        else rmSync(root, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
  if (running.size === 0) process.on("exit", killRunning);
  running.add(server);
  return server;
}

/** Creates a home folder; returns an environment isolated from the user's settings. */
function makeHome(
  root: string,
  organization: Organization,
  { settings, environment, asksForTrust, isFirstRun }: CodeServerOptions,
): NodeJS.ProcessEnv {
  for (const name of ["data/User", "data/Machine", "extensions", "t", "share"]) {
    mkdirSync(join(root, name), { recursive: true });
  }
  const allSettings = {
    ...quietSettings,
    ...(isFirstRun ? {} : { "trawl.repositories.roots": [organization.folder] }),
    "security.workspace.trust.enabled": asksForTrust === true,
    "security.workspace.trust.startupPrompt": "never",
    ...settings,
  };
  writeSettings(root, allSettings);
  writeFileSync(join(root, "config.yaml"), "auth: none\n");
  return {
    PATH: `${dirname(target().vsCode.node)}:${process.env["PATH"]}`,
    HOME: root,
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    TMPDIR: join(root, "t"),
    XDG_RUNTIME_DIR: join(root, "t"),
    XDG_DATA_HOME: join(root, "share"),
    // Never contact an extension gallery.
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "", itemUrl: "" }),
    TRAWL_E2E_ORGANIZATION: organization.folder,
    ...environment,
  };
}

/**
 * Writes both files, because machine settings apply only in the second one. Replaces them, because VS Code may read a file
 * while it is being written, and then refuses to change its settings.
 */
function writeSettings(root: string, settings: Readonly<Record<string, unknown>>): void {
  for (const name of ["User", "Machine"]) {
    const path = join(root, "data", name, "settings.json");
    writeFileSync(`${path}.new`, JSON.stringify(settings, null, 2));
    renameSync(`${path}.new`, path);
  }
}

/** Changes settings while windows are open. */
export function changeSettings({ root }: CodeServer, change: Readonly<Record<string, unknown>>): void {
  const current = JSON.parse(readFileSync(join(root, "data/User/settings.json"), "utf8"));
  writeSettings(root, { ...current, ...change });
}

async function waitForUrl(child: ChildProcess, logPath: string): Promise<string> {
  const log = createWriteStream(logPath);
  child.stderr?.pipe(log, { end: false });
  return await new Promise((resolve, reject) => {
    let text = "";
    const fail = (why: string) => reject(new Error(`${why}\n${text}`));
    const timer = setTimeout(() => fail("code-server did not start within 60 s."), 60_000);
    child.once("exit", (code) => fail(`code-server ended with ${code}.`));
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

/** Terminates the process group. Kills and reports processes that outlive code-server. */
async function end(
  child: ChildProcess,
  root: string,
  ended: Promise<unknown>,
  exitLimitMs: number | undefined,
): Promise<void> {
  kill(-(child.pid ?? 0), "SIGTERM");
  const timer = setTimeout(() => kill(-(child.pid ?? 0), "SIGKILL"), 10_000);
  await ended;
  clearTimeout(timer);
  try {
    await eventually(() => processesOf(root).length === 0, exitLimitMs);
  } catch {
    const left = processesOf(root);
    for (const { pid } of left) kill(pid, "SIGKILL");
    if (left.length > 0) {
      const lines = left.map(({ pid, command }) => `${pid} ${command}`);
      throw new Error(`Still running after VS Code exited:\n${lines.join("\n")}`);
    }
  }
}

/** Returns the paths of Trawl's sockets below the folder of a run. */
export function trawlSockets({ root }: CodeServer): readonly string[] {
  return socketFilesIn(root).filter((path) => path.includes("trawl"));
}

/** Returns the process ids of running Trawl servers. */
export function trawlServers({ root }: CodeServer): readonly number[] {
  return processesOf(root)
    .filter(({ command }) => command.includes("dist/server/trawl.js"))
    .map(({ pid }) => pid);
}
