import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { eventually } from "#test/support/eventually";
import { closeEditors, fileIn, openFile, run } from "./actions";

describe("blame", () => {
  const client = fileIn("orders-api", "internal/http/client.go");
  let second = "";

  function git(...args: string[]): string {
    return execFileSync("git", args, { cwd: fileIn("orders-api", "."), encoding: "utf8" }).trim();
  }

  before(() => {
    writeFileSync(client, readFileSync(client, "utf8").replace("return nil", "return ctx.Err()"));
    git("-c", "user.name=Grace", "-c", "user.email=g@example.com", "commit", "-qam", "End when asked to");
    second = git("rev-parse", "HEAD");
  });

  afterEach(closeEditors);

  async function openAtLine(text: string): Promise<vscode.TextEditor> {
    const editor = await openFile(client);
    const find = () =>
      editor.document
        .getText()
        .split("\n")
        .findIndex((each) => each.includes(text));
    // A document that was open before is reloaded after the change on disk.
    await eventually(() => find() >= 0);
    const line = find();
    editor.selection = new vscode.Selection(line, 0, line, 0);
    return editor;
  }

  async function copiedHash(): Promise<string> {
    await vscode.env.clipboard.writeText("");
    await run("blame.copyHash");
    return await vscode.env.clipboard.readText();
  }

  it("finds the commit of a line", async () => {
    await openAtLine("ctx.Err()");
    assert.equal(await copiedHash(), second);
    await openAtLine("package http");
    assert.equal(await copiedHash(), git("log", "--format=%H", "--reverse").split("\n")[0]);
  });

  it("follows a line when uncommitted lines are inserted above it", async () => {
    const editor = await openAtLine("ctx.Err()");
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "mine\nmine\n"));
    assert.equal(editor.selection.active.line, 16);
    assert.equal(await copiedHash(), second);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    assert.equal(await copiedHash(), "");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("shows the change that a line comes from", async () => {
    await openAtLine("ctx.Err()");
    await run("blame.openDiff");
    const tab = await eventually(() => {
      const { activeTab } = vscode.window.tabGroups.activeTabGroup;
      return activeTab?.input instanceof vscode.TabInputTextDiff ? activeTab : undefined;
    });
    const parent = git("rev-parse", "HEAD~1");
    assert.equal(tab.label, `client.go (${parent.slice(0, 7)} ↔ ${second.slice(0, 7)})`);
    const { original, modified } = tab.input as vscode.TabInputTextDiff;
    assert.ok(original.authority.endsWith(`@${parent}`) && modified.authority.endsWith(`@${second}`));
  });

  it("goes to the previous version of a line, at the parent commit", async () => {
    await openAtLine("ctx.Err()");
    await run("blame.before");
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    assert.equal(document?.uri.scheme, "trawl");
    assert.ok(document.uri.authority.endsWith(`@${git("rev-parse", "HEAD~1")}`));
    assert.equal(document.lineAt(selection?.active.line ?? 0).text, "\treturn nil");
    assert.equal(JSON.parse(document.uri.query).commit, `HEAD › ${git("rev-parse", "HEAD~1").slice(0, 7)}`);
  });

  it("is updated after a commit", async () => {
    const editor = await openAtLine("package http");
    await run("blame.toggleFile");
    const before = await copiedHash();
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// Package http talks.\n"));
    await editor.document.save();
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    assert.equal(await copiedHash(), "");
    git("-c", "user.name=Grace", "-c", "user.email=g@example.com", "commit", "-qam", "Say what it is");
    const third = git("rev-parse", "HEAD");
    assert.notEqual(third, before);
    await eventually(async () => (await copiedHash()) === third);
  });
});
