/** The npm package runs on a computer that has only Node and git: no registry, no settings, and no other packages. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { eventually } from "#test/support/eventually";
import { projectRoot } from "#test/support/house";
import { repo, temporaryFolder } from "#test/support/repo";

const folder = temporaryFolder();
const home = join(folder, "home");
const project = join(folder, "project");
for (const each of [home, project]) mkdirSync(each);
const { version } = JSON.parse(readFileSync(join(projectRoot(), "package.json"), "utf8")) as {
  readonly version: string;
};
const isWindows = process.platform === "win32";
const bareEnvironment = {
  PATH: [dirname(process.execPath), process.env["PATH"]].join(isWindows ? ";" : ":"),
  HOME: home,
  USERPROFILE: home,
  ...(isWindows ? { SystemRoot: process.env["SystemRoot"], ComSpec: process.env["ComSpec"] } : {}),
  npm_config_offline: "true",
  npm_config_update_notifier: "false",
};

function run(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = bareEnvironment): string {
  const [program = "", ...args] = words;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
    shell: isWindows,
  });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

test("the packed npm package installs offline, and serves", async (t) => {
  run([process.execPath, "scripts/npmPackage.mjs", "--out", folder], projectRoot(), process.env);
  const archive = join(folder, `trawl-${version}.tgz`);
  run(["npm", "init", "--yes"], project);
  run(["npm", "install", archive], project);
  assert.deepEqual(
    readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith(".")),
    ["trawl"],
  );
  const installed = join(project, "node_modules/trawl");
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.deepEqual(manifest.engines, { node: ">=20.19" });
  assert.equal(manifest.dependencies, undefined);
  assert.match(readFileSync(join(installed, "ThirdPartyNotices.txt"), "utf8"), /^fastify \d/m);
  const files = readdirSync(installed, { recursive: true }).map(String);
  assert.deepEqual(
    files.filter((file) =>
      /\.(?:node|map|ts)$|(?:^|\/)(?:client|webview|media|erase\.js)(?:\/|$)/.test(file),
    ),
    [],
  );
  if (!isWindows) {
    const { mode } = statSync(join(installed, "dist/server/credentialHelper/git-credential-trawl"));
    assert.equal(mode & 0o111, 0o111);
  }
  assert.equal(run(["npx", "trawl", "--version"], project), `trawl ${version}\n`);

  const source = repo(`
    = main: First
    src/basket.ts
    | export class Basket {}
  `);
  const server = spawn(
    process.execPath,
    [join(installed, "dist/server/trawl.js"), "serve", "--port", "0", "."],
    {
      cwd: source.path,
      env: bareEnvironment,
    },
  );
  t.after(() => server.kill("SIGKILL"));
  let output = "";
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  await eventually(() => output.includes("\nReady"));
  const url = /^Listening on (\S+)/m.exec(output)?.[1];
  const found = async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ query: "sym:Basket" });
    const response = await fetch(`${url}/api/search`, { method: "POST", headers, body });
    const { files } = (await response.json()) as { files: { fileName: { text: string } }[] };
    return files.map(({ fileName }) => fileName.text);
  };
  // Definitions are found a moment later, by the grammars of the package.
  await eventually(async () => (await found()).length > 0);
  assert.deepEqual(await found(), ["src/basket.ts"]);
  server.kill("SIGTERM");
  const [code] = await new Promise<[number | null]>((resolve) =>
    server.once("close", (exitCode) => resolve([exitCode])),
  );
  assert.equal(code, 0, output);
});
