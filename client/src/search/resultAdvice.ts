/** What the view "Results" says where there are none: why, and what else to try. */
import * as vscode from "vscode";
import type { Repositories } from "#client/repositories/repositories";
import type { ServiceClient } from "#client/serviceClient";
import type { QueryFix } from "#contract/queries";
import type { BoxAction } from "#webview/messages";
import type { ResultSet } from "./resultSet";
import type { SearchBox } from "./searchBox";
import { indexFacts, statusOf } from "./status";

/** A way out, as a row. */
export interface AdviceNode {
  readonly kind: "advice";
  readonly id: string;
  readonly action: BoxAction;
}

interface AdviceOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly repositories: Pick<Repositories, "items">;
  readonly present: () => ResultSet | undefined;
  readonly box: () => SearchBox;
}

export class Advice implements vscode.Disposable {
  readonly #options: AdviceOptions;
  /** Ways to mend the query of the search with this number. */
  #fixes: { readonly id: number; readonly actions: readonly BoxAction[] } | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onChange = this.#changed.event;

  constructor(options: AdviceOptions) {
    this.#options = options;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Stands above the rows; `undefined` where there are results. */
  get message(): string | undefined {
    const set = this.#options.present();
    if (set === undefined || hasRows(set) || set.outcome === "running") return undefined;
    if (set.outcome === "cancelled") return vscode.l10n.t("The search was cancelled.");
    if (set.outcome === "failed") return set.problem?.message;
    if (this.#options.repositories.items === undefined) return vscode.l10n.t("No results.");
    const { summary, notes } = this.#status(set);
    const also = this.rows.length > 0 ? vscode.l10n.t("Also try:") : "";
    return [summary, ...notes.map(({ text }) => text), also].filter((part) => part !== "").join(" ");
  }

  get rows(): readonly AdviceNode[] {
    const set = this.#options.present();
    if (set === undefined || hasRows(set)) return [];
    return this.#actions(set).map((action) => ({ kind: "advice", id: `advice ${action.title}`, action }));
  }

  /** To be called with each search that came to its end: asks how a query could be mended. */
  async consider({ id, state, problem, request }: ResultSet): Promise<void> {
    if (problem?.errorCode !== "FAILED_TO_PARSE_QUERY") return;
    const reading = await this.#options.service
      .call("readQuery", { query: state.query, isRegexEnabled: request.isRegexEnabled ?? false })
      .catch(() => undefined);
    const fixes = reading?.problems.flatMap((each) => (each.severity === "error" ? each.fixes : [])) ?? [];
    this.#fixes = { id, actions: fixes.map(actionOf) };
    this.#changed.fire();
  }

  async take({ action }: AdviceNode): Promise<void> {
    if ("change" in action) await this.#options.box().show(action.change);
    else await vscode.commands.executeCommand(`trawl.${action.command}`);
  }

  #actions(set: ResultSet): readonly BoxAction[] {
    if (set.outcome === "done" && this.#options.repositories.items !== undefined)
      return this.#status(set).suggestions?.actions ?? [];
    if (set.outcome !== "failed") return [];
    if (set.id === this.#fixes?.id) return this.#fixes.actions;
    return this.#status(set).notes.flatMap(({ actions }) => actions);
  }

  #status(set: ResultSet) {
    const items = [...(this.#options.repositories.items?.values() ?? [])];
    return statusOf({ set, waits: undefined, server: "running", ...indexFacts(items) }, vscode.l10n);
  }
}

function hasRows({ files, commits = [] }: ResultSet): boolean {
  return files.length > 0 || commits.length > 0;
}

export function adviceItem({ id, action }: AdviceNode): vscode.TreeItem {
  const item = new vscode.TreeItem(action.title.charAt(0).toLocaleUpperCase() + action.title.slice(1));
  item.id = id;
  item.iconPath = new vscode.ThemeIcon("lightbulb");
  item.command = { title: action.title, command: "trawl.search.showMore" };
  return item;
}

function actionOf({ title, query, isRegexEnabled }: QueryFix): BoxAction {
  return { title, change: { query, ...(isRegexEnabled === undefined ? {} : { isRegex: isRegexEnabled }) } };
}
