/** Finds the installed packages that the imports of a file name. */
import { isBuiltin } from "node:module";
import type { Repository, RepositoryId } from "#model/repository";
import { type Ecosystem, parsePackageName } from "#query/packageName";
import type { RepositoryView } from "#service/repositories/repositoryView";

/** A file whose imports are searched for packages. */
export interface ImportingCode {
  readonly repository: Repository;
  /** Linguist's name of the language. */
  readonly language: string;
  /** Imports, as written. */
  readonly imports: readonly string[];
}

const ecosystemOf: Readonly<Record<string, Ecosystem>> = {
  TypeScript: "npm",
  TSX: "npm",
  JavaScript: "npm",
  Vue: "npm",
  Svelte: "npm",
  Go: "go",
  Rust: "cargo",
  Python: "pypi",
  Java: "maven",
  Kotlin: "maven",
  Scala: "maven",
  Groovy: "maven",
};

/** Returns the packages that the file imports, among those that the lock files of its project name. */
export function importedPackages(
  { repository, language, imports }: ImportingCode,
  view: RepositoryView,
): readonly Repository[] {
  const ecosystem = Object.hasOwn(ecosystemOf, language) ? ecosystemOf[language] : undefined;
  if (ecosystem === undefined || imports.length === 0) return [];
  const used = new Set(projectsOf(repository, view).flatMap(({ dependencies = [] }) => dependencies));
  return [...used]
    .flatMap((id: RepositoryId) => view.get(id) ?? [])
    .filter((each) => {
      const installed = parsePackageName(each.name);
      if (installed?.ecosystem !== ecosystem) return false;
      return imports.some((specifier) => rules[ecosystem](specifier, installed.name, each));
    });
}

/** A package imports others that are installed for the same projects. */
function projectsOf(repository: Repository, view: RepositoryView): readonly Repository[] {
  if (repository.kind !== "package") return [repository];
  return view.all().filter(({ dependencies = [] }) => dependencies.includes(repository.id));
}

type PackageContents = Pick<Repository, "entries" | "namespaces">;

/** Returns whether an import names a package, which has these contents. */
type Rule = (specifier: string, name: string, contents: PackageContents) => boolean;

const rules: Readonly<Record<Ecosystem, Rule>> = {
  npm: importsNodePackage,
  go: (specifier, name) => specifier === name || specifier.startsWith(`${name}/`),
  cargo: (specifier, name) => specifier.split("::", 1)[0]?.trim() === name.replaceAll("-", "_"),
  pypi(specifier, _name, { entries = [] }) {
    const [module = ""] = specifier.split(".", 1);
    return module !== "" && (entries.includes(module) || entries.includes(`${module}.py`));
  },
  maven: (specifier, _name, { namespaces = [] }) =>
    namespaces.some((namespace) => isInNamespace(specifier, namespace)),
};

/** Returns whether an import names an npm package, or what it declares types for. */
export function importsNodePackage(specifier: string, name: string): boolean {
  if (name === "@types/node") return isBuiltin(specifier);
  const typed = name.startsWith("@types/") ? name.slice("@types/".length) : undefined;
  const imported = typed?.includes("__") ? `@${typed.replace("__", "/")}` : (typed ?? name);
  return specifier === imported || specifier.startsWith(`${imported}/`);
}

/** Returns whether an import names a namespace, or what it contains: `a.b.*`, `a.b.Outer.Inner`, `a.b.function`. */
function isInNamespace(specifier: string, namespace: string): boolean {
  if (specifier === namespace) return true;
  if (!specifier.startsWith(`${namespace}.`)) return false;
  const inside = specifier.slice(namespace.length + 1);
  // A lowercase name before another one is a namespace of its own.
  return !inside.includes(".") || /^[A-Z]/.test(inside);
}
