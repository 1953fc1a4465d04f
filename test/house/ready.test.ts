import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { projectRoot } from "#test/support/house";

/** A minimal project with the real script, in a folder whose name contains spaces. */
const root = join(mkdtempSync(join(tmpdir(), "trawl ready ")), "a project");
after(() => rmSync(dirname(root), { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const build = `
  import { appendFileSync, cpSync } from "node:fs";
  appendFileSync("builds", process.argv[2] + "\\n");
  cpSync("server", "dist/server", { recursive: true });
  cpSync("test", "out/test", { recursive: true });
`;
const server = `
  if (process.argv.includes("--wait")) {
    const timer = setInterval(() => {}, 1000);
    process.on("SIGTERM", () => { clearInterval(timer); console.log("stopped"); });
  }
  console.log(JSON.stringify({ words: process.argv.slice(2), folder: process.cwd() }));
`;
cpSync(join(projectRoot(), "scripts/ready.mjs"), join(root, "scripts/ready.mjs"));
write("package.json", "{}");
write(
  "package-lock.json",
  '{ "packages": { "": {}, "node_modules/other": { "optional": true, "os": ["none"] } } }',
);
write("node_modules/.package-lock.json", '{ "packages": {} }');
write("build.mjs", build);
write("server/trawl.js", server);
write("test/good.test.js", 'require("node:test").test("good", () => {});');

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

function ready(
  words: readonly string[],
  onOutput?: (text: string, kill: () => void) => void,
): Promise<Outcome> {
  const environment = { ...process.env, npm_lifecycle_event: "start", INIT_CWD: tmpdir() };
  // Node's test runner marks its child processes as tests; these must run on their own.
  const { NODE_TEST_CONTEXT: _, ...env } = environment as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [join(root, "scripts/ready.mjs"), ...words], { cwd: root, env });
  let out = "";
  let error = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    onOutput?.(out, () => child.kill("SIGTERM"));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    error += text;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, error })));
}

function builds(): string[] {
  const text = readFileSync(join(root, "builds"), "utf8");
  rmSync(join(root, "builds"));
  write("builds", "");
  return text.split("\n").filter(Boolean);
}

test("start builds once, and runs in the user's directory", async () => {
  const first = await ready(["start", "some path", "--port", "0"]);
  assert.equal(first.code, 0, first.error);
  const { words, folder } = JSON.parse(first.out);
  assert.deepEqual(words, ["serve", "some path", "--port", "0"]);
  assert.equal(folder, tmpdir());
  assert.deepEqual(builds(), ["server"]);
  assert.equal((await ready(["start"])).code, 0);
  assert.deepEqual(builds(), []);
  write("server/more.js", "");
  await Promise.all([ready(["start"]), ready(["start"])]);
  assert.deepEqual(builds(), ["server"], "concurrent starts build once");
});

test("a signal reaches the server itself, and its exit code is kept", async () => {
  const { code, out } = await ready(["start", "--wait"], (text, kill) => {
    if (!text.includes("stopped")) kill();
  });
  assert.match(out, /stopped/);
  assert.equal(code, 0);
});

test("tests are selected by part of their path, and a failure fails the run", async () => {
  const good = await ready(["test", "good"]);
  assert.equal(good.code, 0, good.error);
  assert.match(good.out, /pass 1/);
  const none = await ready(["test", "nowhere"]);
  assert.deepEqual([none.code, none.error], [1, "No test has nowhere in its path.\n"]);
  write("test/bad.test.js", 'require("node:test").test("bad", () => { throw new Error("no"); });');
  const all = await ready(["test"]);
  assert.equal(all.code, 1);
  assert.match(all.out, /fail 1/);
  rmSync(join(root, "test/bad.test.js"));
});

test("a failed build ends the run, and the next run builds again", async () => {
  builds();
  write("build.mjs", "process.exit(3);");
  assert.equal((await ready(["start"])).code, 3);
  write("build.mjs", build);
  assert.equal((await ready(["start"])).code, 0);
  assert.deepEqual(builds(), ["server"]);
});

test("no command, or an unknown one, prints the usage", async () => {
  const { code, error } = await ready(["stat"]);
  assert.equal(code, 1);
  assert.match(error, /start \| test \| e2e \| bench \| campaign \| check \| package/);
});
