/** The Results view and everything that opens, copies and tracks results. */
import * as vscode from "vscode";
import type { Snapshots } from "#client/documents/snapshots";
import type { Repositories } from "#client/model/repositories";
import type { TeamServer } from "#client/model/teamServer";
import type { SearchBox, SearchViewInfo } from "#client/search/searchBox";
import type { Searches } from "#client/search/searches";
import type { QueryDefaults, SearchState } from "#client/search/searchState";
import { countRepositories, mayComplete } from "#client/search/status";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import type { FileMatch } from "#contract/search";
import type { copyCommands, resultCommands, resultsDocumentCommands } from "./contributions";
import { CopyCommands } from "./copyCommands";
import { dragController } from "./draggedRows";
import { registerEditorLinks } from "./editorLinks";
import { Opener } from "./opener";
import { registerBadges } from "./resultBadges";
import { ResultCommands } from "./resultCommands";
import { ResultLocations } from "./resultLocations";
import { Suggestions } from "./resultSuggestions";
import { ResultsDocuments } from "./resultsDocument";
import { registerResultsLanguage } from "./resultsLanguage";
import { ResultsTree } from "./resultsTree";
import { resultTooltips } from "./resultTooltip";

export interface ResultsOptions {
  readonly service: ServiceClient;
  readonly searches: Searches;
  readonly repositories: Repositories;
  readonly teamServer: Pick<TeamServer, "state" | "onChange">;
  readonly snapshots: Snapshots;
  readonly memento: vscode.Memento;
  readonly box: () => SearchBox;
  readonly defaults: () => QueryDefaults | Promise<QueryDefaults>;
  readonly searchView: SearchViewInfo;
}

/** How soon a search is repeated that was incomplete although all repositories are indexed. */
const minRetryMs = 500;
const maxRetryMs = 60_000;
/** A user who logs in again may do so after a few attempts. */
const maxRepeats = 5;

export class Results implements vscode.Disposable {
  readonly opener: Opener;
  readonly commands: Handlers<typeof resultCommands & typeof resultsDocumentCommands & typeof copyCommands>;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = minRetryMs;
  /** The search that was repeated last. */
  #retried: SearchState | undefined;
  /** The search that is repeated when indexing has finished. */
  #waiting: SearchState | undefined;
  /** The search that was repeated when the team's server was connected again, and how often, until it is complete. */
  #repeated: { readonly state: SearchState; readonly count: number } | undefined;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: ResultsOptions) {
    const { service, searches, repositories, teamServer, snapshots, memento, box, defaults, searchView } =
      options;
    const locations = new ResultLocations(service, repositories, () => filesOf(searches));
    const suggestions = new Suggestions({
      service,
      repositories,
      teamServer,
      current: () => searches.current,
      dismissed: () => tree.current?.dismissed,
      box,
      searchView,
    });
    const tooltip = resultTooltips(snapshots, locations, repositories);
    const opener = new Opener(locations);
    const tree: ResultsTree = new ResultsTree({
      searchView,
      drag: dragController((file, line, token) => opener.find(file, line, undefined, token)),
      searches,
      locations,
      repositories,
      suggestions,
      memento,
      tooltip,
    });
    this.opener = opener;
    const commands = new ResultCommands({ tree, opener, suggestions, searches, repositories, box });
    const documents = new ResultsDocuments({ service, repositories, tree, defaults });
    const copies = new CopyCommands({ service, tree, repositories });
    this.commands = {
      ...commands.commands,
      ...documents.commands,
      ...copies.commands,
    };
    this.#subscriptions = vscode.Disposable.from(
      locations,
      suggestions,
      tree,
      commands,
      documents,
      copies,
      registerBadges(),
      registerEditorLinks(service, opener),
      registerResultsLanguage(opener, snapshots),
      repositories.onChange(() => this.#searchAfterIndexing(options, tree)),
      teamServer.onChange(({ state }) => {
        if (state === "connected") this.#searchAfterConnecting(options, tree);
      }),
      searches.onFinish((set) => {
        if (set.outcome === "done" && set.end?.serverProblem === undefined) this.#repeated = undefined;
        locations.clear();
        this.#searchAfterIndexing(options, tree);
        void repositories.load().catch(() => undefined);
        void suggestions.loadFixes(set);
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#retry);
    this.#subscriptions.dispose();
  }

  /** Repeats a search that lacks the results of the team's server, which may still fail although it is connected. */
  #searchAfterConnecting({ searches }: ResultsOptions, tree: ResultsTree): void {
    const { current } = searches;
    if (current?.end?.serverProblem === undefined || !mayRepeat(searches, tree)) return;
    const count = this.#repeated?.state === current.state ? this.#repeated.count : 0;
    if (count === maxRepeats) return;
    this.#repeated = { state: current.state, count: count + 1 };
    void searches.run(current.state, current.request.matches, { isTentative: true });
  }

  /** Repeats a search that was incomplete because indexing had not finished, once it has. */
  #searchAfterIndexing({ searches, repositories }: ResultsOptions, tree: ResultsTree): void {
    clearTimeout(this.#retry);
    const { current } = searches;
    if (current?.end?.stats.flushReason !== "INDEXING") return;
    const items = [...(repositories.items?.values() ?? [])];
    const isIndexing = countRepositories(items).indexing > 0;
    if (isIndexing) this.#waiting = current.state;
    if (isIndexing || current.state !== this.#retried) this.#retryMs = minRetryMs;
    if (isIndexing || this.#retryMs > maxRetryMs) return;
    if (this.#waiting !== current.state && !mayComplete(items)) return;
    // Definitions are indexed later than text.
    this.#retry = setTimeout(() => {
      if (searches.current !== current || !mayRepeat(searches, tree)) return;
      this.#retried = current.state;
      this.#waiting = undefined;
      this.#retryMs *= 2;
      void searches.run(current.state, current.request.matches, { isTentative: true });
    }, this.#retryMs);
  }
}

function* filesOf({ current, pinned }: Searches): Generator<FileMatch> {
  for (const set of pinned) yield* set.files;
  if (current !== undefined && !pinned.includes(current)) yield* current.files;
}

/** Whether a search can be repeated: not while one is running, nor if rows were dismissed, which would come back. */
function mayRepeat({ isRunning }: Searches, tree: ResultsTree): boolean {
  return !isRunning && (tree.current?.dismissed.matches ?? 0) === 0;
}
