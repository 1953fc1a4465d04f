/**
 * Makes `server/grammars` again: the grammars of tree-sitter as WebAssembly, each compressed, with their licences and
 * checksums. They are taken from the packages below, whose other contents (sources, and builds for six systems) are a
 * gigabyte that nobody else should have to fetch.
 *
 *     node scripts/grammars.mjs [grammar …]       all of them, or these
 *     node scripts/grammars.mjs --check           only sees that what is there agrees with its checksums
 *
 * `SHA256SUMS` counts for what is unpacked: `build.mjs` refuses anything else.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "server/grammars");
const sumsFile = join(folder, "SHA256SUMS");
const licencesFile = join(folder, "LICENSES.txt");

/** Between the licences. */
const separator = `\n${"-".repeat(80)}\n\n`;

/** Packages that say the licence of a grammar which another one has built. */
const licencesOf = {
  "@repomix/tree-sitter-wasms@0.1.17": ["tree-sitter-dart@1.0.0", "tree-sitter-swift@0.7.1"],
};

/** Grammar, the package that has it built, and its file there where that is not `tree-sitter-<grammar>.wasm`. */
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
if (words.includes("--check")) check();
else make(words);

function make(names) {
  const unknown = names.filter((name) => !grammars.some((grammar) => grammar.name === name));
  if (unknown.length > 0) throw new Error(`There is no grammar ${unknown.join(", ")}.`);
  mkdirSync(folder, { recursive: true });
  const wanted = grammars.filter(({ name }) => names.length === 0 || names.includes(name));
  const sums = names.length === 0 ? new Map() : readSums();
  const licences = names.length === 0 ? new Map() : readLicences();
  for (const source of new Set(wanted.map((grammar) => grammar.source))) {
    const draft = mkdtempSync(join(tmpdir(), "grammar-"));
    try {
      const unpacked = unpack(source, draft);
      licences.set(source, licenceOf(unpacked));
      for (const also of licencesOf[source] ?? []) {
        const other = join(draft, "other");
        mkdirSync(other);
        licences.set(also, licenceOf(unpack(also, other)));
        rmSync(other, { recursive: true });
      }
      for (const { name, file } of wanted.filter((grammar) => grammar.source === source)) {
        const wasm = readFileSync(join(unpacked, file));
        sums.set(`${name}.wasm`, sha256(wasm));
        keep(join(folder, `${name}.wasm.br`), compress(wasm));
        console.log(`${name}: ${wasm.length} bytes from ${source}`);
      }
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const lines = [...sums].sort(byName).map(([file, sum]) => `${sum}  ${file}\n`);
  keep(sumsFile, lines.join(""));
  const parts = [...licences].sort(byName).map(([source, text]) => `${source}\n\n${text.trim()}\n`);
  keep(licencesFile, parts.join(separator));
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
    throw new Error(`Not what SHA256SUMS says: ${[...wrong, ...missing].join(", ")}.`);
  console.log(`${packed.length} grammars are what SHA256SUMS says.`);
}

/** The package's contents; nothing of it is run. */
function unpack(source, draft) {
  const fetched = run("npm", ["pack", "--ignore-scripts", "--silent", source], draft)
    .trim()
    .split("\n")
    .at(-1);
  run("tar", ["-xzf", fetched], draft);
  const unpacked = join(draft, "package");
  if (!statSync(unpacked).isDirectory()) throw new Error(`${source} has no folder "package".`);
  return unpacked;
}

function licenceOf(unpacked) {
  const about = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
  const texts = readdirSync(unpacked)
    .filter((name) => /^(?:licen[cs]e|copying|notice)\b/i.test(name))
    .sort()
    .map((name) => readFileSync(join(unpacked, name), "utf8").trim());
  if (texts.length === 0 && typeof about.license !== "string")
    throw new Error(`${about.name} does not say its licence.`);
  return [`Licence: ${about.license ?? "see below"}`, ...texts].join("\n\n");
}

function readSums() {
  if (!existsSync(sumsFile)) return new Map();
  const lines = readFileSync(sumsFile, "utf8").trim().split("\n");
  return new Map(lines.map((line) => line.split("  ").reverse()));
}

function readLicences() {
  if (!existsSync(licencesFile)) return new Map();
  const parts = readFileSync(licencesFile, "utf8").split(separator);
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

function keep(path, content) {
  writeFileSync(`${path}.draft`, content);
  renameSync(`${path}.draft`, path);
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function byName([left], [right]) {
  return left < right ? -1 : 1;
}
