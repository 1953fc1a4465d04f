/** Compares the manifest's agent tools with the code that handles them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clientSources, readProjectFile } from "#test/support/client";

interface Tool {
  readonly name: string;
  readonly when: string;
  readonly displayName: string;
  readonly modelDescription: string;
  readonly inputSchema: {
    readonly required: readonly string[];
    readonly properties: Readonly<Record<string, unknown>>;
  };
}

const tools: readonly Tool[] = JSON.parse(readProjectFile("package.json")).contributes.languageModelTools;
const source = clientSources().find(({ path }) => path === "src/endpoint/agentTools.ts")?.text ?? "";

test("exactly the declared tools are registered", () => {
  const registered = [...source.matchAll(/\btool\("(\w+)"\)/g)].map(([, name]) => name);
  assert.deepEqual([...registered].sort(), tools.map(({ name }) => name).sort());
});

test("every tool can be turned off, declares the inputs that its code reads, and has descriptions", () => {
  for (const { name, when, displayName, modelDescription, inputSchema } of tools) {
    assert.equal(when, "config.trawl.api.agentTools", name);
    assert.match(displayName, /^%.+%$/, name);
    assert.ok(modelDescription.length > 50, name);
    const input = new RegExp(`readonly ${name}: \\{([^}]*)\\}`).exec(source)?.[1] ?? "";
    const fields = [...input.matchAll(/readonly (\w+)(\??):/g)];
    assert.deepEqual(fields.map(([, field]) => field).sort(), Object.keys(inputSchema.properties).sort());
    const needed = fields.filter(([, , mark]) => mark === "").map(([, field]) => field);
    assert.deepEqual(needed.sort(), [...inputSchema.required].sort());
  }
});
