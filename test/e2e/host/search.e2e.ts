import assert from "node:assert/strict";
import * as vscode from "vscode";
import { eventually } from "#test/support/eventually";
import {
  activeLocation,
  closeEditors,
  fileIn,
  firstResult,
  goToResult,
  insertAtStart,
  openFile,
  run,
} from "./actions";

describe("results", () => {
  const client = fileIn("orders-api", "internal/http/client.go");

  after(async () => {
    await vscode.workspace.getConfiguration("trawl").update("search.openTarget", undefined, true);
    await closeEditors();
  });

  it("open the editable file at the matching line", async () => {
    // Another clone with the same file may be indexed first.
    await firstResult("c.once", (location) => location === `${client}:11`);
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.equal(document?.uri.scheme, "file");
    assert.equal(vscode.workspace.fs.isWritableFileSystem("file"), true);
  });

  it("follow their line when lines are inserted above it", async () => {
    await firstResult("c.once", (location) => location.endsWith(":11"));
    const editor = await openFile(client);
    await insertAtStart(client, "// one\n// two\n// three\n");
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await eventually(async () => (await goToResult()) === `${client}:14`);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("include unsaved text", async () => {
    const editor = await openFile(client);
    await insertAtStart(client, "// somethingNobodySaved\n");
    editor.selection = new vscode.Selection(4, 0, 4, 0);
    const location = await firstResult("somethingNobodySaved", (each) => each === `${client}:1`);
    assert.equal(location, `${client}:1`);
    await openFile(client);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("can be stepped through forward and backward, wrapping around", async () => {
    // Searched again while repositories are still being indexed.
    const forwards = await eventually(async () => {
      const first = await firstResult("chargeCard", (location) => location.includes("/payments/"));
      const found = [first];
      for (let next = await goToResult(); next !== first && found.length < 20; next = await goToResult()) {
        found.push(next);
      }
      return found.length === 3 && found;
    });
    // Everything is indexed now, so another round must be the same at once.
    const again: string[] = [];
    for (const _ of forwards) again.push(await goToResult());
    assert.deepEqual(again, [...forwards.slice(1), ...forwards.slice(0, 1)]);
    const backwards: string[] = [];
    for (const _ of forwards) backwards.push(await goToResult("previous"));
    assert.deepEqual(backwards, [...forwards].reverse());
  });

  it("open as read-only snapshots, with their language, if the setting says so", async () => {
    await vscode.workspace.getConfiguration("trawl").update("search.openTarget", "snapshot", true);
    const location = await firstResult("c.once", (each) => /^trawl:.*\/orders-api@/.test(each));
    assert.match(location, /^trawl:\S+\/orders-api@[0-9a-f]{40}\/internal\/http\/client\.go:11$/);
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.equal(document?.languageId, "go");
    assert.equal(vscode.workspace.fs.isWritableFileSystem("trawl"), false);
    await assert.rejects(
      Promise.resolve(vscode.workspace.fs.writeFile(document?.uri ?? vscode.Uri.file("/"), new Uint8Array())),
    );
    await run("browse.openLocal");
    await eventually(() => activeLocation()?.startsWith(client));
  });

  it("include a bare repository", async () => {
    const location = await firstResult("CREATE TABLE ledger", (each) => each.includes("ledger.sql"));
    assert.match(location, /^trawl:.*ledger\.sql:2$/);
  });
});
