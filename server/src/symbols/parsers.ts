/** Threads that parse: disposable, because a text can ruin one for good. */
import { ServiceError } from "#base/error";
import type { ParsedOccurrences, ParsedPlace, ParsedSignature, ParsedSymbols, SourceText } from "./symbols";

/** Answers stand in the order of the texts, one for each. All reject with `CANCELLED` when their signal fires. */
export interface SymbolParsers {
  readonly size: number;
  symbols(texts: readonly SourceText[], signal?: AbortSignal): Promise<readonly ParsedSymbols[]>;
  /** The places of an identifier, by ascending start. */
  occurrences(
    texts: readonly SourceText[],
    name: string,
    signal?: AbortSignal,
  ): Promise<readonly ParsedOccurrences[]>;
  /** The identifier at a place; at its end counts, too, as where an editor's cursor stands behind it. */
  placeAt(text: SourceText, offset: number, signal?: AbortSignal): Promise<ParsedPlace>;
  /** Of the definition whose name starts at `nameStart`. */
  signature(text: SourceText, nameStart: number, signal?: AbortSignal): Promise<ParsedSignature>;
  /** Threads past the new size end with the work that they have. */
  resize(size: number): void;
  close(): Promise<void>;
}

/** `script` is the bundle of `entry/symbolWorker.ts`. Threads start when there is work, and end when there is none. */
export function symbolParsers(_script: string, size: number): SymbolParsers {
  const later = () => Promise.reject(new ServiceError("ENGINE_UNAVAILABLE", "No parser yet."));
  return {
    size,
    symbols: later,
    occurrences: later,
    placeAt: later,
    signature: later,
    resize: () => undefined,
    close: async () => undefined,
  };
}
