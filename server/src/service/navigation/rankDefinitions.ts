/** Which of the definitions of a name is meant where it is read. */
import type { Certainty } from "#contract/symbols";
import type { FoundSymbol } from "#engine/engine";
import type { RepositoryView } from "#service/repositoryView";
import { importsDefinition, isSamePackage } from "./importMatch";
import type { Packages } from "./packages";
import type { Asking } from "./question";
import { compareCertainty, mergedKinds, Relations, targetOf } from "./relations";

/** A definition, and how sure it is that it is meant; without a certainty where nobody said from where it is asked. */
export interface RankedDefinition {
  readonly symbol: FoundSymbol;
  readonly certainty?: Certainty;
  /** False: its language is not parsed, and a word before the name says that it is defined. */
  readonly isParsed: boolean;
}

export type Unranked = Omit<RankedDefinition, "certainty">;

/** What is known of the place. */
export interface Reading {
  readonly asking: Asking;
  /** What counts there, by the scopes of its file. */
  readonly resolved: FoundSymbol | undefined;
}

/** The surest first, and of these what the file itself tells; else in their order. Rejects with CANCELLED. */
export async function rankDefinitions(
  found: readonly Unranked[],
  { asking, resolved }: Reading,
  { packages, repositories }: { readonly packages: Packages; readonly repositories: RepositoryView },
  signal: AbortSignal,
): Promise<readonly RankedDefinition[]> {
  const targets = found.map(({ symbol }) => targetOf(symbol));
  const relations = await Relations.to(targets, packages, repositories, signal);
  const from = {
    repositoryId: asking.repository.id,
    path: asking.text?.path ?? "",
    language: asking.text?.language ?? "",
    imports: asking.imports,
  };
  const isOfFile = ({ document }: FoundSymbol) =>
    document.repositoryId === from.repositoryId && document.path === from.path;
  const isNamed = ({ document, name }: FoundSymbol) => importsDefinition(from, document, name);
  const hasNamed = resolved === undefined && found.some(({ symbol }) => isNamed(symbol));
  const certaintyOf = (symbol: FoundSymbol): Certainty => {
    if (resolved !== undefined && isPartOf(resolved, symbol)) return "exact";
    const certainty = relations.of(from, targetOf(symbol));
    if (hasNamed && isNamed(symbol)) return certainty === "repository" ? "exact" : certainty;
    if (hasNamed && !isOfFile(symbol)) return "name";
    const isHidden = resolved !== undefined && certainty === "exact" && hides(resolved, symbol);
    return isHidden ? "repository" : certainty;
  };
  const ranked = inOrder(found, resolved).map((each) => ({ ...each, certainty: certaintyOf(each.symbol) }));
  return ranked.sort((left, right) => compareCertainty(left.certainty, right.certainty));
}

/** What is resolved first, also where the index does not have it. */
function inOrder(found: readonly Unranked[], resolved: FoundSymbol | undefined): readonly Unranked[] {
  if (resolved === undefined) return found;
  const known = found.find(({ symbol }) => isSame(resolved, symbol));
  return [known ?? { symbol: resolved, isParsed: true }, ...found.filter((each) => each !== known)];
}

function isSameFile(one: FoundSymbol, other: FoundSymbol): boolean {
  return (
    one.document.repositoryId === other.document.repositoryId && one.document.path === other.document.path
  );
}

function isSame(one: FoundSymbol, other: FoundSymbol): boolean {
  return isSameFile(one, other) && one.range.start.byteOffset === other.range.start.byteOffset;
}

/** Itself, an overload of it, or the same for another system. */
function isPartOf(resolved: FoundSymbol, symbol: FoundSymbol): boolean {
  const isBeside = resolved.parent.name === symbol.parent.name && resolved.parent.kind === symbol.parent.kind;
  return isSame(resolved, symbol) || (isSameFile(resolved, symbol) && isBeside);
}

/**
 * Whether a file that declares a name itself means nothing else by it, whatever else it imports. What one name stands
 * for may be spread over the files of a package, and over a source and its headers.
 */
function hides(resolved: FoundSymbol, { document }: FoundSymbol): boolean {
  const { language, path } = resolved.document;
  if (mergedKinds.includes(resolved.kind)) return false;
  return !isSamePackage(language, path, document.path) && !/\.(?:h|hh|hpp|hxx)$/.test(document.path);
}
