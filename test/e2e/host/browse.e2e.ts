import assert from "node:assert/strict";
import { posix } from "node:path";
import * as vscode from "vscode";
import { eventually } from "#test/support/eventually";
import { closeEditors, fileIn, openFile, run } from "./actions";

describe("files at a revision", () => {
  const client = fileIn("orders-api", "internal/http/client.go");
  let snapshot: vscode.Uri;

  before(async () => {
    const editor = await openFile(client);
    editor.selection = new vscode.Selection(9, 0, 10, 4);
    snapshot = await eventually(async () => {
      await vscode.env.clipboard.writeText("");
      await run("browse.copyPermalink");
      const text = await vscode.env.clipboard.readText();
      return text.startsWith("trawl:") ? vscode.Uri.parse(text, true) : undefined;
    }, 30_000);
  });

  after(closeEditors);

  function sibling(path: string): vscode.Uri {
    return snapshot.with({ path: posix.join(snapshot.path, path), fragment: "" });
  }

  it("have a permalink with the commit and the selected lines", () => {
    assert.match(snapshot.authority, /\/orders-api@[0-9a-f]{40}$/);
    assert.equal(snapshot.path, "/internal/http/client.go");
    assert.equal(snapshot.fragment, "L10-L11");
  });

  it("have a permalink to the committed lines of an unsaved document", async () => {
    const editor = await openFile(client);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// one\n// two\n"));
    editor.selection = new vscode.Selection(12, 3, 12, 3);
    await run("browse.copyPermalink");
    assert.match(await vscode.env.clipboard.readText(), /#L11$/);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("are in folders that can be listed", async () => {
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
    ];
    for (const [path, expected] of rows) {
      assert.deepEqual(await vscode.workspace.fs.readDirectory(sibling(path)), expected, path);
      assert.equal((await vscode.workspace.fs.stat(sibling(path))).type, Directory, path);
    }
    assert.equal((await vscode.workspace.fs.stat(sibling("."))).type, File);
  });

  it("do not exist if the commit lacks them, and cannot be changed", async () => {
    const { fs } = vscode.workspace;
    for (const path of ["../missing.go", "missing.go", "../../missing/client.go"]) {
      await assert.rejects(Promise.resolve(fs.readFile(sibling(path))), { code: "FileNotFound" }, path);
    }
    await assert.rejects(Promise.resolve(fs.writeFile(sibling("."), new Uint8Array())));
    await assert.rejects(Promise.resolve(fs.delete(sibling(".."))));
    await assert.rejects(Promise.resolve(fs.createDirectory(sibling("../new"))));
  });

  it("can be copied as API calls", async () => {
    await run("api.copyCall", snapshot);
    const call = await vscode.env.clipboard.readText();
    assert.match(
      call,
      /\/api\/source\?repo=\S+orders-api&path=internal%2Fhttp%2Fclient\.go&ref=[0-9a-f]{40}'?$/,
    );
  });
});
