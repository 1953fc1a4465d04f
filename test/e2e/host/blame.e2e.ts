import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { until } from "#e2e/driver/processes";
import { closeEditors, fileIn, openFile, run } from "#e2e/host/searching";

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

  async function at(text: string): Promise<vscode.TextEditor> {
    const editor = await openFile(client);
    const line = editor.document
      .getText()
      .split("\n")
      .findIndex((each) => each.includes(text));
    editor.selection = new vscode.Selection(line, 0, line, 0);
    return editor;
  }

  async function copiedHash(): Promise<string> {
    await vscode.env.clipboard.writeText("");
    await run("blame.copyHash");
    return await vscode.env.clipboard.readText();
  }

  it("knows the commit of a line", async () => {
    await at("ctx.Err()");
    assert.equal(await copiedHash(), second);
    await at("package http");
    assert.equal(await copiedHash(), git("log", "--format=%H", "--reverse").split("\n")[0]);
  });

  it("knows it while lines are put in above, and knows that those are nobody's", async () => {
    const editor = await at("ctx.Err()");
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "mine\nmine\n"));
    assert.equal(editor.selection.active.line, 16);
    assert.equal(await copiedHash(), second);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    assert.equal(await copiedHash(), "");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("shows what changed a line", async () => {
    await at("ctx.Err()");
    await run("blame.openDiff");
    const tab = await until("the difference is open", () => {
      const { activeTab } = vscode.window.tabGroups.activeTabGroup;
      return activeTab?.input instanceof vscode.TabInputTextDiff ? activeTab : undefined;
    });
    const parent = git("rev-parse", "HEAD~1");
    assert.equal(tab.label, `client.go (${parent.slice(0, 7)} ↔ ${second.slice(0, 7)})`);
    const { original, modified } = tab.input as vscode.TabInputTextDiff;
    assert.ok(original.path.includes(`@${parent}/`) && modified.path.includes(`@${second}/`));
  });

  it("goes to the line as it was before, at the commit before", async () => {
    await at("ctx.Err()");
    await run("blame.before");
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    assert.equal(document?.uri.scheme, "trawl");
    assert.ok(document.uri.path.includes(`@${git("rev-parse", "HEAD~1")}/`));
    assert.equal(document.lineAt(selection?.active.line ?? 0).text, "\treturn nil");
    assert.equal(JSON.parse(document.uri.query).commit, `HEAD › ${git("rev-parse", "HEAD~1").slice(0, 7)}`);
  });

  it("is of the next commit once there is one", async () => {
    const editor = await at("package http");
    await run("blame.toggleFile");
    const before = await copiedHash();
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// Package http talks.\n"));
    await editor.document.save();
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    assert.equal(await copiedHash(), "");
    git("-c", "user.name=Grace", "-c", "user.email=g@example.com", "commit", "-qam", "Say what it is");
    const third = git("rev-parse", "HEAD");
    assert.notEqual(third, before);
    await until("the line has its commit", async () => (await copiedHash()) === third);
  });
});
