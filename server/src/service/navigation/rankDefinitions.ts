/** Ranks the definitions of a name by how likely it is that the name at the origin refers to them. */
import type { Certainty } from "#contract/symbols";
import type { FoundSymbol } from "#engine/engine";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { ConfidenceEstimator, compareCertainty, mergedKinds, targetOf } from "./confidence";
import { importsDefinition, isSamePackage } from "./importMatch";
import { isPrivateName } from "./memberNames";
import type { Packages } from "./packages";
import type { QueryOrigin } from "./symbolQuery";

/** A definition with its confidence, which is absent if the request has no origin. */
export interface RankedDefinition {
  readonly symbol: FoundSymbol;
  readonly certainty?: Certainty;
  /** False for a guess: its language has no parser, but a keyword such as `def` precedes the name. */
  readonly isParsed: boolean;
}

export type UnrankedDefinition = Omit<RankedDefinition, "certainty">;

/** Where the name was read, and what it refers to there. */
export interface RankContext {
  readonly queryOrigin: QueryOrigin;
  /** The definition that the identifier resolves to in its own file. */
  readonly resolved: FoundSymbol | undefined;
}

/** Sorts by confidence; the resolved definition comes first among equals. Rejects with CANCELLED. */
export async function rankDefinitions(
  found: readonly UnrankedDefinition[],
  { queryOrigin, resolved }: RankContext,
  { packages, repositories }: { readonly packages: Packages; readonly repositories: RepositoryView },
  signal: AbortSignal,
): Promise<readonly RankedDefinition[]> {
  const targets = found.map(({ symbol }) => targetOf(symbol));
  const estimator = await ConfidenceEstimator.load(targets, packages, repositories, signal);
  const from = {
    repositoryId: queryOrigin.repository.id,
    path: queryOrigin.text?.path ?? "",
    language: queryOrigin.text?.language ?? "",
    imports: queryOrigin.imports,
  };
  const isInOriginFile = ({ document }: FoundSymbol) =>
    document.repositoryId === from.repositoryId && document.path === from.path;
  const isImportedByName = ({ document, name }: FoundSymbol) => importsDefinition(from, document, name);
  const hasImportedByName = resolved === undefined && found.some(({ symbol }) => isImportedByName(symbol));
  const certaintyOf = (symbol: FoundSymbol): Certainty => {
    if (resolved !== undefined && isSameOrOverload(resolved, symbol)) return "exact";
    const certainty = estimator.certaintyOf(from, targetOf(symbol));
    if (hasImportedByName && isImportedByName(symbol))
      return certainty === "repository" ? "exact" : certainty;
    if (hasImportedByName && !isInOriginFile(symbol)) return "name";
    const isShadowed = resolved !== undefined && certainty === "exact" && shadows(resolved, symbol);
    return isShadowed ? "repository" : certainty;
  };
  const ranked = moveResolvedFirst(found, resolved).map((each) => ({
    ...each,
    certainty: certaintyOf(each.symbol),
  }));
  return ranked.sort((left, right) => compareCertainty(left.certainty, right.certainty));
}

/** Puts the resolved definition first, even if it is not indexed. */
function moveResolvedFirst(
  found: readonly UnrankedDefinition[],
  resolved: FoundSymbol | undefined,
): readonly UnrankedDefinition[] {
  if (resolved === undefined) return found;
  const known = found.find(({ symbol }) => isSameDefinition(resolved, symbol));
  return [known ?? { symbol: resolved, isParsed: true }, ...found.filter((each) => each !== known)];
}

function isSameFile(one: FoundSymbol, other: FoundSymbol): boolean {
  return (
    one.document.repositoryId === other.document.repositoryId && one.document.path === other.document.path
  );
}

function isSameDefinition(one: FoundSymbol, other: FoundSymbol): boolean {
  return isSameFile(one, other) && one.range.start.byteOffset === other.range.start.byteOffset;
}

/** Returns whether `symbol` is the same definition, an overload, or a variant for another platform. */
function isSameOrOverload(resolved: FoundSymbol, symbol: FoundSymbol): boolean {
  const hasSameParent =
    resolved.parent.name === symbol.parent.name &&
    resolved.parent.kind === symbol.parent.kind &&
    isPrivateName(resolved.line, resolved.range) === isPrivateName(symbol.line, symbol.range);
  return isSameDefinition(resolved, symbol) || (isSameFile(resolved, symbol) && hasSameParent);
}

/**
 * Returns whether a file's own declaration shadows a definition elsewhere. It does not shadow one in the same package
 * or in a header, because one symbol may be declared in several of these files.
 */
function shadows(resolved: FoundSymbol, { document }: FoundSymbol): boolean {
  const { language, path } = resolved.document;
  if (mergedKinds.includes(resolved.kind)) return false;
  return !isSamePackage(language, path, document.path) && !/\.(?:h|hh|hpp|hxx)$/.test(document.path);
}
