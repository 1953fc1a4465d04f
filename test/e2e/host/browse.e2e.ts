import assert from "node:assert/strict";
import { posix } from "node:path";
import * as vscode from "vscode";
import { until } from "#e2e/driver/processes";
import { closeEditors, fileIn, openFile, run } from "#e2e/host/searching";

describe("files at a revision", () => {
  const client = fileIn("orders-api", "internal/http/client.go");
  let snapshot: vscode.Uri;

  before(async () => {
    const editor = await openFile(client);
    editor.selection = new vscode.Selection(9, 0, 10, 4);
    snapshot = await until(
      "the file has a permanent address",
      async () => {
        await vscode.env.clipboard.writeText("");
        await run("browse.copyPermalink");
        const text = await vscode.env.clipboard.readText();
        return text.startsWith("trawl:") ? vscode.Uri.parse(text, true) : undefined;
      },
      30_000,
    );
  });

  after(closeEditors);

  function beside(path: string): vscode.Uri {
    return snapshot.with({ path: posix.join(snapshot.path, path), fragment: "" });
  }

  it("have an address with their commit and the lines that were chosen", () => {
    assert.match(snapshot.path, /\/orders-api@[0-9a-f]{40}\/-\/internal\/http\/client\.go$/);
    assert.equal(snapshot.fragment, "L10-L11");
  });

  it("follow the lines of a text that is not saved", async () => {
    const editor = await openFile(client);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// one\n// two\n"));
    editor.selection = new vscode.Selection(12, 3, 12, 3);
    await run("browse.copyPermalink");
    assert.match(await vscode.env.clipboard.readText(), /#L11$/);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("lie in folders, which say what is in them", async () => {
    const { File, Directory } = vscode.FileType;
    const rows: [path: string, expected: [string, vscode.FileType][]][] = [
      ["..", [["client.go", File]]],
      [
        "../..",
        [
          ["http", Directory],
          ["orders", Directory],
        ],
      ],
      [
        "../../..",
        [
          ["config", Directory],
          ["internal", Directory],
          ["go.mod", File],
          ["README.md", File],
        ],
      ],
      ["../../../..", [["-", Directory]]],
      ["../../../../..", []],
    ];
    for (const [path, expected] of rows) {
      assert.deepEqual(await vscode.workspace.fs.readDirectory(beside(path)), expected, path);
      assert.equal((await vscode.workspace.fs.stat(beside(path))).type, Directory, path);
    }
    assert.equal((await vscode.workspace.fs.stat(beside("."))).type, File);
  });

  it("are not there where they were not, and cannot be changed", async () => {
    const { fs } = vscode.workspace;
    for (const path of ["../missing.go", "missing.go", "../../missing/client.go"]) {
      await assert.rejects(Promise.resolve(fs.readFile(beside(path))), { code: "FileNotFound" }, path);
    }
    await assert.rejects(Promise.resolve(fs.writeFile(beside("."), new Uint8Array())));
    await assert.rejects(Promise.resolve(fs.delete(beside(".."))));
    await assert.rejects(Promise.resolve(fs.createDirectory(beside("../new"))));
  });

  it("become calls of the REST interface", async () => {
    await run("api.copyCall", snapshot);
    const call = await vscode.env.clipboard.readText();
    assert.match(
      call,
      /\/api\/source\?repo=\S+orders-api&path=internal%2Fhttp%2Fclient\.go&ref=[0-9a-f]{40}'?$/,
    );
  });
});
