/** Results as documents: made, made again in place, and with marks on what was found. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import type { Repositories } from "#client/repositories/repositories";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import type { RepositoryInfo } from "#contract/repositories";
import type { FileMatch, SearchEnd } from "#contract/search";
import { withFilter } from "./queryText";
import { ResultModel } from "./resultModel";
import type { ResultSet } from "./resultSet";
import {
  countsOf,
  type MatchPlace,
  type ResultsHeader,
  type ResultsText,
  readHeader,
  resultsText,
} from "./resultsText";
import type { ResultsTree } from "./resultsTree";
import { type QueryDefaults, searchRequest } from "./searchState";
import { lineChanges } from "./textChange";

export const resultsLanguage = "trawl-results";
const contextAtMost = 20;

interface ResultsDocumentOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly repositories: Repositories;
  readonly tree: ResultsTree;
  readonly defaults: () => QueryDefaults | Promise<QueryDefaults>;
}

export class ResultsDocuments implements vscode.Disposable {
  readonly #options: ResultsDocumentOptions;
  /** What was found, by address of the document, as long as its text is the one that was written. */
  readonly #matches = new Map<string, { readonly version: number; readonly places: readonly MatchPlace[] }>();
  #mark = matchMark();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: ResultsDocumentOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      { dispose: () => this.#mark.dispose() },
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) this.#decorate(editor);
      }),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.#mark.dispose();
        this.#mark = matchMark();
        for (const editor of vscode.window.visibleTextEditors) this.#decorate(editor);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#matches.delete(uri.toString())),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  get commands(): Commands {
    return {
      "search.openResultsEditor": () => this.#open(),
      "results.rerun": () => this.#again((context) => context),
      "results.moreContext": () => this.#again((context) => Math.min(contextAtMost, context + 1)),
      "results.lessContext": () => this.#again((context) => Math.max(0, context - 1)),
    };
  }

  async #open(): Promise<void> {
    const { tree } = this.#options;
    const set = tree.present?.set;
    if (set === undefined) return;
    if (set.commits !== undefined && set.commits.length > 0) {
      const text = vscode.l10n.t("A document lists lines of files. Commits can be copied with “Copy As”.");
      vscode.window.setStatusBarMessage(text, 8000);
      return;
    }
    const header = { state: set.state, contextLines: setting("search.contextLines") };
    const written = await this.#write(header, set.request.matches);
    const uri = await freeName(set.state.query);
    let document: vscode.TextDocument;
    if (uri === undefined) {
      document = await vscode.workspace.openTextDocument({
        language: resultsLanguage,
        content: written.text,
      });
    } else {
      document = await vscode.workspace.openTextDocument(uri);
      await replaceText(document, written.text);
    }
    await vscode.window.showTextDocument(document, { preview: false });
    this.#remember(document, written);
  }

  async #again(contextOf: (before: number) => number): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const header = document && readHeader(document.getText());
    if (document === undefined || header === undefined) return;
    const wasSaved = !document.isUntitled && !document.isDirty;
    const written = await this.#write({ ...header, contextLines: contextOf(header.contextLines) });
    await replaceText(document, written.text);
    if (wasSaved) await document.save();
    this.#remember(document, written);
  }

  #remember(document: vscode.TextDocument, { matches }: ResultsText): void {
    this.#matches.set(document.uri.toString(), { version: document.version, places: matches });
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) this.#decorate(editor);
    }
  }

  #decorate(editor: vscode.TextEditor): void {
    const known = this.#matches.get(editor.document.uri.toString());
    if (known === undefined || known.version !== editor.document.version) return;
    const ranges = known.places.map(([line, start, end]) => new vscode.Range(line, start, line, end));
    editor.setDecorations(this.#mark, ranges);
  }

  async #write(header: ResultsHeader, matches: number = setting("search.maxRows")): Promise<ResultsText> {
    const { service, repositories, defaults } = this.#options;
    const { state, contextLines } = header;
    const used = await defaults();
    const asked = searchRequest(state, used, matches);
    const request = { ...asked, query: withoutDocuments(asked.query), contextLines };
    return await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Searching…") },
      async () => {
        const startedAt = Date.now();
        const files: FileMatch[] = [];
        const infos = new Map<number, RepositoryInfo>();
        const end = await service.call("streamSearch", request, {
          onEvent: (event) => {
            if (event.event !== "files") return;
            files.push(...event.data.files);
            for (const info of event.data.repositoryInfo) infos.set(info.id, info);
          },
        });
        await repositories.load();
        const set: ResultSet = {
          id: 0,
          state,
          request,
          startedAt,
          files,
          repositories: infos,
          end,
          outcome: "done",
        };
        return resultsText({
          ...header,
          // By name, so that the next run changes only what is new.
          files: [...new ResultModel(set, "path").files()],
          scope: scopeText(state.query, used.scope, repositories.items?.size ?? 0),
          revision: revisionText(state.query, used.revisions),
          summary: summaryText(files, end, startedAt),
        });
      },
    );
  }
}

/** A document that was saved in a repository would be found in itself, each time more of it. */
function withoutDocuments(query: string): string {
  return withFilter(query, { prefix: "file", value: `\\.${resultsLanguage}$`, isNegated: true });
}

/** As a match of the editor's own search; themes of high contrast draw a frame instead of a ground. */
function matchMark(): vscode.TextEditorDecorationType {
  const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  const { kind } = vscode.window.activeColorTheme;
  return vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    ...(kind === HighContrast || kind === HighContrastLight
      ? { border: "1px dashed", borderColor: new vscode.ThemeColor("contrastActiveBorder") }
      : { backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground") }),
  });
}

/** Changes what differs and nothing else, so that marks, cursors and version control see what is new. */
async function replaceText(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const before = document.getText();
  if (!before.endsWith("\n")) {
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  } else {
    for (const { start, end, lines } of lineChanges(before.split(/\r?\n/), text.split("\n"))) {
      const range = new vscode.Range(start, 0, end, 0);
      edit.replace(document.uri, range, lines.map((line) => `${line}\n`).join(""));
    }
  }
  await vscode.workspace.applyEdit(edit);
}

/** In the first open folder, and not there yet; `undefined` where no folder is open. */
async function freeName(query: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.find(
    ({ uri }) => uri.scheme === "file" || uri.scheme === "vscode-remote",
  );
  if (folder === undefined) return undefined;
  const name =
    query
      .replace(/[^\p{L}\p{N}._-]+/gu, "-")
      .replace(/^[-.]+|[-.]+$/g, "")
      .slice(0, 60) || "results";
  for (let number = 1; number < 1000; number++) {
    const file = vscode.Uri.joinPath(
      folder.uri,
      `${name}${number === 1 ? "" : `-${number}`}.${resultsLanguage}`,
    );
    const uri = file.with({ scheme: "untitled" });
    const isOpen = vscode.workspace.textDocuments.some((each) => each.uri.path === uri.path);
    if (!isOpen && !(await exists(file))) return uri;
  }
  return undefined;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

function scopeText(query: string, scope: string, total: number): string {
  if (/(?:^|[\s(-])(?:repo|r|context|scope|reposet):/.test(query)) return vscode.l10n.t("as the query says");
  return scope === "" ? vscode.l10n.t("all repositories ({0})", total) : scope;
}

function revisionText(query: string, revisions: string): string {
  if (/(?:^|[\s(-])(?:rev|branch|b|revision):|repo:\S+@/.test(query))
    return vscode.l10n.t("as the query says");
  return revisions === "" ? "HEAD" : revisions;
}

/** "143 matches in 38 files, 12 repositories · complete · 2026-08-23 14:02" */
function summaryText(found: readonly FileMatch[], end: SearchEnd, startedAt: number): string {
  const { matches, files, repositories } = countsOf(found);
  const counts = vscode.l10n.t("{0} matches in {1} files, {2} repositories", matches, files, repositories);
  return `${counts} · ${completenessText(end)} · ${timeText(new Date(startedAt))}`;
}

function completenessText({ isSearchExhaustive, stats }: SearchEnd): string {
  const { t } = vscode.l10n;
  if (isSearchExhaustive) return t("complete");
  switch (stats.flushReason) {
    case "MATCH_LIMIT":
      return t(
        "incomplete, stopped at {0} of about {1} matches",
        stats.actualMatchCount,
        stats.totalMatchCount,
      );
    case "TIME_LIMIT":
      return t("incomplete, stopped by the time limit");
    case "BYTE_LIMIT":
      return t("incomplete, stopped by the size of the answer");
    case "INDEXING":
      return t("incomplete, indexing was not finished");
    case "REVISION_NOT_INDEXED":
      return t("incomplete, a revision could not be read in time");
    case "SHARD_DAMAGED":
      return t("incomplete, part of the index was damaged");
    default:
      return t("incomplete");
  }
}

/** Local time, so that it sorts and reads the same everywhere: "2026-08-23 14:02". */
function timeText(time: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
