import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { eventually } from "#test/support/eventually";
import { activeLocation, fileIn, firstResult, goToResult, openFile, run } from "./actions";

describe("a results document", () => {
  let document: vscode.TextDocument;

  after(() => vscode.commands.executeCommand("workbench.action.closeActiveEditor"));

  it("contains the query, the counts, and the lines by repository and file", async () => {
    await firstResult(
      "chargeCard",
      (location) => location.includes("/payments/") || location.includes("/web-shop/"),
    );
    await run("search.openResultsEditor");
    document = await eventually(() => {
      const active = vscode.window.activeTextEditor?.document;
      return active?.languageId === "trawl-results" && active;
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
    await eventually(() => activeLocation()?.startsWith(fileIn("payments", "src/charge.ts")));
    await vscode.window.showTextDocument(document);
  });

  it("can be rerun with more and less context", async () => {
    await vscode.window.showTextDocument(document);
    await run("results.moreContext");
    await eventually(() => /Context: 3$/m.test(document.getText()));
    await run("results.lessContext");
    await eventually(() => /Context: 2$/m.test(document.getText()));
  });
});

describe("team searches", () => {
  const path = fileIn("orders-api", ".trawl/searches.jsonc");

  after(() => rmSync(dirname(path), { recursive: true, force: true }));

  it("run from their file", async () => {
    mkdirSync(dirname(path), { recursive: true });
    const searches = { searches: [{ name: "Charging", query: "chargeCard repo:payments" }] };
    writeFileSync(path, `// What we look for.\n${JSON.stringify(searches, null, 2)}\n`);
    const { document } = await openFile(path);
    const [lens] = await eventually(async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        "vscode.executeCodeLensProvider",
        document.uri,
        10,
      );
      return lenses.length > 0 && lenses;
    });
    assert.ok(lens?.command);
    await vscode.commands.executeCommand(lens.command.command, ...(lens.command.arguments ?? []));
    await eventually(async () => (await goToResult()).startsWith(fileIn("payments", "src/charge.ts")));
  });
});
