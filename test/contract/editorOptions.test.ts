import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ClientOptions, EditorSettings } from "#contract/editorOptions";
import { projectRoot } from "#test/support/house";

/** Returns the names in the first column of the table with the given title. */
function documentedNames(title: string): string[] {
  const text = readFileSync(join(projectRoot(), "docs/editors.md"), "utf8");
  const table = text.split(`\n| ${title} |`)[1]?.split("\n\n")[0] ?? "";
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
}

test("exactly the supported settings and options are documented", () => {
  assert.deepEqual(documentedNames("setting").sort(), Object.keys(EditorSettings.shape).sort());
  assert.deepEqual(documentedNames("option").sort(), Object.keys(ClientOptions.shape).sort());
});
