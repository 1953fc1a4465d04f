import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";

/** Tag bits: the range starts, or ends, at a word boundary. The higher bits contain the number of its term. */
export const startsAtEdge = 1;
export const endsAtEdge = 2;
const termShift = 2;
/** Terms from here on share a number, which is only used to score proximity. */
export const maxTerms = 63;
/** So few ranges are sorted in place. */
const maxInsertions = 48;

interface Columns {
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly tags: Uint8Array<ArrayBuffer>;
}

const initialLength = 256;
/** Columns of at least this length are reused. */
const minPooledLength = 4096;
/** The total length of columns that wait to be used again (5 MB). */
const maxPooledLength = 1 << 19;
/** The columns of this thread that no buffer uses. As garbage, they would be most of the memory of large searches. */
const pool: Columns[] = [];

function takeColumns(length: number): Columns {
  const at = length < minPooledLength ? -1 : pool.findIndex(({ starts }) => starts.length === length);
  const [pooled] = at < 0 ? [] : pool.splice(at, 1);
  return (
    pooled ?? { starts: new Uint32Array(length), ends: new Uint32Array(length), tags: new Uint8Array(length) }
  );
}

function releaseColumns({ starts, ends, tags }: Columns): void {
  const pooledLength = pool.reduce((sum, each) => sum + each.starts.length, 0);
  if (starts.length < minPooledLength || pooledLength + starts.length > maxPooledLength) return;
  pool.push({ starts, ends, tags });
}

/** Ranges in documents as growing columns: byte offsets from the start of the document, end exclusive. */
export class RangeBuffer {
  starts = new Uint32Array(initialLength);
  ends = new Uint32Array(initialLength);
  tags = new Uint8Array(initialLength);
  length = 0;

  /** Empties the buffer, and returns its columns to the pool. */
  release(): void {
    const { starts, ends, tags } = this;
    this.starts = new Uint32Array(initialLength);
    this.ends = new Uint32Array(initialLength);
    this.tags = new Uint8Array(initialLength);
    this.length = 0;
    releaseColumns({ starts, ends, tags });
  }

  push(start: number, end: number, edges: number, term: number): void {
    if (this.length === this.starts.length) this.#grow();
    this.starts[this.length] = start;
    this.ends[this.length] = end;
    this.tags[this.length] = edges | (Math.min(term, maxTerms) << termShift);
    this.length++;
  }

  termAt(index: number): number {
    return (this.tags[index] ?? 0) >>> termShift;
  }

  /** Whether any of the ranges, which must be sorted and disjoint, overlaps `[start, end)`. */
  overlaps(start: number, end: number): boolean {
    const at = lastAtOrBelow(this.starts, 0, this.length, end - 1);
    return at >= 0 && (this.ends[at] ?? 0) > start;
  }

  /** Returns at most `count` of the ranges `[from, to)`, in order. Prefers those that overlap `preferred`, then the first. */
  select(from: number, to: number, count: number, preferred: RangeBuffer): RangeBuffer {
    const isPreferred = (at: number) => preferred.overlaps(this.starts[at] ?? 0, this.ends[at] ?? 0);
    let remainingOthers = count;
    for (let at = from; at < to; at++) if (isPreferred(at)) remainingOthers--;
    const selected = new RangeBuffer();
    for (let at = from; at < to && selected.length < count; at++) {
      if (!isPreferred(at)) {
        if (remainingOthers <= 0) continue;
        remainingOthers--;
      }
      selected.push(this.starts[at] ?? 0, this.ends[at] ?? 0, 0, 0);
    }
    return selected;
  }

  /**
   * Sorts the ranges from index `from` on, and drops each one that overlaps the one before it. Of ranges with the same
   * start, keeps the longest. Needed if several terms found ranges. Because the ranges of one term are already sorted,
   * and there may be millions, this is a merge sort of runs.
   */
  normalize(from: number): void {
    if (this.length - from <= maxInsertions) this.#sortInPlace(from);
    else for (let bounds = this.#runs(from); bounds.length > 2; ) bounds = this.#mergePairs(bounds);
    const { starts, ends, tags, length } = this;
    this.length = from;
    let lastStart = -1;
    let lastEnd = -1;
    for (let at = from; at < length; at++) {
      const start = starts[at] ?? 0;
      const end = ends[at] ?? 0;
      if (start < lastEnd || (start === lastStart && end === lastEnd)) continue;
      starts[this.length] = start;
      ends[this.length] = end;
      tags[this.length] = tags[at] ?? 0;
      this.length++;
      lastStart = start;
      lastEnd = end;
    }
  }

  /** Insertion sort from index `from` on. */
  #sortInPlace(from: number): void {
    const { starts, ends, tags, length } = this;
    for (let next = from + 1; next < length; next++) {
      if (!this.#isBefore(next, next - 1)) continue;
      const start = starts[next] ?? 0;
      const end = ends[next] ?? 0;
      const tag = tags[next] ?? 0;
      let at = next;
      for (; at > from; at--) {
        const other = starts[at - 1] ?? 0;
        if (other < start || (other === start && (ends[at - 1] ?? 0) >= end)) break;
        starts[at] = other;
        ends[at] = ends[at - 1] ?? 0;
        tags[at] = tags[at - 1] ?? 0;
      }
      starts[at] = start;
      ends[at] = end;
      tags[at] = tag;
    }
  }

  /** The starts of the sorted runs from index `from` on, and the end of the last. */
  #runs(from: number): number[] {
    const bounds = [from];
    for (let at = from + 1; at < this.length; at++) if (this.#isBefore(at, at - 1)) bounds.push(at);
    bounds.push(this.length);
    return bounds;
  }

  #isBefore(one: number, other: number): boolean {
    const start = this.starts[one] ?? 0;
    const otherStart = this.starts[other] ?? 0;
    return start < otherStart || (start === otherStart && (this.ends[one] ?? 0) > (this.ends[other] ?? 0));
  }

  /** Merges adjacent runs pairwise. Returns the bounds of the results. */
  #mergePairs(bounds: readonly number[]): number[] {
    const base = bounds[0] ?? 0;
    const order = new Uint32Array(this.length - base);
    const merged = [base];
    let to = 0;
    for (let run = 0; run + 1 < bounds.length; run += 2) {
      let left = bounds[run] ?? 0;
      const leftEnd = bounds[run + 1] ?? 0;
      let right = leftEnd;
      const rightEnd = bounds[run + 2] ?? leftEnd;
      while (left < leftEnd && right < rightEnd) order[to++] = this.#isBefore(right, left) ? right++ : left++;
      while (left < leftEnd) order[to++] = left++;
      while (right < rightEnd) order[to++] = right++;
      merged.push(base + to);
    }
    this.starts.set(
      order.map((at) => this.starts[at] ?? 0),
      base,
    );
    this.ends.set(
      order.map((at) => this.ends[at] ?? 0),
      base,
    );
    this.tags.set(
      Uint8Array.from(order, (at) => this.tags[at] ?? 0),
      base,
    );
    return merged;
  }

  /**
   * An interruption at any call leaves the buffer valid: the columns are replaced together, and the old ones enter the pool
   * last.
   */
  #grow(): void {
    const { starts, ends, tags } = this;
    const grown = takeColumns(starts.length * 2);
    grown.starts.set(starts);
    grown.ends.set(ends);
    grown.tags.set(tags);
    this.starts = grown.starts;
    this.ends = grown.ends;
    this.tags = grown.tags;
    releaseColumns({ starts, ends, tags });
  }
}

/** Sorted ranges in a document. */
export interface DocumentRanges {
  readonly ranges: RangeBuffer;
  readonly from: number;
  readonly to: number;
}

const newline = 0x0a;

/** 1 = lower-case letter, 2 = upper-case letter, 3 = digit, 4 = non-ASCII byte, 0 = everything else. */
export const byteClasses = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x61 && byte <= 0x7a) return 1;
  if (byte >= 0x41 && byte <= 0x5a) return 2;
  if (byte >= 0x30 && byte <= 0x39) return 3;
  if (byte >= 0x80) return 4;
  return 0;
});

/**
 * Returns tag bits: whether `[start, end)` starts, and whether it ends, where the byte class changes (at whitespace,
 * punctuation, an underscore, or a change of case) or at the end of a line, so that the rest of the text does not matter.
 * Reads only bytes in `[low, high)`; both of its ends are edges.
 */
export function edgesOf(bytes: Uint8Array, start: number, end: number, low: number, high: number): number {
  let edges = 0;
  if (start === low || start === high || isEdge(bytes[start - 1] ?? 0, bytes[start] ?? 0))
    edges |= startsAtEdge;
  if (end === low || end === high || isEdge(bytes[end] ?? 0, bytes[end - 1] ?? 0)) edges |= endsAtEdge;
  return edges;
}

/** Whether there is an edge between a byte inside of a range and the one next to it. */
function isEdge(outside: number, inside: number): boolean {
  return outside === newline || byteClasses[outside] !== byteClasses[inside];
}
