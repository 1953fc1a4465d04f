/** Runs the tests of one bundle with Mocha, in the process that calls it. */
import Mocha from "mocha";
import { type Report, type TestResult, takeNotes } from "#e2e/report";

export interface MochaRunOptions {
  readonly timeoutMs: number;
  /** Whether no further test runs after a failure. */
  readonly endsAtFailure?: boolean;
  /** Called after a failed test, before clean-up. */
  readonly onFailure?: (title: string) => Promise<void>;
}

/** `path` is the absolute path of a bundle. A test that is skipped has not passed. */
export async function runMocha(
  path: string,
  { timeoutMs, onFailure, endsAtFailure = false }: MochaRunOptions,
): Promise<Report> {
  const mocha = new Mocha({
    ui: "bdd",
    timeout: timeoutMs,
    bail: endsAtFailure,
    reporter: function silent() {} as never,
  });
  mocha.rootHooks({
    async afterEach(this: Mocha.Context) {
      if (this.currentTest?.state === "failed") await onFailure?.(this.currentTest.fullTitle());
    },
  });
  // A bundle may run more than once in a process, each time from scratch.
  delete require.cache[path];
  mocha.addFile(path);
  const tests: TestResult[] = [];
  const add = (result: TestResult) => tests.push(result);
  takeNotes();
  await new Promise<void>((resolve, reject) => {
    try {
      const runner = mocha.run(() => {
        // Mocha keeps its listeners of the process otherwise.
        runner.dispose();
        resolve();
      });
      runner.on("pass", (test) =>
        add({ title: test.fullTitle(), isPassed: true, duration: test.duration ?? 0 }),
      );
      runner.on("fail", (test, error: Error) =>
        add({
          title: test.fullTitle(),
          isPassed: false,
          duration: test.duration ?? 0,
          error: error.stack ?? String(error),
        }),
      );
      runner.on("pending", (test) =>
        add({ title: test.fullTitle(), isPassed: false, duration: 0, error: "It was skipped." }),
      );
    } catch (error) {
      reject(error);
    }
  });
  return { tests, notes: takeNotes() };
}
