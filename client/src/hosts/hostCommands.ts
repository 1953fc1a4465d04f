/** Commands of the Code Hosts view. */
import { basename } from "node:path";
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import { count } from "#client/workbench/format";
import type { CodeHostPlan, CodeHostStatus } from "#contract/codeHosts";
import { addHost } from "./addHost";
import type { hostCommands as declared } from "./contributions";
import type { HostRow } from "./hostRows";
import { planText } from "./planText";

export interface HostCommandOptions {
  readonly service: ServiceClient;
  readonly hosts: () => Promise<readonly CodeHostStatus[]>;
  readonly refresh: () => Promise<void>;
}

const planScheme = "trawl-plan";
/** In the data directory. */
const connectionsFileName = "connections.jsonc";
/** How many names the confirmation of removals lists. */
const maxNames = 20;

export class HostCommands implements vscode.Disposable {
  readonly #options: HostCommandOptions;
  /** The text of each plan that was shown, by path. */
  readonly #plans = new Map<string, string>();
  /** The files of connections that were opened, which are applied when they are saved. */
  readonly #files = new Set<string>();
  readonly #planChanged = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: HostCommandOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#planChanged,
      vscode.workspace.registerTextDocumentContentProvider(planScheme, {
        onDidChange: this.#planChanged.event,
        provideTextDocumentContent: ({ path }) => this.#plans.get(path) ?? "",
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        const isOpened = this.#files.has(uri.fsPath) || basename(uri.fsPath) === connectionsFileName;
        if (isOpened) void this.#applySaved();
      }),
    );
  }

  readonly commands: Handlers<typeof declared> = {
    "hosts.add": async () => {
      const { service, hosts, refresh } = this.#options;
      const name = await addHost({
        service,
        names: async () => (await hosts()).map((each) => each.name),
        showPlan: (host, plan) => this.#showPlan(host, plan),
      });
      if (name === undefined) return;
      await refresh();
      await vscode.commands.executeCommand("trawl.hosts.focus");
    },
    "hosts.refresh": () => this.#options.refresh(),
    "hosts.sync": async (row?: HostRow) => {
      const host = await this.#hostOf(row);
      if (host !== undefined) await this.#sync(host);
    },
    "hosts.plan": async (row?: HostRow) => {
      const host = await this.#hostOf(row);
      if (host === undefined) return;
      const plan = await this.#whileBusy(() =>
        this.#options.service.call("planCodeHost", { name: host.name }),
      );
      await this.#showPlan(host.name, plan);
    },
    "hosts.confirm": async (row?: HostRow) => {
      const host = await this.#hostOf(row);
      if (host !== undefined) await this.confirm(host);
    },
    "hosts.open": async (row?: HostRow) => {
      const host = await this.#hostOf(row);
      if (host !== undefined) await vscode.env.openExternal(vscode.Uri.parse(host.url, true));
    },
    "hosts.configure": async (row?: HostRow) => {
      const host = await this.#hostOf(row);
      if (host !== undefined) await this.configure(host);
    },
  };

  /** Opens the file that configures a connection, at its name. */
  async configure({ name, file }: CodeHostStatus): Promise<void> {
    if (file === undefined) return;
    this.#files.add(file);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    const at = Math.max(0, document.getText().indexOf(`"${name}"`));
    const position = document.positionAt(at);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
  }

  /** Asks whether repositories that disappeared at once may be removed. */
  async confirm(host: CodeHostStatus): Promise<void> {
    const { name, unconfirmed, unconfirmedPaths } = host;
    const { t } = vscode.l10n;
    if (unconfirmed === 0) {
      vscode.window.setStatusBarMessage(t("There is nothing to confirm."), 5000);
      return;
    }
    const shown = unconfirmedPaths.slice(0, maxNames);
    const more = unconfirmed - shown.length;
    const confirm = t("Allow Removal");
    const choice = await vscode.window.showWarningMessage(
      t("Allow the removal of {0} repositories of {1}?", count(unconfirmed), name),
      {
        modal: true,
        detail: [
          ...shown,
          ...(more > 0 ? [t("and {0} more", count(more))] : []),
          "",
          t("Each is removed once the host has said again that it does not exist."),
        ].join("\n"),
      },
      confirm,
    );
    if (choice !== confirm) return;
    await this.#options.service.call("confirmCodeHost", { name });
    await this.#options.refresh();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Returns the connection of a row, or one that the user picks. */
  async #hostOf(row: HostRow | undefined): Promise<CodeHostStatus | undefined> {
    if (row?.host !== undefined) return row.host;
    const hosts = await this.#options.hosts();
    if (hosts.length <= 1) return hosts[0];
    const items = hosts.map((host) => ({ label: host.name, description: host.url, host }));
    const picked = await vscode.window.showQuickPick(items, {
      placeHolder: vscode.l10n.t("Which code host?"),
    });
    return picked?.host;
  }

  async #sync({ name }: CodeHostStatus): Promise<void> {
    const { service, refresh } = this.#options;
    const { t } = vscode.l10n;
    const plan = await this.#whileBusy(async () => {
      const listing = service.call("syncCodeHost", { name });
      // Shows that it is being listed.
      await Promise.all([listing, refresh()]);
      return await listing;
    });
    await refresh();
    const [problem] = plan.problems;
    if (problem !== undefined) {
      void vscode.window.showWarningMessage(t("{0} was not listed completely: {1}", name, problem.message));
      return;
    }
    const { added, removed, kept } = plan;
    vscode.window.setStatusBarMessage(
      t(
        "{0}: {1} added, {2} removed, {3} unchanged",
        name,
        count(added.length),
        count(removed.length),
        count(kept),
      ),
      8000,
    );
  }

  #whileBusy<Result>(work: () => Promise<Result>): Thenable<Result> {
    return vscode.window.withProgress({ location: { viewId: "trawl.hosts" } }, work);
  }

  async #showPlan(name: string, plan: CodeHostPlan): Promise<void> {
    const uri = vscode.Uri.from({ scheme: planScheme, path: `/${vscode.l10n.t("Plan of {0}", name)}` });
    this.#plans.set(uri.path, planText(name, plan));
    this.#planChanged.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  async #applySaved(): Promise<void> {
    try {
      await this.#options.service.call("reloadCodeHosts", {});
      await this.#options.refresh();
    } catch (error) {
      void vscode.window.showErrorMessage(
        vscode.l10n.t("The saved settings are not in use: {0}", callError(error).message),
      );
    }
  }
}
