import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as vscode from "vscode";
import { eventually } from "#test/support/eventually";
import { closeEditors, fileIn, openFile, run } from "./actions";

describe("history", () => {
  const client = fileIn("orders-api", "internal/http/client.go");
  const repository = "git.example.com/acme/orders-api";

  afterEach(closeEditors);

  function git(...args: string[]): string {
    return execFileSync("git", args, { cwd: fileIn("orders-api", "."), encoding: "utf8" }).trim();
  }

  /** Returns the paths of both documents in the active diff editor, or nothing. */
  function comparedPaths(): readonly string[] {
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    return input instanceof vscode.TabInputTextDiff
      ? [input.original, input.modified].map(({ authority, path }) => authority + path)
      : [];
  }

  async function copied(command: string, commit: object): Promise<string> {
    await vscode.env.clipboard.writeText("");
    await run(command, commit);
    return await vscode.env.clipboard.readText();
  }

  it("finds a commit by tag and by abbreviated SHA", async () => {
    await openFile(client);
    const hash = git("rev-parse", "v2.0.0");
    await eventually(
      async () => (await copied("commit.copyHash", { repository, ref: "v2.0.0" })) === hash,
      30_000,
    );
    assert.equal(
      await copied("commit.copyMessage", { repository, ref: hash.slice(0, 8) }),
      git("log", "-1", "--format=%s", hash),
    );
  });

  it("opens a file at a commit", async () => {
    await run("commit.openFile", { repository, ref: "v1.0.0", path: "go.mod" });
    const { document } = vscode.window.activeTextEditor ?? {};
    assert.equal(document?.uri.scheme, "trawl");
    assert.equal(document?.getText(), `${git("show", "v1.0.0:go.mod")}\n`);
  });

  it("compares an added file with an empty one", async () => {
    await run("commit.openFileChanges", { repository, ref: "v2.0.0", path: "config/default.yaml" });
    await eventually(() => comparedPaths().length === 2);
    const [before, after] = comparedPaths().map((path) => path.split("@")[1] ?? "");
    assert.equal(before, "4b825dc642cb6eb9a060e54bf8d69288fbee4904/config/default.yaml");
    assert.equal(after, `${git("rev-parse", "v2.0.0")}/config/default.yaml`);
    const empty = vscode.workspace.textDocuments.find(
      ({ uri }) => before !== undefined && `${uri.authority}${uri.path}`.endsWith(before),
    );
    assert.equal(empty?.getText(), "");
  });

  it("compares files of the first commit with empty ones", async () => {
    await run("commit.openFileChanges", { repository, ref: "v1.0.0", path: "README.md" });
    await eventually(() => comparedPaths()[1]?.endsWith("README.md"));
  });

  it("shows commits, one commit, a comparison and authors without failing", async () => {
    await openFile(client);
    await run("history.file");
    await run("history.repository", { repository });
    await run("commit.open", { repository, ref: "HEAD" });
    await run("commit.compareWithHead", { repository, ref: "v1.0.0" });
    await run("authors.show", { repository });
    await run("commit.openChanges");
    await eventually(() =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => /^[0-9a-f]{7} · /.test(label))),
    );
  });
});
