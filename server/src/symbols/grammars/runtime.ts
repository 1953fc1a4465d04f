/**
 * Tree-sitter on this thread: its WebAssembly module and the loaded grammars.
 *
 * A thread can have only one. After it runs out of memory, or a grammar traps, it is unusable: any error but `BudgetSpent`
 * must end the thread.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Language, type Node, Parser, Query, type QueryMatch, type Range, type Tree } from "web-tree-sitter";
import { compileUnoptimizedWasm, compileWasm } from "#platform/wasm";
import { Budget, BudgetSpent } from "#symbols/budget";

/** In pages of 64 KiB. A text of 2 MB needs 40 MB; a grammar that needs 512 MB is out of control. */
const initialPages = 512;
const maxPages = 8192;
/** WebAssembly memory never shrinks. A thread with more is replaced, which takes a tenth of a second. */
const maxReusableBytes = 256 * 1024 * 1024;

/** Time limits for one text, in milliseconds of processor time, approximately. */
const parseMs = 2000;
const queryMs = 1000;

type OnInstance = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void;

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

  /** `folder` contains the unpacked grammars and `web-tree-sitter.wasm`. */
  static async start(folder: string): Promise<Runtime> {
    const memory = new WebAssembly.Memory({ initial: initialPages, maximum: maxPages });
    const core = compileWasm(readFileSync(join(folder, "web-tree-sitter.wasm")));
    const runtime = {
      instantiateWasm: (imports: WebAssembly.Imports, onInstance: OnInstance) =>
        onInstance(new WebAssembly.Instance(core, imports), core),
      wasmMemory: memory,
      // Errors are thrown with the same message.
      printErr: () => undefined,
    };
    await Parser.init(runtime);
    return new Runtime(folder, memory);
  }

  /** The size of the WebAssembly memory, which never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Whether the thread must be replaced, because its memory has grown too large. */
  get mustBeReplaced(): boolean {
    return this.memoryBytes > maxReusableBytes;
  }

  /** Throws `BudgetSpent` if the budget is spent. The caller must delete the tree; nothing else frees its memory. */
  parse(grammar: string, text: string, budget = this.parseBudget()): Tree {
    const tree = this.parsePart(grammar, text, undefined, budget);
    if (tree === undefined) throw new BudgetSpent();
    return tree;
  }

  /**
   * Parses these ranges, or the whole text. Returns undefined if the budget is spent. The caller must delete the tree.
   */
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

  /** Runs a query. `grammar` and `name` are its cache key. Throws `BudgetSpent` if the budget is spent. */
  matches(
    grammar: string,
    name: string,
    text: string,
    node: Node,
    budget = this.queryBudget(),
  ): QueryMatch[] {
    const query = this.#query(grammar, name, text);
    const found = query.matches(node, { progressCallback: budget.isSpent });
    if (budget.wasSpent) throw new BudgetSpent();
    return found;
  }

  #language(grammar: string): Language {
    const loaded = this.#languages.get(grammar);
    if (loaded !== undefined) return loaded;
    // A lexer is one function of up to 460 KB. Optimizing it takes seconds and, in Node 24, up to 3.5 GB, and makes it no
    // faster.
    const wasm = readFileSync(join(this.#folder, `${grammar}.wasm`));
    const language = Language.loadSync(compileUnoptimizedWasm(wasm));
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
