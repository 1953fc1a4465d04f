/**
 * Scores documents by how well they fit a description. A score is the sum of these signals, times the weight of the
 * document's category. Each stem weighs more the fewer blocks contain it (`weightsOf`).
 *
 * | signal | score |
 * |---|---|
 * | the words of its best passages | BM25; each passage counts half of the one before |
 * | words of the base name | twice their weight; more if it contains most of the description |
 * | words of folders, or within a word of the base name | their weight |
 * | words of a definition's name, of the best definition | their weight; less if the name has other words |
 * | a definition, or the base name, is a name in the description | three times, one and a half times its share |
 *
 * The constants were chosen with half of the questions of the benchmark (`test/bench`), and are not sensitive: doubling
 * or halving one changes the result by about a hundredth.
 */
import { type Description, stemOf, wordsOf } from "#query/description";
import type { ShardReader } from "#shard/format/reader";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import { isSearchTarget } from "./definitionScore";
import type { RangeBuffer } from "./ranges";

/** The text of a document is divided into passages of this size. */
const passageBytes = 1200;
/** Passages that count, and passages whose words become ranges of the hit. */
const countedPassages = 6;
const shownPassages = 3;
const rangesPerPassage = 5;
/** The parameters of BM25: how soon more occurrences of a word stop to count, and how much a short passage counts. */
const saturation = 1.2;
const lengthShare = 0.75;
const baseName = 2;
const withinBaseName = 0.5;
const minWithinBaseName = 4;
const folder = 1.5;
const typeOrFunction = 1.2;
const namedDefinition = 3;
const namedFile = 1.5;
const otherCase = 0.5;
const preferredRepository = 1.1;
const testStem = "test";

export interface DescriptionWeights {
  /** By stem. */
  readonly stems: readonly number[];
  readonly sum: number;
}

/** Returns the inverse document frequencies of BM25, with blocks as documents. */
export function weightsOf(blockCount: number, counts: readonly number[]): DescriptionWeights {
  const stems = counts.map((count) => Math.log(1 + (blockCount - count + 0.5) / (count + 0.5)));
  return { stems, sum: stems.reduce((sum, weight) => sum + weight, 0) };
}

/** The signals of a document, before its weight. */
export interface DescriptionScore {
  readonly words: number;
  readonly path: number;
  readonly definition: number;
}

/** The range of ranges in a buffer, and the score, of the definition with the best name. */
interface BestDefinition {
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

export class DescriptionScorer {
  readonly #reader: ShardReader;
  readonly #symbols: SymbolReader | undefined;
  readonly #stems: readonly string[];
  readonly #names: readonly string[];
  /** Occurrences by passage, then by stem. */
  #occurrences = new Uint16Array(1024);

  constructor(reader: ShardReader, symbols: SymbolReader | undefined, { stems, names }: Description) {
    this.#reader = reader;
    this.#symbols = symbols;
    this.#stems = stems;
    this.#names = names;
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
  documentWeight(categoryWeight: number, isPreferred: boolean): number {
    const weight = this.#stems.includes(testStem) ? Math.sqrt(categoryWeight) : categoryWeight;
    return isPreferred ? weight * preferredRepository : weight;
  }

  /**
   * Scores a document by the words at `ranges` from index `from` on, which must be sorted. Then removes all of them
   * except for those in its best passages and in the name of its best definition.
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
    const best = this.#bestDefinition(document, ranges, from, weights);
    const named = this.#nameMatch(document, ranges, from) * this.#nameShare(weights) * namedDefinition;
    keepBest(
      ranges,
      from,
      passages.slice(0, shownPassages).map(({ passage }) => passage),
      best,
    );
    return { words, path, definition: best.score + named };
  }

  #bestPassages(
    document: number,
    ranges: RangeBuffer,
    from: number,
    weights: DescriptionWeights,
  ): readonly { readonly passage: number; readonly score: number }[] {
    const length = this.#reader.contentLength(document);
    const stemCount = this.#stems.length;
    const passageCount = Math.ceil(length / passageBytes);
    if (this.#occurrences.length < passageCount * stemCount)
      this.#occurrences = new Uint16Array(2 * passageCount * stemCount);
    const occurrences = this.#occurrences;
    const touched: number[] = [];
    for (let at = from; at < ranges.length; at++) {
      const passage = passageOf(ranges.starts[at] ?? 0);
      if (touched.at(-1) !== passage) {
        touched.push(passage);
        occurrences.fill(0, passage * stemCount, (passage + 1) * stemCount);
      }
      const index = passage * stemCount + ranges.termAt(at);
      occurrences[index] = Math.min(0xffff, (occurrences[index] ?? 0) + 1);
    }
    const scored = touched.map((passage) => {
      const bytes = Math.min(passageBytes, length - passage * passageBytes);
      const norm = saturation * (1 - lengthShare + (lengthShare * bytes) / passageBytes);
      let score = 0;
      for (let stem = 0; stem < stemCount; stem++) {
        const count = occurrences[passage * stemCount + stem] ?? 0;
        if (count > 0) score += ((weights.stems[stem] ?? 0) * count * (saturation + 1)) / (count + norm);
      }
      return { passage, score };
    });
    return scored
      .sort((one, other) => other.score - one.score || one.passage - other.passage)
      .slice(0, countedPassages);
  }

  #scorePath(document: number, { stems, sum }: DescriptionWeights): number {
    const path = Buffer.from(this.#reader.path(document)).toString();
    const slash = path.lastIndexOf("/") + 1;
    const base = path.slice(slash).replace(/(?<!^)\..*$/, "");
    const lowerBase = base.toLowerCase();
    const baseStems = stemsOf(base);
    const folderStems = stemsOf(path.slice(0, slash));
    let inBase = 0;
    let inFolders = 0;
    for (const [index, stem] of this.#stems.entries()) {
      const weight = stems[index] ?? 0;
      if (baseStems.has(stem)) inBase += weight;
      else if (stem.length >= minWithinBaseName && lowerBase.includes(stem))
        inBase += weight * withinBaseName;
      else if (folderStems.has(stem)) inFolders += weight;
    }
    const named = this.#matchName(base) === 0 ? 0 : this.#nameShare({ stems, sum }) * namedFile;
    return baseName * inBase * (1 + inBase / sum) + folder * inFolders + named;
  }

  /** Each name of the description counts as this much of it. */
  #nameShare({ sum }: DescriptionWeights): number {
    return sum / Math.max(1, this.#names.length);
  }

  /** Finds the definition whose name contains most of the description and little else. */
  #bestDefinition(
    document: number,
    ranges: RangeBuffer,
    from: number,
    { stems, sum }: DescriptionWeights,
  ): BestDefinition {
    let best: BestDefinition = { from, to: from, score: 0 };
    this.#eachName(document, ranges, from, (definition, symbols, first, end) => {
      let weight = 0;
      let bytes = 0;
      for (let at = first; at < end; at++) {
        bytes += (ranges.ends[at] ?? 0) - (ranges.starts[at] ?? 0);
        let isRepeated = false;
        for (let before = first; before < at; before++)
          isRepeated ||= ranges.termAt(before) === ranges.termAt(at);
        if (!isRepeated) weight += stems[ranges.termAt(at)] ?? 0;
      }
      const coverage = Math.min(1, bytes / Math.max(1, symbols.nameLengths[definition] ?? 1));
      const kind = isSearchTarget(symbols, definition) ? typeOrFunction : 1;
      const score = weight * Math.sqrt(weight / sum) * coverage ** 0.7 * kind;
      if (score > best.score) best = { from: first, to: end, score };
    });
    return best;
  }

  /** How well a definition is a name of the description: 1, less if only the case differs, or 0. */
  #nameMatch(document: number, ranges: RangeBuffer, from: number): number {
    if (this.#names.length === 0) return 0;
    let best = 0;
    this.#eachName(document, ranges, from, (definition, symbols) => {
      const length = symbols.nameLengths[definition] ?? 0;
      if (best < 1 && this.#names.some((name) => Buffer.byteLength(name) === length))
        best = Math.max(best, this.#matchName(symbols.name(definition)));
    });
    return best;
  }

  #matchName(name: string): number {
    if (this.#names.includes(name)) return 1;
    const folded = name.toLowerCase();
    return this.#names.some((each) => each.toLowerCase() === folded) ? otherCase : 0;
  }

  /** Calls `visit` with each definition that is not local, and the indexes of the ranges in its name. */
  #eachName(
    document: number,
    ranges: RangeBuffer,
    from: number,
    visit: (definition: number, symbols: SymbolReader, first: number, end: number) => void,
  ): void {
    const symbols = this.#symbols;
    if (symbols === undefined) return;
    const { definitionStarts, nameOffsets, nameLengths } = symbols;
    const stop = definitionStarts[document + 1] ?? 0;
    let first = from;
    for (let definition = definitionStarts[document] ?? 0; definition < stop; definition++) {
      const start = nameOffsets[definition] ?? 0;
      const nameEnd = start + (nameLengths[definition] ?? 0);
      while (first < ranges.length && (ranges.starts[first] ?? 0) < start) first++;
      let end = first;
      while (end < ranges.length && (ranges.ends[end] ?? 0) <= nameEnd) end++;
      if (end > first && !symbols.isLocal(definition)) visit(definition, symbols, first, end);
    }
  }
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
  passages: readonly number[],
  best: BestDefinition,
): void {
  const left = new Map(passages.map((passage) => [passage, rangesPerPassage]));
  const { length } = ranges;
  ranges.length = from;
  for (let at = from; at < length; at++) {
    const start = ranges.starts[at] ?? 0;
    const passage = passageOf(start);
    const count = left.get(passage) ?? 0;
    const isInName = at >= best.from && at < best.to;
    if (count <= 0 && !isInName) continue;
    if (!isInName) left.set(passage, count - 1);
    ranges.push(start, ranges.ends[at] ?? 0, ranges.tags[at] ?? 0, 0);
  }
}
