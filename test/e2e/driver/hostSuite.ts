/**
 * Runs one spec with Mocha inside the extension host.
 *
 * Believes nobody's word: an extension host that is killed ends with 0, too. What counts is the report that the spec's
 * runner writes when all tests are through, and it must have tests in it.
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
  /** Path of the bundle without `.js`, from `out/e2e`. */
  readonly spec: string;
  /** From source, or packaged. */
  readonly extension: "source" | "vsix";
  readonly options?: CodeServerOptions;
  /** Called when the window is open; controls use it to break things. */
  readonly meanwhile?: (server: CodeServer) => Promise<void>;
  readonly limitMs?: number;
}

export async function runHostSuite(browser: Browser, suite: HostSuite): Promise<Outcome> {
  const report = reportPath(suite.spec, suite.extension);
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
        // The two functions that VS Code calls where extension tests run in a browser.
        await page.exposeFunction("codeAutomationLog", (_type: string, args: unknown[]) =>
          lines.push(format(...args)),
        );
        await page.exposeFunction("codeAutomationExit", () => ended());
      },
    });
    await suite.meanwhile?.(server);
    const limitMs = suite.limitMs ?? 180_000;
    problem = await Promise.race([
      end.then(() => undefined),
      server.died,
      new Promise<string>((resolve) =>
        setTimeout(() => resolve(`no end within ${limitMs / 1000} s`), limitMs).unref(),
      ),
    ]);
    if (problem !== undefined)
      await window.shot(`failures/${suite.spec.replaceAll("/", "-")}-${suite.extension}`).catch(() => {});
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const problems = [problem, await stopped(window, server)].filter((each) => each !== undefined);
  return judged(report, problems, lines);
}

/** Where the report of a spec will be; an earlier one is removed. */
export function reportPath(spec: string, extension: string): string {
  const path = join(
    outFolder,
    "reports",
    `${target().vsCode.version}-${extension}-${spec.replaceAll("/", "-")}.json`,
  );
  rmSync(path, { force: true });
  return path;
}

/** What the runner in the extension host has to know. */
export function hostEnvironment(spec: string, extension: string, report: string): Record<string, string> {
  return {
    TRAWL_E2E_SPEC: join(outFolder, `${spec}.js`),
    TRAWL_E2E_REPORT: report,
    TRAWL_E2E_EXTENSION: extension,
  };
}

async function stopped(
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

/** The report, and what was seen from outside. */
export function judged(path: string, problems: readonly string[], lines: readonly string[]): Outcome {
  if (!existsSync(path)) {
    const reason = "the extension host ended without a report";
    return { tests: [], notes: [], problems: [...problems, reason, ...lines.slice(-20)] };
  }
  const report: Report = JSON.parse(readFileSync(path, "utf8"));
  return { ...report, problems: report.tests.length === 0 ? [...problems, "no test ran"] : problems };
}

function hostOptions({ spec, extension, options = {} }: HostSuite, report: string): CodeServerOptions {
  const { vsCode } = target();
  return {
    ...options,
    hasVsix: extension === "vsix",
    arguments: [
      // Extension tests are run in a built product only where the driver of VS Code's own smoke tests is.
      ...(vsCode.takesOptions ? ["--vscode-option", "enable-smoke-test-driver"] : []),
      ...(options.arguments ?? []),
    ],
    environment: { ...hostEnvironment(spec, extension, report), ...options.environment },
  };
}

function payload(server: CodeServer, { extension }: HostSuite): string {
  const remote = (path: string) => `vscode-remote://${new URL(server.url).host}${encodeURI(path)}`;
  const host = join(outFolder, "host");
  // Tests have to lie in the extension under development, so one without anything in it stands in for the packaged one.
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
