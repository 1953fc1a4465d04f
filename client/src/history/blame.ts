/** Blame in editors: its commands, and the context key `trawl.canReblame`. */

import * as vscode from "vscode";
import type { IndexedFiles } from "#client/documents/indexedFiles";
import { type Snapshots, snapshotDocument } from "#client/documents/snapshots";
import type { ServiceClient } from "#client/server/serviceClient";
import { committedLines, mapLine } from "#client/text/lineOrigins";
import { setContext } from "#client/workbench/commands";
import type { Handlers } from "#client/workbench/declarations";
import { setting } from "#client/workbench/settings";
import { snapshotRevision } from "#contract/snapshotUri";
import { BlameCache, type BlamedFile, type BlameFlags } from "./blameCache";
import type { BlamedLine } from "./blamedLines";
import { BlameGutter } from "./blameGutter";
import type { LineTarget } from "./blameHover";
import { BlameInline } from "./blameInline";
import { extendTrail, shortHash } from "./blameText";
import type { blameCommands } from "./contributions";

/** The file that the service reads when the setting names none. */
const defaultIgnoreFile = ".git-blame-ignore-revs";

export interface BlameOptions {
  readonly service: ServiceClient;
  readonly files: IndexedFiles;
  readonly snapshots: Snapshots;
}

/** A committed line of an open document. */
interface CommittedLine {
  readonly document: vscode.TextDocument;
  /** From 0. */
  readonly line: number;
  readonly file: BlamedFile;
  readonly blamed: BlamedLine;
}

export class Blame implements vscode.Disposable {
  readonly commands: Handlers<typeof blameCommands>;
  readonly #cache: BlameCache;
  readonly #gutter: BlameGutter;
  readonly #snapshots: Snapshots;
  readonly #subscriptions: vscode.Disposable;

  constructor({ service, files, snapshots }: BlameOptions) {
    this.#snapshots = snapshots;
    this.#cache = new BlameCache(service, files);
    this.#gutter = new BlameGutter(this.#cache);
    this.#subscriptions = vscode.Disposable.from(
      this.#cache,
      this.#gutter,
      new BlameInline(this.#cache, this.#gutter),
      vscode.window.onDidChangeTextEditorSelection(() => this.#updateContext()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#updateContext()),
      this.#gutter.onChange(() => this.#updateContext()),
    );
    this.commands = {
      // Other features pass true to show it; menus pass other arguments.
      "blame.toggleFile": (isShown?: unknown) => this.#toggle(isShown === true),
      "blame.hide": () => this.#withActiveDocument((document) => this.#gutter.hide(document)),
      "blame.continue": () => this.#withActiveDocument((document) => this.#gutter.continue(document)),
      "blame.toggleInline": toggleInline,
      "blame.options": () => this.#withActiveDocument((document) => this.#pickFlags(document)),
      "blame.before": (target?: LineTarget) => this.#withLine(target, (line) => this.#openPrevious(line)),
      "blame.openDiff": (target?: LineTarget) => this.#withLine(target, (line) => this.#openDiff(line)),
      "blame.openCommit": () =>
        this.#withLine(undefined, ({ file, blamed }) =>
          vscode.commands.executeCommand("trawl.commit.open", commitOf(file, blamed)),
        ),
      "blame.openOnHost": () =>
        this.#withLine(undefined, ({ file, blamed }) =>
          vscode.commands.executeCommand("trawl.commit.openOnHost", commitOf(file, blamed)),
        ),
      "blame.copyHash": (target?: LineTarget) =>
        this.#withLine(target, async ({ blamed }) => {
          await vscode.env.clipboard.writeText(blamed.commit.hash);
          const text = vscode.l10n.t("Copied {0}", shortHash(blamed.commit.hash));
          vscode.window.setStatusBarMessage(text, 3000);
        }),
    };
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #toggle(isAlwaysShown: boolean): Promise<void> {
    await this.#withActiveDocument((document) =>
      !isAlwaysShown && this.#gutter.isShown(document)
        ? this.#gutter.hide(document)
        : this.#gutter.show(document),
    );
  }

  async #pickFlags({ uri }: vscode.TextDocument): Promise<void> {
    const { t } = vscode.l10n;
    const flags = this.#cache.flagsFor(uri);
    const items: (vscode.QuickPickItem & { readonly choice: keyof BlameFlags })[] = [
      {
        choice: "ignoreWhitespace",
        label: t("Ignore whitespace changes"),
        picked: flags.ignoreWhitespace,
      },
      {
        choice: "ignoreRevs",
        label: t("Ignore formatting commits"),
        description: t("listed in {0}", setting("blame.ignoreRevsFile", uri) || defaultIgnoreFile),
        picked: flags.ignoreRevs,
      },
      {
        choice: "followMoves",
        label: t("Follow moved lines"),
        description: t("slow"),
        picked: flags.followMoves,
      },
    ];
    const picked = await vscode.window.showQuickPick(items, {
      canPickMany: true,
      title: t("Blame Options for This Window"),
    });
    if (picked === undefined) return;
    const isPicked = (choice: keyof BlameFlags) => picked.some((item) => item.choice === choice);
    this.#cache.setFlags({
      ignoreWhitespace: isPicked("ignoreWhitespace"),
      ignoreRevs: isPicked("ignoreRevs"),
      followMoves: isPicked("followMoves"),
    });
  }

  /** Opens the file as it was before the commit that wrote the line, at the corresponding line. */
  async #openPrevious({ document, line, file, blamed }: CommittedLine): Promise<void> {
    const { hash, previous } = blamed.commit;
    if (previous === undefined) {
      const text = vscode.l10n.t("This line was added in {0}.", shortHash(hash));
      vscode.window.setStatusBarMessage(text, 5000);
      return;
    }
    const { repository } = file;
    const linesAtCommit = await this.#linesOf(repository, hash, blamed.path);
    const linesBefore = await this.#linesOf(repository, previous.hash, previous.path);
    const lineAtCommit = mapLine(line, committedLines(document.getText()).lines, linesAtCommit);
    const lineBefore = mapLine(lineAtCommit, linesAtCommit, linesBefore);
    const trail = extendTrail(snapshotRevision(document.uri) ?? "HEAD", previous.hash);
    const location = { repository, commit: previous.hash, path: previous.path };
    // Not a preview: Go Back skips editors that were replaced.
    const editor = await vscode.window.showTextDocument(snapshotDocument(location, trail), {
      preview: false,
      selection: new vscode.Range(lineBefore, 0, lineBefore, 0),
    });
    await this.#gutter.show(editor.document);
  }

  async #openDiff({ document, line, file, blamed }: CommittedLine): Promise<void> {
    const { repository } = file;
    const { hash, previous } = blamed.commit;
    const after = snapshotDocument({ repository, commit: hash, path: blamed.path });
    const linesAtCommit = await this.#linesOf(repository, hash, blamed.path);
    const lineAtCommit = mapLine(line, committedLines(document.getText()).lines, linesAtCommit);
    const options: vscode.TextDocumentShowOptions = {
      selection: new vscode.Range(lineAtCommit, 0, lineAtCommit, 0),
    };
    if (previous === undefined) {
      await vscode.window.showTextDocument(after, options);
      return;
    }
    const before = snapshotDocument({ repository, commit: previous.hash, path: previous.path });
    const name = blamed.path.slice(blamed.path.lastIndexOf("/") + 1);
    const title = `${name} (${shortHash(previous.hash)} ↔ ${shortHash(hash)})`;
    await vscode.commands.executeCommand("vscode.diff", before, after, title, options);
  }

  async #linesOf(repository: string, commit: string, path: string): Promise<readonly string[]> {
    const { source } = await this.#snapshots.source({ repository, commit, path });
    return committedLines(source).lines;
  }

  async #withActiveDocument(work: (document: vscode.TextDocument) => unknown): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document !== undefined) await work(document);
  }

  /** Runs `work` with the line of a link, or the line at the cursor; fetches its blame if needed. */
  async #withLine(target: LineTarget | undefined, work: (line: CommittedLine) => unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const isLink = typeof target?.uri === "string" && typeof target.line === "number";
    const document = isLink
      ? vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === target.uri)
      : editor?.document;
    if (document === undefined) return;
    const requested = isLink ? target.line : (editor?.selection.active.line ?? 0);
    const line = Math.max(0, Math.min(requested, document.lineCount - 1));
    const committed = await this.#committedLine(document, line);
    if (committed !== undefined) await work(committed);
    else vscode.window.setStatusBarMessage(vscode.l10n.t("This line is not committed."), 5000);
  }

  /** Returns `undefined` for an uncommitted line. Rejects as `BlameCache.open` does. */
  async #committedLine(document: vscode.TextDocument, line: number): Promise<CommittedLine | undefined> {
    const source = new vscode.CancellationTokenSource();
    try {
      const file = await this.#cache.open(document, source.token);
      const range = this.#cache.committedRange(document, line, line);
      const missing = range && file.blamed.missing(range);
      if (missing !== undefined) await this.#cache.fetch(file, document, missing, { token: source.token });
      const blamed = this.#cache.originOf(document, line);
      return typeof blamed === "object" ? { document, line, file, blamed } : undefined;
    } finally {
      source.dispose();
    }
  }

  #updateContext(): void {
    const editor = vscode.window.activeTextEditor;
    const origin = editor && this.#cache.originOf(editor.document, editor.selection.active.line);
    setContext("trawl.canReblame", typeof origin === "object" && origin.commit.previous !== undefined);
  }
}

function commitOf({ repository }: BlamedFile, { commit }: BlamedLine) {
  return { repository, ref: commit.hash };
}

/** Turns inline blame off, or on for the kind of document in the active editor. */
async function toggleInline(): Promise<void> {
  const isLocal = vscode.window.activeTextEditor?.document.uri.scheme === "file";
  const isOn = setting("blame.inline") === "always" || (setting("blame.inline") === "snapshots" && !isLocal);
  const next = isOn ? "off" : isLocal ? "always" : "snapshots";
  await vscode.workspace
    .getConfiguration("trawl")
    .update("blame.inline", next, vscode.ConfigurationTarget.Global);
}
