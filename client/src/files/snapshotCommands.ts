/** What can be done with a file as it stood in a commit. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import { linesOf } from "#client/search/resultLines";
import type { Opener } from "#client/search/reveal";
import { soughtFile } from "#client/search/soughtFile";
import { snapshotPlace } from "#contract/snapshotUri";
import type { Snapshots } from "./snapshots";

export function snapshotCommands(snapshots: Snapshots, opener: Opener): Commands {
  return {
    async "browse.openLocal"(uri?: vscode.Uri) {
      const editor = vscode.window.activeTextEditor;
      const place = snapshotPlace(uri ?? editor?.document.uri ?? { scheme: "", path: "" });
      if (place === undefined) return;
      const { blobSha } = await snapshots.source(place);
      const shown = snapshotPlace(editor?.document.uri ?? { scheme: "", path: "" });
      const isShown = shown?.path === place.path && shown.repository === place.repository;
      const line = isShown && editor !== undefined ? lineAtCursor(editor) : undefined;
      const file = soughtFile({
        ...place,
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

function lineAtCursor({ document, selection }: vscode.TextEditor) {
  const { line } = selection.active;
  return { lineNumber: line + 1, text: document.lineAt(line).text };
}
