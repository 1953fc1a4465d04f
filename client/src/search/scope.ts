/** Scope, revisions and type of a search, as filters and as labels of the pickers. Pure: does not use VS Code. */
import type { L10n } from "#client/text/l10n";
import type { QueryFilter } from "#contract/queries";
import { exactRepository, type Filter, filterText } from "#contract/queryText";
import type { BoxPickers } from "#webview/messages";
import { allBranches } from "./status";

export const scopePrefixes = ["repo", "context", "reposet"];
export const revisionPrefixes = ["rev"];
export const typePrefixes = ["type"];

export const everywhere = filter("repo", ".*");
export const head = filter("rev", "HEAD");
export const branches = filter("rev", allBranches);
export const tags = filter("rev", "refs/tags/**");
export const allRevisions = filter("rev", "*");

/** The values of the settings, and the repositories of the open folders. */
export interface ScopeSettings {
  /** `all`, `workspace`, or the name of a context. */
  readonly scope: string;
  readonly revisions: "head" | "branches" | "all";
  readonly workspace: readonly string[];
}

function filter(prefix: string, value: string): Filter {
  return { prefix, value, isNegated: false };
}

/** Returns the filter for exactly these repositories; undefined for none. */
export function repositoriesFilter(names: readonly string[]): Filter | undefined {
  const [first, ...others] = names;
  if (first === undefined) return undefined;
  return others.length === 0 ? filter("repo", exactRepository(first)) : filter("reposet", names.join(","));
}

/** Returns the filter for `trawl.search.scope`; undefined if everything is searched. */
export function defaultScope({ scope, workspace }: ScopeSettings): Filter | undefined {
  if (scope === "all" || scope === "") return undefined;
  return scope === "workspace" ? repositoriesFilter(workspace) : filter("context", scope);
}

/** Returns the filter for `trawl.search.revisions`; undefined for HEAD, which needs none. */
export function defaultRevisions({ revisions }: ScopeSettings): Filter | undefined {
  if (revisions === "branches") return branches;
  return revisions === "all" ? allRevisions : undefined;
}

/** Returns the filter as typed, or an empty string. */
export function optionalFilterText(filter: Filter | undefined): string {
  return filter === undefined ? "" : filterText(filter);
}

/** Returns the labels of the three picker buttons for a query with these filters. */
export function pickersOf(
  filters: readonly QueryFilter[],
  settings: ScopeSettings,
  l10n: L10n,
): Omit<BoxPickers, "caseOff"> {
  const included = filters.filter(({ isNegated }) => !isNegated);
  const of = (prefixes: readonly string[], fallback: Filter | undefined): readonly Filter[] => {
    const found = included.filter(({ prefix }) => prefixes.includes(prefix));
    return found.length > 0 || fallback === undefined ? found : [fallback];
  };
  return {
    scope: scopeLabel(of(scopePrefixes, defaultScope(settings)), settings, l10n),
    revision: revisionLabel(revisionsOf(included, of(revisionPrefixes, defaultRevisions(settings))), l10n),
    type: typeLabel(of(typePrefixes, undefined), l10n),
  };
}

function scopeLabel(filters: readonly Filter[], { workspace }: ScopeSettings, l10n: L10n): string {
  const narrowing = filters.filter(({ value }) => withoutRevision(value) !== everywhere.value);
  const [first] = narrowing;
  if (first === undefined) return l10n.t("All repositories");
  if (narrowing.length > 1) return l10n.t("{0} scopes", narrowing.length);
  const workspaceFilter = repositoriesFilter(workspace);
  if (workspaceFilter !== undefined && isSame(first, workspaceFilter)) return l10n.t("This workspace");
  if (first.prefix === "reposet") {
    return l10n.t("{0} repositories", new Set(first.value.split(",")).size);
  }
  return first.prefix === "context" ? first.value : repositoryLabel(first.value);
}

/** Returns the last segment of the name in an expression for exactly one repository. */
function repositoryLabel(value: string): string {
  const expression = withoutRevision(value);
  const name = /^\^(.*)\$$/.exec(expression)?.[1];
  if (name === undefined) return expression;
  return name.replace(/\\(.)/g, "$1").split("/").pop() || expression;
}

/** Returns the name of `repo:name@revision`. */
function withoutRevision(value: string): string {
  return value.replace(/(?<!\\)@.*$/, "");
}

function isSame(one: Filter, other: Filter): boolean {
  const parts = ({ value }: Filter) => value.split(",").toSorted().join(",");
  return one.prefix === other.prefix && parts(one) === parts(other);
}

/** Returns the revisions after the `@` of `repo:`, or else those of `rev:`. */
function revisionsOf(included: readonly QueryFilter[], named: readonly Filter[]): string[] {
  const afterAt = included.flatMap(({ prefix, readAs }) =>
    prefix === "repo" ? (/ rev:(.+?)\)?$/.exec(readAs ?? "")?.slice(1, 2) ?? []) : [],
  );
  return afterAt.length > 0 ? afterAt : named.map(({ value }) => value);
}

function revisionLabel(values: readonly string[], l10n: L10n): string {
  const [first] = values;
  if (first === undefined) return "HEAD";
  if (values.length > 1) return l10n.t("{0} revisions", values.length);
  if (first === branches.value) return l10n.t("All branches");
  if (first === tags.value) return l10n.t("All tags");
  if (first === allRevisions.value) return l10n.t("All branches and tags");
  return first.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

function typeLabel([first]: readonly Filter[], l10n: L10n): string {
  switch (first?.value) {
    case "file":
      return l10n.t("Files");
    case "repo":
      return l10n.t("Repositories");
    case "symbol":
      return l10n.t("Symbols");
    case "commit":
      return l10n.t("Commits");
    default:
      return l10n.t("Code");
  }
}
