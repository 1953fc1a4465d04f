import assert from "node:assert/strict";
import * as vscode from "vscode";
import { until } from "#e2e/driver/processes";
import { closeEditors, fileIn, firstResult, openFile, run } from "#e2e/host/searching";

/** `path:line` from 1; a snapshot's path begins with its scheme. */
function placeOf(found: vscode.Location | vscode.LocationLink): string {
  const [uri, range] = "uri" in found ? [found.uri, found.range] : [found.targetUri, found.targetRange];
  return `${uri.scheme === "file" ? uri.fsPath : uri.toString(true)}:${range.start.line + 1}`;
}

/** Where the first `word` of a document stands. */
function positionOf(document: vscode.TextDocument, word: string): vscode.Position {
  const offset = document.getText().indexOf(word);
  assert.ok(offset >= 0, word);
  return document.positionAt(offset + 1);
}

async function ask<Found>(
  what: string,
  document: vscode.TextDocument,
  word: string,
): Promise<readonly Found[]> {
  const command = `vscode.execute${what}Provider`;
  return await vscode.commands.executeCommand(command, document.uri, positionOf(document, word));
}

async function definitions(document: vscode.TextDocument, word: string): Promise<readonly string[]> {
  const found = await ask<vscode.Location | vscode.LocationLink>("Definition", document, word);
  return found.map(placeOf);
}

describe("names", () => {
  const client = fileIn("orders-api", "internal/http/client.go");
  const retry = `${fileIn("go-kit", "retry/retry.go")}:10`;
  const settings = () => vscode.workspace.getConfiguration("trawl");
  let document: vscode.TextDocument;

  before(async () => {
    await firstResult("MaxWait", (place) => place.includes("/go-kit/"));
    ({ document } = await openFile(client));
    await until(
      "the other repository is indexed",
      async () => (await definitions(document, "retryWithBackoff")).length > 0,
      60_000,
    );
  });

  after(async () => {
    await settings().update("navigation.localFiles", undefined, true);
    await closeEditors();
  });

  it("lead to their definition in another repository, which is not open", async () => {
    assert.deepEqual(await definitions(document, "retryWithBackoff"), [retry]);
  });

  it("of the same file lead there alone", async () => {
    assert.deepEqual(await definitions(document, "Client) once"), [`${client}:6`]);
  });

  it("count where they are not saved", async () => {
    const editor = await openFile(client);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// one\n// two\n"));
    assert.deepEqual(await definitions(document, "Client) once"), [`${client}:8`]);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("have no second answer beside another provider's, unless that is wanted", async () => {
    const own = new vscode.Location(vscode.Uri.file(client), new vscode.Position(0, 0));
    const provider = vscode.languages.registerDefinitionProvider(
      { language: "go" },
      { provideDefinition: () => own },
    );
    try {
      assert.deepEqual(await definitions(document, "retryWithBackoff"), [`${client}:1`]);
      await settings().update("navigation.localFiles", "always", true);
      assert.deepEqual(
        [...(await definitions(document, "retryWithBackoff"))].sort(),
        [retry, `${client}:1`].sort(),
      );
      await settings().update("navigation.localFiles", "off", true);
      assert.deepEqual(await definitions(document, "retryWithBackoff"), [`${client}:1`]);
    } finally {
      provider.dispose();
    }
    assert.deepEqual(await definitions(document, "retryWithBackoff"), []);
    await settings().update("navigation.localFiles", undefined, true);
    assert.deepEqual(await definitions(document, "retryWithBackoff"), [retry]);
  });

  it("tell their signature and comment", async () => {
    const [hover] = await ask<vscode.Hover>("Hover", document, "retryWithBackoff");
    const text = (hover?.contents ?? [])
      .map((each) => (typeof each === "string" ? each : each.value))
      .join("\n");
    assert.match(text, /func retryWithBackoff\(ctx context\.Context/);
    assert.match(text, /calls work until it succeeds/);
  });

  it("are found where they are used", async () => {
    const found = await ask<vscode.Location>("Reference", document, "retryWithBackoff");
    const places = found.map(placeOf);
    assert.ok(places.includes(`${client}:11`), places.join("\n"));
    // Only comments and strings have it there.
    assert.ok(
      !places.some((place) => place.includes("retry_test.go") || place.includes("limits.go")),
      places.join("\n"),
    );
  });

  it("of repositories that are not open are symbols of the workspace", async () => {
    const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
      "vscode.executeWorkspaceSymbolProvider",
      "chargeCard",
    );
    const found = symbols
      .filter(({ name }) => name === "chargeCard")
      .map(({ location }) => placeOf(location));
    assert.deepEqual(found, [`${fileIn("payments", "src/charge.ts")}:9`]);
    const own = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
      "vscode.executeWorkspaceSymbolProvider",
      "PlaceOrder",
    );
    assert.ok(!own.some(({ location }) => placeOf(location).startsWith(fileIn("orders-api", "internal/"))));
  });

  it("are answered in a snapshot at its revision", async () => {
    const { document: kit } = await openFile(fileIn("go-kit", "retry/retry.go"));
    await vscode.window.showTextDocument(kit);
    await vscode.env.clipboard.writeText("");
    await run("browse.copyPermalink");
    const address = vscode.Uri.parse(await vscode.env.clipboard.readText(), true).with({ fragment: "" });
    const snapshot = await vscode.workspace.openTextDocument(address);
    await vscode.window.showTextDocument(snapshot);
    assert.equal(snapshot.uri.scheme, "trawl");
    const found = await definitions(snapshot, "retryWithBackoff(ctx");
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(found[0] ?? "", /^trawl:\/\S+\/go-kit@[0-9a-f]{40}\/-\/retry\/retry\.go\S*:10$/);
    const outline = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      "vscode.executeDocumentSymbolProvider",
      snapshot.uri,
    );
    assert.deepEqual(
      outline.map(({ name, range }) => `${name} ${range.start.line + 1}`),
      ["retry 2", "retryWithBackoff 10"],
    );
  });
});
