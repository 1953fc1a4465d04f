/**
 * Results documents: creates them, reruns them in place, and highlights their matches.
 *
 * A new one is read-only and virtual, so that it closes without a question. Saving it creates a file, which is an
 * ordinary document.
 */

import { homedir } from "node:os";
import { posix } from "node:path";
import * as vscode from "vscode";
import type { Repositories } from "#client/model/repositories";
import { checkQuery } from "#client/search/queryAnalysis";
import type { ResultSet } from "#client/search/resultSet";
import { type QueryDefaults, searchRequest } from "#client/search/searchState";
import { filesText, matchesText, repositoriesText } from "#client/search/status";
import type { ServiceClient } from "#client/server/serviceClient";
import { lineChanges } from "#client/text/textChange";
import type { Handlers } from "#client/workbench/declarations";
import { setting } from "#client/workbench/settings";
import { withFilter } from "#contract/queryText";
import type { RepositoryInfo } from "#contract/repositories";
import type { FileMatch, SearchEnd } from "#contract/search";
import type { resultsDocumentCommands } from "./contributions";
import { ResultModel } from "./resultModel";
import {
  countsOf,
  type MatchRange,
  type ResultsHeader,
  type ResultsText,
  readHeader,
  resultsText,
} from "./resultsText";
import type { ResultsTree } from "./resultsTree";

export const resultsLanguage = "trawl-results";
/** The scheme of documents that are not saved. Their URIs have the search as JSON, so that closed ones can be reopened. */
const resultsScheme = "trawl-results";
const maxContext = 20;

interface ResultsDocumentOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly repositories: Repositories;
  readonly tree: ResultsTree;
  readonly defaults: () => QueryDefaults | Promise<QueryDefaults>;
}

export class ResultsDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #options: ResultsDocumentOptions;
  /** Matches by document URI, valid for one version of the text. */
  readonly #matches = new Map<string, { readonly version: number; readonly ranges: readonly MatchRange[] }>();
  /** Texts of documents that are not saved, by URI. */
  readonly #written = new Map<string, ResultsText>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  #decoration = matchDecoration();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: ResultsDocumentOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      { dispose: () => this.#decoration.dispose() },
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(resultsScheme, this),
      vscode.workspace.onDidOpenTextDocument((document) => this.#updateMatches(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#updateMatches(document)),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) this.#decorate(editor);
      }),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.#decoration.dispose();
        this.#decoration = matchDecoration();
        for (const editor of vscode.window.visibleTextEditors) this.#decorate(editor);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#matches.delete(uri.toString());
        this.#written.delete(uri.toString());
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  get commands(): Handlers<typeof resultsDocumentCommands> {
    return {
      "search.openResultsEditor": () => this.#open(),
      "results.save": () => this.#save(),
      "results.rerun": () => this.#rerun((context) => context),
      "results.moreContext": () => this.#rerun((context) => Math.min(maxContext, context + 1)),
      "results.lessContext": () => this.#rerun((context) => Math.max(0, context - 1)),
    };
  }

  async #open(): Promise<void> {
    const { tree } = this.#options;
    const set = tree.latest()?.set;
    if (set === undefined) return;
    if (set.commits !== undefined && set.commits.length > 0) {
      const text = vscode.l10n.t(
        "Commits cannot be opened as a document. To copy them, use Copy Results As.",
      );
      vscode.window.setStatusBarMessage(text, 8000);
      return;
    }
    const header = { state: set.state, contextLines: setting("search.contextLines") };
    const written = await this.#write(header, set.request.matches);
    const uri = unsavedUri(header);
    this.#written.set(uri.toString(), written);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
    this.#updateMatches(document);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const written = this.#written.get(uri.toString()) ?? (await this.#write(headerOf(uri)));
    this.#written.set(uri.toString(), written);
    return written.text;
  }

  /** Saves the active document as a new file of the open folder, or where the user chooses. */
  async #save(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const written = document && this.#written.get(document.uri.toString());
    if (document === undefined || written === undefined) return;
    const name = posix.basename(document.uri.path);
    const file =
      (await unusedFile(name)) ??
      (await vscode.window.showSaveDialog({
        saveLabel: vscode.l10n.t("Save"),
        defaultUri: vscode.Uri.joinPath(vscode.Uri.file(homedir()), name),
      }));
    if (file === undefined) return;
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(document.getText()));
    await vscode.window.tabGroups.close(tabsOf(document));
    const saved = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(saved, { preview: false });
    this.#setMatches(saved, written);
  }

  async #rerun(contextOf: (before: number) => number): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const header = document && readHeader(document.getText());
    if (document === undefined || header === undefined) return;
    const wasSaved = !document.isUntitled && !document.isDirty;
    const written = await this.#write({ ...header, contextLines: contextOf(header.contextLines) });
    if (document.uri.scheme === resultsScheme) {
      this.#written.set(document.uri.toString(), written);
      this.#changed.fire(document.uri);
      this.#updateMatches(document);
      return;
    }
    await replaceText(document, written.text);
    if (wasSaved) await document.save();
    this.#setMatches(document, written);
  }

  /** Highlights the matches of an unsaved document once it has its new text. */
  #updateMatches(document: vscode.TextDocument): void {
    const written = this.#written.get(document.uri.toString());
    if (written !== undefined && written.text === document.getText()) this.#setMatches(document, written);
  }

  #setMatches(document: vscode.TextDocument, { matches }: ResultsText): void {
    this.#matches.set(document.uri.toString(), { version: document.version, ranges: matches });
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) this.#decorate(editor);
    }
  }

  #decorate(editor: vscode.TextEditor): void {
    const known = this.#matches.get(editor.document.uri.toString());
    if (known === undefined || known.version !== editor.document.version) return;
    const ranges = known.ranges.map(([line, start, end]) => new vscode.Range(line, start, line, end));
    editor.setDecorations(this.#decoration, ranges);
  }

  async #write(header: ResultsHeader, matches: number = setting("search.maxRows")): Promise<ResultsText> {
    const { service, repositories, defaults } = this.#options;
    const { state, contextLines } = header;
    await checkQuery(service, state);
    const used = await defaults();
    const base = searchRequest(state, used, matches);
    const request = { ...base, query: withoutResultsDocuments(base.query), contextLines };
    return await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Searching...") },
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
          files: [...new ResultModel(set, this.#options.tree.arrangement).files()],
          scope: scopeText(state.query, used.scope, repositories.items?.size ?? 0),
          revision: revisionText(state.query, used.revisions),
          summary: summaryText(files, end, startedAt),
        });
      },
    );
  }
}

/** Excludes results documents: one saved in a repository would match itself, more with each run. */
function withoutResultsDocuments(query: string): string {
  return withFilter(query, { prefix: "file", value: `\\.${resultsLanguage}$`, isNegated: true });
}

/** Returns the decoration of a match, like that of the editor's Find; high contrast themes draw a border. */
function matchDecoration(): vscode.TextEditorDecorationType {
  const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  const { kind } = vscode.window.activeColorTheme;
  return vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    ...(kind === HighContrast || kind === HighContrastLight
      ? { border: "1px dashed", borderColor: new vscode.ThemeColor("contrastActiveBorder") }
      : { backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground") }),
  });
}

/** Replaces only what differs, so that decorations, cursors and version control see only real changes. */
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

/** Returns a unique URI, because the same search may be opened again. */
function unsavedUri(header: ResultsHeader): vscode.Uri {
  const name =
    header.state.query
      .replace(/[^\p{L}\p{N}._-]+/gu, "-")
      .replace(/^[-.]+|[-.]+$/g, "")
      .slice(0, 60) || "results";
  const path = `/${name}.${resultsLanguage}`;
  return vscode.Uri.from({
    scheme: resultsScheme,
    path,
    query: JSON.stringify(header),
    fragment: Date.now().toString(36),
  });
}

function headerOf({ query }: vscode.Uri): ResultsHeader {
  return JSON.parse(query) as ResultsHeader;
}

function tabsOf({ uri }: vscode.TextDocument): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && `${input.uri}` === `${uri}`);
}

/** Returns an unused file in the first open folder; `undefined` if no folder is open. */
async function unusedFile(name: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.find(
    ({ uri }) => uri.scheme === "file" || uri.scheme === "vscode-remote",
  );
  if (folder === undefined) return undefined;
  const { name: stem, ext } = posix.parse(name);
  for (let number = 1; number < 1000; number++) {
    const file = vscode.Uri.joinPath(folder.uri, `${stem}${number === 1 ? "" : `-${number}`}${ext}`);
    if (!(await exists(file))) return file;
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
  if (/(?:^|[\s(-])(?:repo|r|context|scope|reposet):/.test(query)) return vscode.l10n.t("set by the query");
  return scope === "" ? vscode.l10n.t("all repositories ({0})", total) : scope;
}

function revisionText(query: string, revisions: string): string {
  if (/(?:^|[\s(-])(?:rev|branch|b|revision):|repo:\S+@/.test(query))
    return vscode.l10n.t("set by the query");
  return revisions === "" ? "HEAD" : revisions;
}

/** "143 matches in 38 files, 12 repositories · complete · 2026-08-23 14:02" */
function summaryText(found: readonly FileMatch[], end: SearchEnd, startedAt: number): string {
  const { matches, files, repositories } = countsOf(found);
  const { l10n } = vscode;
  const counts = l10n.t(
    "{0} in {1}, {2}",
    matchesText(matches, l10n),
    filesText(files, l10n),
    repositoriesText(repositories, l10n),
  );
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
      return t("incomplete, stopped by the size limit");
    case "INDEXING":
      return t("incomplete, indexing had not finished");
    case "RIGHTS_UNKNOWN":
      return t("incomplete, it was not known which repositories you may see");
    case "REPOSITORY_EVICTED":
      return t("incomplete, {0} repositories are not indexed to save disk space", stats.repositoriesEvicted);
    case "REVISION_NOT_INDEXED":
      return t("incomplete, a revision could not be read in time");
    case "SHARD_DAMAGED":
      return t("incomplete, part of the index was damaged");
    default:
      return stats.filesMissing > 0
        ? t("incomplete, the text of {0} files is missing", stats.filesMissing)
        : t("incomplete");
  }
}

/** Returns local time in a format that sorts and does not depend on the locale: "2026-08-23 14:02". */
function timeText(time: Date): string {
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const date = [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())].join("-");
  return `${date} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
}
