/** Source trees in packages, pinned, and fetched once with the clients of their registries. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./symbolTrees";

interface PackageTree {
  readonly language: string;
  readonly client: "npm" | "pip" | "go" | "cargo" | "maven";
  readonly packageName: string;
  readonly version: string;
  /** SHA-256 of the archive; for Go, the sum of the module. */
  readonly checksum: string;
  /** The folder of the unpacked package that is searched. */
  readonly root: string;
}

/** By the name of their questions. */
export const packageTrees: Readonly<Record<string, PackageTree>> = {
  ws: {
    language: "JavaScript",
    client: "npm",
    packageName: "ws",
    version: "8.23.0",
    checksum: "b8bd105a274ae9ca114f8c6ce4d9dbb0c764fe5118ba633c557e1703e297c587",
    root: "package",
  },
  undici: {
    language: "JavaScript",
    client: "npm",
    packageName: "undici",
    version: "8.13.1",
    checksum: "33cceb321835a0754c60a9ac681df71dddc2ee8aafd890f763414b51574182b5",
    root: "package",
  },
  mobx: {
    language: "TypeScript",
    client: "npm",
    packageName: "mobx",
    version: "7.1.3",
    checksum: "bbd07665d8851ee01df2fd4e12db106c60fd878839610dd8b899548969625616",
    root: "package/src",
  },
  leveldb: {
    language: "C++",
    client: "npm",
    packageName: "classic-level",
    version: "3.0.0",
    checksum: "d9e6af24197bcc8a4575c89df3d6d3aab8be0b182d26d0ee80355d4c8ee442d7",
    root: "package/deps/leveldb/leveldb-1.20",
  },
  jinja2: {
    language: "Python",
    client: "pip",
    packageName: "jinja2",
    version: "3.1.6",
    checksum: "85ece4451f492d0c13c5dd7c13a64681a86afae63a5f347908daf103ce6d2f67",
    root: "jinja2",
  },
  scrapy: {
    language: "Python",
    client: "pip",
    packageName: "scrapy",
    version: "2.19.0",
    checksum: "44c1ad4b008f1976e946c75b2adce0e448cbfe470c584b1b59469abf270e8013",
    root: "scrapy",
  },
  bbolt: {
    language: "Go",
    client: "go",
    packageName: "go.etcd.io/bbolt",
    version: "v1.5.0",
    checksum: "h1:S7GAl7Fxv12yohbwFfIbQCGDWbQbtDGPET4P/bD4lxU=",
    root: "go.etcd.io/bbolt@v1.5.0",
  },
  zap: {
    language: "Go",
    client: "go",
    packageName: "go.uber.org/zap",
    version: "v1.28.0",
    checksum: "h1:IZzaP1Fv73/T/pBMLk4VutPl36uNC+OSUh3JLG3FIjo=",
    root: "go.uber.org/zap@v1.28.0",
  },
  tokio: {
    language: "Rust",
    client: "cargo",
    packageName: "tokio",
    version: "1.54.1",
    checksum: "b52fd3255258d26fac7264ab5a76b53c13367136dc011d3d6ad4f8ed070396a3",
    root: "vendor/tokio-1.54.1",
  },
  ignore: {
    language: "Rust",
    client: "cargo",
    packageName: "ignore",
    version: "0.4.35",
    checksum: "df0a7d5f105e76bda602bed0a44af048542d3c9af12ec35aaf16f106c6f34270",
    root: "vendor/ignore-0.4.35",
  },
  lua: {
    language: "C",
    client: "cargo",
    packageName: "lua-src",
    version: "551.1.0",
    checksum: "41d22b201501a536c0f5a96c7589b268b559172b20fb029064434e38ddcecb1f",
    root: "vendor/lua-src-551.1.0/lua-5.4.9",
  },
  hikaricp: {
    language: "Java",
    client: "maven",
    packageName: "com.zaxxer:HikariCP",
    version: "6.2.1",
    checksum: "0aef16fa0099e3452d8bc9bdd57f27281e40c5a104f6f3a4405cedf20d9b5ec5",
    root: "com",
  },
  jsoup: {
    language: "Java",
    client: "maven",
    packageName: "org.jsoup:jsoup",
    version: "1.18.3",
    checksum: "b7abfa342351bab47ea94cf48da1d10566b14c960e848528e65e9e2277187554",
    root: "org",
  },
  okhttp: {
    language: "Kotlin",
    client: "maven",
    packageName: "com.squareup.okhttp3:okhttp",
    version: "4.12.0",
    checksum: "d91a769a4140e542cddbac4e67fcf279299614e8bfd53bd23b85e60c2861341c",
    root: "okhttp3",
  },
};

/** Fetches a missing package into `folder` without running any code of it; returns the path of its tree. */
export function fetchPackageTree(name: string, folder: string): string {
  const tree = packageTrees[name];
  if (tree === undefined) throw new Error(`There is no package for the questions about "${name}".`);
  const { client, packageName, version, checksum, root } = tree;
  const path = join(folder, `${name}-${version}`);
  if (existsSync(path)) return join(path, root);
  console.log(`Fetching ${packageName} ${version} ...\n`);
  const draft = join(folder, `${name}.draft`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const found = unpackers[client](packageName, version, draft);
  if (found !== checksum)
    throw new Error(`${packageName} ${version} has the checksum ${found}, not ${checksum}.`);
  renameSync(draft, path);
  return join(path, root);
}

/** Each unpacks a package into an empty folder and returns its checksum. */
const unpackers: Readonly<
  Record<PackageTree["client"], (name: string, version: string, folder: string) => string>
> = {
  npm(name, version, folder) {
    run("npm", ["pack", "--silent", "--pack-destination", folder, `${name}@${version}`], folder);
    const archive = onlyFileIn(folder);
    run("tar", ["-xzf", archive], folder);
    return sha256Of(archive);
  },
  pip(name, version, folder) {
    // The wheel for every platform, because a source distribution runs its own build script.
    const wheel = ["--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none"];
    const options = ["--quiet", "--no-deps", "--python-version=3.11", ...wheel];
    run("pip", ["download", ...options, `${name}==${version}`], folder);
    return unzip(onlyFileIn(folder), folder);
  },
  go(name, version, folder) {
    const { Zip, Sum } = JSON.parse(
      run("go", ["mod", "download", "-json", `${name}@${version}`], folder),
    ) as {
      readonly Zip: string;
      readonly Sum: string;
    };
    unzip(Zip, folder);
    return Sum;
  },
  cargo(name, version, folder) {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/lib.rs"), "");
    const dependency = `${name} = { version = "=${version}", default-features = false }`;
    const manifest = [
      "[package]",
      'name = "bench"',
      'version = "0.0.0"',
      'edition = "2021"',
      "[workspace]",
      "[dependencies]",
      dependency,
      "",
    ];
    writeFileSync(join(folder, "Cargo.toml"), manifest.join("\n"));
    run("cargo", ["vendor", "--quiet", "--versioned-dirs", "vendor"], folder);
    const checksums = join(folder, `vendor/${name}-${version}/.cargo-checksum.json`);
    return (JSON.parse(readFileSync(checksums, "utf8")) as { readonly package: string }).package;
  },
  maven(name, version, folder) {
    const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
    const artifact = `-Dartifact=${name}:${version}:jar:sources`;
    run("mvn", ["--quiet", "--batch-mode", copy, artifact, `-DoutputDirectory=${folder}`], folder);
    return unzip(onlyFileIn(folder), folder);
  },
};

function unzip(archive: string, folder: string): string {
  run("unzip", ["-q", "-o", archive, "-d", folder], folder);
  return sha256Of(archive);
}

function onlyFileIn(folder: string): string {
  const [name = "", ...others] = readdirSync(folder);
  if (name === "" || others.length > 0) throw new Error(`${folder} does not contain one archive.`);
  return join(folder, name);
}

function sha256Of(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
