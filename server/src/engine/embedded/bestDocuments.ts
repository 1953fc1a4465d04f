/** A document of a search, by the number of its shard. */
export interface ShardDocument {
  readonly shard: number;
  readonly document: number;
}

interface EstimatedDocument extends ShardDocument {
  readonly score: number;
}

/** A search reads at most this many documents, those with the best estimates. */
export const maxDocuments = 192;

/** Candidates are sorted when there are this many times the limit. */
const slack = 4;

/** Keeps the documents with the highest scores; of those with equal scores, the first that were added. */
export class BestDocuments {
  readonly #limit: number;
  #documents: EstimatedDocument[] = [];
  /** Documents with this score or a lower one are not among the best. */
  #threshold = Number.NEGATIVE_INFINITY;
  /** Whether all documents are kept. */
  isComplete = true;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(shard: number, document: number, score: number): void {
    if (score <= this.#threshold) {
      this.isComplete = false;
      return;
    }
    this.#documents.push({ shard, document, score });
    if (this.#documents.length >= this.#limit * slack) this.#cut();
  }

  #cut(): void {
    if (this.#documents.length <= this.#limit) return;
    this.isComplete = false;
    this.#documents.sort((one, other) => other.score - one.score);
    this.#documents.length = this.#limit;
    this.#threshold = this.#documents.at(-1)?.score ?? this.#threshold;
  }

  /** Returns the scores of the best documents, highest first. */
  scores(): Float64Array {
    this.#cut();
    return Float64Array.from(this.#documents, ({ score }) => score)
      .sort()
      .reverse();
  }

  /** Drops all but the best `count` documents, and returns these by shard, then by number. */
  inOrder(count: number): readonly ShardDocument[] {
    this.isComplete &&= this.#documents.length <= count;
    const best = this.#documents.toSorted((one, other) => other.score - one.score).slice(0, count);
    return best.sort((one, other) => one.shard - other.shard || one.document - other.document);
  }
}
