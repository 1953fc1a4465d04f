import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import * as vscode from "vscode";

interface Binding {
  readonly key: string;
  readonly command: string;
  readonly when?: string;
}

/** Modifiers in one order. */
function normal(key: string): string {
  const parts = key.split("+");
  return [...parts.slice(0, -1).sort(), parts.at(-1)].join("+");
}

describe("keys", () => {
  const extension = vscode.extensions.getExtension("trawl.trawl");

  it("that are taken everywhere are nobody else's", async () => {
    const uri = vscode.Uri.parse("vscode://defaultsettings/keybindings.json");
    const document = await vscode.workspace.openTextDocument(uri);
    const defaults: readonly Binding[] = parse(document.getText());
    assert.ok(defaults.length > 500, `${defaults.length} bindings`);
    const manifest = JSON.parse(readFileSync(join(extension?.extensionPath ?? "", "package.json"), "utf8"));
    const bindings: readonly Binding[] = manifest.contributes.keybindings;
    const everywhere = bindings.filter(({ when }) => when === undefined).map(({ key }) => normal(key));
    assert.ok(everywhere.length > 0);
    const others = defaults.filter(
      ({ key, command }) => everywhere.includes(normal(key)) && !command.startsWith("trawl."),
    );
    assert.deepEqual(others, []);
  });
});
