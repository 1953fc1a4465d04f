/** Runs the tests of one bundle with Mocha, in the process that calls it. */
import Mocha from "mocha";
import { type Report, type TestResult, takeNotes } from "#e2e/report";

export interface MochaRunOptions {
  readonly timeoutMs: number;
  /** Looks at what a failed test has left, before it is cleaned up. */
  readonly onFailure?: (title: string) => Promise<void>;
}

/** `path` is the absolute path of a bundle. A test that is skipped has not passed. */
export async function runMocha(path: string, { timeoutMs, onFailure }: MochaRunOptions): Promise<Report> {
  const mocha = new Mocha({ ui: "bdd", timeout: timeoutMs, reporter: function silent() {} as never });
  mocha.rootHooks({
    async afterEach(this: Mocha.Context) {
      if (this.currentTest?.state === "failed") await onFailure?.(this.currentTest.fullTitle());
    },
  });
  // A bundle may run more than once in a process, and is to begin anew.
  delete require.cache[path];
  mocha.addFile(path);
  const tests: TestResult[] = [];
  const add = (result: TestResult) => tests.push(result);
  takeNotes();
  await new Promise<void>((resolve, reject) => {
    try {
      const runner = mocha.run(() => resolve());
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
