/** The definitions of a file, beside it. */
import { isServiceError } from "#base/error";
import type { OutlineSymbol } from "#contract/symbols";
import { countOf, type PageContext } from "./context";
import { type Html, html } from "./html";

const maxSymbols = 400;

/** Renders the definitions of the file at a commit; nothing if there are none. */
export async function fileOutline(context: PageContext, ref: string | undefined): Promise<Html | undefined> {
  const { pageUrl, caller, call } = context;
  const { repository: repo, path } = pageUrl;
  try {
    const place = { repo, path, ...(ref === undefined ? {} : { ref }) };
    const { symbols } = await caller("outline", { place }, call);
    if (symbols.length === 0) return undefined;
    const shown = symbols.slice(0, maxSymbols);
    const omitted = symbols.length - shown.length;
    const more =
      omitted === 0
        ? undefined
        : html`<p class="dim">${countOf(omitted, "more definition is", "more definitions are")} not listed.</p>`;
    return html`<nav aria-label="Definitions"><h2>Definitions</h2>${listOf(childrenOf(shown), -1)}${more}</nav>`;
  } catch (error) {
    // The file itself can still be shown.
    if (!isServiceError(error)) throw error;
    return undefined;
  }
}

type Children = ReadonlyMap<number, readonly (readonly [index: number, symbol: OutlineSymbol])[]>;

function childrenOf(symbols: readonly OutlineSymbol[]): Children {
  const children = new Map<number, (readonly [number, OutlineSymbol])[]>();
  for (const [index, symbol] of symbols.entries()) {
    const siblings = children.get(symbol.parentIndex) ?? [];
    siblings.push([index, symbol]);
    children.set(symbol.parentIndex, siblings);
  }
  return children;
}

/** Deeper definitions are not listed. */
const maxDepth = 8;

function listOf(children: Children, parent: number, depth = 0): Html | undefined {
  const items = children.get(parent);
  if (items === undefined || depth > maxDepth) return undefined;
  const entries = items.map(([index, { symbol, kind, range, owner }]) => {
    const of = owner === "" ? undefined : html` <span class="dim">of <bdi>${owner}</bdi></span>`;
    return html`<li><a href="#L${range.start.lineNumber}"><bdi>${symbol}</bdi></a> <span class="dim">${kind}</span>${of}${listOf(children, index, depth + 1)}</li>\n`;
  });
  return html`<ul>${entries}</ul>`;
}
