/**
 * Builds bundles: `node build.mjs [server | client | tests [part of a path …] | e2e] [--watch] [--production]`.
 *
 * Published bundles go to `dist`, or to FOLDER with `--to=FOLDER`. They include their packages, because an installed
 * extension has no `node_modules`. Tests and benchmarks go to `out`, without packages.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";
import { assembly } from "./scripts/assembly.mjs";
import { notices } from "./scripts/notices.mjs";
import { re2jsInternals } from "./scripts/re2jsInternals.mjs";
import { grammarNotices, unpackGrammars } from "./scripts/unpackGrammars.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes("--watch");
/** Whether to build for publishing: minified, without source maps, with third-party notices next to `dist`, in `out/package`. */
const production = process.argv.includes("--production");
const dist =
  process.argv.find((word) => word.startsWith("--to="))?.slice("--to=".length) ??
  (production ? "out/package/dist" : "dist");
const [target = "all", ...names] = process.argv.slice(2).filter((word) => !word.startsWith("-"));
if (!["all", "server", "client", "tests", "e2e"].includes(target)) {
  console.error(
    `Unknown target "${target}". Use server, client, tests or e2e, or omit it to build all of them.`,
  );
  process.exit(1);
}

/** The public key that verifies licenses: 32 bytes of an Ed25519 key in base64url, as `trawl license issue` prints it. */
const licenseMaker = process.env.TRAWL_LICENSE_MAKER ?? "";
if (!/^([\w-]{43})?$/.test(licenseMaker)) {
  console.error(
    `TRAWL_LICENSE_MAKER must be a public key of 43 base64url characters, not "${licenseMaker}".`,
  );
  process.exit(1);
}

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  // Some packages have a UMD build as "main", whose `require` calls a bundler cannot resolve.
  mainFields: ["module", "main"],
  sourcemap: production ? false : "linked",
  minify: production,
  legalComments: "none",
  define: { LICENSE_MAKER: JSON.stringify(licenseMaker) },
  logLevel: "warning",
  metafile: true,
  loader: { ".scm": "text" },
  // Its ES module uses `import.meta.url`, which does not exist in a CommonJS bundle.
  alias: { "web-tree-sitter": join(root, "node_modules/web-tree-sitter/web-tree-sitter.cjs") },
  plugins: [assembly, re2jsInternals],
};

/** Each bundle runs in its own process or thread, or is what such a bundle loads (`…Program`). */
const servers = [
  { entry: "server/src/entry/trawl.ts", banner: "#!/usr/bin/env node" },
  { entry: "server/src/entry/program.ts" },
  { entry: "server/src/entry/searchWorker.ts" },
  { entry: "server/src/entry/searchProgram.ts" },
  { entry: "server/src/entry/indexWorker.ts" },
  { entry: "server/src/entry/indexProgram.ts" },
  { entry: "server/src/entry/storeWorker.ts" },
  { entry: "server/src/entry/symbolWorker.ts" },
  { entry: "server/src/entry/verifyWorker.ts" },
  { entry: "server/src/entry/erase.ts" },
];

/**
 * Large packages that are not always needed, each in a separate file. Compiling all of them would double the start-up
 * time of `trawl search`, and activation of the extension does not need them.
 */
const vendored = {
  server: [
    // Both entry points share state, so they are one file.
    ["@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio"],
    [
      "@opentelemetry/sdk-trace-base",
      "@opentelemetry/api",
      "@opentelemetry/core",
      "@opentelemetry/exporter-trace-otlp-proto",
      "@opentelemetry/resources",
    ],
    "fastify",
    "highlight.js/lib/common",
    "jose",
    "kysely",
    "pg",
    "prom-client",
    "undici",
    "vscode-languageserver/node",
  ],
  client: ["vscode-languageclient/node"],
};
/**
 * Turns `import()` into `require`: a bundle from the code cache has no `import()`, and Node's loader of ES modules would
 * scan a whole vendored file for its exports, which takes longer than compiling it.
 */
const withoutImport = { "dynamic-import": false };
const vendorFile = (names) => `vendor/${[names].flat()[0].replace("@", "").replaceAll("/", "-")}`;
const vendoredPackages = {
  name: "vendoredPackages",
  setup({ onResolve }) {
    for (const names of Object.values(vendored).flat()) {
      for (const name of [names].flat()) {
        onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
          path: `./${vendorFile(names)}.js`,
          external: true,
        }));
      }
    }
  },
};
/** Resolves the entry points of vendored files: modules that export everything from their packages. */
const vendorEntries = {
  name: "vendorEntries",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vendor:/ }, ({ path }) => ({ path, namespace: "vendor" }));
    onLoad({ filter: /^/, namespace: "vendor" }, ({ path }) => ({
      contents: path
        .slice("vendor:".length)
        .split(",")
        .map((name) => `export * from ${JSON.stringify(name)};`)
        .join("\n"),
      resolveDir: root,
    }));
  },
};
const vendorBuild = (part) => ({
  ...common,
  entryPoints: vendored[part].map((names) => ({
    in: Array.isArray(names) ? `vendor:${names}` : names,
    out: vendorFile(names),
  })),
  plugins: [...common.plugins, vendorEntries],
  outdir: `${dist}/${part}`,
  supported: withoutImport,
});

/** Copies SQLite's WebAssembly, which its package loads from the folder of the bundle. */
const sqlite = {
  name: "sqlite",
  setup({ onEnd }) {
    const name = "node-sqlite3-wasm.wasm";
    onEnd(() =>
      copyFile(join(root, "node_modules/node-sqlite3-wasm/dist", name), join(root, dist, "server", name)),
    );
  },
};

/** Copies the programs that answer git's requests for credentials, and run ssh for it (`git/mirror/networkGit.ts`). */
const credentialHelper = {
  name: "credentialHelper",
  setup({ onEnd }) {
    onEnd(async () => {
      const folder = join(root, dist, "server/credentialHelper");
      await mkdir(folder, { recursive: true });
      for (const name of ["git-credential-trawl", "git-ssh-trawl"]) {
        await copyFile(join(root, "server/src/git/mirror", name), join(folder, name));
        await chmod(join(folder, name), 0o755);
      }
    });
  },
};

const serverBuilds = servers.map(({ entry, banner }) => ({
  ...common,
  entryPoints: [entry],
  outdir: `${dist}/server`,
  supported: withoutImport,
  plugins: [
    ...common.plugins,
    vendoredPackages,
    ...(entry.endsWith("/storeWorker.ts") ? [sqlite, credentialHelper] : []),
  ],
  ...(banner === undefined ? {} : { banner: { js: banner } }),
}));

/**
 * Imports VS Code's API with a plain `require`. For each importing file, esbuild would copy its hundreds of names, which
 * would take half of the time to load the extension.
 */
const plainVsCode = {
  name: "plainVsCode",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]client[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text.replace(
        /^import \* as vscode from "vscode";$/m,
        'const vscode = require("vscode");',
      );
      return { contents, loader: "ts" };
    });
  },
};

const clientBuilds = [
  {
    ...common,
    entryPoints: ["client/src/extension.ts"],
    outdir: `${dist}/client`,
    external: ["vscode"],
    plugins: [vendoredPackages, plainVsCode],
  },
  { ...vendorBuild("client"), external: ["vscode"] },
  {
    ...common,
    entryPoints: ["client/webview/search.ts", "client/webview/table.ts"],
    outdir: `${dist}/webview`,
    platform: "browser",
    format: "iife",
    target: "es2023",
    sourcemap: false,
    plugins: [],
  },
];

// The container image is built without tests.
const testFiles = (
  existsSync(join(root, "test")) ? readdirSync(join(root, "test"), { recursive: true }) : []
).map((path) => `test/${path.replaceAll("\\", "/")}`);

const testBuild = {
  ...common,
  entryPoints: testFiles
    .filter((path) => /\.(test|bench|campaign)\.ts$/.test(path))
    .filter((path) => names.length === 0 || names.some((name) => path.includes(name)))
    .sort(),
  outbase: "test",
  outdir: "out/test",
  // Every test process parses its source map; without the sources it is a third as long.
  sourcesContent: false,
  packages: "external",
  // The module `vscode` exists only in an extension host.
  alias: { vscode: "./test/support/vscode.ts" },
  logOverride: { "import-is-undefined": "silent" },
};

const endToEndBuild = {
  ...common,
  entryPoints: [
    "test/e2e/run.ts",
    "test/e2e/runJob.ts",
    "test/e2e/host/run.ts",
    ...testFiles.filter((path) => /\.(e2e|ui)\.ts$/.test(path)).sort(),
  ],
  outbase: "test/e2e",
  outdir: "out/e2e",
  external: ["vscode"],
  packages: "external",
};

const isSelected = (name) =>
  target === "all" ? !production || ["server", "client"].includes(name) : target === name;
const builds = [
  ...(isSelected("server") ? [...serverBuilds, vendorBuild("server")] : []),
  ...(isSelected("client") ? clientBuilds : []),
  ...(isSelected("tests") ? [testBuild] : []),
  ...(isSelected("e2e") ? [endToEndBuild] : []),
];

if (watch) {
  if (isSelected("server")) unpackGrammars(join(root, dist, "grammars"));
  for (const options of builds) await (await context({ ...options, logLevel: "info" })).watch();
} else {
  try {
    if (isSelected("server")) unpackGrammars(join(root, dist, "grammars"));
    const results = await Promise.all(builds.map(build));
    for (const [index, options] of builds.entries()) removeStale(options, results[index]);
    if (production) {
      const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
      const texts = [notices(root, inputs), grammarNotices()];
      writeFileSync(
        join(root, dirname(dist), "ThirdPartyNotices.txt"),
        texts.join(`\n${"-".repeat(80)}\n\n`),
      );
    }
  } catch (error) {
    // esbuild has printed its own errors. Any other error is a bug in this file or in a plugin.
    if (!("errors" in error)) throw error;
    process.exitCode = 1;
  }
}

/** Removes bundles of deleted or renamed tests, so that they do not run. */
function removeStale(options, { metafile }) {
  if ((options !== testBuild && options !== endToEndBuild) || names.length > 0) return;
  const folder = join(root, options.outdir);
  const written = new Set(Object.keys(metafile.outputs).map((path) => join(root, path)));
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const isBundle = /\.js(\.map)?$/.test(path);
    if (entry.isFile() && isBundle && !written.has(path)) rmSync(path);
  }
}
