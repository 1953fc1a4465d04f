/** Threads that parse: disposable, because a text can ruin one for good. */
import { isServiceError } from "#base/error";
import { type Pool, threadPool } from "#platform/workers";
import { type PackedSymbols, unpack } from "./packed";
import type { Parsed, ParserAnswer, ParserWork, Question } from "./parserTask";
import type {
  ParsedOccurrences,
  ParsedPlace,
  ParsedSignature,
  ParsedSymbols,
  SourceText,
  Unparsed,
} from "./symbols";

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
  /** Starts threads that have ended. */
  prepare(): void;
  /** Threads past the new size end with the work that they have. */
  resize(size: number): void;
  close(): Promise<void>;
}

/** Threads of which each is given some texts at a time: enough to keep it busy, and few to be read once more. */
const textsAtOnce = 64;
const bytesAtOnce = 512 * 1024;

/** A parser gives a text up long before; a thread that says nothing for longer has come to harm. */
const defaultSilenceMs = 40_000;
const maxHeapMb = 1024;
/** Who has asked about a name asks again soon, and a thread is slow until its grammars are compiled. */
const idleMs = 60_000;

/** `script` is the bundle of `entry/symbolWorker.ts`. Threads start when there is work, and end when there is none. */
export function symbolParsers(script: string, size: number, silenceMs = defaultSilenceMs): SymbolParsers {
  const pool = threadPool<ParserWork, ParserAnswer>(script, size, {
    isWorn: ({ isWorn }) => isWorn,
    silenceMs,
    maxHeapMb,
    idleMs,
  });
  let isClosed = false;
  const all = async <Answer extends Parsed>(
    texts: readonly SourceText[],
    question: Question,
    signal?: AbortSignal,
  ): Promise<Answer[]> => {
    const parts = await Promise.all(
      batches(texts).map((batch) => parseAll(pool, question, batch, () => isClosed, signal)),
    );
    return parts.flat() as Answer[];
  };
  const one = async <Answer extends Parsed>(
    text: SourceText,
    question: Question,
    signal?: AbortSignal,
  ): Promise<Answer | Unparsed> => (await all<Answer>([text], question, signal))[0] ?? crashed;
  return {
    get size() {
      return pool.size;
    },
    async symbols(texts, signal) {
      const parsed = await all<PackedSymbols | Unparsed>(texts, { kind: "symbols" }, signal);
      return parsed.map((each) => (each.kind === "packed" ? { kind: "parsed", ...unpack(each) } : each));
    },
    occurrences: (texts, name, signal) =>
      all<ParsedOccurrences>(texts, { kind: "occurrences", name }, signal),
    placeAt: (text, offset, signal) => one<ParsedPlace>(text, { kind: "place", offset }, signal),
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
 * An answer for each text. A thread that ends without one does not say which text it was: what it had is given to
 * others one by one, and who ends a thread alone is left out.
 */
async function parseAll(
  pool: Pool<ParserWork, ParserAnswer>,
  question: Question,
  texts: readonly SourceText[],
  isClosed: () => boolean,
  signal: AbortSignal | undefined,
): Promise<Parsed[]> {
  const parsed: Parsed[] = [];
  let atOnce = texts.length;
  while (parsed.length < texts.length) {
    const rest = texts.slice(parsed.length, parsed.length + atOnce);
    try {
      const answer = await pool.run({ ...question, texts: rest }, signal);
      parsed.push(...answer.parsed);
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
    if (last === undefined || last.length >= textsAtOnce || bytes + text.content.length > bytesAtOnce) {
      found.push([text]);
      bytes = 0;
    } else last.push(text);
    bytes += text.content.length;
  }
  return found;
}
