/**
 * Runs specs with Mocha, one after another, inside one extension host.
 *
 * Exit codes are ignored, because a killed extension host also exits with 0. The result is what the runner
 * writes after all tests: a report for each spec, with at least one test.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import type { Browser } from "playwright-core";
import { type CodeServer, type CodeServerOptions, startCodeServer } from "#e2e/driver/codeServer";
import { outFolder, projectFolder, target } from "#e2e/driver/target";
import { Window } from "#e2e/driver/window";
import type { Outcome, Report } from "#e2e/report";

export interface HostSuite {
  /** Paths of the bundles below `out/e2e`, without `.js`. */
  readonly specs: readonly string[];
  /** Whether the extension is loaded from source or from the package. */
  readonly extension: "source" | "vsix";
  readonly options?: CodeServerOptions;
  /** Called when the window is open. Controls use it to cause a failure. */
  readonly meanwhile?: (server: CodeServer) => Promise<void>;
}

export async function runHostSuite(browser: Browser, suite: HostSuite): Promise<Outcome> {
  const report = reportPath(suite.specs, suite.extension);
  const lines: string[] = [];
  let problem: string | undefined;
  let server: CodeServer | undefined;
  let window: Window | undefined;
  try {
    server = await startCodeServer(hostOptions(suite, report));
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const parameters = { payload: payload(server, suite) };
    window = await Window.open(browser, server, {
      parameters,
      prepare: async (page) => {
        // VS Code calls these two functions when extension tests run in a browser.
        await page.exposeFunction("codeAutomationLog", (_type: string, args: unknown[]) =>
          lines.push(format(...args)),
        );
        await page.exposeFunction("codeAutomationExit", () => ended());
      },
    });
    await suite.meanwhile?.(server);
    const limitMs = 180_000 * suite.specs.length;
    problem = await Promise.race([
      end.then(() => undefined),
      server.died,
      new Promise<string>((resolve) =>
        setTimeout(() => resolve(`no end within ${limitMs / 1000} s`), limitMs).unref(),
      ),
    ]);
    if (problem !== undefined)
      await window.shot(`failures/${nameOf(suite.specs)}-${suite.extension}`).catch(() => {});
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const problems = [problem, await closeAll(window, server)].filter((each) => each !== undefined);
  return outcomeOf(report, problems, lines);
}

/** Returns the path for the reports of specs, after removing earlier reports. */
export function reportPath(specs: readonly string[], extension: string): string {
  const name = `${target().vsCode.version}-${extension}-${nameOf(specs)}.json`;
  const path = join(outFolder, "reports", name);
  rmSync(path, { force: true });
  return path;
}

/** As part of a file name. */
function nameOf(specs: readonly string[]): string {
  return specs.join("+").replaceAll("/", "-");
}

/** Returns the environment variables for the runner in the extension host. */
export function hostEnvironment(
  specs: readonly string[],
  extension: string,
  report: string,
): Record<string, string> {
  return {
    TRAWL_E2E_SPECS: JSON.stringify(specs.map((spec) => join(outFolder, `${spec}.js`))),
    TRAWL_E2E_REPORT: report,
    TRAWL_E2E_EXTENSION: extension,
  };
}

async function closeAll(
  window: Window | undefined,
  server: CodeServer | undefined,
): Promise<string | undefined> {
  try {
    await window?.close();
    await server?.stop();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Combines the reports with problems that were detected outside the extension host. */
export function outcomeOf(path: string, problems: readonly string[], lines: readonly string[]): Outcome {
  if (!existsSync(path)) {
    const reason = "the extension host ended without a report";
    return { tests: [], notes: [], problems: [...problems, reason, ...lines.slice(-20)] };
  }
  const reports: readonly Report[] = JSON.parse(readFileSync(path, "utf8"));
  const empty = reports.filter(({ tests }) => tests.length === 0).map(() => "no test ran");
  return {
    tests: reports.flatMap(({ tests }) => tests),
    notes: reports.flatMap(({ notes }) => notes),
    problems: [...problems, ...empty],
  };
}

function hostOptions({ specs, extension, options = {} }: HostSuite, report: string): CodeServerOptions {
  const { vsCode } = target();
  return {
    ...options,
    hasVsix: extension === "vsix",
    arguments: [
      // A built VS Code runs extension tests only if the driver of its own smoke tests is enabled.
      ...(vsCode.takesOptions ? ["--vscode-option", "enable-smoke-test-driver"] : []),
      ...(options.arguments ?? []),
    ],
    environment: { ...hostEnvironment(specs, extension, report), ...options.environment },
  };
}

function payload(server: CodeServer, { extension }: HostSuite): string {
  const remote = (path: string) => `vscode-remote://${new URL(server.url).host}${encodeURI(path)}`;
  const host = join(outFolder, "host");
  // Tests must be inside the extension under development. For the packaged extension, an empty one takes that role.
  mkdirSync(host, { recursive: true });
  const manifest = {
    name: "trawl-tests",
    publisher: "trawl",
    version: "0.0.0",
    engines: { vscode: "^1.100.0" },
  };
  writeFileSync(join(host, "package.json"), JSON.stringify(manifest));
  return JSON.stringify([
    ["extensionDevelopmentPath", remote(extension === "source" ? projectFolder : host)],
    ["extensionTestsPath", remote(join(host, "run"))],
    ["skipWelcome", "true"],
  ]);
}
