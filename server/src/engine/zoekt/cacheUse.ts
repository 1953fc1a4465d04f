/** How much the last search counts, compared with those before it. */
const weight = 0.5;
const minShare = 0.5;

/**
 * Decides whether nodes only list documents at first: if so many texts are in the cache that a second request for the
 * others is cheaper than requesting all of them.
 */
export class CacheUse {
  #share = 0;

  get isLikely(): boolean {
    return this.#share >= minShare;
  }

  /** Records the share of documents of a search whose texts were in the cache. */
  record(share: number): void {
    this.#share += weight * (share - this.#share);
  }
}
