/** Real source trees to find definitions in: Debian packages, fetched once into a folder, and installed npm packages. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#test/support/house";

export interface SymbolTree {
  /** Linguist's name. */
  readonly language: string;
  /** The name in ctags. */
  readonly ctagsName: string;
  readonly packages: readonly string[];
  /** Relative to the folder of the trees, or absolute. */
  readonly roots: readonly string[];
  readonly files: RegExp;
  /** Library headers, full of macros that only a preprocessor can expand, so that no share is required of them. */
  readonly hasMacros?: true;
}

/** The parts that are measured. */
const javaParts = ["java.base/*", "java.desktop/*"];
const linuxParts = ["kernel", "mm", "fs", "lib", "net", "block", "drivers/net/ethernet", "include/linux"];

export const symbolTrees: readonly SymbolTree[] = [
  {
    language: "TypeScript",
    ctagsName: "TypeScript",
    packages: [],
    roots: [join(projectRoot(), "node_modules")],
    files: /(?<!\.d)\.ts$/,
  },
  {
    language: "Go",
    ctagsName: "Go",
    packages: ["golang-1.19-src"],
    roots: ["usr/share/go-1.19/src", "usr/share/go-1.19/test"],
    files: /\.go$/,
  },
  {
    language: "Python",
    ctagsName: "Python",
    packages: ["libpython3.11-stdlib", "libpython3.11-minimal", "libpython3.11-testsuite"],
    roots: ["usr/lib/python3.11"],
    files: /\.py$/,
  },
  {
    language: "Java",
    ctagsName: "Java",
    packages: ["openjdk-17-source"],
    roots: ["java"],
    files: /\.java$/,
  },
  {
    language: "C",
    ctagsName: "C",
    packages: ["linux-source-6.1"],
    roots: linuxParts.map((part) => `linux-source-6.1/${part}`),
    files: /\.[ch]$/,
  },
  {
    language: "C++",
    ctagsName: "C++",
    packages: ["libprotobuf-dev", "libabsl-dev", "libfmt-dev", "nlohmann-json3-dev", "libspdlog-dev"],
    roots: ["usr/include"],
    files: /\.(?:h|hpp|cc|cpp|cxx)$/,
    hasMacros: true,
  },
  {
    language: "Rust",
    ctagsName: "Rust",
    packages: ["rust-src"],
    roots: ["usr/src"],
    files: /\.rs$/,
  },
];

/** Fetches missing packages into `folder` without installing them. */
export function fetchPackages(names: readonly string[], folder: string): void {
  for (const name of names) {
    const mark = join(folder, `${name}.fetched`);
    if (existsSync(mark)) continue;
    const draft = join(folder, `${name}.draft`);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    run("apt-get", ["download", "-q", name], draft);
    for (const file of readdirSync(draft)) run("dpkg-deb", ["-x", join(draft, file), folder], draft);
    if (name === "openjdk-17-source")
      run(
        "unzip",
        [
          "-q",
          "-o",
          join(folder, "usr/lib/jvm/openjdk-17/lib/src.zip"),
          ...javaParts,
          "-d",
          join(folder, "java"),
        ],
        draft,
      );
    if (name === "linux-source-6.1")
      run("tar", ["-xJf", join(folder, "usr/src/linux-source-6.1.tar.xz"), "-C", folder], draft);
    renameSync(draft, mark);
  }
}

/** The minimum number of files for a meaningful result. */
const minFiles = 1000;

/** Samples every n-th file of a tree, for about `maxBytes` in total but not too few files; returns their paths. */
export function filesOf(tree: SymbolTree, folder: string, maxBytes: number): readonly string[] {
  const found = tree.roots
    .map((root) => (root.startsWith("/") ? root : join(folder, root)))
    .flatMap((root) =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && tree.files.test(entry.name))
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
    )
    .filter((path) => statSync(path).size <= 1_000_000)
    .sort();
  const bytes = found.reduce((sum, path) => sum + statSync(path).size, 0);
  const step = Math.max(1, Math.min(bytes / maxBytes, found.length / minFiles));
  return found.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** Returns what a program prints, or throws if it fails. */
export function run(program: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words[0]} failed: ${error?.message ?? stderr}`);
  return stdout;
}
