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

/** Sorts the modifiers of a key. */
function normalized(key: string): string {
  const parts = key.split("+");
  return [...parts.slice(0, -1).sort(), parts.at(-1)].join("+");
}

describe("keybindings", () => {
  const extension = vscode.extensions.getExtension("trawl.trawl");

  it("that apply everywhere do not conflict with VS Code's", async () => {
    const uri = vscode.Uri.parse("vscode://defaultsettings/keybindings.json");
    const document = await vscode.workspace.openTextDocument(uri);
    const defaults: readonly Binding[] = parse(document.getText());
    assert.ok(defaults.length > 500, `${defaults.length} bindings`);
    const manifest = JSON.parse(readFileSync(join(extension?.extensionPath ?? "", "package.json"), "utf8"));
    const bindings: readonly Binding[] = manifest.contributes.keybindings;
    const globalKeys = bindings.filter(({ when }) => when === undefined).map(({ key }) => normalized(key));
    assert.ok(globalKeys.length > 0);
    const conflicts = defaults.filter(
      ({ key, command }) => globalKeys.includes(normalized(key)) && !command.startsWith("trawl."),
    );
    assert.deepEqual(conflicts, []);
  });
});
