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

/** A hit has this many numbers, in the order in which `push` writes them. */
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
    numbers[start] = hit.document;
    numbers[start + 1] = hit.from;
    numbers[start + 2] = hit.to;
    numbers[start + 3] = hit.matchCount;
    numbers[start + 4] = hit.nameScore;
    numbers[start + 5] = hit.definitionScore;
    numbers[start + 6] = hit.score;
    numbers[start + 7] = hit.isInName ? 1 : 0;
    numbers[start + 8] = hit.hasPhrase ? 1 : 0;
    this.#length++;
  }

  at(index: number): DocumentHit | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    const start = index * fieldCount;
    const numbers = this.#numbers;
    return {
      document: numbers[start] ?? 0,
      from: numbers[start + 1] ?? 0,
      to: numbers[start + 2] ?? 0,
      matchCount: numbers[start + 3] ?? 0,
      nameScore: numbers[start + 4] ?? 0,
      definitionScore: numbers[start + 5] ?? 0,
      score: numbers[start + 6] ?? 0,
      isInName: numbers[start + 7] === 1,
      hasPhrase: numbers[start + 8] === 1,
    };
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
      documents[at] = this.#numbers[start] ?? 0;
      matchCounts[at] = this.#numbers[start + 3] ?? 0;
      scores[at] = this.#numbers[start + 6] ?? 0;
    }
    return { documents, scores, matchCounts };
  }
}
