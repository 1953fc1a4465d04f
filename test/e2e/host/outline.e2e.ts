/** Outlines of local files for which no other extension provides one. */
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { eventually } from "#test/support/eventually";
import { closeEditors, fileIn, firstResult, openFile } from "./actions";
import { outline } from "./navigationRequests";

describe("outlines", () => {
  const client = fileIn("orders-api", "internal/http/client.go");
  const trawlOutline = ["http 1", "Client 6", "do 10", "once 14"];
  const settings = () => vscode.workspace.getConfiguration("trawl");
  const waitForOutline = (document: vscode.TextDocument, wanted: readonly string[]) =>
    eventually(async () => `${await outline(document)}` === `${wanted}`);

  before(async () => {
    await firstResult("MaxWait", (location) => location.includes("/go-kit/"));
    await closeEditors();
  });

  after(async () => {
    await settings().update("navigation.localFiles", undefined, true);
    await closeEditors();
  });

  it("are shown where no other extension provides one", async () => {
    const { document } = await openFile(client);
    await waitForOutline(document, trawlOutline);
  });

  it("include unsaved changes", async () => {
    const editor = await openFile(client);
    await editor.edit((edit) => edit.insert(new vscode.Position(5, 0), "func early() {}\n\n"));
    await waitForOutline(editor.document, ["http 1", "early 6", "Client 8", "do 12", "once 16"]);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await waitForOutline(editor.document, trawlOutline);
  });

  it("are replaced by those of another provider while it is registered", async () => {
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
      await waitForOutline(document, ["theirs 1"]);
      await closeEditors();
      await openFile(client);
      // Repeated requests must not add our outline.
      for (let times = 0; times < 5; times++) {
        assert.deepEqual(await outline(document), ["theirs 1"]);
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
    } finally {
      provider.dispose();
    }
    await waitForOutline(document, trawlOutline);
  });

  it("are left to VS Code's own extension in TypeScript files", async () => {
    const { document } = await openFile(fileIn("payments", "src/charge.ts"));
    const typeScriptOutline = ["Charge 3", "chargeCard 9", "send 13"];
    await waitForOutline(document, typeScriptOutline);
    for (let times = 0; times < 5; times++) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      assert.deepEqual(await outline(document), typeScriptOutline);
    }
  });

  it("are shown always or never if the setting says so", async () => {
    const { document } = await openFile(client);
    await settings().update("navigation.localFiles", "off", true);
    await waitForOutline(document, []);
    await settings().update("navigation.localFiles", "always", true);
    await waitForOutline(document, trawlOutline);
  });
});
