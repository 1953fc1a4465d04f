/** Blame in editors: its commands, and the context keys `trawl.blameVisible` and `trawl.canReblame`. */
import * as vscode from "vscode";
import { type Commands, setContext } from "#client/commands";
import type { IndexedFiles } from "#client/files/indexedFiles";
import { type Snapshots, snapshotDocument } from "#client/files/snapshots";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import { snapshotRevision } from "#contract/snapshotUri";
import type { BlamedLine } from "./blamedLines";
import { BlameGutter } from "./blameGutter";
import type { BlamedPlace } from "./blameHover";
import { BlameInline } from "./blameInline";
import { type BlameChoices, type BlamedFile, Blames } from "./blames";
import { shortHash, trailWith } from "./blameText";
import { committedLines, sameLine } from "./lineOrigins";

/** What the service reads where the setting names no file. */
const usualIgnoreFile = ".git-blame-ignore-revs";

export interface BlameOptions {
  readonly service: ServiceClient;
  readonly files: IndexedFiles;
  readonly snapshots: Snapshots;
}

/** A committed line of an open document. */
interface Chosen {
  readonly document: vscode.TextDocument;
  /** From 0. */
  readonly line: number;
  readonly file: BlamedFile;
  readonly blamed: BlamedLine;
}

export class Blame implements vscode.Disposable {
  readonly commands: Commands;
  readonly #blames: Blames;
  readonly #gutter: BlameGutter;
  readonly #snapshots: Snapshots;
  readonly #subscriptions: vscode.Disposable;

  constructor({ service, files, snapshots }: BlameOptions) {
    this.#snapshots = snapshots;
    this.#blames = new Blames(service, files);
    this.#gutter = new BlameGutter(this.#blames);
    this.#subscriptions = vscode.Disposable.from(
      this.#blames,
      this.#gutter,
      new BlameInline(this.#blames, this.#gutter),
      vscode.window.onDidChangeTextEditorSelection(() => this.#tell()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tell()),
      this.#gutter.onChange(() => this.#tell()),
    );
    this.commands = {
      "blame.toggleFile": () => this.#toggle(),
      "blame.hide": () => this.#ofActive((document) => this.#gutter.hide(document)),
      "blame.continue": () => this.#ofActive((document) => this.#gutter.continue(document)),
      "blame.toggleInline": toggleInline,
      "blame.options": () => this.#ofActive((document) => this.#choose(document)),
      "blame.before": (place?: BlamedPlace) => this.#ofLine(place, (chosen) => this.#before(chosen)),
      "blame.openDiff": (place?: BlamedPlace) => this.#ofLine(place, (chosen) => this.#openDiff(chosen)),
      "blame.openCommit": () =>
        this.#ofLine(undefined, ({ file, blamed }) =>
          vscode.commands.executeCommand("trawl.commit.open", commitOf(file, blamed)),
        ),
      "blame.openOnHost": () =>
        this.#ofLine(undefined, ({ file, blamed }) =>
          vscode.commands.executeCommand("trawl.commit.openOnHost", commitOf(file, blamed)),
        ),
      "blame.copyHash": (place?: BlamedPlace) =>
        this.#ofLine(place, async ({ blamed }) => {
          await vscode.env.clipboard.writeText(blamed.commit.hash);
          const text = vscode.l10n.t("Copied {0}", shortHash(blamed.commit.hash));
          vscode.window.setStatusBarMessage(text, 3000);
        }),
    };
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #toggle(): Promise<void> {
    await this.#ofActive((document) =>
      this.#gutter.isShown(document) ? this.#gutter.hide(document) : this.#gutter.show(document),
    );
  }

  async #choose({ uri }: vscode.TextDocument): Promise<void> {
    const { t } = vscode.l10n;
    const present = this.#blames.choicesFor(uri);
    const items: (vscode.QuickPickItem & { readonly choice: keyof BlameChoices })[] = [
      {
        choice: "ignoreWhitespace",
        label: t("Ignore changes of white space"),
        picked: present.ignoreWhitespace,
      },
      {
        choice: "ignoreRevs",
        label: t("Ignore commits that only format"),
        description: t("those that {0} names", setting("blame.ignoreRevsFile", uri) || usualIgnoreFile),
        picked: present.ignoreRevs,
      },
      {
        choice: "followMoves",
        label: t("Follow moved lines"),
        description: t("slow"),
        picked: present.followMoves,
      },
    ];
    const picked = await vscode.window.showQuickPick(items, {
      canPickMany: true,
      title: t("How to blame, until this window is closed"),
    });
    if (picked === undefined) return;
    const isPicked = (choice: keyof BlameChoices) => picked.some((item) => item.choice === choice);
    this.#blames.choose({
      ignoreWhitespace: isPicked("ignoreWhitespace"),
      ignoreRevs: isPicked("ignoreRevs"),
      followMoves: isPicked("followMoves"),
    });
  }

  /** Opens the file as it was before the line was written, on the line that stood in its place. */
  async #before({ document, line, file, blamed }: Chosen): Promise<void> {
    const { hash, previous } = blamed.commit;
    if (previous === undefined) {
      const text = vscode.l10n.t("{0} is where this line began.", shortHash(hash));
      vscode.window.setStatusBarMessage(text, 5000);
      return;
    }
    const { repository } = file;
    const then = await this.#linesOf(repository, hash, blamed.path);
    const before = await this.#linesOf(repository, previous.hash, previous.path);
    const lineThen = sameLine(line, committedLines(document.getText()).lines, then);
    const lineBefore = sameLine(lineThen, then, before);
    const trail = trailWith(snapshotRevision(document.uri) ?? "HEAD", previous.hash);
    const place = { repository, commit: previous.hash, path: previous.path };
    // Going back passes over editors that gave their place to the next one.
    const editor = await vscode.window.showTextDocument(snapshotDocument(place, trail), {
      preview: false,
      selection: new vscode.Range(lineBefore, 0, lineBefore, 0),
    });
    await this.#gutter.show(editor.document);
  }

  async #openDiff({ document, line, file, blamed }: Chosen): Promise<void> {
    const { repository } = file;
    const { hash, previous } = blamed.commit;
    const after = snapshotDocument({ repository, commit: hash, path: blamed.path });
    const then = await this.#linesOf(repository, hash, blamed.path);
    const lineThen = sameLine(line, committedLines(document.getText()).lines, then);
    const options: vscode.TextDocumentShowOptions = {
      selection: new vscode.Range(lineThen, 0, lineThen, 0),
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

  async #ofActive(work: (document: vscode.TextDocument) => unknown): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document !== undefined) await work(document);
  }

  /** The line of a link, or the one at the cursor; asks who wrote it where that is not known. */
  async #ofLine(place: BlamedPlace | undefined, work: (chosen: Chosen) => unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const isLink = typeof place?.uri === "string" && typeof place.line === "number";
    const document = isLink
      ? vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === place.uri)
      : editor?.document;
    if (document === undefined) return;
    const wanted = isLink ? place.line : (editor?.selection.active.line ?? 0);
    const line = Math.max(0, Math.min(wanted, document.lineCount - 1));
    const chosen = await this.#blamed(document, line);
    if (chosen !== undefined) await work(chosen);
    else vscode.window.setStatusBarMessage(vscode.l10n.t("This line is not committed."), 5000);
  }

  /** `undefined` for a line that is not committed. Rejects with what `Blames` rejects with. */
  async #blamed(document: vscode.TextDocument, line: number): Promise<Chosen | undefined> {
    const source = new vscode.CancellationTokenSource();
    try {
      const file = await this.#blames.open(document, source.token);
      const stretch = this.#blames.stretchOf(document, line, line);
      const missing = stretch && file.blamed.missing(stretch);
      if (missing !== undefined) await this.#blames.ask(file, document, missing, { token: source.token });
      const blamed = this.#blames.originOf(document, line);
      return typeof blamed === "object" ? { document, line, file, blamed } : undefined;
    } finally {
      source.dispose();
    }
  }

  #tell(): void {
    const editor = vscode.window.activeTextEditor;
    const origin = editor && this.#blames.originOf(editor.document, editor.selection.active.line);
    setContext("trawl.canReblame", typeof origin === "object" && origin.commit.previous !== undefined);
  }
}

function commitOf({ repository }: BlamedFile, { commit }: BlamedLine) {
  return { repository, ref: commit.hash };
}

/** Off, or on for what the open editor shows. */
async function toggleInline(): Promise<void> {
  const isLocal = vscode.window.activeTextEditor?.document.uri.scheme === "file";
  const isOn = setting("blame.inline") === "always" || (setting("blame.inline") === "snapshots" && !isLocal);
  const next = isOn ? "off" : isLocal ? "always" : "snapshots";
  await vscode.workspace
    .getConfiguration("trawl")
    .update("blame.inline", next, vscode.ConfigurationTarget.Global);
}
