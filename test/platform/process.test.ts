import assert from "node:assert/strict";
import { test } from "node:test";
import { runProcess, spawnProcess } from "#platform/process";

const node = process.execPath;

test("arguments are passed as they are, and any exit code is a result", async () => {
  const script = "process.stdout.write(JSON.stringify(process.argv.slice(1))); process.exitCode = 3";
  const { stdout, exitCode } = await runProcess(node, ["-e", script, "--", "a b", "$HOME", "'", '"', "*"]);
  assert.deepEqual(JSON.parse(stdout.toString()), ["a b", "$HOME", "'", '"', "*"]);
  assert.equal(exitCode, 3);
});

test("a child gets its input and a small environment", async () => {
  process.env["GIT_DIR"] = "/elsewhere";
  const script =
    "process.stdin.pipe(process.stdout); process.stderr.write(String(process.env.GIT_DIR) + process.env.OWN)";
  const { stdout, stderr } = await runProcess(node, ["-e", script], { input: "given", env: { OWN: "!" } });
  delete process.env["GIT_DIR"];
  assert.equal(stdout.toString(), "given");
  assert.equal(stderr, "undefined!");
});

test("a child may ignore its input", async () => {
  const { exitCode } = await runProcess(node, ["-e", "0"], { input: Buffer.alloc(4_000_000) });
  assert.equal(exitCode, 0);
});

const forever = ["-e", "setInterval(() => process.stdout.write('x'.repeat(1000)), 1)"];

test("a time limit, an output limit, a signal, and a missing program reject", async () => {
  await assert.rejects(runProcess(node, forever, { timeoutMs: 200 }), { code: "TIMED_OUT" });
  await assert.rejects(runProcess(node, forever, { maxOutputBytes: 5000 }), { code: "ANSWER_TOO_LARGE" });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(runProcess(node, forever, { signal: controller.signal }), { code: "CANCELLED" });
  await assert.rejects(runProcess(node, forever, { signal: controller.signal }), { code: "CANCELLED" });
  await assert.rejects(runProcess("/no/such/program", []), {
    code: "UNEXPECTED_ERROR",
    message: /^Cannot start /,
  });
});

test("a long-lived child exchanges data and is killed", async () => {
  const child = spawnProcess(node, [
    "-e",
    "process.stdin.on('data', (data) => process.stdout.write(data + '!'))",
  ]);
  child.stdin.write("one");
  const output = await new Promise((resolve) => child.stdout.once("data", (data) => resolve(String(data))));
  assert.equal(output, "one!");
  child.kill();
  assert.equal(await child.ended, undefined);
});
