/** Opens the files of links with which the server's pages lead to this editor. */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { showFailure } from "#client/workbench/commands";
import { type EditorLink, parseEditorLink } from "#contract/editorLink";
import { matchAtLocation } from "./locationMatch";
import type { Opener } from "./opener";

export function registerEditorLinks(
  service: Pick<ServiceClient, "call">,
  opener: Pick<Opener, "open">,
): vscode.Disposable {
  return vscode.window.registerUriHandler({ handleUri });

  async function handleUri(uri: vscode.Uri): Promise<void> {
    const link = parseEditorLink(uri);
    if (link === undefined) return showFailure(vscode.l10n.t("This link does not name a file."));
    try {
      await open(link);
    } catch (error) {
      showFailure(callError(error).message);
    }
  }

  async function open({ repo, commit, path, line: lineNumber }: EditorLink): Promise<void> {
    const ref = commit === "" ? {} : { ref: commit };
    const { source, ...file } = await service.call("source", { repo, path, ...ref });
    const text = source.split(/\r?\n/, lineNumber)[lineNumber - 1] ?? "";
    const { commit: found, blobSha } = file;
    const line = { lineNumber, text };
    await opener.open(
      matchAtLocation({ repository: repo, commit: found, path, blobSha, origin: "commit", line }),
      undefined,
    );
  }
}
