/**
 * Prepares and runs a command: `node scripts/ready.mjs start | test | e2e | bench | campaign | check | package |
 * package:npm`, or only prepares (`prepare`). Works in a fresh clone.
 *
 * Installs packages if the lock file has changed, builds bundles if sources have changed, and prints nothing otherwise.
 * Uses only Node's standard library, because it runs before packages are installed, and only syntax that an outdated
 * Node can parse, so that it can report the required version.
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
const commands = {
  start,
  test,
  e2e,
  bench,
  campaign,
  check,
  package: makePackage,
  "package:npm": makeNpmPackage,
  prepare: () => prepare("all"),
};

requireNode(20, 19);
if (!Object.hasOwn(commands, command ?? "")) {
  fail(`Usage: node scripts/ready.mjs ${Object.keys(commands).join(" | ")}`);
}
await commands[command]();

/** `npm start -- PATH`: runs the server in this process, so that it receives signals directly. */
async function start() {
  requireGit();
  await prepare("server");
  // npm runs scripts in the package's folder, but paths are relative to the user's directory.
  if (process.env.npm_lifecycle_event === "start" && process.env.INIT_CWD)
    process.chdir(process.env.INIT_CWD);
  process.argv = [process.execPath, serverBundle, "serve", ...words];
  createRequire(import.meta.url)(serverBundle);
}

/** `npm test -- words`: runs the test files whose path contains one of the words. `--watch` reruns them on every change. */
async function test() {
  requireGit();
  await prepare("all");
  const parts = words.filter((word) => word !== "--watch");
  const isWatching = parts.length < words.length;
  const files = filesBelow("out/test", [])
    .filter((path) => path.endsWith(".test.js"))
    .filter(
      (path) => parts.length === 0 || parts.some((part) => path.slice("out/test/".length).includes(part)),
    )
    .sort();
  if (files.length === 0)
    fail(parts.length === 0 ? "There are no tests." : `No test has ${parts.join(" or ")} in its path.`);
  const builds = isWatching ? ["server", "tests"].map((bundles) => watchBuild([bundles, ...parts])) : [];
  try {
    await run(process.execPath, [
      "--enable-source-maps",
      "--test",
      ...(isWatching ? ["--watch"] : []),
      "--test-reporter=spec",
      // By default Node leaves one core free, but tests often wait for git and timers.
      `--test-concurrency=${availableParallelism() + 1}`,
      ...files,
    ]);
  } finally {
    for (const build of builds) build.kill();
  }
}

/** Rebuilds bundles whenever one of their sources changes. */
function watchBuild(options) {
  return spawn(process.execPath, ["build.mjs", ...options, "--watch"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Runs the end-to-end tests in VS Code, which is installed the first time. `test/e2e/run.ts` documents the options. */
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

async function campaign() {
  requireGit();
  await prepare("all");
  await run(process.execPath, ["--enable-source-maps", "out/test/campaigns/run.campaign.js", ...words]);
}

/** Runs all checks, even after one has failed. */
async function check() {
  await prepare("all");
  const failed = [];
  for (const [name, script, ...options] of [
    ["types", "typescript/bin/tsc", "-b"],
    ["lint", "@biomejs/biome/bin/biome", "check"],
    ["knip", "knip/bin/knip.js"],
  ]) {
    console.log(`> ${name}`);
    if ((await exitOf(process.execPath, [join(modules, script), ...options])) !== 0) failed.push(name);
  }
  console.log("> test");
  if ((await exitOf(process.execPath, [fileURLToPath(import.meta.url), "test"])) !== 0) failed.push("test");
  if (failed.length > 0) fail(`Failed: ${failed.join(", ")}.`);
}

/** `npm run package`: builds the package of the extension. */
async function makePackage() {
  if (!installed()) await withLock(install);
  await run(process.execPath, [join(root, "scripts/package.mjs"), ...words]);
}

/** `npm run package:npm`: builds the npm package of the server and the command line. */
async function makeNpmPackage() {
  if (!installed()) await withLock(install);
  await run(process.execPath, [join(root, "scripts/npmPackage.mjs"), ...words]);
}

async function prepare(target) {
  if (installed() && outdated(target).length === 0) return;
  await withLock(async () => {
    if (!installed()) await install();
    for (const bundles of outdated(target)) await build(bundles);
  });
}

async function install() {
  console.log("Installing packages ...");
  const npm = process.env.npm_execpath;
  const options = ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund"];
  await (npm ? run(process.execPath, [npm, ...options]) : run("npm", options, process.platform === "win32"));
  writeStamp(join(modules, ".trawl"), lockHash());
}

async function build(bundles) {
  const stampFile = buildStampFile(bundles);
  const hash = sourceHash(bundles);
  rmSync(stampFile, { force: true });
  await run(process.execPath, ["build.mjs", bundles]);
  writeStamp(stampFile, hash);
}

/** Returns the bundles that are out of date. */
function outdated(target) {
  const more = { server: [], all: ["client", "tests"], e2e: ["client", "e2e"] }[target];
  return ["server", ...more].filter(
    (bundles) =>
      !isStamped(buildStampFile(bundles), sourceHash(bundles)) ||
      (bundles === "server" && !existsSync(serverBundle)),
  );
}

function buildStampFile(bundles) {
  return join(root, "out", `${bundles}.built`);
}

/** Runs `work` under a lock, so that concurrent commands do not install or build at the same time. */
async function withLock(work) {
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

/** Reports whether the process that holds the lock still runs. A new lock may not contain its process id yet. */
function isRunning(lock) {
  try {
    return process.kill(Number(readFileSync(lock, "utf8")), 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Reports whether the packages of the lock file are installed, even by `npm install`. */
function installed() {
  const stampFile = join(modules, ".trawl");
  const hash = lockHash();
  if (isStamped(stampFile, hash)) return true;
  const present = join(modules, ".package-lock.json");
  if (existsSync(stampFile) || !existsSync(present)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const found = JSON.parse(readFileSync(present, "utf8")).packages;
  const complete = Object.entries(wanted).every(
    ([path, entry]) => path === "" || found[path]?.integrity === entry.integrity || !isForHere(entry),
  );
  if (complete) writeStamp(stampFile, hash);
  return complete;
}

/** Reports whether npm certainly installs this package on this machine. */
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

/** Hashes names, sizes and modification times, because reading every file would take too long at every start. */
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

/** Adds a file, or all files below a folder, to `found`, as `/`-separated paths from the root. */
function filesBelow(path, found) {
  const absolute = join(root, path);
  if (!existsSync(absolute)) return found;
  if (statSync(absolute).isFile()) {
    found.push(path);
    return found;
  }
  for (const entry of readdirSync(absolute, { withFileTypes: true })) {
    if (entry.isDirectory()) filesBelow(`${path}/${entry.name}`, found);
    else if (entry.isFile()) found.push(`${path}/${entry.name}`);
  }
  return found;
}

function isStamped(stampFile, hash) {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === hash;
}

function writeStamp(stampFile, hash) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, hash);
}

/** Runs a required step, and exits with its code if it fails. */
async function run(program, options, shell = false) {
  const code = await exitOf(program, options, shell);
  if (code !== 0) process.exit(code);
}

/** Runs a program in this terminal, forwards signals to it, and returns its exit code. */
function exitOf(program, options, shell = false) {
  return new Promise((resolve) => {
    const child = spawn(program, options, { cwd: root, stdio: "inherit", shell });
    const forward = (signal) => child.kill(signal);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward);
    const done = (code) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, forward);
      resolve(code);
    };
    child.on("error", (error) => {
      console.error(`Cannot start ${program}: ${error.message}`);
      done(1);
    });
    child.on("close", (code, signal) => done(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

function requireNode(major, minor) {
  const [hasMajor = 0, hasMinor = 0] = process.versions.node.split(".").map(Number);
  if (hasMajor > major || (hasMajor === major && hasMinor >= minor)) return;
  fail(
    `Trawl needs Node.js ${major}.${minor} or newer. This is ${process.versions.node} (${process.execPath}).`,
  );
}

function requireGit() {
  if (spawnSync("git", ["--version"]).status === 0) return;
  fail("Trawl needs git. Install it, and check that `git --version` works in this terminal.");
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
