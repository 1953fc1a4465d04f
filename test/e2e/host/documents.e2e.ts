import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { until } from "#e2e/driver/processes";
import { fileIn, firstResult, go, here, openFile, run } from "#e2e/host/searching";

describe("a document of results", () => {
  let document: vscode.TextDocument;

  after(() => vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor"));

  it("has the query, the counts, and the lines by repository and file", async () => {
    await firstResult("chargeCard", (place) => place.includes("/payments/") || place.includes("/web-shop/"));
    await run("search.openResultsEditor");
    document = await until("the document opens", () => {
      const present = vscode.window.activeTextEditor?.document;
      return present?.languageId === "trawl-results" && present;
    });
    const text = document.getText();
    assert.match(text, /^# Query: chargeCard$/m);
    assert.match(text, /^# 3 matches in 2 files, 2 repositories · complete/m);
    assert.match(text, /^git\.example\.com\/acme\/payments @ [0-9a-f]{10} \(main\)$/m);
    assert.match(text, /^ {5}9: {2}export async function chargeCard/m);
  });

  it("has links to the files of other repositories", async () => {
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      "vscode.executeLinkProvider",
      document.uri,
      1_000,
    );
    const link = links.find(({ range }) => document.getText(range) === "src/charge.ts");
    assert.ok(link?.target, `${links.length} links`);
    await vscode.commands.executeCommand("vscode.open", link.target);
    await until("the file opens", () => here()?.startsWith(fileIn("payments", "src/charge.ts")));
    await vscode.window.showTextDocument(document);
  });

  it("can be run again", async () => {
    const editor = await vscode.window.showTextDocument(document);
    const line = document.lineCount;
    await editor.edit((edit) => edit.delete(new vscode.Range(3, 0, line, 0)));
    await run("results.rerun");
    await until("the results are back", () => /chargeCard\(charge: Charge\)/.test(document.getText()));
  });
});

describe("the searches of a team", () => {
  const path = fileIn("orders-api", ".trawl/searches.jsonc");

  after(() => rmSync(dirname(path), { recursive: true, force: true }));

  it("run from the file", async () => {
    mkdirSync(dirname(path), { recursive: true });
    const searches = { searches: [{ name: "Charging", query: "chargeCard repo:payments" }] };
    writeFileSync(path, `// What we look for.\n${JSON.stringify(searches, null, 2)}\n`);
    const { document } = await openFile(path);
    const [lens] = await until("there is a lens", async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        "vscode.executeCodeLensProvider",
        document.uri,
        10,
      );
      return lenses.length > 0 && lenses;
    });
    assert.ok(lens?.command);
    await vscode.commands.executeCommand(lens.command.command, ...(lens.command.arguments ?? []));
    await until("its result opens", async () => (await go()).startsWith(fileIn("payments", "src/charge.ts")));
  });
});
