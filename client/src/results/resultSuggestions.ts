/** Suggestions and examples as rows of the Results view, and its message and description, which explain the results. */
import * as vscode from "vscode";
import type { Repositories } from "#client/model/repositories";
import type { TeamServer } from "#client/model/teamServer";
import type { ResultSet } from "#client/search/resultSet";
import type { SearchBox, SearchViewInfo } from "#client/search/searchBox";
import { countRepositories, type Dismissed, statusOf } from "#client/search/status";
import type { ServiceClient } from "#client/server/serviceClient";
import type { QueryFix } from "#contract/queries";
import type { BoxAction } from "#webview/messages";

/** A suggestion or an example. */
export interface SuggestionNode {
  readonly kind: "suggestion";
  readonly id: string;
  readonly action: BoxAction;
  /** What an example finds. */
  readonly detail?: string;
}

interface SuggestionsOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly repositories: Pick<Repositories, "items">;
  readonly teamServer: Pick<TeamServer, "state">;
  readonly current: () => ResultSet | undefined;
  readonly dismissed: () => Dismissed | undefined;
  readonly box: () => SearchBox;
  readonly searchView: Pick<SearchViewInfo, "welcome">;
}

export class Suggestions implements vscode.Disposable {
  readonly #options: SuggestionsOptions;
  /** Quick fixes for the query of the search with this id. */
  #fixes: { readonly id: number; readonly actions: readonly BoxAction[] } | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onChange = this.#changed.event;

  constructor(options: SuggestionsOptions) {
    this.#options = options;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Counts and duration, for the title bar of the view; empty if nothing was found. */
  get description(): string {
    const set = this.#options.current();
    if (set === undefined || (set.outcome !== "running" && !hasRows(set))) return "";
    return this.#status(set).summary;
  }

  /** The message above the rows: why there are none, or why they are incomplete. */
  get message(): string | undefined {
    const set = this.#options.current();
    if (set === undefined)
      return this.#examples.length === 0 ? undefined : this.#options.searchView.welcome?.text;
    if (set.outcome === "running") return undefined;
    if (hasRows(set)) {
      const texts = this.#warnings(set).map(({ text }) => text);
      return texts.length === 0 ? undefined : texts.join(" ");
    }
    if (set.outcome === "canceled") return vscode.l10n.t("The search was canceled.");
    if (set.outcome === "failed") {
      // The search box shows the error at its location.
      return set.problem?.errorCode === "FAILED_TO_PARSE_QUERY"
        ? vscode.l10n.t("Nothing was searched: the query has an error.")
        : set.problem?.message;
    }
    if (this.#options.repositories.items === undefined) return vscode.l10n.t("No results.");
    const { summary, notes } = this.#status(set);
    const also = this.rows.length > 0 ? vscode.l10n.t("Also try:") : "";
    return [summary, ...notes.map(({ text }) => text), also].filter((part) => part !== "").join(" ");
  }

  get rows(): readonly SuggestionNode[] {
    const set = this.#options.current();
    if (set === undefined) return this.#examples;
    const actions = hasRows(set) ? this.#warningActions(set) : this.#actions(set);
    return actions
      .map(asRow)
      .map((action) => ({ kind: "suggestion", id: `suggestion ${action.title}`, action }));
  }

  /** Call with each search that has ended: loads quick fixes for a query that could not be parsed. */
  async loadFixes({ id, state, problem, request }: ResultSet): Promise<void> {
    if (problem?.errorCode !== "FAILED_TO_PARSE_QUERY") return;
    const interpretation = await this.#options.service
      .call("readQuery", { query: state.query, isRegexEnabled: request.isRegexEnabled ?? false })
      .catch(() => undefined);
    const fixes =
      interpretation?.problems.flatMap((each) => (each.severity === "error" ? each.fixes : [])) ?? [];
    this.#fixes = { id, actions: fixes.map(actionOf) };
    this.#changed.fire();
  }

  async apply({ action }: SuggestionNode): Promise<void> {
    if ("change" in action) await this.#options.box().show(action.change);
    else await vscode.commands.executeCommand(`trawl.${action.command}`);
  }

  /** Before the first search: queries that find something, and the tour. */
  get #examples(): readonly SuggestionNode[] {
    const { examples = [] } = this.#options.searchView.welcome ?? {};
    if (examples.length === 0) return [];
    const queries = examples.map(
      ({ query, detail }): SuggestionNode => ({
        kind: "suggestion",
        id: `example ${query}`,
        action: { title: query, change: { query } },
        detail,
      }),
    );
    const tour: BoxAction = { title: vscode.l10n.t("Take the Tour"), command: "help.walkthrough" };
    return [...queries, { kind: "suggestion", id: "tour", action: tour }];
  }

  #actions(set: ResultSet): readonly BoxAction[] {
    if (set.outcome === "done" && this.#options.repositories.items !== undefined)
      return [...(this.#status(set).suggestions?.actions ?? []), ...this.#warningActions(set)];
    if (set.outcome !== "failed") return [];
    if (set.id === this.#fixes?.id) return this.#fixes.actions;
    return this.#status(set).notes.flatMap(({ actions }) => actions);
  }

  #warnings(set: ResultSet) {
    if (set.outcome !== "done") return [];
    return this.#status(set).notes.filter(({ severity }) => severity === "warning");
  }

  #warningActions(set: ResultSet): readonly BoxAction[] {
    return this.#warnings(set)
      .flatMap(({ actions }) => actions)
      .filter(hasNoRow);
  }

  #status(set: ResultSet) {
    const items = [...(this.#options.repositories.items?.values() ?? [])];
    const dismissed = this.#options.dismissed();
    return statusOf(
      {
        set,
        waitReason: undefined,
        server: "running",
        isKeyRejected: this.#options.teamServer.state.state === "rejected",
        ...countRepositories(items),
        ...(dismissed === undefined ? {} : { dismissed }),
      },
      vscode.l10n,
    );
  }
}

/** The last row of an incomplete search fetches the rest. */
function hasNoRow(action: BoxAction): boolean {
  return !("command" in action) || action.command !== "search.all";
}

/** Returns the action with a title that can be understood without the note that it belongs to. */
function asRow(action: BoxAction): BoxAction {
  const isSkipped = "command" in action && action.command === "repos.showSkipped";
  return isSkipped ? { ...action, title: vscode.l10n.t("Show Skipped Files") } : action;
}

function hasRows({ files, commits = [] }: ResultSet): boolean {
  return files.length > 0 || commits.length > 0;
}

export function suggestionItem({ id, action, detail }: SuggestionNode): vscode.TreeItem {
  const title = action.title.charAt(0).toLocaleUpperCase() + action.title.slice(1);
  const item = new vscode.TreeItem(detail === undefined ? title : action.title);
  item.id = id;
  if (detail !== undefined) item.description = detail;
  item.iconPath = new vscode.ThemeIcon(detail === undefined ? "lightbulb" : "search");
  item.command = { title: action.title, command: "trawl.search.showMore" };
  return item;
}

function actionOf({ title, query, isRegexEnabled }: QueryFix): BoxAction {
  return { title, change: { query, ...(isRegexEnabled === undefined ? {} : { isRegex: isRegexEnabled }) } };
}
