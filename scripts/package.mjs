/**
 * Builds `trawl-<version>.vsix`, the package of the extension: `node scripts/package.mjs [--out FILE]`. With `--manifest`, it
 * only prints the manifest of the package.
 *
 * The package names the repository that it is built from. The marketplace loads the pictures of the README from there.
 *
 * Minified bundles are built first. The files that `.vscodeignore` allows are copied to a separate folder, because vsce
 * would take half a minute to read the whole project.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { repositoryUrl } from "./repositoryUrl.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stagingFolder = join(root, "out/package");
/** Limit on the size of the download. */
const maxBytes = 15e6;

const { values } = parseArgs({ options: { out: { type: "string" }, manifest: { type: "boolean" } } });
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const repository = repositoryUrl(root);
const text = `${JSON.stringify(published(manifest), null, 2)}\n`;
if (values.manifest) {
  process.stdout.write(text);
  process.exit();
}
const vsix = resolve(values.out ?? join(root, `trawl-${manifest.version}.vsix`));

rmSync(stagingFolder, { recursive: true, force: true });
mkdirSync(stagingFolder, { recursive: true });
run(join(root, "build.mjs"), ["--production"], root);
const allowed = readFileSync(join(root, ".vscodeignore"), "utf8").matchAll(/^!([^/\n]+)/gm);
for (const [, name] of [["", ".vscodeignore"], ...allowed]) {
  const [from, to] = [join(root, name), join(stagingFolder, name)];
  if (!existsSync(to) && existsSync(from)) cpSync(from, to, { recursive: true });
}
writeFileSync(join(stagingFolder, "package.json"), text);
run(
  join(root, "node_modules/@vscode/vsce/vsce"),
  [
    "package",
    "--no-dependencies",
    // Links can be rewritten only if it is known where they lead.
    ...(repository === undefined ? ["--allow-missing-repository", "--no-rewrite-relative-links"] : []),
    "--out",
    vsix,
  ],
  stagingFolder,
);
const { size } = statSync(vsix);
if (size > maxBytes)
  throw new Error(`${vsix} has ${(size / 1e6).toFixed(1)} MB, more than ${maxBytes / 1e6}.`);

/** Returns the manifest without fields that only the build needs, because the bundles contain everything. */
function published({
  scripts,
  dependencies: _,
  devDependencies: __,
  overrides: ___,
  imports: ____,
  ...rest
}) {
  const uninstall = "vscode:uninstall";
  return {
    ...rest,
    ...(repository === undefined ? {} : { repository: { type: "git", url: repository } }),
    private: undefined,
    scripts: { [uninstall]: scripts[uninstall] },
  };
}

function run(script, words, cwd) {
  const { status } = spawnSync(process.execPath, [script, ...words], { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${script} failed.`);
}
