/**
 * "Set Up for Agents...": adds Trawl to an agent that connects over MCP, or shows the instructions for the REST API and
 * writes them to a file on request.
 */

import * as vscode from "vscode";
import type { Instance } from "#client/model/instance";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import { setting } from "#client/workbench/settings";
import { agentTitles } from "#contract/agentTools";
import { type Agent, agents, type GuideOptions, guide, keyVariable, withGuide } from "./agentGuide";
import { restSetup, showToolsSetting } from "./agentRows";
import { toolsRoute } from "./agentTools";
import type { ApiKeys } from "./apiKeys";
import type { agentCommands } from "./contributions";
import { type McpAgent, type McpSetup, mcpAgents } from "./mcpSetup";

const scheme = "trawl-agents";

export interface AgentSetupOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly instance: Instance;
  readonly keys: ApiKeys;
  readonly mcp: McpSetup;
}

interface Step extends vscode.QuickPickItem {
  /** Returns whether to show the steps again. */
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
        provideTextDocumentContent: () => guide(this.#guideOptions),
      }),
    );
  }

  readonly commands: Handlers<typeof agentCommands> = {
    "agents.setup": async (id?: unknown) => {
      const chosen = id === restSetup ? id : (mcpAgents.find((name) => name === id) ?? (await pickSetup()));
      if (chosen === undefined) return;
      if (chosen !== restSetup) return await this.#options.mcp.setUp(chosen);
      const agent = await pickReader();
      if (agent !== undefined) await this.#setUp(agent);
    },
  };

  /** Uses the URL of the local endpoint, or the one that it will have once it is started. */
  get #guideOptions(): GuideOptions {
    const url = this.#options.instance.state?.url ?? `http://127.0.0.1:${setting("api.port")}`;
    return { url, repository: this.#repository };
  }

  async #setUp(agent: Agent): Promise<void> {
    const { service, instance, keys } = this.#options;
    // Starts the server if needed, which knows whether the local endpoint is running.
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
        placeHolder: vscode.l10n.t("Select a step. No file is changed until you select it."),
        // The user may scroll the instructions while the quick pick is open.
        ignoreFocusOut: true,
      });
      if (step?.run === undefined || !(await step.run())) return;
    }
  }

  #steps(agent: Agent): Step[] {
    const { l10n } = vscode;
    const { instance, keys } = this.#options;
    const isRunning = instance.state?.url !== undefined;
    const hasKeys = keys.known !== undefined && keys.known.length > 0;
    const runCommand = (command: string) => async () => {
      await vscode.commands.executeCommand(command);
      return true;
    };
    return [
      {
        label: isRunning
          ? `$(check) ${l10n.t("Local endpoint is running")}`
          : `$(play) ${l10n.t("Start Local Endpoint")}`,
        detail: isRunning ? this.#guideOptions.url : l10n.t("Required by agents; off until started"),
        ...(isRunning ? { run: async () => true } : { run: runCommand("trawl.api.start") }),
      },
      ...(isRunning ? [alwaysStartStep()] : []),
      {
        label: `$(key) ${l10n.t("Create API Key...")}`,
        detail: hasKeys
          ? l10n.t("The agent reads its key from the environment variable {0}", keyVariable)
          : l10n.t(
              "No key exists yet. The agent reads its key from the environment variable {0}",
              keyVariable,
            ),
        run: runCommand("trawl.api.createKey"),
      },
      {
        label: `$(copy) ${l10n.t("Copy Instructions")}`,
        detail: l10n.t("Does not contain your key"),
        run: () => this.#copy(),
      },
      ...this.#writeSteps(agent),
    ];
  }

  /** Returns a step for each open folder that writes the instructions there. */
  #writeSteps(agent: Agent): Step[] {
    const { file } = agent;
    if (file === undefined) return [];
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
    return folders.map(({ uri, name }) => ({
      label: `$(new-file) ${vscode.l10n.t("Add to {0}", file)}`,
      detail: vscode.l10n.t("In {0}: replaces the Trawl section or appends one", name),
      run: () => this.#write(agent, vscode.Uri.joinPath(uri, file)),
    }));
  }

  async #copy(): Promise<boolean> {
    await vscode.env.clipboard.writeText(guide(this.#guideOptions));
    vscode.window.setStatusBarMessage(vscode.l10n.t("$(check) Instructions copied"), 4_000);
    return false;
  }

  /** Writes the instructions as an edit that can be undone. */
  async #write(agent: Agent, uri: vscode.Uri): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    const exists = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (exists) {
      const document = await vscode.workspace.openTextDocument(uri);
      const before = document.getText();
      const whole = new vscode.Range(document.positionAt(0), document.positionAt(before.length));
      edit.replace(uri, whole, withGuide(before, agent, this.#guideOptions));
    } else {
      const contents = new TextEncoder().encode(withGuide(undefined, agent, this.#guideOptions));
      edit.createFile(uri, { contents });
    }
    const isApplied = await vscode.workspace.applyEdit(edit);
    if (!isApplied) throw new Error(vscode.l10n.t("Cannot change {0}. Check its permissions.", uri.fsPath));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    if (!(await document.save()))
      throw new Error(vscode.l10n.t("Cannot save {0}. Check its permissions.", uri.fsPath));
    return false;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** Offers to start the endpoint whenever the server runs, rather than only until the user stops it. */
function alwaysStartStep(): Step {
  const { l10n } = vscode;
  const isAlways = setting("api.enabled");
  return {
    label: isAlways ? `$(check) ${l10n.t("Always starts with Trawl")}` : `$(sync) ${l10n.t("Always Start")}`,
    detail: l10n.t("Sets trawl.api.enabled: the endpoint opens whenever the search server runs"),
    async run() {
      if (!isAlways) {
        await vscode.workspace
          .getConfiguration("trawl")
          .update("api.enabled", true, vscode.ConfigurationTarget.Global);
      }
      return true;
    },
  };
}

/** Returns an agent that connects over MCP, or the REST instructions. */
async function pickSetup(): Promise<McpAgent | typeof restSetup | undefined> {
  const { l10n } = vscode;
  const tools = {
    label: l10n.t("VS Code agent mode"),
    detail:
      toolsRoute() !== "off"
        ? l10n.t("ready: its tools search, read files and find symbols")
        : l10n.t("its tools are turned off by trawl.api.agentTools"),
  };
  const items = mcpAgents.map((chosen) => ({
    label: agentTitles[chosen],
    detail: l10n.t("adds Trawl to its configuration"),
    chosen,
  }));
  const separator = { label: l10n.t("scripts"), kind: vscode.QuickPickItemKind.Separator };
  const rest = {
    label: l10n.t("REST instructions"),
    detail: l10n.t("for scripts, and for agents that cannot use MCP"),
    chosen: restSetup,
  } as const;
  const picked = await vscode.window.showQuickPick<
    vscode.QuickPickItem & { readonly chosen?: McpAgent | typeof restSetup }
  >([tools, ...items, separator, rest], {
    title: l10n.t("Set Up for Agents"),
    placeHolder: l10n.t("Select the agent to set up"),
  });
  if (picked === tools) await showToolsSetting();
  return picked?.chosen;
}

/** Returns the agent that reads the REST instructions. */
async function pickReader(): Promise<Agent | undefined> {
  const items = agents.map((agent) => ({
    label: agent.name,
    detail: agent.file ?? vscode.l10n.t("instructions for any agent"),
    agent,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Set Up for Agents: {0}", vscode.l10n.t("REST instructions")),
    placeHolder: vscode.l10n.t("Select who reads the instructions"),
  });
  return picked?.agent;
}
