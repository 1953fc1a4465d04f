/** Converts definitions and references to the contract. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TextPositions } from "#base/textPositions";
import type { CallDefinition, CallSites } from "#contract/calls";
import type { RepositoryInfo } from "#contract/repositories";
import type { CallContext } from "#contract/service";
import type * as contract from "#contract/symbols";
import type { DocumentInfo, FoundSymbol } from "#engine/engine";
import type { Repository } from "#model/repository";
import type { Definition } from "#model/symbol";
import { toRepositoryInfo } from "#service/repositories/repositoryItems";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { browseUrl } from "#service/repositories/webLinks";
import type { CallGraph, CallNode } from "./callGraph";
import { compareCertainty } from "./confidence";
import type { RankedDefinition } from "./rankDefinitions";
import type { CodeReference, ReferencingFile } from "./references";
import type { SearchScope } from "./symbolQuery";

/** What the conversion depends on. */
export interface ResultContext {
  readonly repositories: RepositoryView;
  readonly context: Pick<CallContext, "actor" | "baseUrl">;
  /** The searched scopes. Files of one with a requested revision get no path on disk. */
  readonly scopes: readonly SearchScope[];
}

type File = contract.SymbolFile;

/** Skips files of repositories that have been removed since the search. */
export function toReferenceFiles(files: readonly ReferencingFile[], resultContext: ResultContext): File[] {
  return files.flatMap(({ file, references, isParsed }) => {
    const fields = toFileFields(file, resultContext);
    return fields === undefined ? [] : [{ ...fields, isParsed, matches: references.map(toReferenceMatch) }];
  });
}

function toReferenceMatch({ range, lineContent, certainty, enclosing }: CodeReference): contract.SymbolMatch {
  return enclosing === undefined
    ? { range, lineContent, certainty }
    : { range, lineContent, certainty, parent: { symbol: enclosing.name, kind: enclosing.kind } };
}

/** Groups definitions by file, in order of first appearance. */
export function toDefinitionFiles(
  definitions: readonly RankedDefinition[],
  resultContext: ResultContext,
): File[] {
  const files = new Map<string, File>();
  for (const { symbol, certainty, isParsed } of definitions) {
    const { document, line, range, kind } = symbol;
    const key = `${document.repositoryId} ${document.blobSha} ${document.origin} ${document.path}`;
    const fields = files.has(key) ? undefined : toFileFields(document, resultContext);
    if (fields !== undefined) files.set(key, { ...fields, isParsed, matches: [] });
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

export function toFoundSymbol(
  symbol: FoundSymbol,
  resultContext: ResultContext,
): contract.FoundSymbol | undefined {
  const fields = toFileFields(symbol.document, resultContext);
  if (fields === undefined) return undefined;
  const { name, kind, range, line } = symbol;
  return { symbol: name, kind, parent: parentOf(symbol), ...fields, range, lineContent: line };
}

/** Converts calls. Skips those of repositories that have been removed since the search. */
export function toCalls(graph: CallGraph, resultContext: ResultContext) {
  const definitions: CallDefinition[] = [];
  const indexes = new Map<CallNode, number>();
  for (const node of graph.nodes) {
    const found = toFoundSymbol(node.symbol, resultContext);
    if (found === undefined) continue;
    indexes.set(node, definitions.length);
    const { depth, isFile, wholeRange } = node;
    definitions.push({
      ...found,
      ...(isFile ? { kind: "file" } : {}),
      ...(wholeRange === undefined ? {} : { wholeRange }),
      depth,
    });
  }
  const calls = graph.edges.flatMap(({ caller, callee, certainty, sites }): CallSites[] => {
    const from = indexes.get(caller);
    const to = indexes.get(callee);
    if (from === undefined || to === undefined) return [];
    const ordered = sites.toSorted((one, other) => one.range.start.byteOffset - other.range.start.byteOffset);
    return [{ caller: from, callee: to, certainty, sites: ordered }];
  });
  return { definitions, calls };
}

/** Converts the definitions of one file, in source order. */
export function toOutline(
  positions: TextPositions,
  definitions: readonly Definition[],
): contract.OutlineSymbol[] {
  return definitions.map(({ name, kind, nameStart, nameEnd, start, end, parent, owner }) => ({
    symbol: name,
    kind,
    range: { start: positions.positionOf(nameStart), end: positions.positionOf(nameEnd) },
    wholeRange: { start: positions.positionOf(start), end: positions.positionOf(end) },
    parentIndex: parent,
    owner,
  }));
}

function parentOf({ parent }: FoundSymbol): { symbol: string; kind: string } {
  return { symbol: parent.name, kind: parent.kind };
}

/**
 * Sorts by confidence, then code before prose, then files of the origin's repository, then by score. The order does not
 * depend on which file was found or parsed first.
 */
export function sortByConfidence(
  files: readonly ReferencingFile[],
  originId: number | undefined,
): ReferencingFile[] {
  const best = ({ references }: ReferencingFile) =>
    references
      .map(({ certainty }) => certainty)
      .reduce((one, other) => (compareCertainty(one, other) <= 0 ? one : other));
  const isElsewhere = ({ file }: ReferencingFile) => Number(file.repositoryId !== originId);
  return [...files].sort(
    (left, right) =>
      compareCertainty(best(left), best(right)) ||
      Number(right.isParsed) - Number(left.isParsed) ||
      isElsewhere(left) - isElsewhere(right) ||
      right.score - left.score ||
      left.file.repositoryId - right.file.repositoryId ||
      compareText(left.file.path, right.file.path) ||
      compareText(left.file.blobSha, right.file.blobSha),
  );
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** Returns the repositories of the files. */
export function toRepositoryInfos(
  files: readonly Pick<File, "repositoryId">[],
  { repositories, context }: ResultContext,
): RepositoryInfo[] {
  const ids = new Set(files.map(({ repositoryId }) => repositoryId));
  return [...repositories.all(), ...repositories.packages()]
    .filter(({ id }) => ids.has(id))
    .map((repository) => toRepositoryInfo(repository, context.baseUrl));
}

function toFileFields(document: DocumentInfo, resultContext: ResultContext) {
  const { repositories, context } = resultContext;
  const repository = repositories.get(document.repositoryId);
  if (repository === undefined) return undefined;
  const { path, language, branches, commit, blobSha, origin } = document;
  const localPath =
    context.actor.kind === "local" ? pathOnDisk(repository, document, resultContext) : undefined;
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

/** Returns the path in the working tree, unless the file there may differ because a revision was requested. */
function pathOnDisk(
  { id, kind, path }: Repository,
  document: DocumentInfo,
  { scopes }: ResultContext,
): string | undefined {
  if (kind === "bare") return undefined;
  const scope = scopes.find(({ repositories }) => repositories === "all" || repositories.has(id));
  const file = join(path, ...document.path.split("/"));
  if (document.origin !== "commit") return file;
  // A sparse checkout does not contain every file.
  return (scope?.revisions.length ?? 0) === 0 && existsSync(file) ? file : undefined;
}
