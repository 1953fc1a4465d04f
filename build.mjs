/**
 * Builds everything: `node build.mjs [server | tests [part of a name …]] [--watch]`.
 *
 * What ships goes to `dist` with every package inside it, for an installed extension has no `node_modules`. Tests and
 * benches go to `out` and leave packages outside.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";
import { assembly } from "./scripts/assembly.mjs";
import { re2jsInternals } from "./scripts/re2jsInternals.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes("--watch");
const [target = "all", ...names] = process.argv.slice(2).filter((word) => !word.startsWith("-"));
if (!["all", "server", "tests"].includes(target)) {
  console.error(`There is no target "${target}": server, tests, or none for both.`);
  process.exit(1);
}

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  // Some packages have a UMD build as "main", whose requires no bundler can follow.
  mainFields: ["module", "main"],
  sourcemap: "linked",
  logLevel: "warning",
  metafile: true,
  plugins: [assembly, re2jsInternals],
};

/** One process or thread each. */
const servers = [
  { entry: "server/src/entry/trawl.ts", banner: "#!/usr/bin/env node" },
  { entry: "server/src/entry/searchWorker.ts" },
  { entry: "server/src/entry/indexWorker.ts" },
];

/**
 * Large packages that only some commands need, each in a file of its own: compiling them all would double the time that
 * `trawl search` takes to start.
 */
const vendored = ["fastify", "undici", "vscode-languageserver/node"];
const vendorFile = (name) => `vendor/${name.replace("/", "-")}`;
const apart = {
  name: "apart",
  setup({ onResolve }) {
    for (const name of vendored) {
      onResolve({ filter: new RegExp(`^${name}$`) }, ({ kind }) =>
        kind === "entry-point" ? undefined : { path: `./${vendorFile(name)}.js`, external: true },
      );
    }
  },
};

const serverBuilds = servers.map(({ entry, banner }) => ({
  ...common,
  entryPoints: [entry],
  outdir: "dist/server",
  plugins: [...common.plugins, apart],
  ...(banner === undefined ? {} : { banner: { js: banner } }),
}));

const vendorBuild = {
  ...common,
  entryPoints: vendored.map((name) => ({ in: name, out: vendorFile(name) })),
  outdir: "dist/server",
};

const testBuild = {
  ...common,
  entryPoints: readdirSync(join(root, "test"), { recursive: true })
    .map((path) => `test/${path.replaceAll("\\", "/")}`)
    .filter((path) => /\.(test|bench)\.ts$/.test(path))
    .filter((path) => names.length === 0 || names.some((name) => path.includes(name)))
    .sort(),
  outbase: "test",
  outdir: "out/test",
  packages: "external",
};

const builds = [
  ...(target === "tests" ? [] : [...serverBuilds, vendorBuild]),
  ...(target === "server" ? [] : [testBuild]),
];

if (watch) {
  for (const options of builds) await (await context({ ...options, logLevel: "info" })).watch();
} else {
  try {
    await Promise.all(builds.map(async (options) => removeStale(options, await build(options))));
  } catch (error) {
    // esbuild has printed its own errors; anything else is a defect of this file or of a plugin.
    if (!("errors" in error)) throw error;
    process.exitCode = 1;
  }
}

/** A test that was deleted or renamed must not run from its old bundle. */
function removeStale(options, { metafile }) {
  if (options !== testBuild || names.length > 0) return;
  const folder = join(root, options.outdir);
  const written = new Set(Object.keys(metafile.outputs).map((path) => join(root, path)));
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile() && !written.has(path)) rmSync(path);
  }
}
