import { ByteCache } from "#base/byteCache";
import { isServiceError, throwIfAborted } from "#base/error";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { PackedSymbols } from "#symbols/parsing/packed";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import type { Unparsed } from "#symbols/symbols";
import type { CandidateSymbols, CandidateText } from "./zoektMessages";

type CandidateSymbol = PackedSymbols | Unparsed;

const maxCacheBytes = 64 * 1024 * 1024;
/** Texts that are parsed together: few, so that the time limit loses little work. */
const maxBatchBytes = 128 * 1024;

/** Parses documents of nodes, and caches their symbols by content, because similar queries tend to follow. */
export class CandidateParser {
  readonly #parsers: Pick<SymbolParsers, "packedSymbols" | "size">;
  readonly #cache: ByteCache<CandidateSymbol>;

  constructor(parsers: Pick<SymbolParsers, "packedSymbols" | "size">, cacheBytes = maxCacheBytes) {
    this.#parsers = parsers;
    this.#cache = new ByteCache(cacheBytes);
  }

  /**
   * Parses texts in their order until the time `until`, and returns the symbols that are known then. Rejects with CANCELLED
   * when the signal fires.
   */
  async symbolsOf(
    texts: readonly CandidateText[],
    until: number,
    signal: AbortSignal,
  ): Promise<CandidateSymbols> {
    const known = new Map<string, CandidateSymbol>();
    const unknown: CandidateText[] = [];
    for (const text of texts) {
      const symbols = this.#cache.get(text.key);
      if (symbols === undefined) unknown.push(text);
      else known.set(text.key, symbols);
    }
    if (unknown.length === 0) return known;
    const limit = new TimeLimit(signal, Math.max(0, until - monotonicNow()));
    const waiting = batches(unknown);
    const parseBatches = async () => {
      for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
        await this.#parse(batch, known, limit.signal);
        if (limit.signal.aborted) return;
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.max(1, this.#parsers.size) }, parseBatches));
    } catch (error) {
      throwIfAborted(signal);
      // Without threads, texts remain unparsed, which the result reports.
      if (!limit.isExpired && !isServiceError(error, "ENGINE_UNAVAILABLE")) throw error;
    } finally {
      limit.abort();
      limit.dispose();
    }
    throwIfAborted(signal);
    return known;
  }

  async #parse(
    batch: readonly CandidateText[],
    known: Map<string, CandidateSymbol>,
    signal: AbortSignal,
  ): Promise<void> {
    const parsed = await this.#parsers.packedSymbols(batch, signal);
    for (const [at, { key }] of batch.entries()) {
      const symbols = parsed[at];
      if (symbols === undefined) continue;
      known.set(key, symbols);
      this.#cache.set(key, symbols, 2 * key.length + bytesOf(symbols));
    }
  }
}

function batches(texts: readonly CandidateText[]): CandidateText[][] {
  const found: CandidateText[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    if (bytes > maxBatchBytes) {
      found.push([]);
      bytes = 0;
    }
    found.at(-1)?.push(text);
    bytes += text.content.length;
  }
  return found;
}

function bytesOf(symbols: CandidateSymbol): number {
  if (symbols.kind === "unparsed") return 100;
  const { names, owners, numbers, imports } = symbols;
  const strings = [names, owners, ...imports];
  return 200 + numbers.byteLength + strings.reduce((sum, { length }) => sum + 2 * length + 50, 0);
}
