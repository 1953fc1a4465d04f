/** Tests that the end-to-end tests can fail. */
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import type { CodeServer } from "#e2e/driver/codeServer";
import { type HostSuite, runHostSuite } from "#e2e/driver/hostSuite";
import { processesOf } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { launchBrowser } from "#e2e/driver/window";
import { isRed, type Outcome } from "#e2e/report";
import { eventually } from "#test/support/eventually";

describe("a suite fails", () => {
  let browser: Browser;

  before(async () => {
    browser = await launchBrowser();
  });

  after(() => browser?.close());

  function run(suite: Omit<HostSuite, "extension">): Promise<Outcome> {
    return runHostSuite(browser, { extension: "source", ...suite });
  }

  // One window for all of these, because opening it takes longer than the suites.
  it("when a test fails, it is empty, Trawl's server cannot start, or a process is left behind", async () => {
    const { tests, notes, problems } = await run({
      specs: ["failing", "empty", "searching", "orphan"].map((name) => `controls/${name}.e2e`),
      options: { settings: { "trawl.server.path": "/nowhere/trawl.js" }, exitLimitMs: 8_000 },
    });
    assert.deepEqual(
      tests.map(({ title, isPassed }) => `${title}: ${isPassed}`),
      [
        "a test that passes: true",
        "a test that fails: false",
        "a search finds something: false",
        "a process that stays: true",
      ],
    );
    assert.match(problems[0] ?? "", /^Still running after VS Code exited:\n(.*\n)*\d+ sleep 1000/);
    assert.deepEqual(problems.slice(1), ["no test ran"]);
    // Each of them is enough.
    const passed = tests.filter(({ isPassed }) => isPassed);
    assert.equal(isRed({ tests: passed, notes, problems: [] }), false);
    assert.equal(isRed({ tests, notes, problems: [] }), true);
    for (const problem of problems) assert.equal(isRed({ tests: passed, notes, problems: [problem] }), true);
  });

  it("when the extension host is killed", async () => {
    const outcome = await run({ specs: ["controls/killed.e2e"] });
    assert.equal(outcome.problems[0], "the extension host ended without a report");
    assert.equal(isRed(outcome), true);
  });

  it("when VS Code's server is killed", async () => {
    const outcome = await run({
      specs: ["controls/waiting.e2e"],
      meanwhile: async ({ root }: CodeServer) => {
        const find = () => processesOf(root).find(({ command }) => command.includes("extensionHost"));
        await eventually(find, 60_000);
        const server = processesOf(root).find(({ command }) =>
          command.includes("code-server/out/node/entry"),
        );
        kill(server?.pid ?? 0, "SIGKILL");
      },
    });
    assert.match(outcome.problems.join("\n"), /code-server ended/);
    assert.equal(isRed(outcome), true);
  });
});
