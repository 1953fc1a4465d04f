/**
 * Guesses from import statements whether a file imports another one: by path, package name or namespace.
 *
 * Imports are compared, not resolved, because the build configuration is unknown. A match means that a name in both
 * files most likely refers to the same symbol.
 */
import { isBuiltin } from "node:module";
import { type Ecosystem, parsePackageName } from "#query/packageName";
import { importsNodePackage } from "./importedPackages";
import { findEnclosingPackage, type Package } from "./packages";

export interface ImportingFile {
  /** Linguist's name of the language. */
  readonly language: string;
  readonly path: string;
  /** Names or paths of the imports, as written but without quotes. */
  readonly imports: readonly string[];
}

export interface ImportedFile {
  readonly path: string;
  /** Name of its repository. */
  readonly repository: string;
  /** Packages of its repository. */
  readonly packages: readonly Package[];
}

/** Returns whether an import, as written in `from`, may name `to`. */
type Rule = (specifier: string, from: ImportingFile, to: ImportedFile, isSameRepository: boolean) => boolean;

/** Returns whether one of the imports of `from` may name `to`. */
export function importsFile(from: ImportingFile, to: ImportedFile, isSameRepository: boolean): boolean {
  if (languagesWithIncludes.has(from.language)) return includesFile(from, to, isSameRepository);
  const rule = Object.hasOwn(rules, from.language) ? rules[from.language] : undefined;
  return from.imports.some((specifier) => (rule ?? matchesSegments)(specifier, from, to, isSameRepository));
}

/** Returns whether a file imports this definition by its full name, which rules out others of the same name. */
export function importsDefinition(
  from: ImportingFile,
  to: Pick<ImportedFile, "path">,
  name: string,
): boolean {
  if (!languagesWithPackageFolders.has(from.language)) return false;
  const file = segmentsOf(removeExtension(to.path));
  return from.imports.some((specifier) => {
    const names = specifier.split(".");
    const outer = names.slice(0, -1);
    if (names.at(-1) !== name || outer.length === 0) return false;
    // A class in a file of the same name, a member of that class, or a function of a package.
    return [names, outer].some((each) => endsWith(file, each)) || endsWith(file.slice(0, -1), outer);
  });
}

/**
 * Returns whether an import that does not name `to` may name a module that re-exports its names. Packages of others and
 * the standard library do not: they share no name with the path.
 */
export function mayReexport(
  specifier: string,
  { language }: Pick<ImportingFile, "language">,
  to: Pick<ImportedFile, "path">,
): boolean {
  if (/^(?:[.#]|[@~]\/|(?:crate|self|super)\b)/.test(specifier)) return true;
  if (rules[language] === matchesModule && isBuiltin(specifier)) return false;
  const path = segmentsOf(removeExtension(to.path)).map(toPlain);
  return specifier.split(/[/\\.:]+/).some((name) => name !== "" && path.includes(toPlain(name)));
}

/** Folders and packages are written with other separators than names in code. */
function toPlain(segment: string): string {
  return segment.replaceAll("_", "-").toLowerCase();
}

/** Returns whether both files are in the same package, so that each sees the other's names without an import. */
export function isSamePackage(language: string, one: string, other: string): boolean {
  if (language === "Go") return folderOf(one) === folderOf(other);
  if (!languagesWithPackageFolders.has(language)) return false;
  return packageFolder(one) === packageFolder(other);
}

const languagesWithPackageFolders: ReadonlySet<string> = new Set(["Java", "Kotlin", "Scala", "Groovy"]);

const languagesWithIncludes: ReadonlySet<string> = new Set(["C", "C++", "Objective-C", "Objective-C++"]);

const rules: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    ["TypeScript", "TSX", "JavaScript", "Vue", "Svelte"].map((name) => [name, matchesModule]),
  ),
  ...Object.fromEntries([...languagesWithPackageFolders].map((name) => [name, matchesClass])),
  Python: matchesDottedModule,
  Go: matchesGoPackage,
  Rust: matchesCrate,
  "C#": matchesNamespace,
  Swift: matchesSwiftModule,
};

function matchesModule(
  specifier: string,
  from: ImportingFile,
  to: ImportedFile,
  isSameRepository: boolean,
): boolean {
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) {
    const target = removeModuleExtension(joinPath(folderOf(from.path), specifier));
    return (
      isSameRepository &&
      [target, `${target}/index`.replace(/^\//, "")].includes(removeModuleExtension(to.path))
    );
  }
  const names = [findEnclosingPackage(to.packages, "npm", to.path)?.name, installedAs(to, "npm")];
  if (names.some((name) => name !== undefined && importsNodePackage(specifier, name))) return true;
  // Aliases of the project root: `@/lib/x`, `~/lib/x`, `#lib/x`.
  const inside = /^(?:[@~]\/|#)(.+)$/.exec(specifier)?.[1];
  return (
    isSameRepository &&
    inside !== undefined &&
    endsWithPath(removeModuleExtension(to.path), removeModuleExtension(inside))
  );
}

function removeModuleExtension(path: string): string {
  return path.replace(/(?:\.d)?\.(?:[cm]?[jt]sx?|vue|svelte)$/, "");
}

function matchesDottedModule(
  specifier: string,
  from: ImportingFile,
  to: ImportedFile,
  isSameRepository: boolean,
): boolean {
  const target = segmentsOf(to.path.replace(/\.pyi?$/, "").replace(/(?:^|\/)__init__$/, ""));
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const names = specifier
    .slice(dots)
    .split(".")
    .filter((name) => name !== "");
  if (dots > 0) {
    const base = segmentsOf(folderOf(from.path));
    const module = [...base.slice(0, Math.max(0, base.length - dots + 1)), ...names];
    return isSameRepository && isPrefixOfOther(module, target) && module.length > 0;
  }
  const [first] = names;
  if (first === undefined) return false;
  // A package is at the root, in a source folder, or next to its manifest.
  const enclosingPackage = findEnclosingPackage(to.packages, "python", to.path);
  const roots = [
    "",
    "src",
    "lib",
    "Lib",
    "python",
    enclosingPackage?.folder ?? "",
    joinPath(enclosingPackage?.folder ?? "", "src"),
  ];
  return [...new Set(roots)].some((root) => {
    const segments = segmentsOf(root);
    const inside = target.slice(segments.length);
    return startsWith(target, segments) && inside[0] === first && isPrefixOfOther(names, inside);
  });
}

/**
 * Returns whether one path is a prefix of the other, because an import may name a package that re-exports from its
 * modules, or a name inside a module.
 */
function isPrefixOfOther(one: readonly string[], other: readonly string[]): boolean {
  return startsWith(one, other) || startsWith(other, one);
}

function matchesGoPackage(specifier: string, _from: ImportingFile, to: ImportedFile): boolean {
  return specifier === goImportPath(to);
}

/** Returns the name by which other Go files call the package of a file, unless it differs from the import path. */
export function goPackageName(file: ImportedFile): string {
  const isVersion = (segment: string) => /^v\d+$/.test(segment);
  return segmentsOf(goImportPath(file)).findLast((each) => !isVersion(each)) ?? "";
}

function goImportPath(file: ImportedFile): string {
  const folder = folderOf(file.path);
  const module = findEnclosingPackage(file.packages, "go", file.path);
  if (module !== undefined) return joinPath(module.name, folder.slice(module.folder.length));
  return joinPath(installedAs(file, "go") ?? file.repository, folder);
}

/** Returns the name of an installed package, if the file belongs to one. */
function installedAs({ repository }: ImportedFile, ecosystem: Ecosystem): string | undefined {
  const installed = parsePackageName(repository);
  return installed?.ecosystem === ecosystem ? installed.name : undefined;
}

function matchesCrate(
  specifier: string,
  from: ImportingFile,
  to: ImportedFile,
  isSameRepository: boolean,
): boolean {
  const names = specifier.split("::").map((name) => name.trim());
  const [first = ""] = names;
  const enclosingPackage = findEnclosingPackage(to.packages, "cargo", to.path);
  if (!["crate", "self", "super"].includes(first)) return enclosingPackage?.name === first;
  const own = findEnclosingPackage(to.packages, "cargo", from.path);
  if (!isSameRepository || own?.folder !== enclosingPackage?.folder) return false;
  const source = joinPath(enclosingPackage?.folder ?? "", "src");
  const module = segmentsOf(
    to.path
      .slice(source.length)
      .replace(/\.rs$/, "")
      .replace(/\/(?:mod|lib|main)$/, ""),
  );
  const last = module.at(-1);
  return first === "crate" ? startsWith(names.slice(1), module) : last === undefined || names.includes(last);
}

function matchesClass(specifier: string, _from: ImportingFile, to: ImportedFile): boolean {
  const names = specifier.replace(/\.\*$/, "").split(".");
  const file = segmentsOf(to.path.replace(/\.\w+$/, ""));
  const folder = file.slice(0, -1);
  // A class, a name in a class, a whole package, a function of a package.
  const outer = names.slice(0, -1);
  const isOuter = outer.length > 1 && (endsWith(file, outer) || endsWith(folder, outer));
  return names.length > 1 && (endsWith(file, names) || endsWith(folder, names) || isOuter);
}

/** Like the rules, for all includes of a file at once, because each file has many, and often several files are compared. */
function includesFile(
  { path, imports }: ImportingFile,
  to: Pick<ImportedFile, "path">,
  isSameRepository: boolean,
): boolean {
  const name = to.path.slice(to.path.lastIndexOf("/") + 1);
  // A header is usually implemented by the source file of the same name.
  const source = /\.(?:c|cc|cpp|cxx|c\+\+|m|mm)$/.test(to.path) ? stemOf(to.path) : undefined;
  return imports.some(
    (specifier) =>
      (specifier.endsWith(name) &&
        (endsWithPath(to.path, specifier) ||
          (isSameRepository && joinPath(folderOf(path), specifier) === to.path))) ||
      (source !== undefined &&
        specifier.includes(source) &&
        stemOf(specifier) === source &&
        (isSameRepository || specifier.includes("/"))),
  );
}

/** Folders are named after namespaces, one segment or several at once: `Acme.Billing/Tax`. */
function matchesNamespace(specifier: string, _from: ImportingFile, to: ImportedFile): boolean {
  const names = specifier.split(".");
  if (!to.path.includes(names.at(-1) ?? "")) return false;
  const folder = folderOf(to.path).split(/[/.]/);
  const type = [...folder, stemOf(to.path)];
  return endsWith(folder, names) || (names.length > 1 && endsWith(type, names));
}

/** A module is a folder of sources, or a whole repository of the same name. */
function matchesSwiftModule(specifier: string, _from: ImportingFile, to: ImportedFile): boolean {
  const [module = ""] = specifier.split(".");
  const folders = segmentsOf(folderOf(to.path));
  const isWholeRepository =
    /^sources?$/i.test(folders[0] ?? "") && to.repository.split("/").at(-1) === module;
  return isWholeRepository || folders.includes(module);
}

/** For other languages: the import is a path, or its last two names are the last two segments of the path. */
function matchesSegments(
  specifier: string,
  from: ImportingFile,
  to: ImportedFile,
  isSameRepository: boolean,
): boolean {
  const extension = to.path.slice(removeExtension(to.path).length);
  const isRelative = /^\.{1,2}\//.test(specifier);
  const isFile = extension !== "" && specifier.endsWith(extension);
  if (isRelative || isFile) {
    const target = joinPath(folderOf(from.path), specifier);
    const isTarget = target === to.path || target === removeExtension(to.path);
    if (isSameRepository && isTarget) return true;
    if (isRelative) return false;
  }
  const names = (isFile ? specifier.slice(0, -extension.length) : specifier)
    .split(/[\\/.:]+/)
    .filter((name) => name !== "");
  const file = segmentsOf(removeExtension(to.path));
  return names.length > 1 ? endsWith(file, names.slice(-2)) : endsWith(file, ["lib", ...names]);
}

function removeExtension(path: string): string {
  return path.replace(/\.\w+$/, "");
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Omits source roots such as `src/main/java`, because tests of a package have a source root of their own. */
function packageFolder(path: string): string {
  return folderOf(path).replace(/^(?:.*\/)?src\/\w+\/\w+\//, "");
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** Joins paths, and resolves `.` and `..`. */
function joinPath(folder: string, path: string): string {
  const segments: string[] = [];
  for (const segment of [...segmentsOf(folder), ...segmentsOf(path)]) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

function startsWith(names: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= names.length && prefix.every((name, index) => names[index] === name);
}

function endsWith(names: readonly string[], suffix: readonly string[]): boolean {
  const from = names.length - suffix.length;
  return suffix.length > 0 && from >= 0 && suffix.every((name, index) => names[from + index] === name);
}

function endsWithPath(path: string, suffix: string): boolean {
  return path === suffix || path.endsWith(`/${suffix}`);
}
