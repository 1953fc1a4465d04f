/**
 * Rebuilds `server/grammars`: tree-sitter grammars as compressed WebAssembly, with their licenses and checksums. They are
 * taken from the packages below, whose other contents (sources, and builds for six systems) are a gigabyte that a build
 * should not have to download.
 *
 *     node scripts/grammars.mjs [grammar …]       rebuilds all grammars, or these
 *     node scripts/grammars.mjs --check           only compares the stored grammars with their checksums
 *     node scripts/grammars.mjs --tree GRAMMAR FILE   prints the syntax tree of a file, for writing queries
 *
 * `SHA256SUMS` contains the checksums of the decompressed grammars; `build.mjs` rejects any others.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { Language, Parser } from "web-tree-sitter";
import { writeAtomically } from "./writeAtomically.mjs";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "server/grammars");
const sumsFile = join(folder, "SHA256SUMS");
const licensesFile = join(folder, "LICENSES.txt");

/** Separates licenses. */
const separator = `\n${"-".repeat(80)}\n\n`;

/** For packages that contain grammars of others, the packages that contain the licenses of these grammars. */
const licensesOf = {
  "@repomix/tree-sitter-wasms@0.1.17": ["tree-sitter-dart@1.0.0", "tree-sitter-swift@0.7.1"],
};

/** Each grammar with the package that contains its build, and the file in it if it is not `tree-sitter-<grammar>.wasm`. */
const grammars = [
  ["bash", "tree-sitter-bash@0.25.1"],
  ["c", "tree-sitter-c@0.24.1"],
  ["c_sharp", "tree-sitter-c-sharp@0.23.5"],
  ["cpp", "tree-sitter-cpp@0.23.4"],
  ["css", "tree-sitter-css@0.25.0"],
  ["dart", "@repomix/tree-sitter-wasms@0.1.17", "out/tree-sitter-dart.wasm"],
  ["elixir", "tree-sitter-elixir@0.3.5"],
  ["go", "tree-sitter-go@0.25.0"],
  ["haskell", "tree-sitter-haskell@0.23.1"],
  ["hcl", "@tree-sitter-grammars/tree-sitter-hcl@1.2.0"],
  ["html", "tree-sitter-html@0.23.2"],
  ["java", "tree-sitter-java@0.23.5"],
  ["javascript", "tree-sitter-javascript@0.25.0"],
  ["json", "tree-sitter-json@0.24.8"],
  ["julia", "tree-sitter-julia@0.23.1"],
  ["kotlin", "@tree-sitter-grammars/tree-sitter-kotlin@1.1.0"],
  ["lua", "@tree-sitter-grammars/tree-sitter-lua@0.4.1"],
  ["objc", "tree-sitter-objc@3.0.2"],
  ["ocaml", "tree-sitter-ocaml@0.24.2"],
  ["php", "tree-sitter-php@0.24.2"],
  ["powershell", "tree-sitter-powershell@0.26.4"],
  ["python", "tree-sitter-python@0.25.0"],
  ["r", "@davisvaughan/tree-sitter-r@1.3.0"],
  ["ruby", "tree-sitter-ruby@0.23.1"],
  ["rust", "tree-sitter-rust@0.24.0"],
  ["scala", "tree-sitter-scala@0.24.0"],
  ["solidity", "tree-sitter-solidity@1.2.13"],
  ["swift", "@repomix/tree-sitter-wasms@0.1.17", "out/tree-sitter-swift.wasm"],
  ["toml", "@tree-sitter-grammars/tree-sitter-toml@0.7.0"],
  ["tsx", "tree-sitter-typescript@0.23.2"],
  ["typescript", "tree-sitter-typescript@0.23.2"],
  ["yaml", "@tree-sitter-grammars/tree-sitter-yaml@0.7.1"],
  ["zig", "@tree-sitter-grammars/tree-sitter-zig@1.1.2"],
].map(([name, source, file = `tree-sitter-${name}.wasm`]) => ({ name, source, file }));

const words = process.argv.slice(2);
if (words[0] === "--check") check();
else if (words[0] === "--tree") await printTree(words[1], words[2]);
else rebuild(words);

function rebuild(names) {
  const unknown = names.filter((name) => !grammars.some((grammar) => grammar.name === name));
  if (unknown.length > 0) throw new Error(`Unknown grammars: ${unknown.join(", ")}.`);
  const wanted = grammars.filter(({ name }) => names.length === 0 || names.includes(name));
  const sums = names.length === 0 ? new Map() : readSums();
  const licenses = names.length === 0 ? new Map() : readLicenses();
  for (const source of new Set(wanted.map((grammar) => grammar.source))) {
    const draft = mkdtempSync(join(tmpdir(), "grammar-"));
    try {
      const unpacked = unpack(source, draft);
      licenses.set(source, licenseOf(unpacked));
      for (const extra of licensesOf[source] ?? []) {
        const other = join(draft, "other");
        mkdirSync(other);
        licenses.set(extra, licenseOf(unpack(extra, other)));
        rmSync(other, { recursive: true });
      }
      for (const { name, file } of wanted.filter((grammar) => grammar.source === source)) {
        const wasm = readFileSync(join(unpacked, file));
        sums.set(`${name}.wasm`, sha256(wasm));
        writeAtomically(join(folder, `${name}.wasm.br`), compress(wasm));
        console.log(`${name}: ${wasm.length} bytes from ${source}`);
      }
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const lines = [...sums].sort(byName).map(([file, sum]) => `${sum}  ${file}\n`);
  writeAtomically(sumsFile, lines.join(""));
  const parts = [...licenses].sort(byName).map(([source, text]) => `${source}\n\n${text.trim()}\n`);
  writeAtomically(licensesFile, parts.join(separator));
}

function check() {
  const sums = readSums();
  const packed = readdirSync(folder).filter((name) => name.endsWith(".wasm.br"));
  const wrong = packed.filter((name) => {
    const wasm = brotliDecompressSync(readFileSync(join(folder, name)));
    return sums.get(name.slice(0, -".br".length)) !== sha256(wasm);
  });
  const missing = [...sums.keys()].filter((name) => !packed.includes(`${name}.br`));
  if (wrong.length + missing.length > 0)
    throw new Error(`Missing, or different from SHA256SUMS: ${[...wrong, ...missing].join(", ")}.`);
  console.log(`${packed.length} grammars match SHA256SUMS.`);
}

/** Prints one node per line, with its field and, for leaves, its text. */
async function printTree(name, file) {
  await Parser.init();
  const wasm = brotliDecompressSync(readFileSync(join(folder, `${name}.wasm.br`)));
  const tree = new Parser().setLanguage(await Language.load(wasm)).parse(readFileSync(file, "utf8"));
  const cursor = tree.walk();
  do {
    const { currentNode: node, currentFieldName: field } = cursor;
    const text = node.childCount === 0 ? ` ${JSON.stringify(node.text)}` : "";
    const type = node.isNamed ? node.type : JSON.stringify(node.type);
    console.log(
      "  ".repeat(cursor.currentDepth) + (field ? `${field}: ` : "") + type + (node.isNamed ? text : ""),
    );
  } while (advance(cursor));
}

/** Moves the cursor to the next node in depth-first order. Returns false at the end. */
function advance(cursor) {
  if (cursor.gotoFirstChild()) return true;
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
  return true;
}

/** Downloads and unpacks a package, without running its scripts. */
function unpack(source, draft) {
  const archive = run("npm", ["pack", "--ignore-scripts", "--silent", source], draft)
    .trim()
    .split("\n")
    .at(-1);
  run("tar", ["-xzf", archive], draft);
  const unpacked = join(draft, "package");
  if (!statSync(unpacked).isDirectory()) throw new Error(`${source} has no folder "package".`);
  return unpacked;
}

function licenseOf(unpacked) {
  const manifest = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
  const texts = readdirSync(unpacked)
    .filter((name) => /^(?:licen[cs]e|copying|notice)\b/i.test(name))
    .sort()
    .map((name) => readFileSync(join(unpacked, name), "utf8").trim());
  if (texts.length === 0 && typeof manifest.license !== "string")
    throw new Error(`${manifest.name} has no license.`);
  return [`License: ${manifest.license ?? "see below"}`, ...texts].join("\n\n");
}

function readSums() {
  if (!existsSync(sumsFile)) return new Map();
  const lines = readFileSync(sumsFile, "utf8").trim().split("\n");
  return new Map(lines.map((line) => line.split("  ").reverse()));
}

function readLicenses() {
  if (!existsSync(licensesFile)) return new Map();
  const parts = readFileSync(licensesFile, "utf8").split(separator);
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 2)]),
  );
}

function compress(bytes) {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

function run(program, options, cwd) {
  const { status, stdout, stderr } = spawnSync(program, options, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${options.join(" ")} failed: ${stderr}`);
  return stdout;
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function byName([left], [right]) {
  return left < right ? -1 : 1;
}
