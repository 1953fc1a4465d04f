/** Outlines of local files, where nobody else has one. */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { until } from "#e2e/driver/processes";
import { outline } from "#e2e/host/asking";
import { closeEditors, fileIn, firstResult, openFile } from "#e2e/host/searching";

describe("outlines", () => {
  const client = fileIn("orders-api", "internal/http/client.go");
  const ours = ["http 1", "Client 6", "do 10", "once 14"];
  const settings = () => vscode.workspace.getConfiguration("trawl");
  const shows = (document: vscode.TextDocument, wanted: readonly string[]) =>
    until(`the outline is ${wanted}`, async () => `${await outline(document)}` === `${wanted}`);

  before(async () => {
    await firstResult("MaxWait", (place) => place.includes("/go-kit/"));
    await closeEditors();
  });

  after(async () => {
    await settings().update("navigation.localFiles", undefined, true);
    await closeEditors();
  });

  it("are there where no other extension has one", async () => {
    const { document } = await openFile(client);
    await shows(document, ours);
  });

  it("tell of what is not saved", async () => {
    const editor = await openFile(client);
    await editor.edit((edit) => edit.insert(new vscode.Position(5, 0), "func early() {}\n\n"));
    await shows(editor.document, ["http 1", "early 6", "Client 8", "do 12", "once 16"]);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await shows(editor.document, ours);
  });

  it("make way for another's that comes later, and are back when it has gone", async () => {
    const { document } = await openFile(client);
    const whole = new vscode.Range(0, 0, 3, 0);
    const provider = vscode.languages.registerDocumentSymbolProvider(
      { language: "go" },
      {
        provideDocumentSymbols: () => [
          new vscode.DocumentSymbol("theirs", "", vscode.SymbolKind.File, whole, whole),
        ],
      },
    );
    try {
      await shows(document, ["theirs 1"]);
      await closeEditors();
      await openFile(client);
      // Nothing joins it, however often it is asked for.
      for (let times = 0; times < 5; times++) {
        assert.deepEqual(await outline(document), ["theirs 1"]);
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
    } finally {
      provider.dispose();
    }
    await shows(document, ours);
  });

  it("are TypeScript's own in its files", async () => {
    const { document } = await openFile(fileIn("payments", "src/charge.ts"));
    const theirs = ["Charge 3", "chargeCard 9", "send 13"];
    await shows(document, theirs);
    for (let times = 0; times < 5; times++) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.deepEqual(await outline(document), theirs);
    }
  });

  it("are shown always, or never, where that is wanted", async () => {
    const { document } = await openFile(client);
    await settings().update("navigation.localFiles", "off", true);
    await shows(document, []);
    await settings().update("navigation.localFiles", "always", true);
    await shows(document, ours);
  });
});
