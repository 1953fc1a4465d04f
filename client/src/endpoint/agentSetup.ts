/** "Set Up for Agents...": shows what an agent has to be told, and writes it where the person says so. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import type { Instance } from "#client/status/instance";
import { type Agent, agents, type GuideFacts, guide, keyVariable, withGuide } from "./agentGuide";
import { showToolsSetting } from "./agentRows";
import type { ApiKeys } from "./apiKeys";

const scheme = "trawl-agents";

export interface AgentSetupOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly instance: Instance;
  readonly keys: ApiKeys;
}

interface Step extends vscode.QuickPickItem {
  /** Gives whether there is more to do afterwards. */
  readonly run?: () => Promise<boolean>;
}

export class AgentSetup implements vscode.Disposable {
  #repository = "github.com/acme/api";
  readonly #options: AgentSetupOptions;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: AgentSetupOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: () => guide(this.#facts),
      }),
    );
  }

  readonly commands: Commands = {
    "agents.setup": async (id?: unknown) => {
      const agent = agents.find((each) => each.id === id) ?? (await pickAgent());
      if (agent !== undefined) await this.#guideTo(agent);
    },
  };

  /** Where the interface answers, or will once it is started. */
  get #facts(): GuideFacts {
    const address = this.#options.instance.facts?.url ?? `http://127.0.0.1:${setting("api.port")}`;
    return { address, repository: this.#repository };
  }

  async #guideTo(agent: Agent): Promise<void> {
    const { service, instance, keys } = this.#options;
    // Starts the server where it is not: whether there is a port is for it to say.
    const { items } = await service.call("repos", { perPage: 1 });
    this.#repository = items[0]?.repoName ?? this.#repository;
    await Promise.all([instance.refresh(), keys.load()]);
    const uri = vscode.Uri.from({ scheme, path: `/${agent.name}.md` });
    for (;;) {
      this.#changed.fire(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
      const step = await vscode.window.showQuickPick(this.#steps(agent), {
        title: vscode.l10n.t("Set Up for Agents: {0}", agent.name),
        placeHolder: vscode.l10n.t("Nothing is written before you choose it."),
        // The text behind it is there to be read.
        ignoreFocusOut: true,
      });
      if (step?.run === undefined || !(await step.run())) return;
    }
  }

  #steps(agent: Agent): Step[] {
    const { l10n } = vscode;
    const { instance, keys } = this.#options;
    const isRunning = instance.facts?.url !== undefined;
    const hasKeys = keys.known !== undefined && keys.known.length > 0;
    const after = (command: string) => async () => {
      await vscode.commands.executeCommand(command);
      return true;
    };
    return [
      {
        label: isRunning
          ? `$(check) ${l10n.t("The local endpoint runs")}`
          : `$(play) ${l10n.t("Start Local Endpoint")}`,
        detail: isRunning ? this.#facts.address : l10n.t("Agents ask it; nothing listens until then"),
        ...(isRunning ? { run: async () => true } : { run: after("trawl.api.start") }),
      },
      {
        label: `$(key) ${l10n.t("Create API Key...")}`,
        detail: hasKeys
          ? l10n.t("The agent needs one, in the environment variable {0}", keyVariable)
          : l10n.t("There is none yet. The agent needs one, in the environment variable {0}", keyVariable),
        run: after("trawl.api.createKey"),
      },
      {
        label: `$(copy) ${l10n.t("Copy the Text")}`,
        detail: l10n.t("It has no key in it"),
        run: () => this.#copy(),
      },
      ...this.#writings(agent),
    ];
  }

  /** Where the text can be written: below each open folder. */
  #writings(agent: Agent): Step[] {
    const { file } = agent;
    if (file === undefined) return [];
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
    return folders.map(({ uri, name }) => ({
      label: `$(new-file) ${vscode.l10n.t("Add to {0}", file)}`,
      detail: vscode.l10n.t("In {0}, in the place of an earlier one, or at its end", name),
      run: () => this.#write(agent, vscode.Uri.joinPath(uri, file)),
    }));
  }

  async #copy(): Promise<boolean> {
    await vscode.env.clipboard.writeText(guide(this.#facts));
    vscode.window.setStatusBarMessage(vscode.l10n.t("$(check) Copied for agents"), 4_000);
    return false;
  }

  /** As a change that can be undone. */
  async #write(agent: Agent, uri: vscode.Uri): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    const isThere = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (isThere) {
      const document = await vscode.workspace.openTextDocument(uri);
      const before = document.getText();
      const whole = new vscode.Range(document.positionAt(0), document.positionAt(before.length));
      edit.replace(uri, whole, withGuide(before, agent, this.#facts));
    } else {
      const contents = new TextEncoder().encode(withGuide(undefined, agent, this.#facts));
      edit.createFile(uri, { contents });
    }
    const isDone = await vscode.workspace.applyEdit(edit);
    if (!isDone) throw new Error(vscode.l10n.t("{0} could not be changed.", uri.fsPath));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    if (!(await document.save())) throw new Error(vscode.l10n.t("{0} could not be saved.", uri.fsPath));
    return false;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

async function pickAgent(): Promise<Agent | undefined> {
  const tools = {
    label: vscode.l10n.t("VS Code agent mode"),
    detail: setting("api.agentTools")
      ? vscode.l10n.t("nothing to do: it has tools that search, read files and find symbols")
      : vscode.l10n.t("its tools are turned off by trawl.api.agentTools"),
  };
  const items: (vscode.QuickPickItem & { readonly agent?: Agent })[] = agents.map((agent) => ({
    label: agent.name,
    detail: agent.file ?? vscode.l10n.t("a text to give to any agent"),
    agent,
  }));
  const picked = await vscode.window.showQuickPick([tools, ...items], {
    title: vscode.l10n.t("Set Up for Agents"),
    placeHolder: vscode.l10n.t("Which agent is to search?"),
  });
  if (picked === tools) await showToolsSetting();
  return picked === undefined || !("agent" in picked) ? undefined : picked.agent;
}
