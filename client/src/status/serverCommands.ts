/** Commands about the server: restart, logs, diagnostics, deleting its data. */

import * as os from "node:os";
import * as vscode from "vscode";
import type { Instance } from "#client/model/instance";
import { CallError, callError } from "#client/server/callError";
import { runProgram } from "#client/server/runProgram";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import type { serverCommands as declared } from "./contributions";
import { diagnosticsText } from "./diagnostics";
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
  /** Absolute path and arguments of the program that erases the index of a data directory. */
  readonly eraser: { readonly path: string; readonly arguments: () => readonly string[] };
  /** Called before the data is erased. */
  readonly onErase: () => Promise<void>;
}

export function serverCommands(options: ServerCommandOptions): Handlers<typeof declared> {
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
  return diagnosticsText({
    versions: {
      Trawl: String(extension.packageJSON["version"]),
      [vscode.env.appName]: vscode.version,
      Node: process.versions.node,
      System: `${os.type()} ${os.release()} ${process.arch}`,
      ...(vscode.env.remoteName === undefined ? {} : { Remote: vscode.env.remoteName }),
      Trusted: String(vscode.workspace.isTrusted),
    },
    settings: changedSettings(extension),
    instance: instance.state,
    server: service.problem === undefined ? service.state : `${service.state}: ${service.problem}`,
    errors: errors.lines,
    home: os.homedir(),
  });
}

/** Returns the settings that differ from their defaults, by full name. */
function changedSettings({ packageJSON }: vscode.Extension<unknown>): Readonly<Record<string, unknown>> {
  const sections: readonly {
    readonly properties: Readonly<Record<string, { readonly default: unknown }>>;
  }[] = packageJSON["contributes"]["configuration"];
  const settings = vscode.workspace.getConfiguration();
  return Object.fromEntries(
    sections
      .flatMap(({ properties }) => Object.entries(properties))
      .map(([name, { default: byDefault }]) => ({ name, value: settings.get(name), byDefault }))
      .filter(({ value, byDefault }) => JSON.stringify(value) !== JSON.stringify(byDefault))
      .map(({ name, value }) => [name, value]),
  );
}

/**
 * Removes all repositories through the server first, if there is one: the index may belong to another window's server,
 * and only its owner may delete from it. Then erases the files while no server runs.
 */
async function deleteData({ service, eraser, onErase }: ServerCommandOptions): Promise<void> {
  const erase = vscode.l10n.t("Delete All Data");
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t("Delete the index of all repositories?"),
    {
      modal: true,
      detail: vscode.l10n.t(
        "Also deleted: the list of added folders. Clones, settings and saved searches are kept. The trawl command line uses the same index. Open folders are indexed again.",
      ),
    },
    erase,
  );
  if (choice !== erase) return;
  await vscode.window.withProgress({ location: { viewId: "trawl.repositories" } }, async () => {
    if (service.state !== "failed") await removeAllRepositories(service);
    await service.restart(async () => {
      try {
        await onErase();
      } finally {
        await runEraser(eraser.path, eraser.arguments());
      }
    });
  });
}

async function removeAllRepositories(service: ServiceClient): Promise<void> {
  try {
    for (;;) {
      const { items } = await service.call("repos", { perPage: 100 });
      // Those of the team's server come after those of this computer.
      const names = items.filter(({ server }) => server === undefined).map(({ repoName }) => repoName);
      if (names.length === 0) return;
      await service.call("removeRepositories", { repositories: names });
    }
  } catch (error) {
    // Without a server, only the files are left to delete.
    if (callError(error).errorCode !== "SERVER_GONE") throw error;
  }
}

/** Rejects if erasing failed. An index that another process owns is no failure, because that process has emptied it. */
async function runEraser(path: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runProgram(path, args);
  if (code !== 0) throw new CallError("STORAGE_FAILED", stderr || `exit code ${code}`);
}
