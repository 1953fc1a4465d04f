/** The target of a run. It is passed to specs in the environment, because each spec is a separate bundle. */
import { join } from "node:path";
import type { VsCode } from "#e2e/install/vsCode";

export interface Target {
  readonly vsCode: VsCode;
  /** Absolute path of an extensions folder with the packaged extension. */
  readonly extensions: string;
  /** Keeps the folders of a run and prints their paths. */
  readonly keepsFolders: boolean;
}

/** The root of the project. Bundles of these tests are in `out/e2e`, one or two folders deep. */
export const projectFolder = __dirname.slice(0, __dirname.lastIndexOf(join("/out", "e2e")));

export const outFolder = join(projectFolder, "out/e2e");

const variable = "TRAWL_E2E_TARGET";

export function setTarget(target: Target): void {
  process.env[variable] = JSON.stringify(target);
}

export function target(): Target {
  return JSON.parse(process.env[variable] ?? "null");
}
