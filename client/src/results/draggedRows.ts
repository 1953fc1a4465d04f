/** What results stand for when they are dragged to an editor, a terminal or another view: files, at the line of the match. */
import * as vscode from "vscode";
import type { OpenTarget } from "./opener";
import type { ResultLine } from "./resultLines";
import type { FileNode } from "./resultNodes";
import type { ResultRow } from "./resultsTree";

const uriList = "text/uri-list";

type Find = (
  file: FileNode["file"],
  line: ResultLine | undefined,
  token: vscode.CancellationToken,
) => Promise<OpenTarget | undefined>;

/** Rows of files and lines can be dragged; nothing can be dropped on a row. */
export function dragController(find: Find): vscode.TreeDragAndDropController<ResultRow> {
  return {
    dragMimeTypes: [uriList],
    dropMimeTypes: [],
    async handleDrag(rows, transfer, token) {
      const found = await Promise.all(
        rows.map(async (row) => {
          if (row.kind === "line") return await find(row.parent.file, row.line, token);
          return row.kind === "file" ? await find(row.file, undefined, token) : undefined;
        }),
      );
      const uris = new Set(found.filter((target) => target !== undefined).map(uriOf));
      if (uris.size > 0) transfer.set(uriList, new vscode.DataTransferItem([...uris].join("\r\n")));
    },
  };
}

/** Returns a URI whose fragment is the line, as VS Code reads it from what is dropped. */
function uriOf({ uri, selection }: OpenTarget): string {
  if (selection === undefined) return uri.toString();
  const { line, character } = selection.start;
  return uri.with({ fragment: `L${line + 1},${character + 1}` }).toString();
}
