/**
 * What a name in a file means: its signature, its definitions, and where it is used. `?at=LINE:COLUMN` or `?symbol=NAME` of
 * the page of a file shows it beside the text, without script, too.
 */
import { isServiceError } from "#base/error";
import { textStart } from "#base/utf16Offset";
import type { SymbolDescription, SymbolFile, SymbolResult } from "#contract/symbols";
import { countOf, fragment, type PageContext, type PageResponse } from "./context";
import { type Html, type HtmlPart, html } from "./html";
import { searchUrl } from "./searchUrl";

const maxDefinitions = 20;
const maxReferences = 200;
const maxLineLength = 200;
const maxDocumentation = 1500;
const maxHoverDocumentation = 400;

/** What the URL of a page asks for. */
interface Lookup {
  readonly symbol: string;
  readonly lineNumber?: number;
  readonly column?: number;
}

function parseLookup({ parameters }: PageContext): Lookup | undefined {
  const [, line, column] = /^([1-9]\d{0,7}):([1-9]\d{0,7})$/.exec(parameters.get("at") ?? "") ?? [];
  if (line !== undefined) return { symbol: "", lineNumber: Number(line), column: Number(column) };
  const symbol = textStart(parameters.get("symbol")?.trim() ?? "", 1000);
  return symbol === "" ? undefined : { symbol };
}

/** Renders the form to look up a name, and what the page's URL asks for, at a commit. */
export async function symbolPanel(context: PageContext, ref: string | undefined): Promise<Html> {
  const lookup = parseLookup(context);
  const panel = lookup === undefined ? emptyPanel : await panelOrNote(context, ref, lookup);
  return html`<form id="lookup" role="search" aria-label="Symbol">
<input type="search" name="symbol" aria-label="Symbol" placeholder="Definitions and uses" value="${lookup?.symbol}" maxlength="1000" autocomplete="off" autocapitalize="off" spellcheck="false" aria-keyshortcuts="d" title="Look up a name (d)">
<button>Look up</button></form>
${panel}`;
}

/** The file itself can still be shown if the lookup fails. */
async function panelOrNote(context: PageContext, ref: string | undefined, lookup: Lookup): Promise<Html> {
  try {
    return await renderPanel(context, ref, lookup);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return html`<div id="panel"><p class="note" role="alert"><bdi>${error.message}</bdi></p></div>`;
  }
}

const emptyPanel = html`<div id="panel"></div>`;

/** Responds with the panel alone, or with the signature for a hover, for script. */
export async function symbolFragment(context: PageContext, isHover: boolean): Promise<PageResponse> {
  const { revision } = context.pageUrl;
  const lookup = parseLookup(context);
  if (lookup === undefined) return fragment("Symbol", emptyPanel);
  if (!isHover) return fragment("Symbol", await renderPanel(context, revision, lookup));
  const description = await describe(context, revision, lookup);
  const signature = description && (await renderSignature(description, maxHoverDocumentation));
  return fragment("Symbol", html`<div id="hover">${signature}</div>`);
}

function placeOf({ pageUrl }: PageContext, ref: string | undefined, { lineNumber, column }: Lookup) {
  const { repository: repo, path } = pageUrl;
  const position = lineNumber === undefined ? {} : { lineNumber, column };
  return { repo, path, ...(ref === undefined ? {} : { ref }), ...position };
}

/** Returns the symbol at a location; undefined for a lookup by name. */
async function describe(
  context: PageContext,
  ref: string | undefined,
  lookup: Lookup,
): Promise<SymbolDescription | undefined> {
  if (lookup.lineNumber === undefined) return undefined;
  return await context.caller("describeSymbol", { place: placeOf(context, ref, lookup) }, context.call);
}

async function renderPanel(context: PageContext, ref: string | undefined, lookup: Lookup): Promise<Html> {
  const { caller, call, base } = context;
  const description = await describe(context, ref, lookup);
  const symbolName = description?.symbol ?? lookup.symbol;
  if (symbolName === "") return html`<div id="panel"><p class="dim">There is no symbol here.</p></div>`;
  const language =
    description === undefined || description.language === "" ? {} : { language: description.language };
  const request = { symbolName, askedFrom: placeOf(context, ref, lookup), ...language };
  const [definitions, references] = await Promise.all([
    caller("findDefinitions", { ...request, matches: maxDefinitions }, call),
    caller("findReferences", { ...request, matches: maxReferences }, call),
  ]);
  const counts = `${countIn(definitions, "definition")}, ${countIn(references, "use")}`;
  const position = { query: symbolName, isWholeWord: true, isRegex: false, start: 0 };
  return html`<div id="panel" data-summary="${symbolName}: ${counts}"><h2><bdi>${symbolName}</bdi> <button type="button" class="close" hidden>Close</button></h2>
${description && (await renderSignature(description, maxDocumentation))}
${renderFiles(context, "Definitions", definitions)}${renderFiles(context, "Uses", references)}
<p><a href="${searchUrl(base, position)}">Search for this word</a></p></div>`;
}

function countIn({ stats }: SymbolResult, one: string): string {
  return countOf(stats.matchCount, one) + (stats.isExhaustive === false ? " or more" : "");
}

async function renderSignature(
  { definition }: SymbolDescription,
  maxLength: number,
): Promise<Html | undefined> {
  if (definition === undefined) return undefined;
  const { signature, documentation, language } = definition;
  // Loaded on demand, because the library is slow to load.
  const { highlightedLines } = await import("./highlight");
  const lines = highlightedLines(textStart(signature, maxDocumentation), language);
  const cut = textStart(documentation, maxLength);
  const text =
    documentation === "" ? undefined : html`<pre class="doc">${cut}${cut === documentation ? "" : "…"}</pre>`;
  return html`<pre class="signature">${lines.map((line, at): HtmlPart => [at === 0 ? "" : "\n", line])}</pre>${text}`;
}

function renderFiles(context: PageContext, title: string, result: SymbolResult): Html | undefined {
  if (result.files.length === 0) return undefined;
  return html`<h3>${title} <span class="dim">${countIn(result, "result")}</span></h3>
<ul>${result.files.map((file) => renderFile(context, file))}</ul>\n`;
}

function renderFile({ pageUrl }: PageContext, { repository, fileName, webUrl, matches }: SymbolFile): Html {
  const isOwn = repository === pageUrl.repository;
  const name = isOwn && fileName === pageUrl.path ? "This file" : fileName;
  const where = isOwn ? undefined : html` <span class="dim"><bdi>${repository}</bdi></span>`;
  // A line with several is listed once.
  const first = matches.filter(
    ({ range }, at) => range.start.lineNumber !== matches[at - 1]?.range.start.lineNumber,
  );
  const lines = first.map(({ lineContent, range }) => {
    const { lineNumber } = range.start;
    return html`<li><a href="${webUrl}#L${lineNumber}">${lineNumber}</a> <code>${textStart(lineContent.trim(), maxLineLength)}</code></li>\n`;
  });
  return html`<li><bdi>${name}</bdi>${where}<ul>${lines}</ul></li>\n`;
}
