/** Archives of sources, hostile ones too, become folders. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { removeUnpackedArchives, unpackArchive } from "#dependencies/unpack";
import { diskFiles } from "#platform/files";
import { type JarEntry, jar, jarOf } from "#test/support/jar";
import { temporaryFolder } from "#test/support/repo";

function unpack(archive: Uint8Array, folder = join(temporaryFolder(), "unpacked")) {
  const path = join(temporaryFolder(), "a-sources.jar");
  writeFileSync(path, archive);
  return { ...unpackArchive(path, folder, diskFiles), folder, archive: path };
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

test("an archive becomes a folder, with the namespaces of its code", () => {
  const { path, namespaces } = unpack(
    jar({
      "META-INF/": "",
      "META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n",
      "com/example/A.java": "// License\n\npackage com.example;\r\n\nclass A {}\n",
      "commonMain/flow/B.kt": "package kotlinx.flow\n",
      "module-info.java": "module com.example {}\n",
      "empty.txt": "",
    }),
  );
  assert.deepEqual(filesBelow(path), [
    "META-INF/MANIFEST.MF",
    "com/example/A.java",
    "commonMain/flow/B.kt",
    "empty.txt",
    "module-info.java",
  ]);
  assert.equal(readFileSync(join(path, "commonMain/flow/B.kt"), "utf8"), "package kotlinx.flow\n");
  assert.deepEqual(namespaces, ["com.example", "kotlinx.flow"]);
});

test("an archive is unpacked once, and again if that was interrupted", () => {
  const first = unpack(jar({ "a/A.java": "package a;\n" }));
  const { folder, archive } = first;
  writeFileSync(join(folder, "files", "mark"), "");
  const again = () => unpackArchive(archive, folder, diskFiles);
  assert.deepEqual(again(), { path: first.path, namespaces: ["a"] });
  assert.ok(existsSync(join(folder, "files", "mark")), "unpacked once");
  writeFileSync(join(folder, "contents.json"), '{ "namesp');
  assert.deepEqual(again(), { path: first.path, namespaces: ["a"] });
  assert.deepEqual(filesBelow(folder), ["contents.json", "files/a/A.java"]);
});

test("names that lead elsewhere, overwrite others, or hide files are skipped", () => {
  const names = [
    "../up.java",
    "a/../../up.java",
    "/absolute.java",
    "C:/drive.java",
    "a\\..\\up.java",
    "a//b.java",
    "./b.java",
    ".git/config",
    "a/.git/hooks/x",
    "nul\0.java",
    "con.java",
    "a/aux",
    "dot./a.java",
    "\u200b.git/config",
    `${"d/".repeat(60)}deep.java`,
    "x".repeat(600),
    "fine.java",
    "FINE.java",
    "fine.java/inside.java",
    "folder/a.java",
    "Folder",
    "folder/a.java",
  ];
  const outer = temporaryFolder();
  const entries = names.map((name) => ({ name, text: "x" }));
  const { path } = unpack(jarOf(entries), join(outer, "unpacked"));
  assert.deepEqual(filesBelow(path), ["fine.java", "folder/a.java"]);
  assert.deepEqual(readdirSync(outer), ["unpacked"]);
});

const entry: JarEntry = { name: "a.java", text: "class A {}".repeat(100) };
const valid = jarOf([entry]);
const many = Array.from({ length: 20_001 }, (_, at) => ({ name: `${at}.java`, text: "" }));
const rejected: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ["something else", Buffer.from("PK or not"), /^it is not a ZIP archive$/],
  ["an empty file", Buffer.alloc(0), /^it is not a ZIP archive$/],
  ["a cut archive", valid.subarray(20), /damaged/],
  ["encryption", jarOf([{ ...entry, flags: 1 }]), /encrypted/],
  ["another compression", jarOf([{ ...entry, method: 12 }]), /unsupported/],
  ["more data than stated", jarOf([{ ...entry, size: 10 }]), /^the archive is damaged$/],
  ["less data than stated", jarOf([{ ...entry, size: 100_000 }]), /damaged/],
  ["a wrong checksum", jarOf([{ ...entry, checksum: 1 }]), /damaged/],
  [
    "too much data",
    jarOf([{ ...entry, size: 101 * 1024 * 1024 }]),
    /more than 20000 files, or more than 100 MiB/,
  ],
  ["too many files", jarOf(many), /more than 20000 files/],
];
for (const [what, archive, reason] of rejected) {
  test(`an archive with ${what} is rejected, and leaves nothing`, () => {
    const outer = temporaryFolder();
    assert.throws(
      () => unpack(archive, join(outer, "unpacked")),
      (error) => error instanceof Error && reason.test(error.message),
    );
    assert.deepEqual(readdirSync(outer), []);
  });
}

test("damaged archives are rejected or unpacked, and never lead elsewhere", () => {
  const original = jar({ "a/A.java": "package a;\n", "b.txt": "text ".repeat(20) });
  const change = fc.tuple(fc.nat(original.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const archive = Buffer.from(original);
      for (const [at, byte] of changes) archive[at] = byte;
      const outer = temporaryFolder();
      try {
        unpack(archive, join(outer, "unpacked"));
      } catch (error) {
        assert.ok(error instanceof Error);
        assert.ok(!(error instanceof TypeError), error.stack);
      }
      assert.ok(readdirSync(outer).every((name) => name === "unpacked"));
    }),
    { numRuns: 200 },
  );
});

test("folders of archives that no package needs are removed", () => {
  const folder = temporaryFolder();
  const { path } = unpack(jar({ "a.java": "" }), join(folder, "kept"));
  unpack(jar({ "a.java": "" }), join(folder, "gone"));
  mkdirSync(join(folder, "interrupted"));
  removeUnpackedArchives(folder, new Set([path]));
  assert.deepEqual(readdirSync(folder), ["kept"]);
  removeUnpackedArchives(join(folder, "none"), new Set());
});
