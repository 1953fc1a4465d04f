/**
 * esbuild plugin: lets a bundle import `x.wasm`, compiled from the AssemblyScript file `x.ts` in the same folder.
 *
 * Loading the compiler takes a second or two, so its output is cached in `out/wasm` under the hash of its inputs.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { writeAtomically } from "./writeAtomically.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const options = [
  "-O3",
  "--noAssert",
  "--runtime",
  "stub",
  "--enable",
  "simd",
  "--importMemory",
  "--memoryBase",
  "64",
];

export const assembly = {
  name: "assembly",
  setup(build) {
    build.onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      namespace: "assembly",
    }));
    build.onLoad({ filter: /.*/, namespace: "assembly" }, async ({ path }) => {
      const folder = dirname(path);
      const sources = readdirSync(folder)
        .filter((name) => name.endsWith(".ts"))
        .sort()
        .map((name) => join(folder, name));
      return {
        contents: await compile(path.replace(/\.wasm$/, ".ts"), sources),
        loader: "binary",
        watchFiles: sources,
        watchDirs: [folder],
      };
    });
  },
};

async function compile(entry, sources) {
  const version = readFileSync(join(root, "node_modules/assemblyscript/package.json"), "utf8");
  const hash = createHash("sha256").update(version).update(options.join(" "));
  for (const source of sources) hash.update(source).update(readFileSync(source));
  const cachedFile = join(
    root,
    "out/wasm",
    `${basename(entry, ".ts")}-${hash.digest("hex").slice(0, 16)}.wasm`,
  );
  if (existsSync(cachedFile)) return readFileSync(cachedFile);

  const { default: compiler } = await import("assemblyscript/asc");
  const { error, stderr } = await compiler.main(
    [
      relative(root, entry).replaceAll("\\", "/"),
      ...["--baseDir", root, "--outFile", "out.wasm"],
      ...options,
    ],
    { writeFile: (_name, bytes) => writeAtomically(cachedFile, bytes) },
  );
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  return readFileSync(cachedFile);
}
