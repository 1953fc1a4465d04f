/** Puts the grammars of `server/grammars` where bundles expect them, and tree-sitter's own WebAssembly beside them. */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packed = join(root, "server/grammars");
const runtime = join(root, "node_modules/web-tree-sitter/web-tree-sitter.wasm");

/** Does nothing where everything is there. `SHA256SUMS` is written last, so that it stands for all that it names. */
export function unpackGrammars(folder) {
  const sums = readFileSync(join(packed, "SHA256SUMS"), "utf8");
  const mark = join(folder, "SHA256SUMS");
  const marked = `${sums}${sha256(readFileSync(runtime))}  web-tree-sitter.wasm\n`;
  if (existsSync(mark) && readFileSync(mark, "utf8") === marked) return;
  mkdirSync(folder, { recursive: true });
  const files = new Map(
    sums
      .trim()
      .split("\n")
      .map((line) => line.split("  ").reverse()),
  );
  for (const [file, sum] of files) {
    const wasm = brotliDecompressSync(readFileSync(join(packed, `${file}.br`)));
    if (sha256(wasm) !== sum) throw new Error(`${file} is not what server/grammars/SHA256SUMS says.`);
    keep(join(folder, file), (draft) => writeFileSync(draft, wasm));
  }
  keep(join(folder, "web-tree-sitter.wasm"), (draft) => copyFileSync(runtime, draft));
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".wasm") && name !== "web-tree-sitter.wasm" && !files.has(name))
      rmSync(join(folder, name));
  }
  keep(mark, (draft) => writeFileSync(draft, marked));
}

/** The licences of the grammars, each under the name of its package. */
export function grammarNotices() {
  return readFileSync(join(packed, "LICENSES.txt"), "utf8");
}

/** Several builds may run at once, and none may see half a file. */
function keep(path, write) {
  const draft = `${path}.${process.pid}`;
  write(draft);
  renameSync(draft, path);
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
