import type { UnsavedDocument } from "#engine/engine";
import type { KnownSymbols } from "#shard/symbolFile/symbolFile";
import { definesNames } from "#symbols/grammars/grammars";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import type { UnsavedText } from "./searchMessages";

/** How long a request for symbols waits for a document that has just changed. */
const waitMs = 400;

/** The maximum number of cached documents of all windows together. */
const maxKnown = 256;

interface Parsing {
  /** Compared instead of the version, because two windows may use the same version for different texts. */
  readonly text: string;
  readonly language: string;
  symbols: KnownSymbols | undefined;
  done: Promise<void>;
}

/** Parses unsaved documents, once per text, and caches their symbols (LRU). */
export class UnsavedSymbols {
  readonly #parsers: Pick<SymbolParsers, "symbols"> | undefined;
  readonly #known = new Map<string, Parsing>();

  constructor(parsers: Pick<SymbolParsers, "symbols"> | undefined) {
    this.#parsers = parsers;
  }

  /** Returns the documents with the symbols known so far. With `mayWait`, first waits briefly for those being parsed. */
  async textsOf(
    documents: readonly UnsavedDocument[],
    mayWait: boolean,
    signal: AbortSignal,
  ): Promise<UnsavedText[]> {
    const parsings = documents.map((document) => this.#parse(document));
    const missing = parsings.filter(({ symbols }) => symbols === undefined);
    if (mayWait && missing.length > 0 && !signal.aborted)
      await withTimeout(waitMs, Promise.all(missing.map(({ done }) => done)));
    return documents.map((document, at) => {
      const symbols = parsings[at]?.symbols;
      return symbols === undefined ? document : { ...document, symbols };
    });
  }

  #parse(document: UnsavedDocument): Parsing {
    const key = keyOf(document);
    const { language, text } = document;
    const known = this.#known.get(key);
    this.#known.delete(key);
    if (known?.language === language && known.text === text) {
      this.#known.set(key, known);
      return known;
    }
    const parsing: Parsing = { text, language, symbols: undefined, done: Promise.resolve() };
    this.#known.set(key, parsing);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
    if (this.#parsers === undefined || !definesNames(language))
      parsing.symbols = { kind: "unparsed", reason: "noGrammar" };
    else
      parsing.done = this.#parsers.symbols([{ language, content: Buffer.from(text) }]).then(
        ([symbols]) => {
          parsing.symbols = symbols;
        },
        // The parser threads have exited. The next request parses the document again.
        () => {
          this.#known.delete(key);
        },
      );
    return parsing;
  }
}

function keyOf({ repositoryId, path }: UnsavedDocument): string {
  return `${repositoryId} ${path}`;
}

function withTimeout(ms: number, done: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
