import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { temporaryFolder } from "#test/support/repo";
import { trawl } from "#test/support/trawl";

// `HOME` of the command is the folder in which it runs.

test("an agent's file is created, and starts a server", async () => {
  const home = temporaryFolder();
  const { stdout, code } = await trawl(["mcp", "--install", "cursor", "--data-dir", "data"], home);
  const file = join(home, ".cursor/mcp.json");
  assert.deepEqual([stdout, code], [`Added Trawl to ${file}. Restart Cursor to use it.\n`, 0]);
  const { command, args } = JSON.parse(readFileSync(file, "utf8")).mcpServers.trawl;
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, cwd: home, stderr: "ignore" }));
  assert.equal((await client.listTools()).tools.length, 8);
  await client.close();
  const again = await trawl(["mcp", "--install", "cursor", "--data-dir", "data"], home);
  assert.equal(again.stdout, `${file} already contains Trawl.\n`);
});

test("a file behind a symbolic link keeps its link, its permissions and the rest of its text", async () => {
  const home = temporaryFolder();
  const real = join(home, "dotfiles.json");
  writeFileSync(real, '{ "numStartups": 3 }\n');
  chmodSync(real, 0o640);
  symlinkSync(real, join(home, ".claude.json"));
  assert.equal((await trawl(["mcp", "--install", "claude"], home)).code, 0);
  const { numStartups, mcpServers } = JSON.parse(readFileSync(real, "utf8"));
  assert.equal(numStartups, 3);
  assert.equal(mcpServers.trawl.args.at(-1), "mcp");
  assert.equal(statSync(real).mode & 0o777, 0o640);
});

test("what cannot be changed safely is printed, and the file stays as it is", async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, ".codex"));
  const file = join(home, ".codex/config.toml");
  writeFileSync(file, "mcp_servers = {}\n");
  const { stderr, stdout, code } = await trawl(["mcp", "--install", "codex"], home);
  assert.deepEqual([stdout, code], ["", 1]);
  assert.match(
    stderr,
    /Cannot change .*config\.toml, because it writes .*Add to it:\n\n\[mcp_servers\.trawl\]\n/,
  );
  assert.equal(readFileSync(file, "utf8"), "mcp_servers = {}\n");
});

test("--print changes nothing", async () => {
  const home = temporaryFolder();
  const { stdout, code } = await trawl(["mcp", "--install", "opencode", "--print"], home);
  assert.equal(code, 0);
  assert.match(stdout, /^Add to .*\/\.config\/opencode\/opencode\.json:\n\n\{\n {2}"mcp": \{\n/);
  assert.equal(existsSync(join(home, ".config")), false);
});

const movedFiles: readonly (readonly [client: string, variable: string, file: string])[] = [
  ["claude", "CLAUDE_CONFIG_DIR", ".claude.json"],
  ["codex", "CODEX_HOME", "config.toml"],
  ["opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"],
];
for (const [client, variable, file] of movedFiles) {
  test(`the file of ${client} is below ${variable}, unless that is relative`, async () => {
    const folder = temporaryFolder();
    const print = async (value: string) => {
      const env = { [variable]: value };
      return (await trawl(["mcp", "--install", client, "--print"], temporaryFolder(), { env })).stdout;
    };
    const start = `Add to ${join(folder, file)}:\n`;
    assert.equal((await print(folder)).slice(0, start.length), start);
    assert.doesNotMatch(await print("relative"), /relative/);
  });
}

test("unknown agents, and --print alone, are refused", async () => {
  assert.match((await trawl(["mcp", "--install", "clyde"])).stderr, /--install must be claude or codex/);
  assert.match((await trawl(["mcp", "--print"])).stderr, /--print requires --install/);
});
