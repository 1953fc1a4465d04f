/** Adds Trawl to the configuration of an agent, by the same program as `trawl mcp --install`. */
import * as vscode from "vscode";
import { runProgram } from "#client/server/runProgram";
import { agentTitles } from "#contract/agentTools";

export type McpAgent = keyof typeof agentTitles;

/** Agents that connect over MCP. VS Code's agent mode has the tools of the extension instead. */
export const mcpAgents = (Object.keys(agentTitles) as McpAgent[]).filter((name) => name !== "vscode");

const scheme = "trawl-agent-configuration";
/** The program only reads and writes a small file. */
const timeLimitMs = 15_000;

export class McpSetup implements vscode.Disposable {
  /** What to add to the configuration of each agent, and to which file. */
  readonly #previews = new Map<string, string>();
  readonly #program: () => readonly [path: string, ...args: string[]];
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  /** `program` returns the path that agents start, and the arguments that select the data directory. */
  constructor(program: () => readonly [path: string, ...args: string[]]) {
    this.#program = program;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: ({ path }) => this.#previews.get(path) ?? "",
      }),
    );
  }

  /** Shows what would be added, and adds or copies it on request. */
  async setUp(agent: McpAgent): Promise<void> {
    const { l10n } = vscode;
    const title = agentTitles[agent];
    const preview = await this.#run(agent, ["--print"]);
    const uri = vscode.Uri.from({ scheme, path: `/${title}.txt` });
    this.#previews.set(uri.path, `${preview}\n`);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
    const add = {
      label: `$(new-file) ${l10n.t("Add to the Configuration")}`,
      detail: l10n.t("Changes nothing else in the file"),
    };
    const copy = {
      label: `$(copy) ${l10n.t("Copy the Configuration")}`,
      detail: l10n.t("To add it yourself"),
    };
    const step = await vscode.window.showQuickPick([add, copy], {
      title: l10n.t("Set Up for Agents: {0}", title),
      placeHolder: l10n.t("Select a step. No file is changed until you select it."),
      // The user may scroll the preview while the quick pick is open.
      ignoreFocusOut: true,
    });
    if (step === copy) {
      // The first paragraph names the file.
      await vscode.env.clipboard.writeText(preview.slice(preview.indexOf("\n\n") + 2));
      vscode.window.setStatusBarMessage(l10n.t("$(check) Configuration copied"), 4_000);
    }
    if (step === add) {
      await this.#run(agent, []);
      vscode.window.setStatusBarMessage(l10n.t("$(check) {0} has Trawl when it starts again", title), 10_000);
    }
  }

  /** Returns what the program prints. Throws what it reports, such as a file that it does not understand. */
  async #run(agent: McpAgent, flags: readonly string[]): Promise<string> {
    const [path, ...args] = this.#program();
    const output = await runProgram(path, ["mcp", "--install", agent, ...flags, ...args], timeLimitMs);
    if (output.code === 0) return output.stdout;
    throw new Error(output.stderr.replace(/^trawl: /, "") || `exit code ${output.code}`);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}
