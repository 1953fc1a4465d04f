/** The extension as it is published. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectFolder } from "#e2e/driver/target";

/** Gives the path of the package, which goes when the process ends. Throws where it cannot be made, or is too large. */
export function packageExtension(): string {
  // Other runs may be at work on this project.
  const folder = mkdtempSync(join(tmpdir(), "te-package-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const vsix = join(folder, "trawl.vsix");
  const words = [join(projectFolder, "scripts/package.mjs"), "--out", vsix];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`The extension could not be packaged:\n${stdout}\n${stderr}`);
  return vsix;
}
