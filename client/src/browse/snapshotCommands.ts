/** Commands of editors that show a file at a commit. */

import * as vscode from "vscode";
import type { Snapshots } from "#client/documents/snapshots";
import { matchAtLocation } from "#client/results/locationMatch";
import type { Opener } from "#client/results/opener";
import { linesOf } from "#client/results/resultLines";
import type { Handlers } from "#client/workbench/declarations";
import { parseSnapshotUri, type SnapshotLocation } from "#contract/snapshotUri";
import type { snapshotCommands as declared } from "./contributions";

export function snapshotCommands(snapshots: Snapshots, opener: Opener): Handlers<typeof declared> {
  return {
    async "browse.openLocal"(uri?: vscode.Uri) {
      const editor = vscode.window.activeTextEditor;
      const location = snapshotOf(uri ?? editor?.document.uri);
      if (location === undefined) return;
      const { blobSha } = await snapshots.source(location);
      const shown = snapshotOf(editor?.document.uri);
      const isShown = shown?.path === location.path && shown.repository === location.repository;
      const line = isShown && editor !== undefined ? lineAtCursor(editor) : undefined;
      const file = matchAtLocation({
        ...location,
        blobSha,
        origin: "commit",
        ...(line === undefined ? {} : { line }),
      });
      const source = new vscode.CancellationTokenSource();
      const found = await opener.find(file, linesOf(file)[0], "local", source.token);
      source.dispose();
      if (found === undefined || found.uri.scheme !== "file") {
        const text = vscode.l10n.t("No clone on this computer has this file.");
        vscode.window.setStatusBarMessage(text, 5000);
        return;
      }
      const { selection } = found;
      await vscode.window.showTextDocument(found.uri, {
        preview: false,
        ...(selection === undefined ? {} : { selection }),
      });
    },
  };
}

function snapshotOf(uri: vscode.Uri | undefined): SnapshotLocation | undefined {
  return uri === undefined ? undefined : parseSnapshotUri(uri);
}

function lineAtCursor({ document, selection }: vscode.TextEditor) {
  const { line } = selection.active;
  return { lineNumber: line + 1, text: document.lineAt(line).text };
}
