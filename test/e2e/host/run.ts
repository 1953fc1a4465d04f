/** The entry point that VS Code calls inside the extension host. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { runMocha } from "#e2e/mochaRun";
import type { Report } from "#e2e/report";

export async function run(): Promise<void> {
  const path = process.env["TRAWL_E2E_REPORT"] ?? "";
  const specs: readonly string[] = JSON.parse(process.env["TRAWL_E2E_SPECS"] ?? "[]");
  const reports: Report[] = [];
  for (const spec of specs) {
    if (reports.length > 0) await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    reports.push(await runMocha(spec, { timeoutMs: 60_000 }));
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.draft`, JSON.stringify(reports, null, 2));
  renameSync(`${path}.draft`, path);
  if (reports.some(({ tests }) => tests.some(({ isPassed }) => !isPassed)))
    throw new Error("Some tests failed.");
}
