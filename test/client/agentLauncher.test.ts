/** The file that agents start: it finds the extension's program after every update. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { writeAgentLauncher } from "#client/endpoint/agentLauncher";
import { temporaryFolder } from "#test/support/repo";
import { trawlBundle } from "#test/support/trawl";

/** A folder with installed extensions. The name would be damaged if it were not quoted in the launcher. */
function installations() {
  const folder = join(temporaryFolder(), 'ext"\\n ünsions');
  let installedAt = 1_700_000_000;
  return {
    pathOf: (name: string) => join(folder, name),
    /** Installs a program that prints `name` and its arguments. */
    install(name: string): string {
      const program = join(folder, name, "dist/server/trawl.js");
      mkdirSync(dirname(program), { recursive: true });
      writeFileSync(program, `console.log(${JSON.stringify(name)}, ...process.argv.slice(2));`);
      utimesSync(program, ++installedAt, installedAt);
      return join(folder, name);
    },
  };
}

function start(launcher: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("agents start the version that was installed last, without another start of the editor", () => {
  const { install, pathOf } = installations();
  const storage = join(temporaryFolder(), "storage");
  const launcher = writeAgentLauncher(storage, install("acme.trawl-0.9.0"));
  const printed = (line: string) => ({ status: 0, stdout: `${line}\n`, stderr: "" });
  assert.deepEqual(start(launcher, "mcp"), printed("acme.trawl-0.9.0 mcp"));
  install("acme.trawl-0.10.0-linux-x64");
  assert.deepEqual(start(launcher, "mcp"), printed("acme.trawl-0.10.0-linux-x64 mcp"));
  rmSync(pathOf("acme.trawl-0.9.0"), { recursive: true });
  assert.deepEqual(start(launcher), printed("acme.trawl-0.10.0-linux-x64"));
  // Other extensions, and a version that is still being installed.
  install("acme.trawl-icons-2.0.0");
  install("other.trawl-2.0.0");
  mkdirSync(pathOf("acme.trawl-3.0.0"));
  assert.deepEqual(start(launcher), printed("acme.trawl-0.10.0-linux-x64"));
});

test("the file is written only if it changes, and nothing is left beside it", () => {
  const { install } = installations();
  const storage = temporaryFolder();
  const extension = install("acme.trawl-1.0.0");
  const launcher = writeAgentLauncher(storage, extension);
  const { ino, mtimeMs } = statSync(launcher);
  assert.equal(writeAgentLauncher(storage, extension), launcher);
  const { ino: sameIno, mtimeMs: sameMtimeMs } = statSync(launcher);
  assert.deepEqual([sameIno, sameMtimeMs], [ino, mtimeMs]);
  writeFileSync(launcher, "damaged");
  writeAgentLauncher(storage, extension);
  assert.equal(start(launcher).stdout, "acme.trawl-1.0.0\n");
  assert.deepEqual(readdirSync(storage), ["trawl.js"]);
});

test("without the extension, agents show why Trawl does not start", () => {
  const { install, pathOf } = installations();
  const launcher = writeAgentLauncher(temporaryFolder(), install("acme.trawl-1.0.0"));
  rmSync(pathOf("acme.trawl-1.0.0"), { recursive: true });
  const { status, stdout, stderr } = start(launcher, "mcp");
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /^trawl: There is no Trawl extension in .*Install it/s);
});

test("a folder without a version is started too, as in development", () => {
  const { install } = installations();
  const launcher = writeAgentLauncher(temporaryFolder(), install("trawl"));
  install("trawl-2.0.0");
  assert.equal(start(launcher).stdout, "trawl\n");
});

test("the entry of an agent names this file", () => {
  const extension = join(temporaryFolder(), "acme.trawl-1.0.0");
  mkdirSync(extension);
  symlinkSync(dirname(dirname(trawlBundle)), join(extension, "dist"));
  const launcher = realpathSync(writeAgentLauncher(temporaryFolder(), extension));
  const { stdout } = start(launcher, "mcp", "--install", "cursor", "--print");
  const { command, args } = JSON.parse(stdout.slice(stdout.indexOf("{"))).mcpServers.trawl;
  assert.deepEqual([command, args], [process.execPath, [launcher, "mcp"]]);
});
