/**
 * Builds `trawl-<version>.tgz`, the npm package of the server and the command line: `node scripts/npmPackage.mjs [--out FOLDER]`.
 * With `--stage`, it only fills `out/npm`, the content of the package, which the container image copies.
 *
 * The package installs nothing else: its minified bundles include their packages, and there are no native addons.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { repositoryUrl } from "./repositoryUrl.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stagingFolder = join(root, "out/npm");
/** Limit on the size of the download. */
const maxBytes = 15e6;

const { values } = parseArgs({ options: { out: { type: "string" }, stage: { type: "boolean" } } });
const { name, version, license, engines, bin, keywords } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
const url = repositoryUrl(root);
const manifest = {
  name,
  version,
  description: "Searches all git repositories of a person or a team: server, command line, and MCP server.",
  license,
  engines: { node: engines.node },
  bin,
  // What only the extension runs is not in the package.
  files: [
    "dist",
    "!dist/server/erase.js",
    "SKILL.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "ThirdPartyNotices.txt",
  ],
  keywords: keywords.filter((keyword) => !keyword.startsWith("multi-root")),
  ...(url === undefined ? {} : { repository: { type: "git", url } }),
};

rmSync(stagingFolder, { recursive: true, force: true });
mkdirSync(stagingFolder, { recursive: true });
run(process.execPath, [join(root, "build.mjs"), "server", "--production", "--to=out/npm/dist"], root);
// npm does this itself when it installs the package, but nothing does it in the image.
chmodSync(join(stagingFolder, bin.trawl), 0o755);
for (const file of ["README.md", "SKILL.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"])
  cpSync(join(root, file), join(stagingFolder, file));
writeFileSync(join(stagingFolder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
if (values.stage) process.exit();

const folder = resolve(values.out ?? root);
mkdirSync(folder, { recursive: true });
const words = ["pack", "--silent", "--pack-destination", folder];
// npm is a script, which Windows starts only in a shell.
const npm = process.env.npm_execpath;
if (npm) run(process.execPath, [npm, ...words], stagingFolder);
else run("npm", words, stagingFolder, process.platform === "win32");
const { size } = statSync(join(folder, `${name}-${version}.tgz`));
if (size > maxBytes)
  throw new Error(`The package has ${(size / 1e6).toFixed(1)} MB, more than ${maxBytes / 1e6}.`);

function run(program, options, cwd, shell = false) {
  const { status } = spawnSync(program, options, { cwd, stdio: "inherit", shell });
  if (status !== 0) throw new Error(`${[program, ...options].join(" ")} failed.`);
}
