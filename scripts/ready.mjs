/**
 * Makes ready and runs: `node scripts/ready.mjs start | test | e2e | bench | check | package`, from a fresh clone on.
 *
 * Packages are installed when the lock file changed, bundles are built when sources changed, and nothing is printed
 * when there is nothing to do. Uses the standard library alone, because it runs before anything is installed, and
 * only syntax that an outdated Node can read far enough to be told so.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const serverBundle = join(root, "dist/server/trawl.js");
const [command, ...words] = process.argv.slice(2);
const commands = { start, test, e2e, bench, check, package: makePackage };

requireNode(20, 19);
if (!Object.hasOwn(commands, command ?? "")) {
  fail(`Say what to do: node scripts/ready.mjs ${Object.keys(commands).join(" | ")}`);
}
await commands[command]();

/** `npm start -- PATH`: the server runs in this process, so that no other one stands between it and its signals. */
async function start() {
  requireGit();
  await prepare("server");
  // npm runs scripts in the package's folder; paths are meant from where the person is.
  if (process.env.npm_lifecycle_event === "start" && process.env.INIT_CWD)
    process.chdir(process.env.INIT_CWD);
  process.argv = [process.execPath, serverBundle, "serve", ...words];
  createRequire(import.meta.url)(serverBundle);
}

/** `npm test -- board`: runs the test files whose path has one of the words in it. */
async function test() {
  requireGit();
  await prepare("all");
  const files = filesBelow("out/test", [])
    .filter((path) => path.endsWith(".test.js"))
    .filter(
      (path) => words.length === 0 || words.some((word) => path.slice("out/test/".length).includes(word)),
    )
    .sort();
  if (files.length === 0)
    fail(words.length === 0 ? "There are no tests." : `No test has ${words.join(" or ")} in its path.`);
  await run(process.execPath, [
    "--enable-source-maps",
    "--test",
    "--test-reporter=spec",
    // Node leaves one core free, and much of a test is waiting for git.
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    ...files,
  ]);
}

/** In a real VS Code, which is installed the first time: what the words mean, `test/e2e/run.ts` says. */
async function e2e() {
  requireGit();
  await prepare("e2e");
  await run(process.execPath, ["--enable-source-maps", "out/e2e/run.js", ...words]);
}

async function bench() {
  requireGit();
  await prepare("all");
  await run(process.execPath, ["--enable-source-maps", "out/test/bench/run.bench.js", ...words]);
}

/** Everything that must be green, all of it even after the first red. */
async function check() {
  await prepare("all");
  const red = [];
  for (const [name, script, ...options] of [
    ["types", "typescript/bin/tsc", "-b"],
    ["lint", "@biomejs/biome/bin/biome", "check"],
    ["knip", "knip/bin/knip.js"],
  ]) {
    console.log(`> ${name}`);
    if ((await exitOf(process.execPath, [join(modules, script), ...options])) !== 0) red.push(name);
  }
  console.log("> test");
  if ((await exitOf(process.execPath, [fileURLToPath(import.meta.url), "test"])) !== 0) red.push("test");
  if (red.length > 0) fail(`Red: ${red.join(", ")}.`);
}

/** `npm run package`: the extension as it is published. */
async function makePackage() {
  if (!installed()) await alone(install);
  await run(process.execPath, [join(root, "scripts/package.mjs"), ...words]);
}

async function prepare(target) {
  if (installed() && outdated(target).length === 0) return;
  await alone(async () => {
    if (!installed()) await install();
    for (const bundles of outdated(target)) await build(bundles);
  });
}

async function install() {
  console.log("Installing packages ...");
  const npm = process.env.npm_execpath;
  const options = ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund"];
  await (npm ? run(process.execPath, [npm, ...options]) : run("npm", options, process.platform === "win32"));
  stamp(join(modules, ".trawl"), lockHash());
}

async function build(bundles) {
  const mark = builtMark(bundles);
  const hash = sourceHash(bundles);
  rmSync(mark, { force: true });
  await run(process.execPath, ["build.mjs", bundles]);
  stamp(mark, hash);
}

/** Which bundles are not those of the sources as they are. */
function outdated(target) {
  const more = { server: [], all: ["client", "tests"], e2e: ["client", "e2e"] }[target];
  return ["server", ...more].filter(
    (bundles) =>
      !isStamped(builtMark(bundles), sourceHash(bundles)) ||
      (bundles === "server" && !existsSync(serverBundle)),
  );
}

function builtMark(bundles) {
  return join(root, "out", `${bundles}.built`);
}

/** Two at once would install and build into each other. Who finds another one at work waits, then looks again. */
async function alone(work) {
  const lock = join(root, "out", "ready.lock");
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (isRunning(lock)) await new Promise((resolve) => setTimeout(resolve, 100));
    else rmSync(lock, { force: true });
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Whether the process that wrote the lock still is; one that has just made it counts, before its number is there. */
function isRunning(lock) {
  try {
    return process.kill(Number(readFileSync(lock, "utf8")), 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** True too when someone ran `npm install` by hand: what npm says is there, is what the lock file asks for. */
function installed() {
  const mark = join(modules, ".trawl");
  const hash = lockHash();
  if (isStamped(mark, hash)) return true;
  const present = join(modules, ".package-lock.json");
  if (existsSync(mark) || !existsSync(present)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const found = JSON.parse(readFileSync(present, "utf8")).packages;
  const complete = Object.entries(wanted).every(
    ([path, entry]) => path === "" || found[path]?.integrity === entry.integrity || !isForHere(entry),
  );
  if (complete) stamp(mark, hash);
  return complete;
}

/** Whether npm would surely install this package on this machine. */
function isForHere({ optional, os, cpu, libc }) {
  if (!optional) return true;
  return (
    os?.includes(process.platform) === true && cpu?.includes(process.arch) === true && libc === undefined
  );
}

function lockHash() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  return hash.update(readFileSync(join(root, "package-lock.json"))).digest("hex");
}

/** Names, sizes and times: reading every file would cost more than a start may. */
function sourceHash(bundles) {
  const sources = ["build.mjs", "package.json", "package-lock.json", "scripts", "server"];
  const hash = createHash("sha256").update(`${process.version} ${process.env.TRAWL_LICENSE_MAKER ?? ""}\n`);
  const more = { server: [], client: ["client"], tests: ["client", "test"], e2e: ["client", "test"] }[
    bundles
  ];
  for (const path of [...sources, ...more].flatMap((path) => filesBelow(path, []))) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\n${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Adds the files of a folder to `found`, as paths from the root, `/`-separated; a file stands for itself. */
function filesBelow(path, found) {
  const place = join(root, path);
  if (!existsSync(place)) return found;
  if (statSync(place).isFile()) {
    found.push(path);
    return found;
  }
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    if (entry.isDirectory()) filesBelow(`${path}/${entry.name}`, found);
    else if (entry.isFile()) found.push(`${path}/${entry.name}`);
  }
  return found;
}

function isStamped(mark, hash) {
  return existsSync(mark) && readFileSync(mark, "utf8") === hash;
}

function stamp(mark, hash) {
  mkdirSync(dirname(mark), { recursive: true });
  writeFileSync(mark, hash);
}

/** Runs a step that the rest depends on: its failure is ours. */
async function run(program, options, shell = false) {
  const code = await exitOf(program, options, shell);
  if (code !== 0) process.exit(code);
}

/** Gives the exit code; while the program runs it has the terminal, and gets the signals that are sent to us alone. */
function exitOf(program, options, shell = false) {
  return new Promise((resolve) => {
    const child = spawn(program, options, { cwd: root, stdio: "inherit", shell });
    const pass = (signal) => child.kill(signal);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, pass);
    const done = (code) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, pass);
      resolve(code);
    };
    child.on("error", (error) => {
      console.error(`${program} did not start: ${error.message}`);
      done(1);
    });
    child.on("close", (code, signal) => done(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

function requireNode(major, minor) {
  const [hasMajor = 0, hasMinor = 0] = process.versions.node.split(".").map(Number);
  if (hasMajor > major || (hasMajor === major && hasMinor >= minor)) return;
  fail(
    `Trawl needs Node ${major}.${minor} or newer; this is ${process.versions.node} (${process.execPath}).`,
  );
}

function requireGit() {
  if (spawnSync("git", ["--version"]).status === 0) return;
  fail("Trawl needs git: install it, and see that `git --version` works in this terminal.");
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
