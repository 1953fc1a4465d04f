/** The search view: owns the state of the box, and sends its page what to show. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { addPaths } from "#client/model/addPaths";
import type { Repositories } from "#client/model/repositories";
import type { TeamServer } from "#client/model/teamServer";
import { editorSearchOf } from "#client/search/editorSearch";
import { analyzeQuery, emptyAnalysis, type QueryAnalysis } from "#client/search/queryAnalysis";
import { scopeSettings } from "#client/search/scopeSettings";
import type { SearchBox, SearchViewInfo, ShowOptions } from "#client/search/searchBox";
import type { Searches } from "#client/search/searches";
import { isSameSearch, type SearchHistory } from "#client/search/searchHistory";
import { allMatches, isEmpty, type SearchState } from "#client/search/searchState";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import type { Memento } from "#client/workbench/memento";
import { setting } from "#client/workbench/settings";
import { pastedText, withWordsToggled } from "#contract/queryText";
import {
  type BoxCommand,
  type BoxParts,
  type BoxWelcome,
  boxCommands,
  type FromBox,
  type ToBox,
} from "#webview/messages";
import { type BoxInput, boxPart, offeredSiblings } from "./boxParts";
import { Completer } from "./completer";
import type { searchViewCommands } from "./contributions";
import { dismissedSiblings, dismissSiblings } from "./dismissedSiblings";
import { ExampleQueries } from "./exampleQueries";
import { caseOff, initialState } from "./initialState";
import { OpenEditors } from "./openEditors";
import { type ParsedQuery, pick } from "./pickers";
import { searchPage } from "./searchPage";
import { pauseAfterTypingMs, waitReasonFor } from "./typing";
import { showProgress } from "./viewProgress";

export interface SearchViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly service: ServiceClient;
  readonly searches: Searches;
  readonly repositories: Repositories;
  readonly teamServer: Pick<TeamServer, "state">;
  readonly history: SearchHistory;
  /** Stores values for the workspace. */
  readonly memento: Memento;
}

export class SearchView implements vscode.WebviewViewProvider, SearchBox, SearchViewInfo, vscode.Disposable {
  #view: vscode.WebviewView | undefined;
  #state: SearchState = initialState();
  #analysis: QueryAnalysis = emptyAnalysis(this.#state);
  #waitReason: ReturnType<typeof waitReasonFor>;
  /** The state that was searched last. */
  #searched: SearchState | undefined;
  /** Whether the user has typed and not pressed Enter yet. */
  #isTyping = false;
  /** Whether the box was changed since the window was opened. */
  #isTouched = false;
  /** Whether to focus the box once its page is loaded. */
  #takesFocusWhenReady = false;
  readonly #openEditors: OpenEditors;
  #typing: NodeJS.Timeout | undefined;
  readonly #completer: Completer;
  #columns: number | undefined;
  /** The welcome text as JSON, as of the last update. */
  #lastWelcome = "";
  readonly #infoChanged = new vscode.EventEmitter<void>();
  readonly #options: SearchViewOptions;
  readonly #examples: ExampleQueries;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: SearchViewOptions) {
    this.#options = options;
    const { service, searches, repositories } = options;
    this.#openEditors = new OpenEditors(service);
    this.#completer = new Completer(service);
    this.#examples = new ExampleQueries(service, repositories, () => this.#update("welcome"));
    this.#subscriptions = vscode.Disposable.from(
      this.#examples,
      this.#completer,
      this.#infoChanged,
      vscode.window.registerWebviewViewProvider("trawl.search", this, {
        // Loading the page again would take longer than anything else when the view is shown again.
        webviewOptions: { retainContextWhenHidden: true },
      }),
      searches.onChange(() => this.#searchChanged()),
      showProgress(searches),
      service.onState(() => this.#update("status", "welcome")),
      repositories.onChange(() => this.#repositoriesChanged()),
      vscode.workspace.onDidChangeConfiguration((change) => this.#settingsChanged(change)),
    );
  }

  get state(): SearchState {
    return this.#state;
  }

  get welcome(): BoxWelcome | null {
    return boxPart.welcome(this.#input());
  }

  get columns(): number | undefined {
    return this.#columns;
  }

  get onChange(): vscode.Event<void> {
    return this.#infoChanged.event;
  }

  get commands(): Handlers<typeof searchViewCommands> {
    const toggled = (change: Partial<SearchState>) => this.show(change, { shouldFocus: true });
    const caseSensitivity = () => (this.#state.caseSensitivity === "sensitive" ? caseOff() : "sensitive");
    return {
      "search.rerun": () => this.#run(),
      "search.inEditor": async () => {
        const analysis = (await this.#currentAnalysis()) ?? emptyAnalysis(this.#state);
        const { filters } = analysis.interpretation;
        const search = editorSearchOf(analysis.state, filters, this.#openEditors.filtersIn(filters));
        await vscode.commands.executeCommand("workbench.action.findInFiles", search);
        if (search.replace !== undefined) return;
        const text = vscode.l10n.t("Some filters have no equivalent in VS Code Search and were left out.");
        vscode.window.setStatusBarMessage(text, 8_000);
      },
      "search.cancel": () => this.#options.searches.cancel(),
      "search.clear": () => this.show({ query: "", narrowed: [] }),
      "search.toggleCase": () => toggled({ caseSensitivity: caseSensitivity() }),
      "search.toggleWord": () => toggled({ isWholeWord: !this.#state.isWholeWord }),
      "search.toggleRegex": () => toggled({ isRegex: !this.#state.isRegex }),
    };
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extensionUri } = this.#options;
    this.#view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [] };
    view.webview.onDidReceiveMessage((message: FromBox) => this.#receive(message));
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = searchPage({ extensionUri, nonce: randomBytes(16).toString("hex") });
    // A user who opens the view is about to search. The server state reports a server that does not start.
    void this.#options.repositories.load().catch(() => undefined);
  }

  async show(
    change: Partial<SearchState>,
    { shouldFocus = false, shouldRun = true }: ShowOptions = {},
  ): Promise<void> {
    const wasVisible = this.#view?.visible === true;
    const wasLoaded = this.#view !== undefined;
    if (!wasVisible || shouldFocus) {
      // VS Code provides this command for every view.
      await vscode.commands.executeCommand("trawl.search.focus", { preserveFocus: !shouldFocus });
    }
    this.#takesFocusWhenReady = shouldFocus && !wasLoaded;
    this.#put({ ...this.#state, ...change });
    if (shouldFocus) this.#post({ kind: "focus" });
    if (shouldRun) await this.#run();
    else await this.#analyze();
  }

  dispose(): void {
    clearTimeout(this.#typing);
    this.#subscriptions.dispose();
  }

  async #receive(message: FromBox): Promise<void> {
    const { searches, history } = this.#options;
    switch (message.kind) {
      case "ready":
        this.#initializePage(message.saved);
        break;
      case "changed":
        await this.#changed(message.state, message.isSubmitted);
        break;
      case "complete": {
        const completions = await this.#completer.complete(message);
        if (completions !== undefined) this.#post({ kind: "completions", id: message.id, completions });
        break;
      }
      case "paste": {
        const { query, offset, length, text } = message;
        const inserted = pastedText(query, offset, length, text);
        this.#post({ kind: "insert", query, offset, length, text: inserted, pasted: text });
        break;
      }
      case "resized":
        if (message.columns === this.#columns) break;
        this.#columns = message.columns;
        this.#infoChanged.fire();
        break;
      case "files":
        await this.#edit((parsed) => this.#openEditors.withFileList(parsed, message.list, message.text));
        break;
      case "describe":
        await this.#edit(({ query, filters }) => withWordsToggled(query, filters));
        break;
      case "openEditors":
        await this.#edit((parsed) => this.#openEditors.toggle(parsed));
        break;
      case "history": {
        const state = message.direction === "older" ? history.older(this.#state) : history.newer(this.#state);
        if (state === undefined) break;
        this.#put(state);
        await this.#changed(state, false);
        break;
      }
      case "escape":
        // Decided here, because the page is not informed of fast searches.
        if (searches.isRunning) searches.cancel();
        else if (!isEmpty(this.#state)) await this.show({ query: "", narrowed: [] });
        else await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
        break;
      case "leave":
        await vscode.commands.executeCommand("trawl.results.focus");
        break;
      case "pick":
        await this.#pick(message.what);
        break;
      case "command":
        await this.#command(message.id);
        break;
    }
  }

  /** Sends everything to a page that has just loaded. A query restored after a window reload counts as typed. */
  #initializePage(stored: SearchState | undefined): void {
    const isRestored = !this.#isTouched && stored !== undefined && !isEmpty(stored);
    if (isRestored) this.#state = stored;
    this.#post({ kind: "state", state: this.#state });
    this.#update("interpretation", "pickers", "files", "status", "welcome");
    if (this.#takesFocusWhenReady) this.#post({ kind: "focus" });
    this.#takesFocusWhenReady = false;
    void (isRestored ? this.#changed(this.#state, false) : this.#analyze());
  }

  /** Puts a state into the box as if it had been typed. */
  #put(state: SearchState): void {
    this.#state = state;
    this.#isTouched = true;
    this.#waitReason = undefined;
    this.#post({ kind: "state", state });
  }

  async #changed(state: SearchState, isSubmitted: boolean): Promise<void> {
    clearTimeout(this.#typing);
    this.#state = state;
    this.#isTouched = true;
    // Enter confirms the search that already ran while typing.
    if (isSubmitted && this.#isSearched(state) && this.#options.searches.settle()) return;
    if (isEmpty(state) || isSubmitted) return this.#run();
    this.#isTyping = true;
    this.#typing = setTimeout(() => void this.#searchAsTyped(), pauseAfterTypingMs(state));
  }

  /** Runs the search for what has been typed so far, if it is cheap enough. */
  async #searchAsTyped(): Promise<void> {
    const state = this.#state;
    const analysis = await this.#analyze();
    if (analysis === undefined || this.#state !== state) return;
    const { searches } = this.#options;
    this.#waitReason = waitReasonFor(state, analysis.interpretation, setting("search.onType"));
    if (this.#isSearched(state)) this.#waitReason = undefined;
    else if (this.#waitReason === undefined) {
      this.#searched = state;
      void searches.run(state, undefined, { isTentative: true });
    }
    this.#update("status");
  }

  /** Runs the search in the box on the user's request. */
  async #run(matches?: number): Promise<void> {
    clearTimeout(this.#typing);
    const { searches } = this.#options;
    const state = this.#state;
    this.#waitReason = undefined;
    this.#isTyping = false;
    if (isEmpty(state)) {
      this.#searched = undefined;
      searches.clear();
      await this.#analyze();
      return;
    }
    this.#searched = state;
    void searches.run(state, matches);
    await this.#analyze();
  }

  /** Whether the last search was for this state and has not failed. */
  #isSearched(state: SearchState): boolean {
    const { current } = this.#options.searches;
    const hasFailed = current?.outcome === "failed" || current?.outcome === "canceled";
    return this.#searched !== undefined && isSameSearch(state, this.#searched) && !hasFailed;
  }

  /** Analyzes the query; returns undefined if it changed in the meantime or the server does not respond. */
  async #analyze(): Promise<QueryAnalysis | undefined> {
    const state = this.#state;
    try {
      const analysis = await analyzeQuery(this.#options.service, state);
      if (this.#state !== state) return undefined;
      this.#analysis = analysis;
      this.#update("interpretation", "pickers", "files", "status", "welcome");
      return analysis;
    } catch {
      // The server state reports what is wrong.
      this.#update("status");
      return undefined;
    }
  }

  async #currentAnalysis(): Promise<QueryAnalysis | undefined> {
    return this.#analysis.state === this.#state ? this.#analysis : await this.#analyze();
  }

  /** Puts the query that `change` returns for the current one into the box, and searches. */
  async #edit(
    change: (parsed: ParsedQuery) => string | undefined | Promise<string | undefined>,
  ): Promise<void> {
    const analysis = await this.#currentAnalysis();
    if (analysis === undefined) return;
    const query = await change({ query: analysis.state.query, filters: analysis.interpretation.filters });
    if (query === undefined) return;
    this.#put({ ...this.#state, query });
    await this.#run();
  }

  async #pick(what: "scope" | "revision" | "type"): Promise<void> {
    const { service, repositories } = this.#options;
    const settings = () => scopeSettings(repositories);
    await this.#edit(async (parsed) => {
      const query = await pick(what, parsed, { service, repositories, settings });
      if (query !== undefined) this.#post({ kind: "focus" });
      return query;
    });
  }

  async #command(id: BoxCommand): Promise<void> {
    if (!boxCommands.includes(id)) return;
    const { service, repositories, searches } = this.#options;
    const countBefore = repositories.items?.size ?? 0;
    if (id === "search.all") await this.#run(allMatches);
    else if (id === "repos.indexSiblings") await addPaths(service, repositories, this.#offeredPaths);
    else if (id === "repos.dismissSiblings") {
      await dismissSiblings(this.#options.memento, this.#offeredPaths);
      this.#update("status", "welcome");
    } else await vscode.commands.executeCommand(`trawl.${id}`);
    const { current } = searches;
    if (current === undefined || (repositories.items?.size ?? 0) <= countBefore) return;
    // The user has just added repositories to search in.
    void searches.run(current.state, current.request.matches, { isTentative: true });
  }

  get #offeredPaths(): readonly string[] {
    return offeredSiblings(this.#input()).map(({ path }) => path);
  }

  #searchChanged(): void {
    const isRunning = this.#options.searches.current?.outcome === "running";
    this.#update("status", ...(isRunning ? [] : (["welcome"] as const)));
  }

  #repositoriesChanged(): void {
    this.#update("pickers", "status", "welcome");
    if (this.#isFirstUse()) void this.#examples.find();
  }

  #settingsChanged(change: vscode.ConfigurationChangeEvent): void {
    this.#update("pickers");
    const affectsToggles = ["caseSensitivity", "mode"].some((name) =>
      change.affectsConfiguration(`trawl.search.${name}`),
    );
    if (!affectsToggles || !isEmpty(this.#state)) return;
    this.#state = initialState();
    this.#post({ kind: "state", state: this.#state });
  }

  #isFirstUse(): boolean {
    return this.#options.history.entries.length === 0;
  }

  #update(...names: readonly (keyof BoxParts)[]): void {
    const input = this.#input();
    if (names.includes("welcome")) {
      const welcome = JSON.stringify(boxPart.welcome(input));
      if (welcome !== this.#lastWelcome) this.#infoChanged.fire();
      this.#lastWelcome = welcome;
    }
    if (this.#view === undefined) return;
    this.#post({
      kind: "show",
      parts: Object.fromEntries(names.map((name) => [name, boxPart[name](input)])),
    });
  }

  #input(): BoxInput {
    const { searches, service, repositories, teamServer } = this.#options;
    return {
      state: this.#state,
      analysis: this.#analysis,
      current: searches.current,
      isTyping: this.#isTyping,
      waitReason: this.#waitReason,
      server: service.state,
      teamServer,
      repositories,
      openEditors: this.#openEditors.filtersIn(this.#analysis.interpretation.filters),
      dismissedSiblings: dismissedSiblings(this.#options.memento),
      examples: this.#examples.queries,
      isFirstUse: this.#isFirstUse(),
    };
  }

  #post(message: ToBox): void {
    void this.#view?.webview.postMessage(message);
  }
}
