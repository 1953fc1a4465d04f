/**
 * Names of packages as repositories: ecosystem, name and version, as in `npm/@types/node@22.1.0`. The
 * names of `maven` are `group:artifact`.
 */

const ecosystems = ["npm", "pypi", "go", "cargo", "maven"] as const;
export type Ecosystem = (typeof ecosystems)[number];

export interface PackageName {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version: string;
}

export function printPackageName({ ecosystem, name, version }: PackageName): string {
  return `${ecosystem}/${name}@${version}`;
}

/** Returns the parts of a name that `printPackageName` has returned. */
export function parsePackageName(text: string): PackageName | undefined {
  const slash = text.indexOf("/");
  const at = text.lastIndexOf("@");
  const ecosystem = ecosystems.find((each) => each === text.slice(0, slash));
  if (ecosystem === undefined || at <= slash) return undefined;
  return { ecosystem, name: text.slice(slash + 1, at), version: text.slice(at + 1) };
}

/** Whether the name of a repository, or an expression for such names, begins with an ecosystem, as in `npm/zod`. */
export function beginsWithEcosystem(text: string): boolean {
  const name = text.startsWith("^") ? text.slice(1) : text;
  return ecosystems.some((ecosystem) => name.startsWith(`${ecosystem}/`));
}
