/**
 * What the limited views of many callers contain. For each view, only one bit per repository is kept, and only for the
 * current state of the full view. Lists and compiled grants are shared by the views that have the same.
 */
import { Bitset } from "#base/bitset";
import { ByteCache } from "#base/byteCache";
import { globMatcher } from "#base/glob";
import type { RepositoryGrant, RepositoryScope } from "#contract/access";
import type { Repository, RepositoryId } from "#model/repository";
import type { RepositoryView } from "./repositoryView";

/** What one view contains. */
export interface Contents {
  /** Positions in the full view: of repositories, followed by packages. */
  readonly visible: Bitset;
  readonly hasUnknownRights: boolean;
  /** The revision of the rights of code hosts from which it was computed. */
  readonly rightsRevision: number | undefined;
}

interface Lists {
  readonly all: readonly Repository[];
  readonly packages: readonly Repository[];
}

/** The state of the full view to which all other fields belong. */
interface State extends Lists {
  readonly positions: ReadonlyMap<RepositoryId, number>;
  readonly contents: WeakMap<object, Contents>;
  readonly lists: ByteCache<Lists>;
}

/** With 10,000 repositories, enough for 400 different lists. */
const defaultListBytes = 32 * 1024 * 1024;
const bytesPerEntry = 8;
const maxSharedMatchers = 100;
/** Names that are remembered. Indexing replaces the list of repositories often, and globs are slow to match. */
const maxKnownNames = 100_000;

export class SharedContents {
  readonly #view: Pick<RepositoryView, "all" | "packages">;
  readonly #maxListBytes: number;
  readonly #matchers = new Map<string, (name: string) => boolean>();
  #state: State | undefined;

  constructor(view: Pick<RepositoryView, "all" | "packages">, maxListBytes = defaultListBytes) {
    this.#view = view;
    this.#maxListBytes = maxListBytes;
  }

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

  /** Returns what is kept of a view; `undefined` if the full view has changed since. */
  get(view: object): Contents | undefined {
    return this.#current().contents.get(view);
  }

  /** Computes what a view contains: the repositories that `isVisible` accepts, and the packages that these depend on. */
  put(
    view: object,
    isVisible: (repository: Repository) => boolean,
    describe: () => Omit<Contents, "visible">,
  ): Contents {
    const { all, packages, contents } = this.#current();
    const visible = new Bitset(all.length + packages.length);
    const used = new Set<RepositoryId>();
    for (const [at, repository] of all.entries()) {
      if (!isVisible(repository)) continue;
      visible.add(at);
      for (const id of repository.dependencies ?? []) used.add(id);
    }
    for (const [at, { id }] of packages.entries()) if (used.has(id)) visible.add(all.length + at);
    const computed = { visible, ...describe() };
    contents.set(view, computed);
    return computed;
  }

  /** `visible` must belong to the current state of the full view. */
  has(visible: Bitset, id: RepositoryId): boolean {
    const position = this.#current().positions.get(id);
    return position !== undefined && visible.has(position);
  }

  /** Returns the repositories and packages of a view. `visible` must belong to the current state of the full view. */
  lists(visible: Bitset): Lists {
    const { all, packages, lists } = this.#current();
    const key = Buffer.from(visible.words.buffer).toString("latin1");
    const known = lists.get(key);
    if (known !== undefined) return known;
    const created = {
      all: all.filter((_, at) => visible.has(at)),
      packages: packages.filter((_, at) => visible.has(all.length + at)),
    };
    lists.set(key, created, key.length + bytesPerEntry * (created.all.length + created.packages.length));
    return created;
  }

  #current(): State {
    const [all, packages] = [this.#view.all(), this.#view.packages()];
    if (this.#state?.all === all && this.#state.packages === packages) return this.#state;
    const positions = new Map([...all, ...packages].map(({ id }, at) => [id, at]));
    this.#state = {
      all,
      packages,
      positions,
      contents: new WeakMap(),
      lists: new ByteCache(this.#maxListBytes),
    };
    return this.#state;
  }
}

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
