/** Reading `catalogue.json`, and making it again where it is lost. */
import { readFileSync } from "node:fs";
import { ServiceError } from "#base/error";
import type { Repository, RepositoryId, RepositoryKind } from "#model/repository";
import type { Clock } from "#platform/clock";
import type { Files } from "#platform/files";
import type { Log } from "#platform/log";
import { type CatalogueContent, CatalogueDamaged, type CatalogueEntry, parseCatalogue } from "./format";

/** What a manifest of the index tells: enough to make a lost catalogue again. */
export interface KnownRepository {
  readonly repositoryId: number;
  readonly name: string;
  readonly path: string;
  readonly kind: RepositoryKind;
}

/**
 * What the file holds; `undefined` where there is none, or where it was damaged and put aside.
 *
 * Throws STORAGE_FAILED for a newer format, and for a file that cannot be read.
 */
export function loadCatalogue(
  file: string,
  files: Files,
  clock: Clock,
  log: Log,
): CatalogueContent | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new ServiceError("STORAGE_FAILED", `The catalogue ${file} cannot be read.`, { cause });
  }
  try {
    return parseCatalogue(text, file);
  } catch (error) {
    if (!(error instanceof CatalogueDamaged)) throw error;
    const aside = `${file}.damaged-${clock.now()}`;
    files.rename(file, aside);
    log.warn(`The catalogue was damaged (${error.message}) and is made again from the index; see ${aside}.`);
    return undefined;
  }
}

/** The PATHs are lost with the file: each repository's own path takes their place. */
export function catalogueOf(known: readonly KnownRepository[]): CatalogueContent {
  const entries = known.map(({ repositoryId, name, path, kind }): CatalogueEntry => {
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
  return { nextId: 1, paths: known.map(({ path }) => path), excluded: [], entries };
}
