/** A pool of parser threads. They are disposable, because a text can leave one unusable. */
import { setMaxListeners } from "node:events";
import { isServiceError } from "#base/error";
import { type Pool, threadPool } from "#platform/threadPool";
import type {
  ParsedCalls,
  ParsedIdentifier,
  ParsedOccurrences,
  ParsedSignature,
  ParsedSymbols,
  SourceText,
  Unparsed,
} from "#symbols/symbols";
import { type PackedSymbols, unpack } from "./packed";
import type { Parsed, ParserRequest, ParserResponse, ParserWork } from "./parserTask";

/**
 * Parses texts. Returns one result for each text, in order. Every method rejects with `CANCELLED` when its signal
 * fires.
 */
export interface SymbolParsers {
  readonly size: number;
  symbols(texts: readonly SourceText[], signal?: AbortSignal): Promise<readonly ParsedSymbols[]>;
  /** Like `symbols`, but callers unpack the results, for example only when they need them. */
  packedSymbols(
    texts: readonly SourceText[],
    signal?: AbortSignal,
  ): Promise<readonly (PackedSymbols | Unparsed)[]>;
  /** Finds the occurrences of an identifier, by ascending start. */
  occurrences(
    texts: readonly SourceText[],
    name: string,
    signal?: AbortSignal,
  ): Promise<readonly ParsedOccurrences[]>;
  /** Finds the calls in whole texts, or only those of a name, with the definitions and imports of the texts. */
  calls(
    texts: readonly SourceText[],
    name: string | undefined,
    signal?: AbortSignal,
  ): Promise<readonly ParsedCalls[]>;
  /** Finds the identifier at a byte offset, which may also be its end, as for a cursor after it. */
  identifierAt(text: SourceText, offset: number, signal?: AbortSignal): Promise<ParsedIdentifier>;
  /** Returns the signature of the definition whose name starts at `nameStart`. */
  signature(text: SourceText, nameStart: number, signal?: AbortSignal): Promise<ParsedSignature>;
  /** Starts threads that are not running. */
  prepare(): void;
  /** Excess threads end after their current work. */
  resize(size: number): void;
  close(): Promise<void>;
}

/** The batch size of a thread: large enough to keep it busy, small enough to retry. */
const maxBatchTexts = 64;
const maxBatchBytes = 512 * 1024;

/** Parsers stop working on a text well before this; a thread that is silent for longer is assumed to hang. */
const defaultStallTimeoutMs = 40_000;
const maxHeapMb = 1024;
/** Requests come in bursts, and a new thread is slow until its grammars are compiled. */
const idleMs = 60_000;

/** `script` is the bundle of `entry/symbolWorker.ts`. Threads start on demand, and end when idle. */
export function symbolParsers(
  script: string,
  size: number,
  stallTimeoutMs = defaultStallTimeoutMs,
): SymbolParsers {
  const pool = threadPool<ParserWork, ParserResponse>(script, size, {
    mustReplace: ({ mustReplaceThread }) => mustReplaceThread,
    stallTimeoutMs,
    maxHeapMb,
    idleMs,
  });
  let isClosed = false;
  const all = async <Result extends Parsed>(
    texts: readonly SourceText[],
    request: ParserRequest,
    signal?: AbortSignal,
  ): Promise<Result[]> => {
    // Each batch adds a listener.
    if (signal !== undefined) setMaxListeners(0, signal);
    const parts = await Promise.all(
      batches(texts).map((batch) => parseAll(pool, request, batch, () => isClosed, signal)),
    );
    return parts.flat() as Result[];
  };
  const one = async <Result extends Parsed>(
    text: SourceText,
    request: ParserRequest,
    signal?: AbortSignal,
  ): Promise<Result | Unparsed> => (await all<Result>([text], request, signal))[0] ?? crashed;
  const packedSymbols: SymbolParsers["packedSymbols"] = (texts, signal) =>
    all<PackedSymbols | Unparsed>(texts, { kind: "symbols" }, signal);
  return {
    get size() {
      return pool.size;
    },
    async symbols(texts, signal) {
      const parsed = await packedSymbols(texts, signal);
      return parsed.map((each) => (each.kind === "packed" ? unpack(each) : each));
    },
    packedSymbols,
    occurrences: (texts, name, signal) =>
      all<ParsedOccurrences>(texts, { kind: "occurrences", name }, signal),
    calls: (texts, name, signal) =>
      all<ParsedCalls>(texts, { kind: "calls", ...(name === undefined ? {} : { name }) }, signal),
    identifierAt: (text, offset, signal) =>
      one<ParsedIdentifier>(text, { kind: "identifier", offset }, signal),
    signature: (text, nameStart, signal) =>
      one<ParsedSignature>(text, { kind: "signature", nameStart }, signal),
    prepare() {
      for (let thread = 0; thread < pool.size; thread++)
        pool.run({ kind: "symbols", texts: [] }).catch(() => undefined);
    },
    resize: (count) => pool.resize(count),
    close() {
      isClosed = true;
      return pool.close();
    },
  };
}

const crashed: Unparsed = { kind: "unparsed", reason: "crashed" };

/**
 * Returns a result for each text. If a thread ends without a result, any text of its batch may be the cause, so they
 * are retried one by one; one that ends a thread alone is reported as crashed.
 */
async function parseAll(
  pool: Pool<ParserWork, ParserResponse>,
  request: ParserRequest,
  texts: readonly SourceText[],
  isClosed: () => boolean,
  signal: AbortSignal | undefined,
): Promise<Parsed[]> {
  const parsed: Parsed[] = [];
  let atOnce = texts.length;
  while (parsed.length < texts.length) {
    const rest = texts.slice(parsed.length, parsed.length + atOnce);
    try {
      const response = await pool.run({ ...request, texts: rest }, signal);
      parsed.push(...response.parsed);
    } catch (error) {
      if (isClosed() || !isServiceError(error, "ENGINE_UNAVAILABLE")) throw error;
      if (rest.length === 1) parsed.push(crashed);
      atOnce = 1;
    }
  }
  return parsed;
}

function batches(texts: readonly SourceText[]): SourceText[][] {
  const found: SourceText[][] = [];
  let bytes = 0;
  for (const text of texts) {
    const last = found.at(-1);
    if (last === undefined || last.length >= maxBatchTexts || bytes + text.content.length > maxBatchBytes) {
      found.push([text]);
      bytes = 0;
    } else last.push(text);
    bytes += text.content.length;
  }
  return found;
}
