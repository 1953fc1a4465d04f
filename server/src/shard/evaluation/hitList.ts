/** A document that matches. `ranges[from … to)` are in its text if `isInName` is false, else in its path. */
export interface DocumentHit {
  readonly document: number;
  readonly from: number;
  readonly to: number;
  readonly isInName: boolean;
  readonly matchCount: number;
  /** See `scoreName`. */
  readonly nameScore: number;
  /** See `scoreDefinitions`. */
  readonly definitionScore: number;
  readonly hasPhrase: boolean;
  readonly score: number;
}

/** The position of each number of a hit. */
const fields = {
  document: 0,
  from: 1,
  to: 2,
  matchCount: 3,
  nameScore: 4,
  definitionScore: 5,
  score: 6,
  isInName: 7,
  hasPhrase: 8,
} as const;
const fieldCount = 9;
const initialHits = 16;

/** Hits as numbers: a hundred thousand objects would survive several garbage collections. */
export class HitList {
  #numbers = new Float64Array(initialHits * fieldCount);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** If this is interrupted, the list has not changed. */
  push(hit: DocumentHit): void {
    const start = this.#length * fieldCount;
    if (start === this.#numbers.length) {
      const grown = new Float64Array(2 * this.#numbers.length);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    const numbers = this.#numbers;
    numbers[start + fields.document] = hit.document;
    numbers[start + fields.from] = hit.from;
    numbers[start + fields.to] = hit.to;
    numbers[start + fields.matchCount] = hit.matchCount;
    numbers[start + fields.nameScore] = hit.nameScore;
    numbers[start + fields.definitionScore] = hit.definitionScore;
    numbers[start + fields.score] = hit.score;
    numbers[start + fields.isInName] = hit.isInName ? 1 : 0;
    numbers[start + fields.hasPhrase] = hit.hasPhrase ? 1 : 0;
    this.#length++;
  }

  at(index: number): DocumentHit | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    const start = index * fieldCount;
    const numbers = this.#numbers;
    return {
      document: numbers[start + fields.document] ?? 0,
      from: numbers[start + fields.from] ?? 0,
      to: numbers[start + fields.to] ?? 0,
      matchCount: numbers[start + fields.matchCount] ?? 0,
      nameScore: numbers[start + fields.nameScore] ?? 0,
      definitionScore: numbers[start + fields.definitionScore] ?? 0,
      score: numbers[start + fields.score] ?? 0,
      isInName: numbers[start + fields.isInName] === 1,
      hasPhrase: numbers[start + fields.hasPhrase] === 1,
    };
  }

  /** Returns `at(index).matchCount`. */
  matchCount(index: number): number {
    return this.#numbers[index * fieldCount + fields.matchCount] ?? 0;
  }

  *[Symbol.iterator](): Generator<DocumentHit> {
    for (let index = 0; index < this.#length; index++) {
      const hit = this.at(index);
      if (hit !== undefined) yield hit;
    }
  }

  /** Returns the columns that determine which hits are shown. */
  columns(): {
    readonly documents: Uint32Array;
    readonly scores: Float64Array;
    readonly matchCounts: Uint32Array;
  } {
    const documents = new Uint32Array(this.#length);
    const scores = new Float64Array(this.#length);
    const matchCounts = new Uint32Array(this.#length);
    for (let at = 0, start = 0; at < this.#length; at++, start += fieldCount) {
      documents[at] = this.#numbers[start + fields.document] ?? 0;
      matchCounts[at] = this.#numbers[start + fields.matchCount] ?? 0;
      scores[at] = this.#numbers[start + fields.score] ?? 0;
    }
    return { documents, scores, matchCounts };
  }
}
