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
import { connectionsFileName, type HostRow } from "./hostRows";
import type { HostTokens } from "./hostTokens";
import { isSessionProvider } from "./hostTypes";
import { planText } from "./planText";
import { askSecret } from "./signInSteps";

export interface HostCommandOptions {
  readonly service: ServiceClient;
  readonly tokens: HostTokens;
  readonly hosts: () => Promise<readonly CodeHostStatus[]>;
  readonly refresh: () => Promise<void>;
}

const planScheme = "trawl-plan";
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
      const { service, tokens, hosts, refresh } = this.#options;
      const before = tokens.names;
      let name: string | undefined;
      try {
        name = await addHost({
          service,
          tokens,
          names: async () => (await hosts()).map((each) => each.name),
          showPlan: (host, plan) => this.#showPlan(host, plan),
        });
      } finally {
        // The user may have signed in, and then canceled.
        const added = tokens.names.filter((each) => isSessionProvider(each) && !before.includes(each));
        if (name === undefined) for (const each of added) await this.#forgetUnused(each);
      }
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
    "hosts.signIn": async (row?: HostRow) => {
      const host = await this.#hostOf(row);
      if (host !== undefined) await this.signIn(host);
    },
    "hosts.remove": async (row?: HostRow) => {
      const host = await this.#hostOf(row);
      if (host !== undefined) await this.#remove(host);
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

  /** Asks for another token, and lists the host with it. */
  async signIn(host: CodeHostStatus): Promise<void> {
    const { tokens } = this.#options;
    const name = host.signIn?.token;
    if (name === undefined) return;
    if (isSessionProvider(name)) await tokens.signIn(name, true);
    else {
      const title = vscode.l10n.t("Sign In to {0}", host.name);
      const token = await askSecret(title, "", { canGoBack: false });
      if (typeof token !== "string") return;
      await tokens.store(name, new URL(host.url).origin, token);
    }
    await this.#sync(host);
  }

  async #remove({ name, signIn }: CodeHostStatus): Promise<void> {
    const { t } = vscode.l10n;
    const remove = t("Remove");
    const choice = await vscode.window.showWarningMessage(
      t("Remove the code host {0}?", name),
      {
        modal: true,
        detail: t(
          "Its repositories are no longer searched, and the copies on this computer are deleted after some days. Nothing changes on the host.",
        ),
      },
      remove,
    );
    if (choice !== remove) return;
    const { service, refresh } = this.#options;
    await service.call("removeCodeHost", { name });
    await refresh();
    await this.#forgetUnused(signIn?.token);
  }

  /** Deletes a token that no connection uses. */
  async #forgetUnused(token: string | undefined): Promise<void> {
    const hosts = await this.#options.hosts();
    if (token === undefined || hosts.some(({ signIn }) => signIn?.token === token)) return;
    await this.#options.tokens.forget(token);
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
      const before = await this.#options.hosts();
      await this.#options.service.call("reloadCodeHosts", {});
      await this.#options.refresh();
      for (const { signIn } of before) await this.#forgetUnused(signIn?.token);
    } catch (error) {
      void vscode.window.showErrorMessage(
        vscode.l10n.t("The saved settings are not in use: {0}", callError(error).message),
      );
    }
  }
}
