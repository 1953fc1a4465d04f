/** One run of specs, in a child process of its own. */
import { fork } from "node:child_process";
import { join } from "node:path";
import { outFolder, type Target } from "#e2e/driver/target";
import type { Outcome } from "#e2e/report";

export interface Job {
  readonly title: string;
  readonly target: Target;
  /** Paths of the bundles below `out/e2e`, without `.js`. */
  readonly specs: readonly string[];
  /** How host specs load the extension; absent for a spec of the workbench. */
  readonly extension?: "source" | "vsix";
  /** Whether a spec of the workbench ends at its first failure. */
  readonly endsAtFailure?: boolean;
}

/** Runs a job with `runJob.ts`. A child that ends without a result is a problem of the outcome. */
export function runInChild(job: Job): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = fork(join(outFolder, "runJob.js"), { execArgv: process.execArgv });
    let outcome: Outcome | undefined;
    child.on("message", (message) => {
      outcome = message as Outcome;
    });
    child.on("error", () => undefined);
    child.on("close", (code, signal) => {
      const problem = `The process of the specs ended with ${signal ?? `code ${code}`}.`;
      resolve(outcome ?? { tests: [], notes: [], problems: [problem] });
    });
    child.send(job);
  });
}
