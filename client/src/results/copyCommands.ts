/** Commands that copy results, copy API calls, and explain the last search. */

import * as vscode from "vscode";
import type { Repositories } from "#client/model/repositories";
import { commitsText, countRepositories, filesText, matchesText } from "#client/search/status";
import { type ApiCall, curlLine } from "#client/server/apiCall";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import { setting } from "#client/workbench/settings";
import { parseSnapshotUri } from "#contract/snapshotUri";
import type { copyCommands } from "./contributions";
import { commitsMarkdown, hashesText, jsonText, markdownText, pathsText } from "./copyText";
import { explainText } from "./explainText";
import type { ResultModel } from "./resultModel";
import type { ResultNode } from "./resultNodes";
import type { ResultsTree } from "./resultsTree";

interface CopyOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly tree: ResultsTree;
  readonly repositories: Repositories;
}

/** A row of the Repositories view or a history view. */
interface RepositoryRow {
  readonly repository: string;
  readonly ref?: string;
  readonly path?: string;
  /** Set for revisions, files and folders. */
  readonly isFolder?: boolean;
  /** Set if the row has its own call. */
  readonly call?: ApiCall | undefined;
}

const explanationScheme = "trawl-explanation";

export class CopyCommands implements vscode.Disposable {
  readonly #options: CopyOptions;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: CopyOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(explanationScheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: () => this.#explanation(),
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  get commands(): Handlers<typeof copyCommands> {
    return {
      "search.copyAs": () => this.#copyAs(),
      "search.explain": () => this.#explain(),
      "api.copyCall": (row?: ResultNode | RepositoryRow | vscode.Uri) => this.#copyCall(row),
    };
  }

  async #copyAs(): Promise<void> {
    const model = this.#options.tree.latest();
    if (model === undefined) return;
    const { t } = vscode.l10n;
    const set = model.set;
    const { commits = [] } = set;
    const hasCommits = commits.length > 0;
    const items = [
      hasCommits
        ? { label: "SHA", description: t("one per commit"), make: () => hashesText(commits) }
        : {
            label: t("Paths"),
            description: t("one per file"),
            make: () => pathsText([...model.files()]),
          },
      {
        label: "Markdown",
        description: t("with links to the code host"),
        make: () => (hasCommits ? commitsMarkdown(set, commits) : markdownText(set, [...model.files()])),
      },
      {
        label: "JSON",
        description: t("as returned by the REST interface"),
        make: () => jsonText(set, [...model.files()]),
      },
    ];
    const picked = await vscode.window.showQuickPick(items, { placeHolder: t("Copy results as") });
    if (picked === undefined) return;
    await vscode.env.clipboard.writeText(picked.make());
    showCopied(model);
  }

  async #copyCall(row: ResultNode | RepositoryRow | vscode.Uri | undefined): Promise<void> {
    const call = row === undefined ? await this.#pickCall() : this.#callOf(row);
    if (call === undefined) return;
    await vscode.env.clipboard.writeText(curlLine(await this.#baseUrl(), call));
    vscode.window.setStatusBarMessage(
      vscode.l10n.t("Copied as a curl command for the REST interface."),
      5000,
    );
  }

  #callOf(row: ResultNode | RepositoryRow | vscode.Uri): ApiCall | undefined {
    if (row instanceof vscode.Uri) {
      const snapshot = parseSnapshotUri(row);
      return snapshot && sourceCall(snapshot.repository, snapshot.path, snapshot.commit);
    }
    if ("kind" in row) {
      const set = this.#options.tree.modelOf(row)?.set;
      return set && { method: "POST", path: "/api/search", body: set.request };
    }
    const { repository, ref = "HEAD", path, isFolder, call } = row;
    if (call !== undefined) return call;
    if (isFolder === undefined) return { method: "GET", path: "/api/repos", query: { query: repository } };
    if (!isFolder) return sourceCall(repository, path ?? "", ref);
    const paths = path === undefined ? [] : [path];
    return {
      method: "POST",
      path: "/api/tree",
      body: { repoName: repository, revisionName: ref, paths },
    };
  }

  /** Asks which call to copy: VS Code does not pass the view to a command in its title bar. */
  async #pickCall(): Promise<ApiCall | undefined> {
    const repositories: ApiCall = { method: "GET", path: "/api/repos" };
    const set = this.#options.tree.latest()?.set;
    if (set === undefined) return repositories;
    const search: ApiCall = { method: "POST", path: "/api/search", body: set.request };
    const items = [search, repositories].map((call) => ({
      label: `${call.method} ${call.path}`,
      description: call === search ? set.request.query : vscode.l10n.t("the list of repositories"),
      call,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      placeHolder: vscode.l10n.t("Select the call to copy"),
    });
    return picked?.call;
  }

  /** Returns the base URL of the REST interface, or the one it will have once it is started. */
  async #baseUrl(): Promise<string> {
    const instance = await this.#options.service.call("instance", {}).catch(() => undefined);
    return instance?.url ?? `http://127.0.0.1:${setting("api.port")}`;
  }

  async #explain(): Promise<void> {
    const uri = vscode.Uri.from({ scheme: explanationScheme, path: `/${vscode.l10n.t("Last Search")}.txt` });
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  #explanation(): string {
    const { tree, repositories } = this.#options;
    const set = tree.latest()?.set;
    if (set === undefined) return vscode.l10n.t("No search has been run yet.");
    return explainText(set, countRepositories([...(repositories.items?.values() ?? [])]), vscode.l10n);
  }
}

function sourceCall(repo: string, path: string, ref: string): ApiCall {
  return { method: "GET", path: "/api/source", query: { repo, path, ...(ref === "" ? {} : { ref }) } };
}

function showCopied({ counts, set: { commits = [] } }: ResultModel): void {
  const { l10n } = vscode;
  const text =
    commits.length > 0
      ? l10n.t("Copied {0}.", commitsText(commits.length, l10n))
      : l10n.t("Copied {0} in {1}.", matchesText(counts.matches, l10n), filesText(counts.files, l10n));
  vscode.window.setStatusBarMessage(text, 5000);
}
