/** What the extension makes of its server's failures, lines and ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callError } from "#client/callError";
import { Crashes } from "#client/crashes";
import { readLogLine } from "#client/serverLog";

function checkError(name: string, error: unknown, expected: string): void {
  test(`a call fails: ${name}`, () => {
    const { errorCode, message } = callError(error);
    assert.equal(`${errorCode}: ${message}`, expected);
  });
}

checkError(
  "with the contract's error",
  {
    code: -32803,
    message: "x",
    data: { statusCode: 404, errorCode: "NOT_FOUND", message: "There is no r." },
  },
  "NOT_FOUND: There is no r.",
);
checkError(
  "because the server ended",
  { code: -32097, message: "Pending response rejected" },
  "SERVER_GONE: Pending response rejected",
);
checkError(
  "because it does not start",
  new Error("Starting server failed"),
  "SERVER_GONE: Starting server failed",
);
checkError(
  "because an older server does not know it",
  { code: -32601, message: "Unhandled method" },
  "UNEXPECTED_ERROR: Unhandled method",
);

function checkCrashes(name: string, seconds: readonly number[], expected: string): void {
  test(`a server that ends ${name}`, () => {
    const crashes = new Crashes();
    const answers = seconds.map((second) => (crashes.mayStartAgain(second * 1000) ? "again" : "left"));
    assert.equal(answers.join(" "), expected);
  });
}

checkCrashes("now and then starts again", [0, 60, 120, 180, 240, 300], "again again again again again again");
checkCrashes("five times in a row is left alone", [0, 1, 2, 3, 4], "again again again again left");
checkCrashes("five times in three minutes, too", [0, 40, 80, 120, 179], "again again again again left");
checkCrashes("a fifth time later starts again", [0, 40, 80, 120, 180], "again again again again again");

test("a restart by hand begins the count anew", () => {
  const crashes = new Crashes();
  for (const time of [0, 1, 2, 3]) crashes.mayStartAgain(time);
  crashes.forget();
  assert.equal(crashes.mayStartAgain(4), true);
});

function checkLine(line: string, expected: string): void {
  test(`the server writes: ${line.slice(0, 50)}`, () => {
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
