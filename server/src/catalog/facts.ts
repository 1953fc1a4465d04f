/** What scans and code hosts say about a repository, and the entries that the catalog makes of it. */
import type { CodeHostType, Repository, RepositoryId, RepositoryKind } from "#model/repository";
import type { CatalogEntry } from "./format";

export interface RepositoryFacts {
  /** The id that a new entry gets, unless another one has it. Absent: the next one. */
  readonly id?: RepositoryId;
  readonly kind: RepositoryKind;
  readonly path: string;
  readonly gitDir?: string;
  /** Host and path of the remote's URL, if it has one; the name of a package. */
  readonly remoteName?: string;
  /** Names that the code host had for it before. */
  readonly formerNames?: readonly string[];
  readonly entries?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly codeHostType: CodeHostType;
  readonly hostUrl?: string;
  /** What its code host says; absent for repositories on this computer. */
  readonly isFork?: boolean;
  readonly isArchived?: boolean;
  readonly isPublic?: boolean;
  readonly stars?: number;
  readonly topics?: readonly string[];
}

/** The facts, besides the name, with which an entry is replaced if they differ. */
const comparedFields = [
  "kind",
  "path",
  "gitDir",
  "codeHostType",
  "hostUrl",
  "isFork",
  "isArchived",
  "isPublic",
  "stars",
] as const;

export function newEntry(id: RepositoryId, fact: RepositoryFacts, name: string): CatalogEntry {
  const { remoteName, id: _id, ...known } = fact;
  return {
    preferredName: remoteName ?? "",
    repository: {
      isFork: false,
      isArchived: false,
      isPublic: false,
      ...known,
      id,
      name,
      revisions: [],
      state: "queued",
      documentCount: 0,
      skippedCount: 0,
      contentBytes: 0,
      indexBytes: 0,
    },
  };
}

/** Returns the same entry if nothing has changed. The name changes only if the remote's URL does. */
export function updatedEntry(
  entry: CatalogEntry,
  fact: RepositoryFacts,
  newName: () => string,
): CatalogEntry {
  const { remoteName = "", ...known } = fact;
  const isRenamed = remoteName !== entry.preferredName;
  const {
    hostUrl: _,
    gitDir: __,
    entries: ___,
    namespaces: ____,
    stars: _____,
    topics = [],
    formerNames = [],
    ...rest
  } = entry.repository;
  const name = isRenamed ? newName() : entry.repository.name;
  const repository: Repository = { ...rest, ...known, name };
  const isSame =
    !isRenamed &&
    comparedFields.every((field) => repository[field] === entry.repository[field]) &&
    topics.join("\n") === (repository.topics ?? []).join("\n") &&
    formerNames.join("\n") === (repository.formerNames ?? []).join("\n");
  return isSame ? entry : { ...entry, preferredName: remoteName, repository };
}
