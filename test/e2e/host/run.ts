/** What VS Code calls inside the extension host. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { runMocha } from "#e2e/mochaRun";

export async function run(): Promise<void> {
  const path = process.env["TRAWL_E2E_REPORT"] ?? "";
  const report = await runMocha(process.env["TRAWL_E2E_SPEC"] ?? "", { timeoutMs: 60_000 });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.draft`, JSON.stringify(report, null, 2));
  renameSync(`${path}.draft`, path);
  if (report.tests.some(({ isPassed }) => !isPassed)) throw new Error("Some tests failed.");
}
