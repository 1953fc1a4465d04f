/** The search view: keeps what is in the box, and tells its page what to show around it. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import type { Repositories } from "#client/repositories/repositories";
import { addPaths } from "#client/repositories/repositoryCommands";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import { type BoxCommand, type BoxParts, boxCommands, type FromBox, type ToBox } from "#webview/messages";
import { type BoxFacts, boxPart } from "./boxParts";
import { ExampleQueries } from "./exampleQueries";
import { isSameSearch, type SearchHistory } from "./history";
import { pick } from "./pickers";
import { withFilter } from "./queryText";
import { scopeSettings } from "./scopeSettings";
import type { SearchBox, ShowOptions } from "./searchBox";
import type { Searches } from "./searches";
import { pageRoots, searchPage } from "./searchPage";
import { allMatches, isEmpty, type SearchState } from "./searchState";
import { pauseAfterTypingMs, waitsFor } from "./typing";
import { type Understood, understand, unread } from "./understood";
import { showProgress } from "./viewProgress";

export interface SearchViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly service: ServiceClient;
  readonly searches: Searches;
  readonly repositories: Repositories;
  readonly history: SearchHistory;
}

export class SearchView implements vscode.WebviewViewProvider, SearchBox, vscode.Disposable {
  #view: vscode.WebviewView | undefined;
  #state: SearchState = firstState();
  #understood: Understood = unread(this.#state);
  #waits: ReturnType<typeof waitsFor>;
  /** What was searched for last. */
  #searched: SearchState | undefined;
  /** Whether the text was written and not decided upon. */
  #isTyping = false;
  /** Whether anything was put into the box since the window was opened. */
  #isTouched = false;
  /** Whether the page takes the focus as soon as it can. */
  #focusesWhenReady = false;
  #typing: NodeJS.Timeout | undefined;
  #completing: vscode.CancellationTokenSource | undefined;
  readonly #options: SearchViewOptions;
  readonly #examples: ExampleQueries;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: SearchViewOptions) {
    this.#options = options;
    const { service, searches, repositories } = options;
    this.#examples = new ExampleQueries(service, repositories, () => this.#tell("welcome"));
    this.#subscriptions = vscode.Disposable.from(
      this.#examples,
      vscode.window.registerWebviewViewProvider("trawl.search", this),
      searches.onChange(() => this.#searchChanged()),
      showProgress(searches),
      service.onState(() => this.#tell("status", "welcome")),
      repositories.onChange(() => this.#repositoriesChanged()),
      vscode.workspace.onDidChangeConfiguration((change) => this.#settingsChanged(change)),
    );
  }

  get state(): SearchState {
    return this.#state;
  }

  get commands(): Commands {
    const toggled = (change: Partial<SearchState>) => this.show(change, { isFocused: true });
    const afterCase = { smart: "sensitive", sensitive: "insensitive", insensitive: "smart" } as const;
    return {
      "search.rerun": () => this.#run(),
      "search.cancel": () => this.#options.searches.cancel(),
      "search.clear": () => this.show({ query: "", narrowed: [] }),
      "search.toggleCase": () => toggled({ caseSensitivity: afterCase[this.#state.caseSensitivity] }),
      "search.toggleWord": () => toggled({ isWholeWord: !this.#state.isWholeWord }),
      "search.toggleRegex": () => toggled({ isRegex: !this.#state.isRegex }),
    };
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extensionUri } = this.#options;
    this.#view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: pageRoots(extensionUri) };
    view.webview.onDidReceiveMessage((message: FromBox) => this.#receive(message));
    view.onDidDispose(() => {
      this.#view = undefined;
    });
    view.webview.html = searchPage(view.webview, { extensionUri, nonce: randomBytes(16).toString("hex") });
    // Whoever opens the view is about to search. Where the server does not start, its state says so.
    void this.#options.repositories.load().catch(() => undefined);
  }

  async show(
    change: Partial<SearchState>,
    { isFocused = false, isRun = true }: ShowOptions = {},
  ): Promise<void> {
    const wasVisible = this.#view?.visible === true;
    if (!wasVisible || isFocused) {
      // VS Code has this command for every view.
      await vscode.commands.executeCommand("trawl.search.focus", { preserveFocus: !isFocused });
    }
    this.#focusesWhenReady = isFocused && !wasVisible;
    this.#put({ ...this.#state, ...change });
    if (isFocused) this.#post({ kind: "focus" });
    if (isRun) await this.#run();
    else await this.#read();
  }

  dispose(): void {
    clearTimeout(this.#typing);
    this.#completing?.dispose();
    this.#subscriptions.dispose();
  }

  async #receive(message: FromBox): Promise<void> {
    const { searches, history } = this.#options;
    switch (message.kind) {
      case "ready":
        this.#begin(message.kept);
        break;
      case "changed":
        await this.#changed(message.state, message.isDecided);
        break;
      case "complete":
        await this.#complete(message);
        break;
      case "filter":
        this.#put({ ...this.#state, query: withFilter(this.#state.query, message) });
        await this.#run();
        break;
      case "history": {
        const state = message.direction === "older" ? history.older(this.#state) : history.newer(this.#state);
        if (state === undefined) break;
        this.#put(state);
        await this.#changed(state, false);
        break;
      }
      case "giveUp":
        // Only here it is known what runs: the page is told of searches that take a while.
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

  /** The page is there, anew or again. What a window was reloaded with counts as typed. */
  #begin(kept: SearchState | undefined): void {
    const isKept = !this.#isTouched && kept !== undefined && !isEmpty(kept);
    if (isKept) this.#state = kept;
    this.#post({ kind: "state", state: this.#state });
    this.#tell("reading", "pickers", "facets", "status", "welcome");
    if (this.#focusesWhenReady) this.#post({ kind: "focus" });
    this.#focusesWhenReady = false;
    void (isKept ? this.#changed(this.#state, false) : this.#read());
  }

  /** Puts a state into the box, as if it had been typed there. */
  #put(state: SearchState): void {
    this.#state = state;
    this.#isTouched = true;
    this.#waits = undefined;
    this.#post({ kind: "state", state });
  }

  async #changed(state: SearchState, isDecided: boolean): Promise<void> {
    clearTimeout(this.#typing);
    this.#state = state;
    this.#isTouched = true;
    // It may be what was searched for while typing: then that was meant.
    if (isDecided && this.#isSearched(state) && this.#options.searches.settle()) return;
    if (isEmpty(state) || isDecided) return this.#run();
    this.#isTyping = true;
    this.#typing = setTimeout(() => void this.#consider(), pauseAfterTypingMs(state));
  }

  /** Runs what has been typed, if that may be done while typing. */
  async #consider(): Promise<void> {
    const state = this.#state;
    const understood = await this.#read();
    if (understood === undefined || this.#state !== state) return;
    const { searches } = this.#options;
    this.#waits = waitsFor(state, understood.reading, setting("search.onType"));
    if (this.#isSearched(state)) this.#waits = undefined;
    else if (this.#waits === undefined) {
      this.#searched = state;
      void searches.run(state, undefined, { isTyped: true });
    }
    this.#tell("status");
  }

  /** Runs what is in the box, decidedly. */
  async #run(matches?: number): Promise<void> {
    clearTimeout(this.#typing);
    const { searches } = this.#options;
    const state = this.#state;
    this.#waits = undefined;
    this.#isTyping = false;
    if (isEmpty(state)) {
      this.#searched = undefined;
      searches.clear();
      await this.#read();
      return;
    }
    this.#searched = state;
    void searches.run(state, matches);
    await this.#read();
  }

  /** Whether the last search was for this, and went or goes well. */
  #isSearched(state: SearchState): boolean {
    const { present } = this.#options.searches;
    const hasFailed = present?.outcome === "failed" || present?.outcome === "cancelled";
    return this.#searched !== undefined && isSameSearch(state, this.#searched) && !hasFailed;
  }

  /** Has the text read; undefined where it was changed meanwhile, or nobody answers. */
  async #read(): Promise<Understood | undefined> {
    const state = this.#state;
    try {
      const understood = await understand(this.#options.service, state);
      if (this.#state !== state) return undefined;
      this.#understood = understood;
      this.#tell("reading", "pickers", "status", "welcome");
      return understood;
    } catch {
      // The state of the server says what is wrong.
      this.#tell("status");
      return undefined;
    }
  }

  async #complete({ id, query, offset, isWanted }: Extract<FromBox, { kind: "complete" }>): Promise<void> {
    this.#completing?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.#completing = source;
    const { service } = this.#options;
    const ask = (text: string, place: number) =>
      service.call("completeQuery", { query: text, offset: place }, { token: source.token });
    try {
      // Between words the service proposes nothing, so that nobody is disturbed; asked for, it is a beginning.
      const isBetween = isWanted && /^\s?$/.test(query.charAt(offset - 1));
      const completions = isBetween ? { ...(await ask("", 0)), offset } : await ask(query, offset);
      this.#post({ kind: "completions", id, completions });
    } catch {
      // Proposals are an aid: without them a person types on.
    } finally {
      source.dispose();
      if (this.#completing === source) this.#completing = undefined;
    }
  }

  async #pick(what: "scope" | "revision" | "type"): Promise<void> {
    const { service, repositories } = this.#options;
    const isCurrent = this.#understood.state === this.#state;
    const understood = isCurrent ? this.#understood : await this.#read();
    if (understood === undefined) return;
    const settings = () => scopeSettings(repositories);
    const text = { query: understood.state.query, filters: understood.reading.filters };
    const query = await pick(what, text, { service, repositories, settings });
    if (query === undefined) return;
    this.#put({ ...this.#state, query });
    this.#post({ kind: "focus" });
    await this.#run();
  }

  async #command(id: BoxCommand): Promise<void> {
    if (!boxCommands.includes(id)) return;
    const { service, repositories } = this.#options;
    if (id === "search.all") await this.#run(allMatches);
    else if (id === "repos.indexSiblings") {
      await addPaths(
        service,
        repositories,
        repositories.siblings.map(({ path }) => path),
      );
    } else await vscode.commands.executeCommand(`trawl.${id}`);
  }

  #searchChanged(): void {
    const isRunning = this.#options.searches.present?.outcome === "running";
    this.#tell("status", ...(isRunning ? [] : (["facets", "welcome"] as const)));
  }

  #repositoriesChanged(): void {
    this.#tell("pickers", "status", "welcome");
    if (this.#isFirst()) void this.#examples.find();
  }

  #settingsChanged(change: vscode.ConfigurationChangeEvent): void {
    this.#tell("pickers");
    const isOfToggles = ["caseSensitivity", "mode"].some((name) =>
      change.affectsConfiguration(`trawl.search.${name}`),
    );
    if (!isOfToggles || !isEmpty(this.#state)) return;
    this.#state = firstState();
    this.#post({ kind: "state", state: this.#state });
  }

  #isFirst(): boolean {
    return this.#options.history.entries.length === 0;
  }

  #tell(...names: readonly (keyof BoxParts)[]): void {
    if (this.#view === undefined) return;
    const { searches, service, repositories } = this.#options;
    const facts: BoxFacts = {
      state: this.#state,
      understood: this.#understood,
      present: searches.present,
      isTyping: this.#isTyping,
      waits: this.#waits,
      server: service.state,
      repositories,
      examples: this.#examples.queries,
      isFirst: this.#isFirst(),
    };
    this.#post({
      kind: "show",
      parts: Object.fromEntries(names.map((name) => [name, boxPart[name](facts)])),
    });
  }

  #post(message: ToBox): void {
    void this.#view?.webview.postMessage(message);
  }
}

function firstState(): SearchState {
  return {
    query: "",
    caseSensitivity: setting("search.caseSensitivity"),
    isWholeWord: false,
    isRegex: setting("search.mode") === "regex",
    narrowed: [],
  };
}
