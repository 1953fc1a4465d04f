/** How the extension handles failures, log lines and crashes of its server. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { callError } from "#client/server/callError";
import { Crashes } from "#client/server/crashes";
import { runProgram } from "#client/server/runProgram";
import { readLogLine } from "#client/server/serverLog";
import { serverCommands } from "#client/status/serverCommands";
import { eventually } from "#test/support/eventually";
import { window } from "#test/support/vscode";
import { isAlive } from "#test/support/watchedGit";

function checkError(name: string, error: unknown, expected: string): void {
  test(`a failed call: ${name}`, () => {
    const { errorCode, message } = callError(error);
    assert.equal(`${errorCode}: ${message}`, expected);
  });
}

checkError(
  "the contract's error",
  {
    code: -32803,
    message: "x",
    data: { statusCode: 404, errorCode: "NOT_FOUND", message: "There is no r." },
  },
  "NOT_FOUND: There is no r.",
);
checkError(
  "the server crashed",
  { code: -32097, message: "Pending response rejected" },
  "SERVER_GONE: Pending response rejected",
);
checkError(
  "the server does not start",
  new Error("Starting server failed"),
  "SERVER_GONE: Starting server failed",
);
checkError(
  "an older server does not support the operation",
  { code: -32601, message: "Unhandled method" },
  "UNEXPECTED_ERROR: Unhandled method",
);

function checkCrashes(name: string, seconds: readonly number[], expected: string): void {
  test(`a server that crashes ${name}`, () => {
    const crashes = new Crashes();
    const decisions = seconds.map((second) => (crashes.mayRestart(second * 1000) ? "restart" : "stop"));
    assert.equal(decisions.join(" "), expected);
  });
}

checkCrashes(
  "now and then is restarted",
  [0, 60, 120, 180, 240, 300],
  "restart restart restart restart restart restart",
);
checkCrashes("five times in a row is not restarted", [0, 1, 2, 3, 4], "restart restart restart restart stop");
checkCrashes(
  "five times in three minutes is not restarted",
  [0, 40, 80, 120, 179],
  "restart restart restart restart stop",
);
checkCrashes(
  "a fifth time after three minutes is restarted",
  [0, 40, 80, 120, 180],
  "restart restart restart restart restart",
);

test("a manual restart resets the count", () => {
  const crashes = new Crashes();
  for (const time of [0, 1, 2, 3]) crashes.mayRestart(time);
  crashes.reset();
  assert.equal(crashes.mayRestart(4), true);
});

function checkLine(line: string, expected: string): void {
  test(`a line from the server: ${line.slice(0, 50)}`, () => {
    const { level, text } = readLogLine(line);
    assert.equal(`${level}: ${text}`, expected);
  });
}

checkLine(
  '{"time":"2026-01-01T00:00:00.000Z","level":"warn","message":"A shard is damaged.","shard":7}',
  'warn: A shard is damaged. {"shard":7}',
);
checkLine('{"time":"2026-01-01T00:00:00.000Z","level":"info","message":"Ready."}', "info: Ready.");
checkLine('{"level":"loud","message":"x"}', 'info: {"level":"loud","message":"x"}');
checkLine("{broken", "info: {broken");
checkLine("Debugger listening on ws://127.0.0.1:9229", "info: Debugger listening on ws://127.0.0.1:9229");
checkLine("TypeError: x is not a function", "error: TypeError: x is not a function");
checkLine("    at run (trawl.js:1:1)", "error:     at run (trawl.js:1:1)");
checkLine("FATAL ERROR: out of memory", "error: FATAL ERROR: out of memory");

test("a program that does not finish in time is killed, and the message names it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "endless.cjs");
  const pidFile = join(folder, "pid");
  writeFileSync(
    path,
    'require("node:fs").writeFileSync(process.argv[2], String(process.pid)); setInterval(() => {}, 1000);',
  );
  const running = runProgram(path, [pidFile], 2_000);
  await assert.rejects(running, { message: new RegExp(`^${path} did not finish within 2 s\\.`) });
  // The program may have been killed before it could write the file.
  await eventually(() => !existsSync(pidFile) || !isAlive(Number(readFileSync(pidFile, "utf8"))));
});

test("the output and the exit code of a program are those that it has", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "short.cjs");
  writeFileSync(path, 'console.log("  out  "); console.error("why"); process.exitCode = 3;');
  const output = await runProgram(path, []);
  assert.deepEqual(output, { code: 3, stdout: "out", stderr: "why" });
});

test("all data is deleted even if the endpoint cannot be forgotten", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "eraser.cjs");
  writeFileSync(path, 'require("node:fs").writeFileSync(process.argv[2], "");');
  Object.assign(window, {
    showWarningMessage: async () => "Delete All Data",
    withProgress: (_: unknown, run: () => unknown) => run(),
  });
  const erased = join(folder, "erased");
  const commands = serverCommands({
    service: { state: "failed", restart: (between: () => Promise<void>) => between() },
    eraser: { path, arguments: () => [erased] },
    onErase: () => Promise.reject(new Error("disk")),
  } as never);
  await assert.rejects(async () => commands["data.delete"](), /disk/);
  assert.ok(existsSync(erased));
});
