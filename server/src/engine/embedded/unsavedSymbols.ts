import type { UnsavedDocument } from "#engine/engine";
import type { KnownSymbols } from "#shard/symbols";
import { definesNames } from "#symbols/grammars";
import type { SymbolParsers } from "#symbols/parsers";
import type { UnsavedText } from "./task";

/** How long an answer about symbols waits for a document that was changed just now. */
const waitMs = 400;

/** Documents that are remembered, of all windows: those that were asked for last. */
const maxKnown = 256;

interface Parsing {
  /** Two windows may have the same version of different texts. */
  readonly text: string;
  readonly language: string;
  symbols: KnownSymbols | undefined;
  done: Promise<void>;
}

/** What editors hold is parsed once for each text, and then kept with the document. */
export class UnsavedSymbols {
  readonly #parsers: Pick<SymbolParsers, "symbols"> | undefined;
  readonly #known = new Map<string, Parsing>();

  constructor(parsers: Pick<SymbolParsers, "symbols"> | undefined) {
    this.#parsers = parsers;
  }

  /** The documents with what is known of them; with `waits`, what is not known yet is waited for a little. */
  async textsOf(
    documents: readonly UnsavedDocument[],
    waits: boolean,
    signal: AbortSignal,
  ): Promise<UnsavedText[]> {
    const parsings = documents.map((document) => this.#parse(document));
    const missing = parsings.filter(({ symbols }) => symbols === undefined);
    if (waits && missing.length > 0 && !signal.aborted)
      await atMost(waitMs, Promise.all(missing.map(({ done }) => done)));
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
        // The threads are gone, and with them soon this one; the next search tries again.
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

function atMost(ms: number, done: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
