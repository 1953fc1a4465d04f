/**
 * Scores documents by how well they fit a description. A score is the sum of these signals, times the weight of the
 * document's category. Each stem weighs more the fewer blocks contain it (`weightsOf`).
 *
 * | signal | score |
 * |---|---|
 * | the words of its best passages | BM25; each passage counts half of the one before |
 * | words of folders | three times their weight |
 * | words of the base name | two and a half times their weight; more if it contains most of the description |
 * | words within a word of the base name | half of that |
 * | words with a synonym or an abbreviation in the base name | their weight |
 * | words of a definition's name, of the best definition | 1.3 times their weight; less if the name has other words |
 * | a definition, or the base name, is a name in the description | three times, one and a half times its share |
 *
 * The constants were tuned on questions about some projects (`test/bench`) and validated on others. They are not
 * sensitive: doubling or halving one changes the result by about a hundredth.
 */
import { type Description, stemOf, wordsOf } from "#query/description";
import { isRelated } from "#query/relatedWords";
import type { ShardReader } from "#shard/format/reader";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import { isSearchTarget } from "./definitionScore";
import type { RangeBuffer } from "./ranges";
import { categoryWeight } from "./score";

/** The text of a document is divided into passages of this size. */
const passageBytes = 1200;
/** Passages that count, and passages whose words become ranges of the hit. */
const countedPassages = 6;
const shownPassages = 3;
const rangesPerPassage = 5;
/** The parameters of BM25: how quickly repeated words stop counting, and how much the length of a passage counts. */
const saturation = 1.2;
const lengthShare = 0.75;
/** A word that is in every block has about the weight `ln(1 + idfFactor)`. */
const idfFactor = 3;
const baseName = 2.5;
const withinBaseName = 0.5;
const minWithinBaseName = 4;
const relatedBaseName = 1;
const folder = 3;
const definitionName = 1.3;
const typeOrFunction = 1.2;
const namedDefinition = 3;
const namedFile = 1.5;
const otherCase = 0.5;
const coverageExponent = 0.7;
const preferredRepository = 1.1;
const testStem = "test";

export interface DescriptionWeights {
  /** By stem. */
  readonly stems: readonly number[];
  readonly sum: number;
}

/**
 * Returns inverse document frequencies, with blocks as documents. Unlike those of BM25, they do not approach zero: a word
 * that is in most blocks of a small repository still says something about it.
 */
export function weightsOf(blockCount: number, counts: readonly number[]): DescriptionWeights {
  const stems = counts.map((count) => Math.log(1 + (idfFactor * blockCount) / (count + 0.5)));
  return { stems, sum: stems.reduce((sum, weight) => sum + weight, 0) };
}

/** The signals of a document, before its weight. */
export interface DescriptionScore {
  readonly words: number;
  readonly path: number;
  readonly definition: number;
}

/** Of the definition with the best name: its byte range in the document, and the score. */
interface BestDefinition {
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** What a definition's name has in common with the description. */
interface NameWords {
  /** A bit for each stem. */
  stems: number;
  bytes: number;
}

/** A part of a document, by its number, that contains words. */
interface Passage {
  readonly number: number;
  readonly score: number;
}

export class DescriptionScorer {
  readonly #reader: ShardReader;
  readonly #symbols: SymbolReader | undefined;
  readonly #stems: readonly string[];
  readonly #names: readonly string[];
  readonly #isAboutTests: boolean;
  /** The stems of words in folders' paths, because many documents share a folder. */
  readonly #folderStems = new Map<string, ReadonlySet<string>>();

  constructor(reader: ShardReader, symbols: SymbolReader | undefined, { stems, names }: Description) {
    this.#reader = reader;
    this.#symbols = symbols;
    this.#stems = stems;
    this.#names = names;
    this.#isAboutTests = stems.includes(testStem);
  }

  /** What a stem that occurs in the path contributes to an estimate. */
  pathEstimate({ stems }: DescriptionWeights, stem: number): number {
    return folder * (stems[stem] ?? 0);
  }

  /** Returns the documents that define a name of the description, with what that contributes to their scores. */
  *definitionsOfNames(
    weights: DescriptionWeights,
  ): Generator<{ readonly document: number; readonly score: number }> {
    const symbols = this.#symbols;
    if (symbols === undefined) return;
    const score = this.#nameShare(weights) * namedDefinition;
    for (const name of this.#names) {
      const { from, to } = symbols.names.find(name, true);
      if (from >= to) continue;
      const documents = new Set<number>();
      for (const definition of symbols.namesakes(from, to))
        if (!symbols.isLocal(definition)) documents.add(symbols.documentOf(definition));
      for (const document of documents) yield { document, score };
    }
  }

  /** The factor of a document's score. */
  documentWeight(categoryIndex: number, isPreferred: boolean): number {
    const weight = categoryWeight(categoryIndex);
    const ownWeight = this.#isAboutTests ? Math.sqrt(weight) : weight;
    return isPreferred ? ownWeight * preferredRepository : ownWeight;
  }

  /**
   * Scores a document by the words at `ranges` from index `from` on. Then removes all of them except for those in its
   * best passages and in the name of its best definition, and sorts these.
   */
  score(document: number, ranges: RangeBuffer, from: number, weights: DescriptionWeights): DescriptionScore {
    const path = this.#scorePath(document, weights);
    if (ranges.length === from) return { words: 0, path, definition: 0 };
    const passages = this.#bestPassages(document, ranges, from, weights);
    let words = 0;
    let factor = 1;
    for (const { score } of passages) {
      words += score * factor;
      factor /= 2;
    }
    const { best, nameMatch } = this.#scoreDefinitions(document, ranges, from, weights);
    keepBest(ranges, from, passages.slice(0, shownPassages), best);
    return { words, path, definition: best.score + nameMatch * this.#nameShare(weights) * namedDefinition };
  }

  #bestPassages(
    document: number,
    ranges: RangeBuffer,
    from: number,
    weights: DescriptionWeights,
  ): readonly Passage[] {
    const length = this.#reader.contentLength(document);
    const stemCount = this.#stems.length;
    const passageCount = Math.ceil(length / passageBytes);
    const occurrences = clearedOccurrences(passageCount * stemCount);
    for (let at = from; at < ranges.length; at++) {
      const index = passageOf(ranges.starts[at] ?? 0) * stemCount + ranges.termAt(at);
      occurrences[index] = Math.min(0xffff, (occurrences[index] ?? 0) + 1);
    }
    const best: Passage[] = [];
    for (let number = 0; number < passageCount; number++) {
      const bytes = Math.min(passageBytes, length - number * passageBytes);
      const norm = saturation * (1 - lengthShare + (lengthShare * bytes) / passageBytes);
      let score = 0;
      for (let stem = 0; stem < stemCount; stem++) {
        const count = occurrences[number * stemCount + stem] ?? 0;
        if (count > 0) score += ((weights.stems[stem] ?? 0) * count * (saturation + 1)) / (count + norm);
      }
      if (score <= (best[countedPassages - 1]?.score ?? 0)) continue;
      let rank = Math.min(best.length, countedPassages - 1);
      for (; rank > 0 && (best[rank - 1]?.score ?? 0) < score; rank--) best[rank] = best[rank - 1] as Passage;
      best[rank] = { number, score };
    }
    return best;
  }

  #scorePath(document: number, { stems, sum }: DescriptionWeights): number {
    const path = Buffer.from(this.#reader.path(document)).toString();
    const slash = path.lastIndexOf("/") + 1;
    const base = path.slice(slash).replace(/(?<!^)\..*$/, "");
    const lowerBase = base.toLowerCase();
    const baseWords = wordsOf(base).map((word) => word.toLowerCase());
    const baseStems = new Set(baseWords.map(stemOf));
    const folderStems = this.#stemsOfFolder(path.slice(0, slash));
    const others = baseWords.filter((word) => !this.#stems.includes(stemOf(word)));
    let inBase = 0;
    let inFolders = 0;
    let related = 0;
    for (const [index, stem] of this.#stems.entries()) {
      const weight = stems[index] ?? 0;
      if (baseStems.has(stem)) inBase += weight;
      else if (stem.length >= minWithinBaseName && lowerBase.includes(stem))
        inBase += weight * withinBaseName;
      else if (folderStems.has(stem)) inFolders += weight;
      else if (others.some((each) => isRelated(stem, each))) related += weight;
    }
    const named = this.#matchName(base) === 0 ? 0 : this.#nameShare({ stems, sum }) * namedFile;
    return baseName * inBase * (1 + inBase / sum) + folder * inFolders + relatedBaseName * related + named;
  }

  #stemsOfFolder(path: string): ReadonlySet<string> {
    let stems = this.#folderStems.get(path);
    if (stems === undefined) {
      stems = stemsOf(path);
      this.#folderStems.set(path, stems);
    }
    return stems;
  }

  /** Each name of the description counts as this much of it. */
  #nameShare({ sum }: DescriptionWeights): number {
    return sum / Math.max(1, this.#names.length);
  }

  /**
   * Finds the definition whose name contains most of the description and little else, and whether one has a name of the
   * description.
   */
  #scoreDefinitions(
    document: number,
    ranges: RangeBuffer,
    from: number,
    { stems, sum }: DescriptionWeights,
  ): { readonly best: BestDefinition; readonly nameMatch: number } {
    let best: BestDefinition = { start: 0, end: 0, score: 0 };
    let nameMatch = 0;
    const symbols = this.#symbols;
    if (symbols === undefined) return { best, nameMatch };
    for (const [definition, words] of this.#wordsOfNames(symbols, document, ranges, from)) {
      let weight = 0;
      for (let stem = 0; stem < stems.length; stem++)
        if ((words.stems & (1 << stem)) !== 0) weight += stems[stem] ?? 0;
      const start = symbols.nameOffset(definition);
      const length = symbols.nameLength(definition);
      const coverage = Math.min(1, words.bytes / Math.max(1, length));
      const kind = isSearchTarget(symbols, definition) ? typeOrFunction : 1;
      const score = definitionName * weight * Math.sqrt(weight / sum) * coverage ** coverageExponent * kind;
      if (score > best.score) best = { start, end: start + length, score };
      if (nameMatch < 1 && this.#names.some((name) => Buffer.byteLength(name) === length))
        nameMatch = Math.max(nameMatch, this.#matchName(symbols.name(definition)));
    }
    return { best, nameMatch };
  }

  /** The definitions with words in their names, except for local ones. */
  #wordsOfNames(
    symbols: SymbolReader,
    document: number,
    ranges: RangeBuffer,
    from: number,
  ): ReadonlyMap<number, NameWords> {
    const { definitionStarts } = symbols;
    const first = definitionStarts[document] ?? 0;
    const stop = definitionStarts[document + 1] ?? first;
    const found = new Map<number, NameWords>();
    if (first === stop) return found;
    for (let at = from; at < ranges.length; at++) {
      const definition = symbols.lastStartingAtOrBefore(first, stop, ranges.starts[at] ?? 0);
      if (definition < first) continue;
      const end = symbols.nameOffset(definition) + symbols.nameLength(definition);
      if ((ranges.ends[at] ?? 0) > end || symbols.isLocal(definition)) continue;
      let words = found.get(definition);
      if (words === undefined) {
        words = { stems: 0, bytes: 0 };
        found.set(definition, words);
      }
      words.stems |= 1 << ranges.termAt(at);
      words.bytes += (ranges.ends[at] ?? 0) - (ranges.starts[at] ?? 0);
    }
    return found;
  }

  /** How well a name fits one of the description: 1, less if only the case differs, or 0. */
  #matchName(name: string): number {
    if (this.#names.includes(name)) return 1;
    const folded = name.toLowerCase();
    return this.#names.some((each) => each.toLowerCase() === folded) ? otherCase : 0;
  }
}

/** Occurrences by passage, then by stem. Shared, because each document needs them only once. */
let shared = new Uint16Array(1024);

function clearedOccurrences(length: number): Uint16Array {
  if (shared.length < length) shared = new Uint16Array(2 * length);
  else shared.fill(0, 0, length);
  return shared;
}

function passageOf(offset: number): number {
  return Math.floor(offset / passageBytes);
}

function stemsOf(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text).map((word) => stemOf(word.toLowerCase())));
}

/** Removes all ranges from index `from` on, except for those of the best definition and the first ones of each passage. */
function keepBest(
  ranges: RangeBuffer,
  from: number,
  passages: readonly Passage[],
  best: BestDefinition,
): void {
  const left = new Map(passages.map(({ number }) => [number, rangesPerPassage]));
  const kept: { readonly start: number; readonly end: number; readonly tags: number }[] = [];
  for (let at = from; at < ranges.length; at++) {
    const start = ranges.starts[at] ?? 0;
    const end = ranges.ends[at] ?? 0;
    const isInName = start >= best.start && end <= best.end;
    if (isInName || left.has(passageOf(start))) kept.push({ start, end, tags: ranges.tags[at] ?? 0 });
  }
  ranges.length = from;
  for (const { start, end, tags } of kept.sort((one, other) => one.start - other.start)) {
    const passage = passageOf(start);
    const count = left.get(passage) ?? 0;
    const isInName = start >= best.start && end <= best.end;
    if (count <= 0 && !isInName) continue;
    if (!isInName) left.set(passage, count - 1);
    ranges.push(start, end, tags, 0);
  }
}
