import assert from "node:assert/strict";
import * as vscode from "vscode";
import { until } from "#e2e/driver/processes";
import { closeEditors, fileIn, firstResult, go, here, openFile, run } from "#e2e/host/searching";

describe("results", () => {
  const client = fileIn("orders-api", "internal/http/client.go");

  after(async () => {
    await vscode.workspace.getConfiguration("trawl").update("search.openTarget", undefined, true);
    await closeEditors();
  });

  it("open the editable file on its line", async () => {
    assert.equal(await firstResult("c.once", (place) => place.endsWith(":11")), `${client}:11`);
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.equal(document?.uri.scheme, "file");
    assert.equal(vscode.workspace.fs.isWritableFileSystem("file"), true);
  });

  it("follow their line when lines are put in above it", async () => {
    await firstResult("c.once", (place) => place.endsWith(":11"));
    const editor = await openFile(client);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// one\n// two\n// three\n"));
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await until("the result is on its new line", async () => (await go()) === `${client}:14`);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("have text that is not saved", async () => {
    const editor = await openFile(client);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// somethingNobodySaved\n"));
    editor.selection = new vscode.Selection(4, 0, 4, 0);
    const place = await firstResult("somethingNobodySaved", (each) => each === `${client}:1`);
    assert.equal(place, `${client}:1`);
    await openFile(client);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("are gone through forwards and backwards, round and round", async () => {
    const first = await firstResult("chargeCard", (place) => place.includes("/payments/"));
    const forwards = [first];
    for (let place = await go(); place !== first && forwards.length < 20; place = await go())
      forwards.push(place);
    assert.equal(forwards.length, 3, forwards.join("\n"));
    const backwards: string[] = [];
    for (const _ of forwards) backwards.push(await go("previous"));
    assert.deepEqual(backwards, [...forwards].reverse());
  });

  it("open as they were indexed, read-only and in their language, where that is wanted", async () => {
    await vscode.workspace.getConfiguration("trawl").update("search.openTarget", "snapshot", true);
    const place = await firstResult("c.once", (each) => /^trawl:.*\/orders-api@/.test(each));
    assert.match(place, /^trawl:\/\S+\/orders-api@[0-9a-f]{40}\/-\/internal\/http\/client\.go:11$/);
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.equal(document?.languageId, "go");
    assert.equal(vscode.workspace.fs.isWritableFileSystem("trawl"), false);
    await assert.rejects(
      Promise.resolve(vscode.workspace.fs.writeFile(document?.uri ?? vscode.Uri.file("/"), new Uint8Array())),
    );
    await run("browse.openLocal");
    await until("the local file opens", () => here()?.startsWith(client));
  });

  it("are of a bare repository, too", async () => {
    const place = await firstResult("CREATE TABLE ledger", (each) => each.includes("ledger.sql"));
    assert.match(place, /^trawl:.*ledger\.sql:2$/);
  });
});
