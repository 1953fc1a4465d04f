/** What a run is about; handed to specs through the environment, because each is a bundle of its own. */
import { join } from "node:path";
import type { VsCode } from "#e2e/install/vsCode";

export interface Target {
  readonly vsCode: VsCode;
  /** Absolute path of the packaged extension. */
  readonly vsix: string;
  /** Leaves the folders of a run where they are, and says where. */
  readonly keeps: boolean;
}

/** The project: bundles of these tests lie in `out/e2e`, one or two folders deep. */
export const projectFolder = __dirname.slice(0, __dirname.lastIndexOf(join("/out", "e2e")));

export const outFolder = join(projectFolder, "out/e2e");

const variable = "TRAWL_E2E_TARGET";

export function setTarget(target: Target): void {
  process.env[variable] = JSON.stringify(target);
}

export function target(): Target {
  return JSON.parse(process.env[variable] ?? "null");
}
