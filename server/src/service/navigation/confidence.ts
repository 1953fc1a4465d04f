/** Computes the confidence that a name in one file refers to a definition in another. */
import type { Certainty } from "#contract/symbols";
import type { FoundSymbol } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { goPackageName, type ImportedFile, importsFile, isSamePackage } from "./importMatch";
import type { Package, Packages } from "./packages";

/** A file that contains a reference. */
export interface ReferenceSource {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  /** Linguist's name of the language. */
  readonly language: string;
  /** Imports of the file, as written. */
  readonly imports: readonly string[];
}

/** A definition that a name may refer to. */
export interface Target {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  /** Byte offset of its name. */
  readonly start: number;
  /** Whether it is not a member of a type, so that an import can make it visible. */
  readonly isTopLevel: boolean;
}

/** Kinds of definitions that may span several files. */
export const mergedKinds: readonly string[] = ["namespace", "module", "package"];

export function targetOf({ document, range, parent }: FoundSymbol): Target {
  return {
    repositoryId: document.repositoryId,
    path: document.path,
    start: range.start.byteOffset,
    isTopLevel: parent.name === "" || mergedKinds.includes(parent.kind),
  };
}

const certaintyOrder: readonly Certainty[] = ["exact", "repository", "import", "name"];

/** Compares for sorting by confidence, highest first. */
export function compareCertainty(one: Certainty, other: Certainty): number {
  return certaintyOrder.indexOf(one) - certaintyOrder.indexOf(other);
}

/** Maximum number of repositories whose manifests are read for one request. */
const maxRepositories = 20;

export class ConfidenceEstimator {
  readonly #repositories: RepositoryView;
  readonly #packages: ReadonlyMap<RepositoryId, readonly Package[]>;

  private constructor(repositories: RepositoryView, packages: ReadonlyMap<RepositoryId, readonly Package[]>) {
    this.#repositories = repositories;
    this.#packages = packages;
  }

  /** Loads the packages of the targets' repositories. Rejects with CANCELLED. */
  static async load(
    targets: readonly Target[],
    packages: Packages,
    repositories: RepositoryView,
    signal: AbortSignal,
  ): Promise<ConfidenceEstimator> {
    const ids = [...new Set(targets.map(({ repositoryId }) => repositoryId))].slice(0, maxRepositories);
    const found = await Promise.all(
      ids.map(async (id) => {
        const repository = repositories.get(id);
        return [id, repository === undefined ? [] : await packages.of(repository, signal)] as const;
      }),
    );
    return new ConfidenceEstimator(repositories, new Map(found));
  }

  /** Whether one of the imports of `from` may name the file of `to`. */
  imports(from: ReferenceSource, to: Target): boolean {
    return importsFile(from, this.#imported(to), from.repositoryId === to.repositoryId);
  }

  /** Returns the name by which other Go files call the package of a file. */
  goPackageName(file: Pick<Target, "repositoryId" | "path">): string {
    return goPackageName(this.#imported(file));
  }

  #imported({ repositoryId, path }: Pick<Target, "repositoryId" | "path">): ImportedFile {
    return {
      path,
      repository: this.#repositories.get(repositoryId)?.name ?? "",
      packages: this.#packages.get(repositoryId) ?? [],
    };
  }

  /** Returns the confidence that a name in `from` refers to `to`. */
  certaintyOf(from: ReferenceSource, to: Target): Certainty {
    const isSame = from.repositoryId === to.repositoryId;
    if (isSame && !to.isTopLevel) return "repository";
    const isImported = this.imports(from, to);
    if (!isSame) return isImported ? "import" : "name";
    return isImported || isSamePackage(from.language, from.path, to.path) ? "exact" : "repository";
  }

  /** Returns the highest confidence of all targets. Without targets, only the repository counts. */
  bestCertainty(
    from: ReferenceSource,
    targets: readonly Target[],
    origin: RepositoryId | undefined,
  ): Certainty {
    if (targets.length === 0) return from.repositoryId === origin ? "repository" : "name";
    let best: Certainty = "name";
    for (const target of targets) {
      const found = this.certaintyOf(from, target);
      if (compareCertainty(found, best) < 0) best = found;
      if (best === "exact") break;
    }
    return best;
  }
}
