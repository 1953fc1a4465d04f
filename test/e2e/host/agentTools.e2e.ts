import assert from "node:assert/strict";
import * as vscode from "vscode";
import { until } from "#e2e/driver/processes";

/** What an agent of VS Code gets. */
async function ask(name: string, input: object): Promise<string> {
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}

const ours = () => vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("trawl_"));

describe("tools for agents", () => {
  before(async () => {
    await vscode.extensions.getExtension("trawl.trawl")?.activate();
  });

  it("are there, with what they take", () => {
    assert.deepEqual([...ours()].sort(), ["trawl_find_symbol", "trawl_read_file", "trawl_search_code"]);
    for (const { name, description, inputSchema } of vscode.lm.tools) {
      if (!name.startsWith("trawl_")) continue;
      assert.ok(description.length > 50, name);
      assert.equal((inputSchema as { type?: string }).type, "object", name);
    }
  });

  it("search all repositories", async () => {
    const found = await until(
      "it is found",
      async () => {
        const text = await ask("trawl_search_code", { query: "retryWithBackoff lang:go" });
        return text.includes("acme/go-kit retry/retry.go (Go)") && text;
      },
      60_000,
    );
    assert.match(found, /^\d+ matches in \d+ files\./);
    assert.match(found, /\n10: func retryWithBackoff\(ctx context\.Context/);
  });

  it("read a file of a repository that is not open, some of its lines, at a revision", async () => {
    const place = { repository: "git.example.com/acme/go-kit", path: "retry/limits.go" };
    assert.match(await ask("trawl_read_file", place), /\n1: package retry\n/);
    const some = await ask("trawl_read_file", { ...place, fromLine: 5, toLine: 5 });
    assert.match(some, /\(Go\), 6 lines\n5: \/\/ MaxWait[^\n]*$/);
    const before = await ask("trawl_read_file", { ...place, revision: "v1.0.0" });
    assert.match(before, /^Error: .*retry\/limits\.go/);
  });

  it("find where a name is defined and used", async () => {
    const name = "retryWithBackoff";
    const definitions = await until("it is parsed", async () => {
      const text = await ask("trawl_find_symbol", { name, role: "definitions" });
      return /acme\/go-kit retry\/retry\.go \(Go\)\n10: func .*\[function/.test(text) && text;
    });
    assert.match(definitions, /^\d+ matches/);
    assert.match(await ask("trawl_find_symbol", { name, role: "references" }), /^\d+ matches in \d+ files/);
  });

  it("say what is wrong with a question", async () => {
    assert.match(await ask("trawl_search_code", { query: "lang:pyton x" }), /^Error: .*python/i);
  });

  it("answer nothing while they are turned off", async () => {
    const settings = vscode.workspace.getConfiguration("trawl");
    const question = { query: "retryWithBackoff" };
    const answered = () =>
      ask("trawl_search_code", question).then(
        () => true,
        () => false,
      );
    await settings.update("api.agentTools", false, vscode.ConfigurationTarget.Global);
    await until("nobody answers", async () => !(await answered()));
    await settings.update("api.agentTools", undefined, vscode.ConfigurationTarget.Global);
    await until("they are back", answered);
  });
});
