/** The steps of every client, their expected results, and the comparison of both. */
import { realpathSync } from "node:fs";
import { relative } from "node:path";

/** Each step is one interactive command; texts give the position of the cursor. */
export const steps = {
  timeLimitMs: 30_000,
  symbols: ["formatPrice", "postEntry", "checkO"],
  definitions: ["formatPrice(total", "postEntry(cart"],
  /** From the definition of the first to the definition of the second, in a repository without a checkout. */
  continued: ["postEntry(cart", "entries.push"],
  references: "formatPrice(total",
  hover: "formatPrice(total",
  /** Unsaved lines that are inserted at the top of the file. */
  edit: ["// 🧺 not saved", "export function freshlyTyped() {}", ""],
  editedSymbols: ["freshlyTyped"],
  editedDefinitions: ["formatPrice(total", "postEntry(cart"],
};

/** A location as clients show it; fields that a client does not show are absent. */
export interface SeenLocation {
  readonly path: string;
  readonly line: number;
  readonly text?: string;
  readonly name?: string;
  readonly isReadOnly?: boolean;
}

type SeenByKey = Readonly<Record<string, readonly SeenLocation[]>>;

export interface ClientResults {
  /** Why the client stopped. */
  readonly problem?: string;
  readonly symbols?: SeenByKey;
  readonly definitions?: SeenByKey;
  /** Only from editors, which attach the document that they opened to the server. */
  readonly continued?: readonly SeenLocation[];
  readonly references?: readonly SeenLocation[];
  readonly hover?: string;
  readonly outline?: readonly { readonly text: string; readonly line?: number }[];
  readonly edited?: { readonly symbols?: SeenByKey; readonly definitions?: SeenByKey };
  /** The number of indexed repositories, from clients that send Trawl's custom requests. */
  readonly repositories?: number;
  /** Kinds of `$/progress`, from clients that show it. */
  readonly progress?: readonly string[];
}

const formatPrice = "src/money/src/price.js:2 formatPrice";
const postEntry = "ledger.js:4 postEntry (read-only)";

const expected = {
  symbols: {
    formatPrice: [formatPrice],
    postEntry: [postEntry],
    checkO: ["src/web/src/cart.js:15 checkOut"],
  },
  definitions: { "formatPrice(total": [formatPrice], "postEntry(cart": [postEntry] },
  continued: ["ledger.js:1 entries (read-only)"],
  references: [
    "src/money/src/price.js:2 formatPrice",
    "src/web/src/cart.js:2 formatPrice",
    "src/web/src/cart.js:11 formatPrice",
  ],
  outline: ["Cart", "constructor", "label", "checkOut"],
  edited: {
    symbols: { freshlyTyped: ["src/web/src/cart.js:2 freshlyTyped"] },
    definitions: { "formatPrice(total": [formatPrice], "postEntry(cart": [postEntry] },
  },
  hover: ["function formatPrice(cents)", "Formats an amount of cents as dollars."],
} as const;

/** Compares a client's results with the expected ones; returns a line for each difference. */
export function differences(results: ClientResults, home: string): string[] {
  const found: string[] = [];
  const compare = (what: string, seen: unknown, wanted: unknown): void => {
    const [left, right] = [JSON.stringify(seen), JSON.stringify(wanted)];
    if (left !== right) found.push(`${what}: saw ${left}, should see ${right}`);
  };
  if (results.problem !== undefined) found.push(results.problem);
  const byKey = (what: string, seen: SeenByKey | undefined, wanted: Readonly<Record<string, unknown>>) => {
    for (const [key, locations] of Object.entries(wanted)) {
      compare(
        `${what} of ${key}`,
        (seen?.[key] ?? []).map((each) => describe(each, home)),
        locations,
      );
    }
  };
  byKey("symbols", results.symbols, expected.symbols);
  byKey("definitions", results.definitions, expected.definitions);
  if (results.continued !== undefined) {
    const continued = results.continued.map((each) => describe(each, home));
    compare("going on from a definition", continued, expected.continued);
  }
  const references = (results.references ?? []).map((each) => describe(each, home));
  compare("references", references.sort(), [...expected.references].sort());
  const hover = results.hover ?? "";
  for (const text of expected.hover) {
    if (!hover.includes(text)) found.push(`hover: "${text}" is missing in ${JSON.stringify(hover)}`);
  }
  const names = (results.outline ?? []).map(({ text }) => nameIn(text)).filter((name) => name !== "prices");
  compare("outline", names, expected.outline);
  byKey("symbols after an edit", results.edited?.symbols, expected.edited.symbols);
  byKey("definitions after an edit", results.edited?.definitions, expected.edited.definitions);
  if (results.repositories !== undefined) compare("repositories", results.repositories, 3);
  if (results.progress !== undefined) {
    // Repositories this small may be indexed before the client can show any progress.
    const kinds = new Set(results.progress);
    if (kinds.size > 0 && !(kinds.has("begin") && kinds.has("end")))
      found.push(`progress of indexing was not shown to its end: ${results.progress.join(" ")}`);
  }
  return found;
}

/** Formats as `PATH:LINE NAME`, with the relative path below the home and only the file name elsewhere. */
function describe({ path, line, text = "", name, isReadOnly }: SeenLocation, home: string): string {
  const below = relative(realpathSync(home), path);
  const isSource = below.startsWith("src/");
  const shown = isSource ? below : /([^/?]+\.js)(?:\?.*)?$/.exec(path)?.[1];
  // Lists have either the name or the line; a line of the wrong document does not have the name.
  const seen = name ?? /\b(?:formatPrice|postEntry|checkOut|freshlyTyped)\b/.exec(text)?.[0];
  return `${shown ?? path}:${line} ${seen}${(isReadOnly ?? !isSource) ? " (read-only)" : ""}`;
}

/** Extracts the name from `[Function] name`, `name (Function)` and the like. */
function nameIn(text: string): string {
  return text.replaceAll(/\[\w+\]|\(\w+\)/g, "").trim();
}
