/** Runs the job that the parent process sends, and sends its outcome. Started by `job.ts`. */
import { join } from "node:path";
import { runHostSuite } from "#e2e/driver/hostSuite";
import { outFolder, setTarget } from "#e2e/driver/target";
import { launchBrowser, shootWindows } from "#e2e/driver/window";
import type { Job } from "#e2e/job";
import { runMocha } from "#e2e/mochaRun";
import type { Outcome } from "#e2e/report";

async function runJob({ target, specs, extension, endsAtFailure = false }: Job): Promise<Outcome> {
  setTarget(target);
  if (extension === undefined) return await runUiSpec(specs[0] ?? "", endsAtFailure);
  const browser = await launchBrowser();
  try {
    return await runHostSuite(browser, { specs, extension });
  } finally {
    await browser.close();
  }
}

async function runUiSpec(spec: string, endsAtFailure: boolean): Promise<Outcome> {
  const report = await runMocha(join(outFolder, `${spec}.js`), {
    timeoutMs: 120_000,
    onFailure: shootWindows,
    endsAtFailure,
  });
  return { ...report, problems: report.tests.length === 0 ? ["no test ran"] : [] };
}

process.once("message", (job: Job) => {
  runJob(job)
    .catch((error: unknown): Outcome => {
      const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { tests: [], notes: [], problems: [problem] };
    })
    .then((outcome) => process.send?.(outcome, () => process.exit()));
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
process.on("disconnect", () => process.exit(130));
