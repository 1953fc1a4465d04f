/** The one item in the status bar: whether Trawl works, and on how much. */
import * as vscode from "vscode";
import type { Searches } from "#client/search/searches";
import { repositoriesText } from "#client/search/status";
import { setting } from "#client/settings";
import { count, size } from "#client/words";
import type { Instance } from "./instance";

/** A search that takes longer, in milliseconds, is mentioned here, and nowhere else. */
const slowSearchMs = 2_000;

export interface StatusOptions {
  readonly instance: Instance;
  readonly searches: Searches;
  /** Why there is no server. */
  readonly problem: () => string | undefined;
  readonly onSettings: vscode.Event<void>;
}

export class StatusItem implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #subscriptions: vscode.Disposable;
  readonly #options: StatusOptions;
  /** Seconds that the last search took, where they were many. */
  #slowSeconds: number | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
    this.#item = vscode.window.createStatusBarItem("trawl.status", vscode.StatusBarAlignment.Left, -100);
    this.#item.name = "Trawl";
    this.#item.command = "trawl.server.status";
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      options.instance.onChange(() => this.#update()),
      options.onSettings(() => this.#update()),
      options.searches.onFinish(({ startedAt, outcome }) => {
        const took = Date.now() - startedAt;
        this.#slowSeconds = outcome === "done" && took > slowSearchMs ? took / 1000 : undefined;
        this.#update();
      }),
    );
    this.#update();
  }

  /** What the item says, for the head of its menu. */
  get sentence(): string {
    return sentenceOf(this.#options);
  }

  get slowSearch(): string | undefined {
    const seconds = this.#slowSeconds;
    if (seconds === undefined) return undefined;
    const digits = { maximumFractionDigits: 1 };
    return vscode.l10n.t("The last search took {0} s.", seconds.toLocaleString(vscode.env.language, digits));
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #update(): void {
    const item = this.#item;
    const { instance } = this.#options;
    const when = setting("ui.statusBar");
    if (when === "never" || (when === "auto" && instance.server === "idle")) {
      item.hide();
      return;
    }
    const hasFailed = instance.server === "failed";
    item.text = textOf(instance);
    item.backgroundColor = hasFailed ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    item.tooltip = this.#tooltip();
    item.accessibilityInformation = { label: `Trawl: ${this.sentence}`, role: "button" };
    item.show();
  }

  #tooltip(): vscode.MarkdownString {
    const lines = [this.sentence, ...factsOf(this.#options.instance), this.slowSearch];
    const tooltip = new vscode.MarkdownString("**Trawl**");
    for (const line of lines) {
      if (line !== undefined) tooltip.appendMarkdown("\n\n").appendText(line);
    }
    return tooltip;
  }
}

function textOf({ server, facts, indexing }: Instance): string {
  if (server === "failed") return "$(error) Trawl";
  if (server === "starting") return "$(sync~spin) Trawl";
  if (server === "idle" || indexing === undefined) return "$(search) Trawl";
  if (facts?.isPaused === true) return `$(debug-pause) ${indexing.total}`;
  return indexing.isBusy ? `$(sync~spin) ${indexing.ready}/${indexing.total}` : `$(search) ${indexing.total}`;
}

function sentenceOf({ instance, problem }: StatusOptions): string {
  const { server, facts, indexing } = instance;
  if (server === "failed") return problem() ?? vscode.l10n.t("The search server is not running.");
  if (server === "starting") return vscode.l10n.t("The search server is starting.");
  if (server === "idle" || indexing === undefined)
    return vscode.l10n.t("The search server starts with the first search.");
  const total = repositoriesText(indexing.total, vscode.l10n);
  if (facts?.isPaused === true) return vscode.l10n.t("Indexing is paused. Searches {0}.", total);
  if (indexing.isBusy) return vscode.l10n.t("Indexing: {0} of {1} up to date.", count(indexing.ready), total);
  return vscode.l10n.t("Searches {0}.", total);
}

function factsOf({ facts }: Instance): string[] {
  if (facts === undefined) return [];
  const { contentBytes, indexBytes, memoryBytes, url, failed, polled } = facts;
  return [
    vscode.l10n.t(
      "{0} of text, {1} of index, {2} of memory.",
      size(contentBytes),
      size(indexBytes),
      size(memoryBytes),
    ),
    ...(failed === 0
      ? []
      : [vscode.l10n.t("Not indexed because of an error: {0}.", repositoriesText(failed, vscode.l10n))]),
    ...(polled === 0
      ? []
      : [
          vscode.l10n.t(
            "More than the system watches: {0}. Changes there are seen after seconds.",
            repositoriesText(polled, vscode.l10n),
          ),
        ]),
    url === undefined ? vscode.l10n.t("Local endpoint: stopped.") : vscode.l10n.t("Local endpoint: {0}", url),
  ];
}
