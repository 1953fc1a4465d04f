/** Builds the version that servers are upgraded from, to run it beside this one. */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";

/** Stands for the previous release until there is one: the commit before the contract and the store changed last. */
const beforeFirstRelease = "5bd0792a30dea7c50300a4492ef14c65b2c5c415";

function run(program: string, args: readonly string[], cwd = projectRoot()): string | undefined {
  const { status, stdout } = spawnSync(program, args, { cwd, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** The newest release before the current commit, as a tag or a commit; undefined if its source is not here. */
export const olderVersion =
  run("git", ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"]) ??
  run("git", ["rev-parse", "--verify", "--quiet", `${beforeFirstRelease}^{commit}`]);

/** Belongs into the name of a test that needs it. */
export const withoutOlderVersion =
  olderVersion === undefined
    ? " (not tested: the source of the previous version is missing, as in a checkout without history)"
    : "";

/** Builds the server of that version, with the packages of this one. Returns its bundle. */
export function buildOlderVersion(version: string): string {
  const folder = temporaryFolder();
  const source = join(folder, "source");
  mkdirSync(source);
  symlinkSync(join(projectRoot(), "node_modules"), join(source, "node_modules"), "junction");
  const archive = join(folder, "source.tar");
  const parts = ["build.mjs", "package.json", "scripts", "server"];
  const steps = [
    run("git", ["archive", `--output=${archive}`, version, ...parts]),
    run("tar", ["-xf", archive, "-C", source]),
    run(process.execPath, ["build.mjs", "server"], source),
  ];
  if (steps.includes(undefined)) throw new Error(`Cannot build the server of ${version}.`);
  return join(source, "dist/server/trawl.js");
}
