/**
 * Whether a file imports another one, told by what it writes: by path, by the name of a package, by a namespace.
 *
 * Imports are compared, not resolved: what a build makes of them is unknown. A match means that a name which both have
 * is most likely the same.
 */
import { type Package, packageAround } from "./packages";

export interface ImportingFile {
  /** As Linguist names it. */
  readonly language: string;
  readonly path: string;
  /** As written, without quotes. */
  readonly imports: readonly string[];
}

export interface ImportedFile {
  readonly path: string;
  /** Name of the repository that it lies in. */
  readonly repository: string;
  /** Of its repository. */
  readonly packages: readonly Package[];
}

type Rule = (written: string, from: ImportingFile, to: ImportedFile, isSameRepository: boolean) => boolean;

export function importsFile(from: ImportingFile, to: ImportedFile, isSameRepository: boolean): boolean {
  const rule = Object.hasOwn(rules, from.language) ? rules[from.language] : undefined;
  return from.imports.some((written) => (rule ?? bySegments)(written, from, to, isSameRepository));
}

/** Whether a file imports the definition of this name in another one by itself: no other one of that name is meant there. */
export function importsDefinition(
  from: ImportingFile,
  to: Pick<ImportedFile, "path">,
  name: string,
): boolean {
  if (!packagesInFolders.has(from.language)) return false;
  const file = segmentsOf(withoutEnding(to.path));
  return from.imports.some((written) => {
    const names = written.split(".");
    const outer = names.slice(0, -1);
    if (names.at(-1) !== name || outer.length === 0) return false;
    // A class in a file of its name, a member of that class, a function of a package.
    return [names, outer].some((each) => endsWith(file, each)) || endsWith(file.slice(0, -1), outer);
  });
}

/** Whether both lie where a language sees all names of the other file without an import. */
export function isSamePackage(language: string, one: string, other: string): boolean {
  if (language === "Go") return folderOf(one) === folderOf(other);
  if (!packagesInFolders.has(language)) return false;
  return packageFolder(one) === packageFolder(other);
}

const packagesInFolders: ReadonlySet<string> = new Set(["Java", "Kotlin", "Scala", "Groovy"]);

const rules: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(["TypeScript", "TSX", "JavaScript", "Vue", "Svelte"].map((name) => [name, byModule])),
  ...Object.fromEntries(["C", "C++", "Objective-C", "Objective-C++"].map((name) => [name, byInclude])),
  ...Object.fromEntries([...packagesInFolders].map((name) => [name, byClass])),
  Python: byDottedModule,
  Go: byGoPackage,
  Rust: byCrate,
  "C#": byNamespace,
  Swift: bySwiftModule,
};

function byModule(written: string, from: ImportingFile, to: ImportedFile, isSame: boolean): boolean {
  if (/^\.{1,2}(?:\/|$)/.test(written)) {
    const target = withoutModuleEnding(joined(folderOf(from.path), written));
    return isSame && [target, `${target}/index`.replace(/^\//, "")].includes(withoutModuleEnding(to.path));
  }
  const around = packageAround(to.packages, "npm", to.path);
  if (around !== undefined && (written === around.name || written.startsWith(`${around.name}/`))) return true;
  // Roots that a project gives itself: `@/lib/x`, `~/lib/x`, `#lib/x`.
  const inside = /^(?:[@~]\/|#)(.+)$/.exec(written)?.[1];
  return (
    isSame && inside !== undefined && endsWithPath(withoutModuleEnding(to.path), withoutModuleEnding(inside))
  );
}

function withoutModuleEnding(path: string): string {
  return path.replace(/(?:\.d)?\.(?:[cm]?[jt]sx?|vue|svelte)$/, "");
}

function byDottedModule(written: string, from: ImportingFile, to: ImportedFile, isSame: boolean): boolean {
  const target = segmentsOf(to.path.replace(/\.pyi?$/, "").replace(/(?:^|\/)__init__$/, ""));
  const dots = /^\.*/.exec(written)?.[0].length ?? 0;
  const names = written
    .slice(dots)
    .split(".")
    .filter((name) => name !== "");
  if (dots > 0) {
    const base = segmentsOf(folderOf(from.path));
    const module = [...base.slice(0, Math.max(0, base.length - dots + 1)), ...names];
    return isSame && isPrefixOfOther(module, target) && module.length > 0;
  }
  const [first] = names;
  if (first === undefined) return false;
  // A package lies at the root, in a folder for sources, or where its manifest is.
  const around = packageAround(to.packages, "python", to.path);
  const roots = [
    "",
    "src",
    "lib",
    "Lib",
    "python",
    around?.folder ?? "",
    joined(around?.folder ?? "", "src"),
  ];
  return [...new Set(roots)].some((root) => {
    const way = segmentsOf(root);
    const inside = target.slice(way.length);
    return startsWith(target, way) && inside[0] === first && isPrefixOfOther(names, inside);
  });
}

/** A package stands for what it brings out of its modules, and a module for its names. */
function isPrefixOfOther(one: readonly string[], other: readonly string[]): boolean {
  return startsWith(one, other) || startsWith(other, one);
}

function byGoPackage(written: string, _from: ImportingFile, to: ImportedFile): boolean {
  const folder = folderOf(to.path);
  const module = packageAround(to.packages, "go", to.path);
  const inModule = module === undefined ? undefined : joined(module.name, folder.slice(module.folder.length));
  return written === inModule || (module === undefined && written === joined(to.repository, folder));
}

function byCrate(written: string, from: ImportingFile, to: ImportedFile, isSame: boolean): boolean {
  const names = written.split("::").map((name) => name.trim());
  const [first = ""] = names;
  const around = packageAround(to.packages, "cargo", to.path);
  if (!["crate", "self", "super"].includes(first)) return around?.name === first;
  const own = packageAround(to.packages, "cargo", from.path);
  if (!isSame || own?.folder !== around?.folder) return false;
  const source = joined(around?.folder ?? "", "src");
  const module = segmentsOf(
    to.path
      .slice(source.length)
      .replace(/\.rs$/, "")
      .replace(/\/(?:mod|lib|main)$/, ""),
  );
  const last = module.at(-1);
  return first === "crate" ? startsWith(names.slice(1), module) : last === undefined || names.includes(last);
}

function byClass(written: string, _from: ImportingFile, to: ImportedFile): boolean {
  const names = written.replace(/\.\*$/, "").split(".");
  const file = segmentsOf(to.path.replace(/\.\w+$/, ""));
  const folder = file.slice(0, -1);
  // A class, a name in a class, a whole package, a function of a package.
  const outer = names.slice(0, -1);
  const isOuter = outer.length > 1 && (endsWith(file, outer) || endsWith(folder, outer));
  return names.length > 1 && (endsWith(file, names) || endsWith(folder, names) || isOuter);
}

function byInclude(written: string, from: ImportingFile, to: ImportedFile, isSame: boolean): boolean {
  // Asked for each import of each file that uses a name: most are told by their last letters.
  const isNamed = written.endsWith(to.path.slice(to.path.lastIndexOf("/") + 1));
  if (
    isNamed &&
    (endsWithPath(to.path, written) || (isSame && joined(folderOf(from.path), written) === to.path))
  )
    return true;
  // What a header declares is defined in the source of the same name.
  const isSource = /\.(?:c|cc|cpp|cxx|c\+\+|m|mm)$/.test(to.path);
  return isSource && stemOf(written) === stemOf(to.path) && (isSame || written.includes("/"));
}

/** Folders are called as namespaces are, or as several of their names at once: `Acme.Billing/Tax`. */
function byNamespace(written: string, _from: ImportingFile, to: ImportedFile): boolean {
  const names = written.split(".");
  if (!to.path.includes(names.at(-1) ?? "")) return false;
  const folder = folderOf(to.path).split(/[/.]/);
  const type = [...folder, stemOf(to.path)];
  return endsWith(folder, names) || (names.length > 1 && endsWith(type, names));
}

/** A module is a folder of sources, or all that a repository of its name has. */
function bySwiftModule(written: string, _from: ImportingFile, to: ImportedFile): boolean {
  const [module = ""] = written.split(".");
  const folders = segmentsOf(folderOf(to.path));
  const isWhole = /^sources?$/i.test(folders[0] ?? "") && to.repository.split("/").at(-1) === module;
  return isWhole || folders.includes(module);
}

/** Of other languages: a path, or the last two names of the import are those of the path. */
function bySegments(written: string, from: ImportingFile, to: ImportedFile, isSame: boolean): boolean {
  const ending = to.path.slice(withoutEnding(to.path).length);
  const isRelative = /^\.{1,2}\//.test(written);
  const isFile = ending !== "" && written.endsWith(ending);
  if (isRelative || isFile) {
    const target = joined(folderOf(from.path), written);
    const isThis = target === to.path || target === withoutEnding(to.path);
    if (isSame && isThis) return true;
    if (isRelative) return false;
  }
  const names = (isFile ? written.slice(0, -ending.length) : written)
    .split(/[\\/.:]+/)
    .filter((name) => name !== "");
  const file = segmentsOf(withoutEnding(to.path));
  return names.length > 1 ? endsWith(file, names.slice(-2)) : endsWith(file, ["lib", ...names]);
}

function withoutEnding(path: string): string {
  return path.replace(/\.\w+$/, "");
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Tests of a package lie in another tree of the same folders. */
function packageFolder(path: string): string {
  return folderOf(path).replace(/^(?:.*\/)?src\/\w+\/\w+\//, "");
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** `folder` and `path` as one, without `.` and `..`. */
function joined(folder: string, path: string): string {
  const way: string[] = [];
  for (const segment of [...segmentsOf(folder), ...segmentsOf(path)]) {
    if (segment === "..") way.pop();
    else if (segment !== ".") way.push(segment);
  }
  return way.join("/");
}

function startsWith(names: readonly string[], beginning: readonly string[]): boolean {
  return beginning.length <= names.length && beginning.every((name, index) => names[index] === name);
}

function endsWith(names: readonly string[], end: readonly string[]): boolean {
  const from = names.length - end.length;
  return end.length > 0 && from >= 0 && end.every((name, index) => names[from + index] === name);
}

function endsWithPath(path: string, end: string): boolean {
  return path === end || path.endsWith(`/${end}`);
}
