import assert from "node:assert/strict";
import * as vscode from "vscode";
import { until } from "#e2e/driver/processes";
import { definitions, hovers, outline, placeOf, references } from "#e2e/host/asking";
import { closeEditors, fileIn, firstResult, openFile, run } from "#e2e/host/searching";

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

  it("have one answer in files of TypeScript, which is its own", async () => {
    const { document: charge } = await openFile(fileIn("payments", "src/charge.ts"));
    const own = `${fileIn("payments", "src/retry.ts")}:2`;
    // Until it has read the imports, it leads to them.
    await until(
      "TypeScript knows the other file",
      async () => `${await definitions(charge, "retryWithBackoff(")}` === own,
    );
    const used = await references(charge, "retryWithBackoff(");
    assert.deepEqual([...new Set(used)], used);
    const texts = await hovers(charge, "retryWithBackoff(");
    assert.equal(texts.length, 1, texts.join("\n"));
    await openFile(client);
  });

  it("are answered once each where the same is asked several times at once", async () => {
    const asked = Array.from({ length: 4 }, () => definitions(document, "Client) once"));
    for (const found of await Promise.all(asked)) assert.ok(found.length <= 1, found.join("\n"));
    assert.deepEqual(await definitions(document, "Client) once"), [`${client}:6`]);
  });

  it("tell their signature and comment", async () => {
    const [text = ""] = await hovers(document, "retryWithBackoff");
    assert.match(text, /func retryWithBackoff\(ctx context\.Context/);
    assert.match(text, /calls work until it succeeds/);
  });

  it("are found where they are used", async () => {
    const places = await references(document, "retryWithBackoff");
    assert.ok(places.includes(`${client}:11`), places.join("\n"));
    // Only comments and strings have it there.
    assert.ok(
      !places.some((place) => place.includes("retry_test.go") || place.includes("limits.go")),
      places.join("\n"),
    );
  });

  it("are found and described where their file is not saved", async () => {
    const editor = await openFile(fileIn("go-kit", "retry/retry.go"));
    const unsaved = "// one\n// two\n";
    await editor.edit((edit) => edit.insert(new vscode.Position(2, 0), unsaved));
    const line = new vscode.Position(11, 0);
    await editor.edit((edit) => edit.replace(editor.document.lineAt(line).range, ""));
    await editor.edit((edit) => edit.insert(line, "func retryWithBackoff(tries int) error {"));
    await openFile(client);
    assert.deepEqual(await definitions(document, "retryWithBackoff"), [retry.replace(/10$/, "12")]);
    const [text = ""] = await hovers(document, "retryWithBackoff");
    assert.match(text, /retryWithBackoff\(tries int\)/);
    const user = await openFile(client);
    await user.edit((edit) => edit.insert(new vscode.Position(0, 0), unsaved));
    const places = await references(document, "retryWithBackoff");
    assert.ok(places.includes(`${client}:13`) && !places.includes(`${client}:11`), places.join("\n"));
    for (const { document: changed } of [user, editor]) {
      await vscode.window.showTextDocument(changed);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    }
    await openFile(client);
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
    assert.deepEqual(await outline(snapshot), ["retry 2", "retryWithBackoff 10"]);
    const [text = ""] = await hovers(snapshot, "retryWithBackoff(ctx");
    assert.match(text, /func retryWithBackoff\(ctx context\.Context/);
    const used = await references(snapshot, "retryWithBackoff(ctx");
    assert.ok(
      used.some((place) => place.endsWith("client.go:11")),
      used.join("\n"),
    );
  });
});
