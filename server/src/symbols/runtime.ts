/**
 * Tree-sitter on this thread: its WebAssembly and the grammars that were asked for.
 *
 * There is one for a thread and no second one: when it has run out of memory, or a grammar has trapped, it is dead, and
 * whatever it throws but `TooSlow` is the end of its thread.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Language, type Node, Parser, Query, type QueryMatch, type Range, type Tree } from "web-tree-sitter";
import { Budget, TooSlow } from "./budget";

/** In pages of 64 KiB. A text of 2 MB needs 40 MB; a grammar that needs more runs away. */
const initialPages = 512;
const maxPages = 8192;
/** Memory of WebAssembly never shrinks. Past this a thread is given back, which costs the others a tenth of a second. */
const wornBytes = 256 * 1024 * 1024;

/** What a text may take, in two parts, in milliseconds of a thread that is not kept waiting. */
const parseMs = 2000;
const queryMs = 1000;

export class Runtime {
  readonly #folder: string;
  readonly #memory: WebAssembly.Memory;
  readonly #parser: Parser;
  readonly #languages = new Map<string, Language>();
  readonly #queries = new Map<string, Query>();

  private constructor(folder: string, memory: WebAssembly.Memory) {
    this.#folder = folder;
    this.#memory = memory;
    this.#parser = new Parser();
  }

  /** `folder` holds the unpacked grammars and `web-tree-sitter.wasm`. */
  static async start(folder: string): Promise<Runtime> {
    const memory = new WebAssembly.Memory({ initial: initialPages, maximum: maxPages });
    const runtime = {
      wasmBinary: readFileSync(join(folder, "web-tree-sitter.wasm")),
      wasmMemory: memory,
      // It says why it ends; the exception says it, too.
      printErr: () => undefined,
    };
    await Parser.init(runtime);
    return new Runtime(folder, memory);
  }

  /** Of WebAssembly; never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  get isWorn(): boolean {
    return this.memoryBytes > wornBytes;
  }

  /** Whoever gets a tree deletes it: nothing else frees its memory. */
  parse(grammar: string, text: string, budget = this.parseBudget()): Tree {
    const tree = this.parsePart(grammar, text, undefined, budget);
    if (tree === undefined) throw new TooSlow();
    return tree;
  }

  /** Of these ranges alone, or of the whole text; undefined where the budget is spent. */
  parsePart(grammar: string, text: string, ranges: Range[] | undefined, budget: Budget): Tree | undefined {
    this.#parser.setLanguage(this.#language(grammar));
    const options = { progressCallback: budget.isSpent, ...(ranges && { includedRanges: ranges }) };
    const tree = this.#parser.parse(text, null, options);
    if (tree !== null) return tree;
    this.#parser.reset();
    return undefined;
  }

  parseBudget(): Budget {
    return new Budget(parseMs);
  }

  queryBudget(): Budget {
    return new Budget(queryMs);
  }

  /** `name` is the query's in this thread's store: its text is read the first time only. */
  matches(
    grammar: string,
    name: string,
    text: string,
    node: Node,
    budget = this.queryBudget(),
  ): QueryMatch[] {
    const query = this.#query(grammar, name, text);
    const found = query.matches(node, { progressCallback: budget.isSpent });
    if (budget.wasSpent) throw new TooSlow();
    return found;
  }

  #language(grammar: string): Language {
    const loaded = this.#languages.get(grammar);
    if (loaded !== undefined) return loaded;
    // Compiling apart from this thread would wait behind the optimizer, which takes seconds for a large lexer.
    const wasm = readFileSync(join(this.#folder, `${grammar}.wasm`));
    const language = Language.loadSync(new WebAssembly.Module(wasm));
    this.#languages.set(grammar, language);
    return language;
  }

  #query(grammar: string, name: string, text: string): Query {
    const key = `${grammar}/${name}`;
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    const query = new Query(this.#language(grammar), text);
    this.#queries.set(key, query);
    return query;
  }
}
