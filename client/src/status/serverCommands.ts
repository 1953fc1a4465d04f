/** Commands about the server itself: restart, logs, diagnostics, deleting its data. */
import { fork } from "node:child_process";
import * as os from "node:os";
import * as vscode from "vscode";
import { CallError, callError } from "#client/callError";
import type { Commands } from "#client/commands";
import { defaultSettings, settingNames } from "#client/defaultSettings";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import { diagnosticsText } from "./diagnostics";
import type { Instance } from "./instance";
import type { RecentErrors } from "./recentErrors";
import type { StatusItem } from "./statusItem";
import { showStatusMenu } from "./statusMenu";

export interface ServerCommandOptions {
  readonly extension: vscode.Extension<unknown>;
  readonly service: ServiceClient;
  readonly instance: Instance;
  readonly status: StatusItem;
  readonly errors: RecentErrors;
  readonly serverLog: vscode.LogOutputChannel;
  /** Absolute path of the program that erases the index of a data folder, and what it is told. */
  readonly eraser: { readonly path: string; readonly arguments: () => readonly string[] };
}

export function serverCommands(options: ServerCommandOptions): Commands {
  const { service, instance, status, serverLog } = options;
  return {
    "server.status": () => showStatusMenu(instance, status),
    "server.restart": () => service.restart(),
    "server.showLogs": () => serverLog.show(true),
    async "server.copyDiagnostics"() {
      await vscode.env.clipboard.writeText(await diagnosticsOf(options));
      vscode.window.setStatusBarMessage(vscode.l10n.t("$(check) Diagnostics copied"), 4_000);
    },
    "data.delete": () => deleteData(options),
    "help.walkthrough": () =>
      vscode.commands.executeCommand(
        "workbench.action.openWalkthrough",
        `${options.extension.id}#start`,
        false,
      ),
  };
}

async function diagnosticsOf({
  extension,
  service,
  instance,
  errors,
}: ServerCommandOptions): Promise<string> {
  await instance.refresh();
  const differing = settingNames.filter(
    (name) => JSON.stringify(setting(name)) !== JSON.stringify(defaultSettings[name]),
  );
  return diagnosticsText({
    versions: {
      Trawl: String(extension.packageJSON["version"]),
      [vscode.env.appName]: vscode.version,
      Node: process.versions.node,
      System: `${os.type()} ${os.release()} ${process.arch}`,
      ...(vscode.env.remoteName === undefined ? {} : { Remote: vscode.env.remoteName }),
      Trusted: String(vscode.workspace.isTrusted),
    },
    settings: Object.fromEntries(differing.map((name) => [`trawl.${name}`, setting(name)])),
    instance: instance.facts,
    server: service.problem === undefined ? service.state : `${service.state}: ${service.problem}`,
    errors: errors.lines,
    home: os.homedir(),
  });
}

/**
 * Where a server answers, it forgets all repositories first: another window's server may hold the index, and only the
 * one that holds it may delete from it.
 */
async function deleteData({ service, eraser }: ServerCommandOptions): Promise<void> {
  const erase = vscode.l10n.t("Delete All Data");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Delete the index of all repositories?"),
    {
      modal: true,
      detail: vscode.l10n.t(
        "Also deleted: the list of added folders. Clones, settings and saved searches stay. The command line trawl uses the same index. Open folders are indexed again.",
      ),
    },
    erase,
  );
  if (answer !== erase) return;
  await vscode.window.withProgress({ location: { viewId: "trawl.repositories" } }, async () => {
    if (service.state !== "failed") await forgetAll(service);
    await service.restart(() => runEraser(eraser.path, eraser.arguments()));
  });
}

async function forgetAll(service: ServiceClient): Promise<void> {
  try {
    for (;;) {
      const { items } = await service.call("repos", { perPage: 100 });
      if (items.length === 0) return;
      await service.call("removeRepositories", { repositories: items.map(({ repoName }) => repoName) });
    }
  } catch (error) {
    // Without a server the files are what is left to delete.
    if (callError(error).errorCode !== "SERVER_GONE") throw error;
  }
}

/** Rejects where it could not erase; an index that another process holds is no failure, for that one has emptied it. */
function runEraser(path: string, words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: "1" };
    const child = fork(path, [...words], { env, execArgv: [], silent: true });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new CallError("STORAGE_FAILED", said.trim() || `exit code ${code}`)),
    );
  });
}
