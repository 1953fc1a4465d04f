/** Runs a spec in a desktop VS Code: the one at `VSCODE_PATH`, or one that `@vscode/test-electron` downloads. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTests } from "@vscode/test-electron";
import { hostEnvironment, outcomeOf, reportPath } from "#e2e/driver/hostSuite";
import { outFolder, projectFolder } from "#e2e/driver/target";
import type { Outcome } from "#e2e/report";
import { makeOrganization } from "./organization";

export async function runDesktopSuite(spec: string): Promise<Outcome> {
  // A socket path may have at most 103 characters on macOS.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "te-")));
  const report = reportPath([spec], "source");
  const problems: string[] = [];
  try {
    const { folder, repositories } = makeOrganization(join(root, "acme"));
    const path = process.env["VSCODE_PATH"];
    await runTests({
      ...(path === undefined ? {} : { vscodeExecutablePath: path }),
      extensionDevelopmentPath: projectFolder,
      extensionTestsPath: join(outFolder, "host/run"),
      extensionTestsEnv: {
        ...hostEnvironment([spec], "source", report),
        TRAWL_E2E_ORGANIZATION: folder,
        XDG_DATA_HOME: join(root, "share"),
      },
      launchArgs: [
        repositories["orders-api"].path,
        "--disable-workspace-trust",
        "--disable-extensions",
        "--skip-welcome",
        "--skip-release-notes",
        "--disable-telemetry",
        ...["--user-data-dir", join(root, "d"), "--extensions-dir", join(root, "e")],
      ],
    });
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
  return outcomeOf(report, problems, []);
}
