/** The status bar item: the state of the server and the number of repositories. */
import * as vscode from "vscode";
import type { Instance } from "#client/model/instance";
import type { TeamServer } from "#client/model/teamServer";
import type { Searches } from "#client/search/searches";
import { repositoriesText } from "#client/search/status";
import { count, size } from "#client/workbench/format";
import { setting } from "#client/workbench/settings";

/** The status item mentions searches that take longer than this, in milliseconds. */
const slowSearchMs = 2_000;

export interface StatusOptions {
  readonly instance: Instance;
  readonly teamServer: Pick<TeamServer, "state" | "onChange">;
  readonly searches: Searches;
  /** Returns why the server failed. */
  readonly problem: () => string | undefined;
  readonly onSettings: vscode.Event<void>;
}

export class StatusItem implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #subscriptions: vscode.Disposable;
  readonly #options: StatusOptions;
  /** Duration of the last search, if it was slow. */
  #slowSeconds: number | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
    this.#item = vscode.window.createStatusBarItem("trawl.status", vscode.StatusBarAlignment.Left, -100);
    this.#item.name = "Trawl";
    this.#item.command = "trawl.server.status";
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      options.instance.onChange(() => this.#update()),
      options.teamServer.onChange(() => this.#update()),
      options.onSettings(() => this.#update()),
      options.searches.onFinish(({ startedAt, outcome }) => {
        const elapsed = Date.now() - startedAt;
        this.#slowSeconds = outcome === "done" && elapsed > slowSearchMs ? elapsed / 1000 : undefined;
        this.#update();
      }),
    );
    this.#update();
  }

  /** The state in one sentence, for the menu and for screen readers. */
  get sentence(): string {
    const { problem } = this.#options.teamServer.state;
    const sentence = sentenceOf(this.#options);
    return problem === undefined ? sentence : `${sentence} ${problem}`;
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
    const { instance, teamServer } = this.#options;
    const when = setting("ui.statusBar");
    if (when === "never" || (when === "auto" && instance.server === "idle")) {
      item.hide();
      return;
    }
    const hasFailed = instance.server === "failed";
    const isDisconnected = teamServer.state.problem !== undefined && !hasFailed;
    item.text = isDisconnected ? `${textOf(instance)} $(debug-disconnect)` : textOf(instance);
    item.backgroundColor = hasFailed ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    item.tooltip = this.#tooltip();
    item.accessibilityInformation = { label: `Trawl: ${this.sentence}`, role: "button" };
    item.show();
  }

  #tooltip(): vscode.MarkdownString {
    const { instance, teamServer } = this.#options;
    const lines = [
      sentenceOf(this.#options),
      ...detailLines(instance),
      teamLine(teamServer.state),
      this.slowSearch,
    ];
    const tooltip = new vscode.MarkdownString("**Trawl**");
    for (const line of lines) {
      if (line !== undefined) tooltip.appendMarkdown("\n\n").appendText(line);
    }
    return tooltip;
  }
}

function textOf({ server, state, indexing }: Instance): string {
  if (server === "failed") return "$(error) Trawl";
  if (server === "starting") return "$(sync~spin) Trawl";
  if (server === "idle" || indexing === undefined) return "$(search) Trawl";
  if (state?.isPaused === true) return `$(debug-pause) ${indexing.total}`;
  return indexing.isBusy ? `$(sync~spin) ${indexing.ready}/${indexing.total}` : `$(search) ${indexing.total}`;
}

function sentenceOf({ instance, problem }: StatusOptions): string {
  const { server, state, indexing } = instance;
  if (server === "failed") return problem() ?? vscode.l10n.t("The search server is not running.");
  if (server === "starting") return vscode.l10n.t("The search server is starting.");
  if (server === "idle" || indexing === undefined)
    return vscode.l10n.t("The search server starts with the first search.");
  const total = repositoriesText(indexing.total, vscode.l10n);
  const ready = count(indexing.ready);
  if (state?.isPaused === true)
    return vscode.l10n.t("Indexing is paused: {0} of {1} up to date.", ready, total);
  if (indexing.isBusy) return vscode.l10n.t("Indexing: {0} of {1} up to date.", ready, total);
  return vscode.l10n.t("{0} indexed.", total);
}

function teamLine({ state, url, version, repositories, problem }: TeamServer["state"]): string | undefined {
  if (url === undefined || state === "off") return undefined;
  if (problem !== undefined) return vscode.l10n.t("Team server {0}: {1}", url, problem);
  if (state === "connecting") return vscode.l10n.t("Team server {0}: connecting.", url);
  const total = repositoriesText(repositories ?? 0, vscode.l10n);
  return vscode.l10n.t("Team server {0}: Trawl {1}, {2}.", url, version ?? "", total);
}

function detailLines({ state }: Instance): string[] {
  if (state === undefined) return [];
  const { contentBytes, indexBytes, maxIndexBytes, memoryBytes, url, failed, polled, evicted } = state;
  return [
    vscode.l10n.t(
      "Text: {0}, index: {1}, memory: {2}.",
      size(contentBytes),
      size(indexBytes),
      size(memoryBytes),
    ),
    ...(maxIndexBytes === undefined
      ? []
      : [
          vscode.l10n.t(
            "Index limit: {0}. Not indexed because of it: {1}.",
            size(maxIndexBytes),
            repositoriesText(evicted, vscode.l10n),
          ),
        ]),
    ...(failed === 0
      ? []
      : [vscode.l10n.t("Not indexed because of an error: {0}.", repositoriesText(failed, vscode.l10n))]),
    ...(polled === 0
      ? []
      : [
          vscode.l10n.t(
            "Not watched, because the system cannot watch more folders: {0}. Changes there appear after a few seconds.",
            repositoriesText(polled, vscode.l10n),
          ),
        ]),
    url === undefined ? vscode.l10n.t("Local endpoint: stopped.") : vscode.l10n.t("Local endpoint: {0}", url),
  ];
}
