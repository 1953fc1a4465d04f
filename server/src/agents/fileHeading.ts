/** Headings that name a file. */
import { sanitize } from "#base/sanitize";
import { beginsWithEcosystem } from "#query/packageName";

interface FoundFile {
  readonly repository: string;
  readonly path: string;
  /** Full names of refs that contain it. */
  readonly branches?: readonly string[];
  readonly origin?: "commit" | "workingTree" | "unsaved" | undefined;
}

/** `github.com/acme/shop src/cart.ts@main`, or with `(uncommitted)` or `(unsaved)` instead of a revision. */
export function fileHeading({ repository, path: unsafePath, branches = [], origin }: FoundFile): string {
  // A path may contain newlines, which would end the heading.
  const path = sanitize(unsafePath);
  // The files of a package have no revisions.
  if (beginsWithEcosystem(repository)) return `${repository} ${path}`;
  if (origin === "workingTree") return `${repository} ${path} (uncommitted)`;
  if (origin === "unsaved") return `${repository} ${path} (unsaved)`;
  const [branch] = branches;
  return `${repository} ${path}${branch === undefined ? "" : `@${shortRef(branch)}`}`;
}

export function shortRef(name: string): string {
  return name.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

/** The heading of an enclosing definition; none if it is unknown. */
export function definitionHeading(
  parent: { readonly symbol: string; readonly kind: string } | undefined,
): readonly string[] {
  if (parent === undefined || parent.symbol === "") return [];
  return [`in ${parent.kind === "" ? "" : `${parent.kind} `}${parent.symbol}:`];
}

/** Formats a count with its noun: `1 match`, `2 matches`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}
