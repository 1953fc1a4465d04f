/**
 * The end-to-end tests: `node out/e2e/run.js [options] [part of a spec's name …]`.
 *
 *     --vscode 1.139 | 1.100     one version, all specs; otherwise both, the older with the specs of `driver/suites.ts`
 *     --only host | ui           inside the extension host, or on the workbench
 *     --extension source | vsix  how the host specs load it; otherwise the VSIX, and in the newest version also the source
 *     --lanes N                  how many specs run at once; otherwise 2
 *     --keep                     leaves the folders of the runs (or KEEP=1)
 *     --cache FOLDER             where VS Code is installed
 *     --publish-screenshots      puts those that the README shows into media/screenshots
 *     --install                  installs, and does nothing else
 *     --desktop                  in a desktop VS Code instead: the one at VSCODE_PATH, or one that is fetched
 */
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runDesktopSuite } from "#e2e/driver/desktop";
import { groupHostSpecs, groupSourceSpecs, namedSpecs, runsInOlderVersions } from "#e2e/driver/suites";
import { outFolder, projectFolder, setTarget, type Target } from "#e2e/driver/target";
import { installExtension, packageExtension } from "#e2e/install/extensionPackage";
import { installSystemPackages } from "#e2e/install/systemPackages";
import { defaultCache, installVsCode, vsCodeVersions } from "#e2e/install/vsCode";
import { type Job, runInChild } from "#e2e/job";
import { isRed, type Outcome } from "#e2e/report";

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    vscode: { type: "string", multiple: true },
    only: { type: "string" },
    extension: { type: "string" },
    lanes: { type: "string", default: "2" },
    keep: { type: "boolean" },
    cache: { type: "string" },
    install: { type: "boolean" },
    "publish-screenshots": { type: "boolean" },
    desktop: { type: "boolean" },
  },
});

const began = performance.now();
const laneCount = Number(values.lanes);
if (!(laneCount >= 1)) throw new Error(`--lanes must be a number from 1, not "${values.lanes}".`);

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Whether the command line selects what to run; otherwise specs that cannot differ run once. */
const isChosen = [words[0], values.vscode, values.extension].some((each) => each !== undefined);

function specs(folder: string, ending: string): readonly string[] {
  return allSpecs(folder, ending).filter(
    (name) => words.length === 0 || words.some((word) => name.includes(word)),
  );
}

function allSpecs(folder: string, ending: string): readonly string[] {
  return readdirSync(join(outFolder, folder))
    .filter((name) => name.endsWith(`${ending}.js`))
    .map((name) => `${folder}/${name.slice(0, -".js".length)}`)
    .sort();
}

function requireNamedSpecs(): void {
  const all = [...allSpecs("host", ".e2e"), ...allSpecs("ui", ".ui")];
  const missing = namedSpecs.filter((name) => !all.includes(name));
  if (missing.length > 0) throw new Error(`driver/suites.ts names missing specs: ${missing.join(", ")}.`);
}

const count = { passed: 0, failed: 0 };
const failures: string[] = [];

/** Counts the tests of a run, and remembers its failures for the end of the output. */
function record(title: string, outcome: Outcome): void {
  count.passed += outcome.tests.filter(({ isPassed }) => isPassed).length;
  if (!isRed(outcome)) return;
  const failed = outcome.tests.filter(({ isPassed }) => !isPassed);
  count.failed += Math.max(1, failed.length);
  failures.push(title);
  for (const { title: test, error } of failed) failures.push(`  ✖ ${test}`, indented(error ?? ""));
  for (const text of outcome.problems) failures.push(`  ✖ ${text}`);
}

const indented = (text: string): string => text.replaceAll(/^/gm, "      ");

function report(title: string, outcome: Outcome, milliseconds: number): void {
  print(`\n${title}`);
  for (const { title: test, isPassed, duration, error } of outcome.tests) {
    print(`  ${isPassed ? "✔" : "✖"} ${test} (${duration} ms)`);
    if (error !== undefined) print(indented(error));
  }
  for (const text of outcome.notes) print(`  · ${text}`);
  for (const text of outcome.problems) print(`  ✖ ${text}`);
  print(`  ${(milliseconds / 1000).toFixed(1)} s`);
}

async function timed(title: string, work: () => Promise<Outcome>): Promise<Outcome> {
  const start = performance.now();
  const outcome = await work();
  report(title, outcome, performance.now() - start);
  return outcome;
}

/** CI reruns red specs once, alone, and reports them: VS Code and a browser are sometimes slow on two cores. */
const mayRetry = process.env["CI"] !== undefined;

async function runJobs(jobs: readonly Job[]): Promise<void> {
  const waiting = [...jobs];
  const failed: Job[] = [];
  const lane = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const { title } = job;
      const current = { ...job, endsAtFailure: mayRetry };
      const outcome = await timed(title, () => runInChild(current));
      if (isRed(outcome) && mayRetry) failed.push(job);
      else record(title, outcome);
    }
  };
  await Promise.all(Array.from({ length: laneCount }, lane));
  for (const job of failed) {
    const title = `${job.title}, second attempt`;
    record(title, await timed(title, () => runInChild(job)));
  }
  for (const { title } of failed) print(`\nFailed at first: ${title}`);
}

function hostJobs(target: Target): readonly Job[] {
  const { version } = target.vsCode;
  const files = specs("host", ".e2e");
  return (["source", "vsix"] as const).flatMap((extension) => {
    // Users install the package. The sources are run only in the newest version, as developers do.
    const runsByDefault = extension === "vsix" || version === vsCodeVersions[0];
    if (values.extension === undefined ? !runsByDefault : values.extension !== extension) return [];
    const groups = extension === "vsix" || isChosen ? groupHostSpecs(files) : groupSourceSpecs(files);
    return groups.map((group) => ({
      title: `VS Code ${version}, extension host, ${extension}: ${group.join(", ")}`,
      target,
      specs: group,
      extension,
    }));
  });
}

function uiJobs(target: Target): readonly Job[] {
  const { version } = target.vsCode;
  return specs("ui", ".ui")
    .filter((spec) => version === vsCodeVersions[0] || isChosen || runsInOlderVersions(spec))
    .map((spec) => ({ title: `VS Code ${version}, workbench: ${spec}`, target, specs: [spec] }));
}

/** Runs only host specs, because nothing drives the workbench of a desktop VS Code. */
async function desktopSpecs(): Promise<void> {
  setTarget({
    vsCode: { version: "desktop", node: "", entry: "", takesOptions: false, takesGraceTime: false },
    extensions: "",
    keepsFolders: false,
  });
  for (const spec of specs("host", ".e2e")) {
    const title = `VS Code on the desktop: ${spec}`;
    record(title, await timed(title, () => runDesktopSuite(spec)));
  }
}

async function main(): Promise<void> {
  if (values.desktop) await desktopSpecs();
  else await codeServerSpecs(values.vscode ?? vsCodeVersions);
  if (values.install) return;
  if (count.passed + count.failed === 0) throw new Error("No spec has these words in its name.");
  if (failures.length > 0) print(`\nFailed:\n${failures.join("\n")}`);
  print(
    `\n${count.passed} passed, ${count.failed} failed, ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  if (count.failed > 0) process.exitCode = 1;
}

async function codeServerSpecs(versions: readonly string[]): Promise<void> {
  requireNamedSpecs();
  installSystemPackages();
  const installed = versions.map((version) => installVsCode(version, values.cache ?? defaultCache));
  if (values.install) return;
  const vsix = packageExtension();
  const keepsFolders = values.keep === true || process.env["KEEP"] === "1";
  const targets = installed.map((vsCode) => ({
    vsCode,
    extensions: installExtension(vsCode, vsix),
    keepsFolders,
  }));
  await runJobs([
    ...(values.only === "ui" ? [] : targets.flatMap(hostJobs)),
    ...(values.only === "host" ? [] : targets.flatMap(uiJobs)),
  ]);
  if (values["publish-screenshots"]) publishScreenshots(installed[0]?.version ?? "");
}

/** Maps files of `media/screenshots` to the screenshots that they are copied from. */
const publishedScreenshots = { "search.png": "five-minutes/3-opened.png" };

function publishScreenshots(version: string): void {
  for (const [name, picture] of Object.entries(publishedScreenshots)) {
    const from = join(outFolder, "screenshots", version, picture);
    copyFileSync(from, join(projectFolder, "media/screenshots", name));
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

main()
  .catch((error: unknown) => {
    print(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  })
  .finally(() => process.exit());
