/** From places of names to the contract. */
import { join } from "node:path";
import type { TextPlaces } from "#base/textPlaces";
import type { RepositoryInfo } from "#contract/repositories";
import type { CallContext } from "#contract/service";
import type * as contract from "#contract/symbols";
import type { DocumentPlace, FoundSymbol } from "#engine/engine";
import type { Repository } from "#model/repository";
import type { Definition } from "#model/symbol";
import { presentRepositoryInfo } from "#service/present";
import type { RepositoryView } from "#service/repositoryView";
import { browseUrl } from "#service/webLinks";
import type { Scope } from "./question";
import type { RankedDefinition } from "./rankDefinitions";
import type { UsedFile } from "./references";
import { compareCertainty } from "./relations";

/** What decides how files are presented. */
export interface Presentation {
  readonly repositories: RepositoryView;
  readonly context: Pick<CallContext, "actor" | "baseUrl">;
  /** Files of a revision that was asked for are not those on disk. */
  readonly scopes: readonly Scope[];
}

type File = contract.SymbolFile;

/** A repository may be forgotten while it is asked about; its files are then nobody's. */
export function presentUses(files: readonly UsedFile[], presentation: Presentation): File[] {
  return files.flatMap(({ file, uses, isParsed }) => {
    const opening = presentDocument(file, presentation);
    return opening === undefined ? [] : [{ ...opening, isParsed, matches: uses.map((use) => ({ ...use })) }];
  });
}

/** The definitions of a file together, in the order in which files first appear. */
export function presentDefinitions(
  definitions: readonly RankedDefinition[],
  presentation: Presentation,
): File[] {
  const files = new Map<string, File>();
  for (const { symbol, certainty, isParsed } of definitions) {
    const { document, line, range, kind } = symbol;
    const key = `${document.repositoryId} ${document.blobSha} ${document.origin} ${document.path}`;
    const opening = files.has(key) ? undefined : presentDocument(document, presentation);
    if (opening !== undefined) files.set(key, { ...opening, isParsed, matches: [] });
    files.get(key)?.matches.push({
      lineContent: line,
      range,
      ...(certainty === undefined ? {} : { certainty }),
      ...(isParsed ? { kind } : {}),
      parent: parentOf(symbol),
    });
  }
  for (const { matches } of files.values()) {
    matches.sort((left, right) => left.range.start.byteOffset - right.range.start.byteOffset);
  }
  return [...files.values()];
}

export function presentFoundSymbol(
  symbol: FoundSymbol,
  presentation: Presentation,
): contract.FoundSymbol | undefined {
  const opening = presentDocument(symbol.document, presentation);
  if (opening === undefined) return undefined;
  const { name, kind, range, line } = symbol;
  return { symbol: name, kind, parent: parentOf(symbol), ...opening, range, lineContent: line };
}

/** Of one file, in its order. */
export function presentOutline(
  places: TextPlaces,
  definitions: readonly Definition[],
): contract.OutlineSymbol[] {
  return definitions.map(({ name, kind, nameStart, nameEnd, start, end, parent, owner }) => ({
    symbol: name,
    kind,
    range: { start: places.placeOf(nameStart), end: places.placeOf(nameEnd) },
    wholeRange: { start: places.placeOf(start), end: places.placeOf(end) },
    parentIndex: parent,
    owner,
  }));
}

function parentOf({ parent }: FoundSymbol): { symbol: string; kind: string } {
  return { symbol: parent.name, kind: parent.kind };
}

/** The surest first; of these code before prose that speaks of it; else in the order in which they were found. */
export function surestFirst(files: readonly File[]): File[] {
  const best = (file: File) =>
    file.matches
      .map(({ certainty = "name" }) => certainty)
      .reduce((one, other) => (compareCertainty(one, other) <= 0 ? one : other));
  return [...files].sort(
    (left, right) =>
      compareCertainty(best(left), best(right)) || Number(right.isParsed) - Number(left.isParsed),
  );
}

/** The repositories of files, in the order in which they come. */
export function introduceRepositories(
  files: readonly Pick<File, "repositoryId">[],
  { repositories, context }: Presentation,
): RepositoryInfo[] {
  const ids = new Set(files.map(({ repositoryId }) => repositoryId));
  return repositories
    .all()
    .filter(({ id }) => ids.has(id))
    .map((repository) => presentRepositoryInfo(repository, context.baseUrl));
}

function presentDocument(document: DocumentPlace, presentation: Presentation) {
  const { repositories, context } = presentation;
  const repository = repositories.get(document.repositoryId);
  if (repository === undefined) return undefined;
  const { path, language, branches, commit, blobSha, origin } = document;
  const localPath =
    context.actor.kind === "local" ? pathOnDisk(repository, document, presentation) : undefined;
  const revision = branches[0] ?? (commit === "" ? repository.defaultRevision : commit);
  return {
    fileName: path,
    repository: repository.name,
    repositoryId: repository.id,
    webUrl: browseUrl(context.baseUrl, repository.name, revision, path),
    language,
    origin,
    ...(commit === "" ? {} : { commit }),
    ...(blobSha === "" ? {} : { blobSha }),
    ...(localPath === undefined ? {} : { localPath }),
  };
}

/** The working tree holds what a search without a revision finds. */
function pathOnDisk(
  { id, kind, path }: Repository,
  document: DocumentPlace,
  { scopes }: Presentation,
): string | undefined {
  if (kind === "bare") return undefined;
  const scope = scopes.find(({ repositories }) => repositories === "all" || repositories.has(id));
  const isOnDisk = document.origin !== "commit" || (scope?.revisions.length ?? 0) === 0;
  return isOnDisk ? join(path, ...document.path.split("/")) : undefined;
}
