/** Loads `catalogue.json`, and rebuilds it if it is lost. */
import { readFileSync } from "node:fs";
import { ServiceError } from "#base/error";
import type { Repository, RepositoryId, RepositoryKind } from "#model/repository";
import type { Clock } from "#platform/clock";
import type { Files } from "#platform/files";
import type { Log } from "#platform/log";
import { type CatalogContent, CatalogDamaged, type CatalogEntry, parseCatalog } from "./format";
import { isInside } from "./paths";

/** A repository as its manifest describes it, which is enough to rebuild a lost catalog. */
export interface KnownRepository {
  readonly repositoryId: number;
  readonly name: string;
  readonly path: string;
  readonly kind: RepositoryKind;
}

/**
 * Loads the file. Returns `undefined` if it is missing, or was damaged and moved aside.
 *
 * Throws STORAGE_FAILED for a newer format, and for a file that cannot be read.
 */
export function loadCatalog(file: string, files: Files, clock: Clock, log: Log): CatalogContent | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new ServiceError("STORAGE_FAILED", `Cannot read the catalog ${file}.`, { cause });
  }
  try {
    return parseCatalog(text, file);
  } catch (error) {
    if (!(error instanceof CatalogDamaged)) throw error;
    const aside = `${file}.damaged-${clock.now()}`;
    files.rename(file, aside);
    log.warn(
      `The catalog was damaged (${error.message}) and is rebuilt from the index. The damaged file is ${aside}.`,
    );
    return undefined;
  }
}

/**
 * Rebuilds a lost catalog. The added paths are lost, so the path of each repository takes their place. Packages are
 * found again by their projects, and those in the folder `mirrors` by their code hosts.
 */
export function rebuildCatalog(all: readonly KnownRepository[], mirrors: string): CatalogContent {
  const known = all.filter(({ kind }) => kind !== "package");
  const entries = known.map(({ repositoryId, name, path, kind }): CatalogEntry => {
    const repository: Repository = {
      id: repositoryId as RepositoryId,
      name,
      path,
      kind,
      codeHostType: "genericGitHost",
      isFork: false,
      isArchived: false,
      isPublic: false,
      revisions: [],
      state: "stale",
      documentCount: 0,
      skippedCount: 0,
      contentBytes: 0,
      indexBytes: 0,
    };
    return { preferredName: "", repository };
  });
  return {
    nextId: 1,
    paths: known.map(({ path }) => path).filter((path) => !isInside(path, mirrors)),
    excluded: [],
    entries,
  };
}
