/**
 * Makes `trawl-<version>.vsix`, the extension as it is published: `node scripts/package.mjs [--out FILE]`.
 *
 * Bundles are built anew, small. What goes in is what `.vscodeignore` lets in; it is copied to a folder of its own
 * first, because looking at every file of the project takes half a minute.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stage = join(root, "out/package");
/** What people have to download, at most. */
const bytesAtMost = 15e6;

const { values } = parseArgs({ options: { out: { type: "string" } } });
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const vsix = resolve(values.out ?? join(root, `trawl-${manifest.version}.vsix`));

rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
run(join(root, "build.mjs"), ["--production"], root);
const allowed = readFileSync(join(root, ".vscodeignore"), "utf8").matchAll(/^!([^/\n]+)/gm);
for (const [, name] of [["", ".vscodeignore"], ...allowed]) {
  const [from, to] = [join(root, name), join(stage, name)];
  if (!existsSync(to) && existsSync(from)) cpSync(from, to, { recursive: true });
}
writeFileSync(join(stage, "package.json"), `${JSON.stringify(published(manifest), null, 2)}\n`);
run(
  join(root, "node_modules/@vscode/vsce/vsce"),
  [
    "package",
    "--no-dependencies",
    "--allow-missing-repository",
    "--no-rewrite-relative-links",
    "--out",
    vsix,
  ],
  stage,
);
const { size } = statSync(vsix);
if (size > bytesAtMost)
  throw new Error(`${vsix} has ${(size / 1e6).toFixed(1)} MB, more than ${bytesAtMost / 1e6}.`);

/** Without what only building needs: everything is in the bundles. */
function published({
  scripts,
  dependencies: _,
  devDependencies: __,
  overrides: ___,
  imports: ____,
  ...rest
}) {
  const uninstall = "vscode:uninstall";
  return { ...rest, private: undefined, scripts: { [uninstall]: scripts[uninstall] } };
}

function run(script, words, cwd) {
  const { status } = spawnSync(process.execPath, [script, ...words], { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${script} failed.`);
}
