/** Packages the extension as for publishing, and installs the package once per version of VS Code. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectFolder } from "#e2e/driver/target";
import type { VsCode } from "#e2e/install/vsCode";

/** Returns the path of a new package, which is removed when the process exits. Throws if packaging fails. */
export function packageExtension(): string {
  // Other runs may use the same working tree at the same time.
  const folder = temporaryFolder();
  const vsix = join(folder, "trawl.vsix");
  const words = [join(projectFolder, "scripts/package.mjs"), "--out", vsix];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`The extension could not be packaged:\n${stdout}\n${stderr}`);
  return vsix;
}

/** Returns the path of a new extensions folder with the package, removed when the process exits. Throws if that fails. */
export function installExtension({ node, entry }: VsCode, vsix: string): string {
  const folder = temporaryFolder();
  const extensions = join(folder, "extensions");
  for (const path of [join(folder, "data/User"), extensions]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, "config.yaml"), "auth: none\n");
  const words = ["--config", join(folder, "config.yaml"), "--user-data-dir", join(folder, "data")];
  words.push("--extensions-dir", extensions, "--install-extension", vsix);
  const { status, stdout, stderr } = spawnSync(node, [entry, ...words], {
    env: { PATH: `${dirname(node)}:${process.env["PATH"]}`, HOME: folder, LANG: "C.UTF-8" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${vsix} could not be installed:\n${stdout}\n${stderr}`);
  return extensions;
}

export function copyExtensions(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  // Contains absolute paths.
  const list = join(to, "extensions.json");
  writeFileSync(list, readFileSync(list, "utf8").replaceAll(from, to));
}

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "te-package-")));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
