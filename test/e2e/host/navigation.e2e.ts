import assert from "node:assert/strict";
import * as vscode from "vscode";
import { eventually } from "#test/support/eventually";
import { closeEditors, fileIn, firstResult, openFile, run } from "./actions";
import { callers, definitions, hovers, locationOf, outline, references } from "./navigationRequests";

describe("navigation", () => {
  const client = fileIn("orders-api", "internal/http/client.go");
  const retry = `${fileIn("go-kit", "retry/retry.go")}:10`;
  const settings = () => vscode.workspace.getConfiguration("trawl");
  let document: vscode.TextDocument;

  before(async () => {
    await firstResult("MaxWait", (location) => location.includes("/go-kit/"));
    ({ document } = await openFile(client));
    await eventually(async () => (await definitions(document, "retryWithBackoff")).length > 0, 60_000);
  });

  after(async () => {
    await settings().update("navigation.localFiles", undefined, true);
    await closeEditors();
  });

  it("goes to a definition in a repository that is not open", async () => {
    assert.deepEqual(await definitions(document, "retryWithBackoff"), [retry]);
  });

  it("finds only the definition in the same file if there is one", async () => {
    assert.deepEqual(await definitions(document, "Client) once"), [`${client}:6`]);
  });

  it("uses unsaved text", async () => {
    const editor = await openFile(client);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// one\n// two\n"));
    assert.deepEqual(await definitions(document, "Client) once"), [`${client}:8`]);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("adds to the definitions of another provider only if the setting says so", async () => {
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

  it("leaves TypeScript files to VS Code's own extension", async () => {
    const { document: charge } = await openFile(fileIn("payments", "src/charge.ts"));
    const own = `${fileIn("payments", "src/retry.ts")}:2`;
    // Until TypeScript has resolved the imports, it returns the import statement.
    await eventually(async () => `${await definitions(charge, "retryWithBackoff(")}` === own);
    const used = await references(charge, "retryWithBackoff(");
    assert.deepEqual([...new Set(used)], used);
    const texts = await hovers(charge, "retryWithBackoff(");
    assert.equal(texts.length, 1, texts.join("\n"));
    await openFile(client);
  });

  it("returns each definition once for concurrent identical requests", async () => {
    const requests = Array.from({ length: 4 }, () => definitions(document, "Client) once"));
    for (const found of await Promise.all(requests)) assert.ok(found.length <= 1, found.join("\n"));
    assert.deepEqual(await definitions(document, "Client) once"), [`${client}:6`]);
  });

  it("lists callers in other repositories, and what they call", async () => {
    const { document: kit } = await openFile(fileIn("go-kit", "retry/retry.go"));
    const { incoming, outgoing } = await callers(kit, "retryWithBackoff(");
    const review = client.replace("/orders-api/", "/orders-api-review/");
    assert.deepEqual(incoming, [`do ${client}:10`, `do ${review}:10`]);
    assert.ok(outgoing.includes(`retryWithBackoff ${retry}`), outgoing.join("\n"));
    await openFile(client);
  });

  it("shows the signature and comment of a name", async () => {
    const [text = ""] = await hovers(document, "retryWithBackoff");
    assert.match(text, /func retryWithBackoff\(ctx context\.Context/);
    assert.match(text, /calls work until it succeeds/);
  });

  it("finds references in code only", async () => {
    const locations = await references(document, "retryWithBackoff");
    assert.ok(locations.includes(`${client}:11`), locations.join("\n"));
    // These files contain the name only in comments and strings.
    assert.ok(
      !locations.some((location) => location.includes("retry_test.go") || location.includes("limits.go")),
      locations.join("\n"),
    );
  });

  it("finds and describes definitions in unsaved files", async () => {
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
    const locations = await references(document, "retryWithBackoff");
    assert.ok(
      locations.includes(`${client}:13`) && !locations.includes(`${client}:11`),
      locations.join("\n"),
    );
    for (const { document: changed } of [user, editor]) {
      await vscode.window.showTextDocument(changed);
      await vscode.commands.executeCommand("workbench.action.files.revert");
    }
    await openFile(client);
  });

  it("adds symbols of repositories that are not open to the workspace symbols", async () => {
    const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
      "vscode.executeWorkspaceSymbolProvider",
      "chargeCard",
    );
    const found = symbols
      .filter(({ name }) => name === "chargeCard")
      .map(({ location }) => locationOf(location));
    assert.deepEqual(found, [`${fileIn("payments", "src/charge.ts")}:9`]);
    const own = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
      "vscode.executeWorkspaceSymbolProvider",
      "PlaceOrder",
    );
    assert.ok(
      !own.some(({ location }) => locationOf(location).startsWith(fileIn("orders-api", "internal/"))),
    );
  });

  it("works in a snapshot, at its revision", async () => {
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
    assert.match(found[0] ?? "", /^trawl:\/\/\S+\/go-kit@[0-9a-f]{40}\/retry\/retry\.go\S*:10$/);
    assert.deepEqual(await outline(snapshot), ["retry 2", "retryWithBackoff 10"]);
    const [text = ""] = await hovers(snapshot, "retryWithBackoff(ctx");
    assert.match(text, /func retryWithBackoff\(ctx context\.Context/);
    const used = await references(snapshot, "retryWithBackoff(ctx");
    assert.ok(
      used.some((location) => location.endsWith("client.go:11")),
      used.join("\n"),
    );
  });
});
