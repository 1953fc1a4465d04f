/** Taking results elsewhere: to the clipboard, to a script, and as an explanation. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import type { Repositories } from "#client/repositories/repositories";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import { count } from "#client/words";
import { snapshotPlace } from "#contract/snapshotUri";
import { type ApiCall, curlLine } from "./apiCall";
import { commitsMarkdown, hashesText, jsonText, markdownText, pathsText } from "./copyText";
import { explainText } from "./explainText";
import type { ResultModel } from "./resultModel";
import type { ResultNode } from "./resultNodes";
import type { ResultsTree } from "./resultsTree";
import { indexFacts } from "./status";

interface CopyOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly tree: ResultsTree;
  readonly repositories: Repositories;
}

/** A row of the views of repositories and of history. */
interface RepositoryRow {
  readonly repository: string;
  readonly ref?: string;
  readonly path?: string;
  /** Of a revision, or of a file or folder there. */
  readonly isFolder?: boolean;
  /** Where a row knows it itself. */
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

  get commands(): Commands {
    return {
      "search.copyAs": () => this.#copyAs(),
      "search.explain": () => this.#explain(),
      "api.copyCall": (row?: ResultNode | RepositoryRow | vscode.Uri) => this.#copyCall(row),
    };
  }

  async #copyAs(): Promise<void> {
    const model = this.#options.tree.present;
    if (model === undefined) return;
    const { t } = vscode.l10n;
    const set = model.set;
    const { commits = [] } = set;
    const isOfCommits = commits.length > 0;
    const items = [
      isOfCommits
        ? { label: "SHA", description: t("one for each commit"), make: () => hashesText(commits) }
        : {
            label: t("Paths"),
            description: t("one for each file"),
            make: () => pathsText([...model.files()]),
          },
      {
        label: "Markdown",
        description: t("with links to the code host"),
        make: () => (isOfCommits ? commitsMarkdown(set, commits) : markdownText(set, [...model.files()])),
      },
      {
        label: "JSON",
        description: t("as the REST interface answers"),
        make: () => jsonText(set, [...model.files()]),
      },
    ];
    const picked = await vscode.window.showQuickPick(items, { placeHolder: t("Copy results as") });
    if (picked === undefined) return;
    await vscode.env.clipboard.writeText(picked.make());
    tellCopied(model);
  }

  async #copyCall(row: ResultNode | RepositoryRow | vscode.Uri | undefined): Promise<void> {
    const call = row === undefined ? await this.#chosenCall() : this.#callOf(row);
    if (call === undefined) return;
    await vscode.env.clipboard.writeText(curlLine(await this.#address(), call));
    vscode.window.setStatusBarMessage(vscode.l10n.t("Copied as a call of the REST interface."), 5000);
  }

  #callOf(row: ResultNode | RepositoryRow | vscode.Uri): ApiCall | undefined {
    if (row instanceof vscode.Uri) {
      const place = snapshotPlace(row);
      return place && sourceCall(place.repository, place.path, place.commit);
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

  /** Views say nothing of themselves to the commands in their titles. */
  async #chosenCall(): Promise<ApiCall | undefined> {
    const repositories: ApiCall = { method: "GET", path: "/api/repos" };
    const set = this.#options.tree.present?.set;
    if (set === undefined) return repositories;
    const search: ApiCall = { method: "POST", path: "/api/search", body: set.request };
    const items = [search, repositories].map((call) => ({
      label: `${call.method} ${call.path}`,
      description: call === search ? set.request.query : vscode.l10n.t("the list of repositories"),
      call,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      placeHolder: vscode.l10n.t("Copy which call?"),
    });
    return picked?.call;
  }

  /** Where the interface answers, or where it will once it is started. */
  async #address(): Promise<string> {
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
    const set = tree.present?.set;
    if (set === undefined) return vscode.l10n.t("Nothing was searched for yet.");
    return explainText(set, indexFacts([...(repositories.items?.values() ?? [])]), vscode.l10n);
  }
}

function sourceCall(repo: string, path: string, ref: string): ApiCall {
  return { method: "GET", path: "/api/source", query: { repo, path, ...(ref === "" ? {} : { ref }) } };
}

function tellCopied({ counts, set: { commits = [] } }: ResultModel): void {
  const text =
    commits.length === 1
      ? vscode.l10n.t("Copied 1 commit.")
      : commits.length > 1
        ? vscode.l10n.t("Copied {0} commits.", count(commits.length))
        : vscode.l10n.t("Copied {0} matches in {1} files.", counts.matches, counts.files);
  vscode.window.setStatusBarMessage(text, 5000);
}
