/**
 * The end-to-end tests: `node out/e2e/run.js [options] [part of a spec's name …]`.
 *
 *     --vscode 1.139 | 1.100     one version; both otherwise
 *     --only host | ui           inside the extension host, or on the workbench
 *     --extension source | vsix  where the extension host has it from; both otherwise
 *     --keep                     leaves the folders of the runs (or KEEP=1)
 *     --cache FOLDER             where VS Code is installed
 *     --publish-screenshots      puts those that the README shows into media/screenshots
 *     --install                  installs, and does nothing else
 *     --desktop                  in a desktop VS Code instead: the one at VSCODE_PATH, or one that is fetched
 */
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { runDesktopSuite } from "#e2e/driver/desktop";
import { runHostSuite } from "#e2e/driver/hostSuite";
import { optionsFor } from "#e2e/driver/suites";
import { outFolder, projectFolder, setTarget } from "#e2e/driver/target";
import { launchBrowser, shootWindows } from "#e2e/driver/window";
import { packageExtension } from "#e2e/install/extensionPackage";
import { installSystemPackages } from "#e2e/install/systemPackages";
import { defaultCache, installVsCode, vsCodeVersions } from "#e2e/install/vsCode";
import { runMocha } from "#e2e/mochaRun";
import { isRed, type Outcome } from "#e2e/report";

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    vscode: { type: "string", multiple: true },
    only: { type: "string" },
    extension: { type: "string" },
    keep: { type: "boolean" },
    cache: { type: "string" },
    install: { type: "boolean" },
    "publish-screenshots": { type: "boolean" },
    desktop: { type: "boolean" },
  },
});

const began = performance.now();
const count = { passed: 0, failed: 0 };

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function specs(folder: string, ending: string): readonly string[] {
  return readdirSync(join(outFolder, folder))
    .filter((name) => name.endsWith(`${ending}.js`))
    .map((name) => `${folder}/${name.slice(0, -".js".length)}`)
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort();
}

/** VS Code and a browser on two cores are late at times: CI gives a red spec a second run, and says so. */
const mayRunAgain = process.env["CI"] !== undefined;
const redAtFirst: string[] = [];

async function timed(title: string, work: () => Promise<Outcome>): Promise<void> {
  say(`\n${title}`);
  let outcome = await told(work);
  if (isRed(outcome) && mayRunAgain) {
    redAtFirst.push(title);
    say("  once more:");
    outcome = await told(work);
  }
  count.passed += outcome.tests.filter(({ isPassed }) => isPassed).length;
  const failed = outcome.tests.filter(({ isPassed }) => !isPassed).length;
  count.failed += failed > 0 ? failed : Number(isRed(outcome));
}

async function told(work: () => Promise<Outcome>): Promise<Outcome> {
  const start = performance.now();
  const outcome = await work();
  for (const { title: test, isPassed, duration, error } of outcome.tests) {
    say(`  ${isPassed ? "✔" : "✖"} ${test} (${duration} ms)`);
    if (error !== undefined) say(error.replaceAll(/^/gm, "      "));
  }
  for (const text of outcome.notes) say(`  · ${text}`);
  for (const text of outcome.problems) say(`  ✖ ${text}`);
  say(`  ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return outcome;
}

async function hostSpecs(version: string): Promise<void> {
  const files = specs("host", ".e2e");
  if (files.length === 0) return;
  let browser: Browser | undefined;
  try {
    browser = await launchBrowser();
    for (const extension of ["source", "vsix"] as const) {
      if (values.extension !== undefined && values.extension !== extension) continue;
      for (const spec of files) {
        const options = optionsFor(spec);
        const current = browser;
        await timed(`VS Code ${version}, extension host, ${extension}: ${spec}`, () =>
          runHostSuite(current, { spec, extension, options }),
        );
      }
    }
  } finally {
    await browser?.close();
  }
}

async function uiSpecs(version: string): Promise<void> {
  for (const spec of specs("ui", ".ui")) {
    await timed(`VS Code ${version}, workbench: ${spec}`, async () => {
      const report = await runMocha(join(outFolder, `${spec}.js`), {
        timeoutMs: 120_000,
        onFailure: shootWindows,
      });
      return { ...report, problems: report.tests.length === 0 ? ["no test ran"] : [] };
    });
  }
}

/** Nothing is installed but what is fetched, and nothing drives the workbench. */
async function desktopSpecs(): Promise<void> {
  setTarget({
    vsCode: { version: "desktop", node: "", entry: "", takesOptions: false, takesGraceTime: false },
    vsix: "",
    keeps: false,
  });
  for (const spec of specs("host", ".e2e")) {
    await timed(`VS Code on the desktop: ${spec}`, () => runDesktopSuite(spec));
  }
}

async function main(): Promise<void> {
  if (values.desktop) await desktopSpecs();
  else await codeServerSpecs(values.vscode ?? vsCodeVersions);
  if (values.install) return;
  if (count.passed + count.failed === 0) throw new Error("No spec has these words in its name.");
  for (const title of redAtFirst) say(`\nRed the first time: ${title}`);
  say(
    `\n${count.passed} passed, ${count.failed} failed, ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  if (count.failed > 0) process.exitCode = 1;
}

async function codeServerSpecs(versions: readonly string[]): Promise<void> {
  installSystemPackages();
  const installed = versions.map((version) => installVsCode(version, values.cache ?? defaultCache));
  if (values.install) return;
  const vsix = packageExtension();
  for (const vsCode of installed) {
    setTarget({ vsCode, vsix, keeps: values.keep === true || process.env["KEEP"] === "1" });
    if (values.only !== "ui") await hostSpecs(vsCode.version);
    if (values.only !== "host") await uiSpecs(vsCode.version);
  }
  if (values["publish-screenshots"]) publishScreenshots(installed[0]?.version ?? "");
}

/** Files of `media/screenshots` and the pictures that they are. */
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
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  })
  .finally(() => process.exit());
