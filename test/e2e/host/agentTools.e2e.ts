import assert from "node:assert/strict";
import * as vscode from "vscode";
import { eventually } from "#test/support/eventually";

/** Returns the text of a tool's result. */
async function invokeTool(name: string, input: object): Promise<string> {
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}

const trawlTools = () => vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("trawl_"));

describe("tools for agents", () => {
  before(async () => {
    await vscode.extensions.getExtension("trawl.trawl")?.activate();
  });

  it("are registered, with descriptions and input schemas", () => {
    assert.deepEqual([...trawlTools()].sort(), [
      "trawl_diff",
      "trawl_find",
      "trawl_grep",
      "trawl_history",
      "trawl_outline",
      "trawl_read",
      "trawl_repos",
      "trawl_uses",
    ]);
    for (const { name, description, inputSchema } of vscode.lm.tools) {
      if (!name.startsWith("trawl_")) continue;
      assert.ok(description.length > 50, name);
      assert.equal((inputSchema as { type?: string }).type, "object", name);
    }
  });

  it("search all repositories", async () => {
    const found = await eventually(async () => {
      const text = await invokeTool("trawl_grep", { pattern: "retryWithBackoff", lang: "go" });
      return text.includes("acme/go-kit retry/retry.go@") && text;
    }, 60_000);
    assert.match(found, /\d+ matches in \d+ files\./);
    assert.match(found, /\n10:func retryWithBackoff\(ctx context\.Context/);
  });

  it("read a file or some of its lines, at any revision, in a repository that is not open", async () => {
    const file = { repo: "git.example.com/acme/go-kit", path: "retry/limits.go" };
    assert.match(await invokeTool("trawl_read", { files: [file] }), /\n1:package retry\n/);
    const some = await invokeTool("trawl_read", { files: [{ ...file, lines: "5" }] });
    assert.match(some, /retry\/limits\.go\n5:\/\/ MaxWait[^\n]*$/);
    const before = await invokeTool("trawl_read", { files: [{ ...file, rev: "v1.0.0" }] });
    assert.match(before, /^Error: .*retry\/limits\.go/);
  });

  it("find definitions and references of a name", async () => {
    const symbol = "retryWithBackoff";
    const definitions = await eventually(async () => {
      const text = await invokeTool("trawl_uses", { symbol, role: "definitions" });
      return /acme\/go-kit retry\/retry\.go\n10:func .*\[function/.test(text) && text;
    });
    assert.match(definitions, /\d+ definitions? in/);
    assert.match(await invokeTool("trawl_uses", { symbol }), /\d+ references in \d+ files/);
  });

  it("report what is wrong with their arguments", async () => {
    assert.match(await invokeTool("trawl_grep", { pattern: "x", lang: "pyton" }), /^Error: .*python/i);
  });

  it("do not run while they are turned off, or come from the MCP server", async () => {
    const settings = vscode.workspace.getConfiguration("trawl");
    const input = { pattern: "retryWithBackoff" };
    const isAnswered = () =>
      invokeTool("trawl_grep", input).then(
        () => true,
        () => false,
      );
    await settings.update("api.agentTools", false, vscode.ConfigurationTarget.Global);
    await eventually(async () => !(await isAnswered()));
    await settings.update("api.agentMcpServer", true, vscode.ConfigurationTarget.Global);
    assert.equal(await isAnswered(), false);
    await settings.update("api.agentTools", undefined, vscode.ConfigurationTarget.Global);
    await eventually(isAnswered);
    await settings.update("api.agentMcpServer", undefined, vscode.ConfigurationTarget.Global);
  });

  it("come from the MCP server if the user prefers that, in versions that have such servers", async () => {
    const settings = vscode.workspace.getConfiguration("trawl");
    const isOldest = vscode.version.startsWith("1.100.");
    const mcpTools = () => vscode.lm.tools.filter(({ name }) => name.startsWith("mcp_trawl_"));
    await settings.update("api.agentTools", false, vscode.ConfigurationTarget.Global);
    await settings.update("api.agentMcpServer", true, vscode.ConfigurationTarget.Global);
    await eventually(async () => {
      await vscode.commands.executeCommand("workbench.mcp.startServer", "trawl.trawl/Trawl");
      return mcpTools().length === (isOldest ? 0 : 8);
    }, 60_000);
    if (!isOldest) {
      const found = await invokeTool("mcp_trawl_grep", { pattern: "retryWithBackoff", lang: "go" });
      assert.match(found, /acme\/go-kit retry\/retry\.go@/);
    }
    await settings.update("api.agentMcpServer", undefined, vscode.ConfigurationTarget.Global);
    await settings.update("api.agentTools", undefined, vscode.ConfigurationTarget.Global);
    await eventually(() => mcpTools().length === 0);
  });
});
