/** How sure it is that a name in one file means a definition in another one. */
import type { Certainty } from "#contract/symbols";
import type { FoundSymbol } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import type { RepositoryView } from "#service/repositoryView";
import { importsFile, isSamePackage } from "./importMatch";
import type { Package, Packages } from "./packages";

/** A file in which a name is used. */
export interface UsingFile {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  /** As Linguist names it. */
  readonly language: string;
  /** As written. */
  readonly imports: readonly string[];
}

/** A definition that a name may mean. */
export interface Target {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  /** Of its name, in bytes. */
  readonly start: number;
  /** Whether it belongs to nothing, so that an import alone can bring it in. */
  readonly isTopLevel: boolean;
}

/** What goes on in other files. */
export const mergedKinds: readonly string[] = ["namespace", "module", "package"];

export function targetOf({ document, range, parent }: FoundSymbol): Target {
  return {
    repositoryId: document.repositoryId,
    path: document.path,
    start: range.start.byteOffset,
    isTopLevel: parent.name === "" || mergedKinds.includes(parent.kind),
  };
}

const order: readonly Certainty[] = ["exact", "repository", "import", "name"];

/** Negative where `one` is surer. */
export function compareCertainty(one: Certainty, other: Certainty): number {
  return order.indexOf(one) - order.indexOf(other);
}

/** Repositories whose manifests are read for one question. */
const maxRepositories = 20;

export class Relations {
  readonly #repositories: RepositoryView;
  readonly #packages: ReadonlyMap<RepositoryId, readonly Package[]>;

  private constructor(repositories: RepositoryView, packages: ReadonlyMap<RepositoryId, readonly Package[]>) {
    this.#repositories = repositories;
    this.#packages = packages;
  }

  /** For questions about these targets. Rejects with CANCELLED. */
  static async to(
    targets: readonly Target[],
    packages: Packages,
    repositories: RepositoryView,
    signal: AbortSignal,
  ): Promise<Relations> {
    const ids = [...new Set(targets.map(({ repositoryId }) => repositoryId))].slice(0, maxRepositories);
    const found = await Promise.all(
      ids.map(async (id) => {
        const repository = repositories.get(id);
        return [id, repository === undefined ? [] : await packages.of(repository, signal)] as const;
      }),
    );
    return new Relations(repositories, new Map(found));
  }

  of(from: UsingFile, to: Target): Certainty {
    const isSame = from.repositoryId === to.repositoryId;
    const imported = {
      path: to.path,
      repository: this.#repositories.get(to.repositoryId)?.name ?? "",
      packages: this.#packages.get(to.repositoryId) ?? [],
    };
    const isImported = importsFile(from, imported, isSame);
    if (!isSame) return isImported ? "import" : "name";
    const isSeen = isImported || isSamePackage(from.language, from.path, to.path);
    return isSeen && to.isTopLevel ? "exact" : "repository";
  }

  /** The surest of all targets; where there is none, whether it is the repository that asks. */
  best(from: UsingFile, targets: readonly Target[], asking: RepositoryId | undefined): Certainty {
    if (targets.length === 0) return from.repositoryId === asking ? "repository" : "name";
    let best: Certainty = "name";
    for (const target of targets) {
      const found = this.of(from, target);
      if (compareCertainty(found, best) < 0) best = found;
      if (best === "exact") break;
    }
    return best;
  }
}
