/** The repositories that a caller may see, as a view of their own: others do not exist in it. */
import { createHash } from "node:crypto";
import { globMatcher } from "#base/glob";
import type { RepositoryGrant, RepositoryScope } from "#contract/access";
import type { Repository, RepositoryId } from "#model/repository";
import type { CodeHostRights, RepositoryView } from "./repositoryView";

/** The contents of a limited view, computed from one state of the full view. */
interface Contents {
  readonly from: { readonly all: readonly Repository[]; readonly packages: readonly Repository[] };
  readonly rightsRevision: number | undefined;
  readonly hasUnknownRights: boolean;
  readonly all: readonly Repository[];
  readonly packages: readonly Repository[];
  readonly ids: ReadonlySet<RepositoryId>;
}

/** What the views of many callers have in common, so that each of them needs little memory. */
export class SharedContents {
  /** The state of the full view whose parts are kept. */
  #all: readonly Repository[] | undefined;
  #packages: readonly Repository[] | undefined;
  readonly #parts = new Map<string, Pick<Contents, "all" | "packages" | "ids">>();
  readonly #matchers = new Map<string, (name: string) => boolean>();

  /** Returns the test whether grants include a name. */
  matcher(grants: RepositoryScope["grants"]): (name: string) => boolean {
    const key = JSON.stringify(grants);
    const known = this.#matchers.get(key);
    if (known !== undefined) return known;
    const matcher = nameMatcher(grants);
    // Keys and groups have few different grants; others are compiled again.
    if (this.#matchers.size >= maxSharedMatchers) this.#matchers.clear();
    this.#matchers.set(key, matcher);
    return matcher;
  }

  /** Returns the repositories at which `isVisible` is 1, and the packages that they depend on. */
  part(
    { all, packages }: Contents["from"],
    isVisible: Uint8Array,
  ): Pick<Contents, "all" | "packages" | "ids"> {
    if (this.#all !== all || this.#packages !== packages) this.#parts.clear();
    this.#all = all;
    this.#packages = packages;
    const key = createHash("sha256").update(isVisible).digest("base64");
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const visible = all.filter((_, at) => isVisible[at] === 1);
    const used = new Set(visible.flatMap(({ dependencies = [] }) => dependencies));
    const needed = packages.filter(({ id }) => used.has(id));
    const ids = new Set([...visible, ...needed].map(({ id }) => id));
    const part = { all: visible, packages: needed, ids };
    if (this.#parts.size >= maxSharedParts) this.#parts.clear();
    this.#parts.set(key, part);
    return part;
  }
}

const maxSharedParts = 100;
const maxSharedMatchers = 100;

/**
 * Returns the part of `view` that a scope grants: repositories by name, and of those from code hosts the ones that these
 * let the user see, and the packages that these depend on.
 */
export function visibleRepositories(
  view: RepositoryView,
  { grants, codeHostUser }: RepositoryScope,
  rights?: CodeHostRights,
  shared = new SharedContents(),
): RepositoryView {
  const isGranted = shared.matcher(grants);
  let known: Contents | undefined;
  const contents = (): Contents => {
    const from = { all: view.all(), packages: view.packages() };
    const rightsRevision = rights?.revision;
    if (
      known?.from.all === from.all &&
      known.from.packages === from.packages &&
      known.rightsRevision === rightsRevision
    )
      return known;
    let hasUnknownRights = false;
    const isVisible = new Uint8Array(from.all.length);
    for (const [at, repository] of from.all.entries()) {
      if (!isGranted(repository.name)) continue;
      const visibility =
        codeHostUser === undefined || rights === undefined
          ? "visible"
          : rights.visibility(repository, codeHostUser);
      if (visibility === "unknown") hasUnknownRights = true;
      if (visibility === "visible") isVisible[at] = 1;
    }
    known = { from, rightsRevision, hasUnknownRights, ...shared.part(from, isVisible) };
    return known;
  };
  const ifVisible = (repository: Repository | undefined) =>
    repository !== undefined && contents().ids.has(repository.id) ? repository : undefined;
  const isVisible = (id: RepositoryId) => contents().ids.has(id);
  return {
    isLimited: true,
    all: () => contents().all,
    packages: () => contents().packages,
    get: (id) => ifVisible(view.get(id)),
    // A former name may belong to a hidden repository now.
    byName: (name) =>
      ifVisible(view.byName(name)) ??
      contents().all.find(({ formerNames = [] }) => formerNames.includes(name)),
    containing: (path) => ifVisible(view.containing(path)),
    isScanning: () => view.isScanning(),
    hasUnknownRights: () => contents().hasUnknownRights,
    isScanningPackages: () => view.isScanningPackages(),
    isPolled: (id) => isVisible(id) && view.isPolled(id),
    hasSymbols: (id) => isVisible(id) && view.hasSymbols(id),
    skipped: async (id, signal) => (isVisible(id) ? await view.skipped(id, signal) : []),
    unparsed: async (id, signal) => (isVisible(id) ? await view.unparsed(id, signal) : []),
    indexRevision: async (id, name, timeMs, signal) =>
      isVisible(id) ? await view.indexRevision(id, name, timeMs, signal) : "absent",
    restore: async (id, timeMs, signal) => {
      if (isVisible(id)) await view.restore(id, timeMs, signal);
    },
    evictionCount: () => view.evictionCount(),
    wasEvictedSince: (id, count) => isVisible(id) && view.wasEvictedSince(id, count),
    noteUse: ({ ids, revisions = [], open = [] }) =>
      view.noteUse({
        ids: ids.filter(isVisible),
        revisions: revisions.filter(({ id }) => isVisible(id)),
        open: open.filter(isVisible),
      }),
  };
}

/** Names that are remembered. Indexing replaces the list of repositories often, and globs are slow to match. */
const maxKnownNames = 100_000;

function nameMatcher(lists: RepositoryScope["grants"]): (name: string) => boolean {
  const parts = lists.map((grants) => grants.map(grantMatcher));
  const known = new Map<string, boolean>();
  return (name) => {
    let isGranted = known.get(name);
    if (isGranted === undefined) {
      // Repository names are case-insensitive.
      const folded = name.toLowerCase();
      isGranted = parts.every((grants) => grants.some((matches) => matches(folded)));
      if (known.size >= maxKnownNames) known.clear();
      known.set(name, isGranted);
    }
    return isGranted;
  };
}

function grantMatcher({ names, except = [] }: RepositoryGrant): (name: string) => boolean {
  const granted = names.map((glob) => globMatcher(glob.toLowerCase()));
  const excepted = except.map((glob) => globMatcher(glob.toLowerCase()));
  return (name) => granted.some((matches) => matches(name)) && !excepted.some((matches) => matches(name));
}
