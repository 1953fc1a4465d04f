import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { languageNames } from "#languages/languages";
import { definesNames, grammarOf, parsedLanguages } from "#symbols/grammars/grammars";
import { projectRoot } from "#test/support/house";
import { documentParser } from "#test/support/symbols";

const folder = join(projectRoot(), "server/grammars");
const sums = new Map(
  readFileSync(join(folder, "SHA256SUMS"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("  ").reverse() as [string, string]),
);

test("languages have the names that the detector uses", () => {
  const unknown = parsedLanguages().filter((name) => !languageNames().includes(name));
  assert.deepEqual(unknown, []);
  assert.equal(grammarOf("constructor"), undefined);
});

test("every bundled grammar belongs to a language and matches its checksum", () => {
  const bundled = readdirSync(folder).filter((name) => name.endsWith(".wasm.br"));
  assert.deepEqual(bundled.map((name) => name.slice(0, -".br".length)).sort(), [...sums.keys()].sort());
  const used = new Set(parsedLanguages().map((name) => `${grammarOf(name)}.wasm`));
  assert.deepEqual([...used].sort(), [...sums.keys()].sort());
  for (const [name, sum] of sums) {
    const wasm = brotliDecompressSync(readFileSync(join(folder, `${name}.br`)));
    assert.equal(createHash("sha256").update(wasm).digest("hex"), sum, name);
  }
});

test("every package of a grammar states its license", () => {
  const script = readFileSync(join(projectRoot(), "scripts/grammars.mjs"), "utf8");
  const licenses = readFileSync(join(folder, "LICENSES.txt"), "utf8");
  const packages = new Set(script.match(/(?<=")(?:@[\w-]+\/)?tree-sitter-[\w-]+@[\d.]+/g));
  assert.ok(packages.size > 25);
  for (const name of packages) assert.match(licenses, new RegExp(`^${name}\n\nLicense: `, "m"));
});

for (const language of parsedLanguages()) {
  test(`${language}: parses an empty text and a text of another language`, async () => {
    const parser = await documentParser();
    assert.deepEqual(parser.symbols(language, new Uint8Array()), { definitions: [], imports: [] });
    for (const text of ["}{ ][ )( <> \\ ''' \"\"\" ` @#$ 0x", "def a(): { class B; fn c } end\n\n%%\n"])
      assert.ok(Array.isArray(parser.occurrences(language, Buffer.from(text), "a").occurrences));
  });
}

test("data languages define no names for other documents", () => {
  const languages = ["JSON", "YAML", "TOML", "CSS", "HTML", "Klingon", "TypeScript"];
  assert.deepEqual(languages.filter(definesNames), ["TypeScript"]);
});
