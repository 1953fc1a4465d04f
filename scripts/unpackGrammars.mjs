/** Decompresses the grammars of `server/grammars` next to the bundles, together with tree-sitter's own WebAssembly. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { writeAtomically } from "./writeAtomically.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packed = join(root, "server/grammars");
const runtime = join(root, "node_modules/web-tree-sitter/web-tree-sitter.wasm");

/** Does nothing if `folder` is up to date. `SHA256SUMS` is written last, so that its presence means that all files exist. */
export function unpackGrammars(folder) {
  const sums = readFileSync(join(packed, "SHA256SUMS"), "utf8");
  const runtimeBytes = readFileSync(runtime);
  const stampFile = join(folder, "SHA256SUMS");
  const stamp = `${sums}${sha256(runtimeBytes)}  web-tree-sitter.wasm\n`;
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  const files = new Map(
    sums
      .trim()
      .split("\n")
      .map((line) => line.split("  ").reverse()),
  );
  for (const [file, sum] of files) {
    const wasm = brotliDecompressSync(readFileSync(join(packed, `${file}.br`)));
    if (sha256(wasm) !== sum) throw new Error(`${file} does not match server/grammars/SHA256SUMS.`);
    writeAtomically(join(folder, file), wasm);
  }
  writeAtomically(join(folder, "web-tree-sitter.wasm"), runtimeBytes);
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".wasm") && name !== "web-tree-sitter.wasm" && !files.has(name))
      rmSync(join(folder, name));
  }
  writeAtomically(stampFile, stamp);
}

/** Returns the licenses of the grammars, each under the name of its package. */
export function grammarNotices() {
  return readFileSync(join(packed, "LICENSES.txt"), "utf8");
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
