/**
 * What editors ask of every language server, answered from all repositories: the place of the cursor becomes a row of the
 * contract, and its answer becomes places that the editor can open.
 *
 * A file that lies on this computer as it was found is a `file:`, everything else a `trawl:` document at its commit.
 */
import { pathToFileURL } from "node:url";
import {
  type CancellationToken,
  type Connection,
  type DocumentSymbol,
  type Hover,
  type Location,
  MarkupKind,
  type Position,
  type Range,
  type SymbolInformation,
} from "vscode-languageserver/node";
import { URI } from "vscode-uri";
import { isServiceError } from "#base/error";
import type { OperationName } from "#contract/operations";
import type { AnswerOf, SentOf } from "#contract/service";
import { snapshotPlace, snapshotUri } from "#contract/snapshotUri";
import type * as contract from "#contract/symbols";
import type { OpenDocuments } from "./documents";
import { hoverText } from "./hoverText";
import { callOf, responseError, type Surroundings, signalOf } from "./requests";
import { documentSymbols, lspKind } from "./symbolKinds";

/** What an editor lists at a definition, and what it asks for where every letter is typed. */
const maxDefinitions = 100;
const maxWorkspaceSymbols = 50;
/** Fewer letters are in every name. */
const minQueryLength = 2;

type File = contract.SymbolFile;

/** To be registered before the connection listens. */
export function serveNavigation(
  connection: Connection,
  surroundings: Surroundings,
  documents: Pick<OpenDocuments, "lineOf">,
): void {
  connection.onDefinition(({ textDocument, position }, token) =>
    answered(token, async (ask) => {
      const named = await nameAt(ask, textDocument.uri, position);
      return named === undefined ? null : surestDefinitions(ask, named);
    }),
  );

  connection.onReferences(({ textDocument, position, context }, token) =>
    answered(token, async (ask) => {
      const named = await nameAt(ask, textDocument.uri, position);
      if (named === undefined) return null;
      const { files } = await ask("findReferences", named);
      const declarations = context.includeDeclaration ? await surestDefinitions(ask, named) : [];
      return [...declarations, ...related(files).map(locationOf)];
    }),
  );

  connection.onHover(({ textDocument, position }, token) =>
    answered(token, async (ask): Promise<Hover | null> => {
      const place = placeOf(textDocument.uri, position);
      if (place === undefined) return null;
      const { definition, range } = await ask("describeSymbol", { place });
      if (definition === undefined || range === undefined) return null;
      return {
        contents: { kind: MarkupKind.Markdown, value: hoverText(definition) },
        range: rangesIn(textDocument.uri)(range),
      };
    }),
  );

  connection.onDocumentSymbol(({ textDocument }, token) =>
    answered(token, async (ask): Promise<DocumentSymbol[] | null> => {
      const place = placeOf(textDocument.uri);
      if (place === undefined) return null;
      const { symbols } = await ask("outline", { place });
      return documentSymbols(symbols, rangesIn(textDocument.uri));
    }),
  );

  connection.onWorkspaceSymbol(({ query }, token) =>
    answered(token, async (ask): Promise<SymbolInformation[]> => {
      if (query.trim().length < minQueryLength) return [];
      const request = { query, withoutOpen: true, limit: maxWorkspaceSymbols };
      const { symbols } = await ask("findSymbols", request);
      return symbols.map((found) => ({
        name: found.symbol,
        kind: lspKind(found.kind),
        containerName: [found.parent.symbol, found.repository].filter((name) => name !== "").join(" · "),
        location: { uri: uriOf(found), range: rangeInLine(found.lineContent, found.range) },
      }));
    }),
  );

  /** Where a question has no answer, an editor says so itself: only defects are errors. */
  async function answered<Answer>(
    token: CancellationToken,
    work: (ask: Ask) => Promise<Answer>,
  ): Promise<Answer | null> {
    const { signal, release } = signalOf(token);
    try {
      const call = await callOf(surroundings, signal);
      const caller = await surroundings.caller;
      return await work((name, request) => caller(name, request, call));
    } catch (error) {
      if (isServiceError(error) && error.code !== "CANCELLED" && error.code !== "UNEXPECTED_ERROR")
        return null;
      throw responseError(error, surroundings.log);
    } finally {
      release();
    }
  }

  async function nameAt(ask: Ask, uri: string, position: Position) {
    const askedFrom = placeOf(uri, position);
    if (askedFrom === undefined) return undefined;
    const { symbol } = await ask("symbolAt", { place: askedFrom });
    return symbol === "" ? undefined : { symbolName: symbol, askedFrom };
  }

  async function surestDefinitions(ask: Ask, named: SentOf<"findDefinitions">): Promise<Location[]> {
    const { files } = await ask("findDefinitions", { ...named, matches: maxDefinitions });
    return surest(files).map(locationOf);
  }

  /** `undefined` for documents that are neither a file nor a snapshot. */
  function placeOf(uri: string, position?: Position): SentOf<"symbolAt">["place"] | undefined {
    const parsed = URI.parse(uri);
    const at = position === undefined ? {} : placeIn(documents.lineOf(uri, position.line), position);
    if (parsed.scheme === "file") return { file: parsed.fsPath, ...at };
    const place = snapshotPlace(parsed);
    if (place === undefined || place.path === "") return undefined;
    const { repository: repo, path, commit } = place;
    return { repo, path, ...(commit === "" ? {} : { ref: commit }), ...at };
  }

  /** Ranges of a document as the editor counts them; a line is looked at once, for it may be long and have many. */
  function rangesIn(uri: string): (range: contract.OutlineSymbol["range"]) => Range {
    const lines = new Map<number, (column: number) => number>();
    const position = ({ lineNumber, column }: contract.OutlineSymbol["range"]["start"]) => {
      const units = lines.get(lineNumber) ?? unitsIn(documents.lineOf(uri, lineNumber - 1));
      lines.set(lineNumber, units);
      return { line: lineNumber - 1, character: units(column) };
    };
    return ({ start, end }) => ({ start: position(start), end: position(end) });
  }
}

type Ask = <Name extends OperationName>(name: Name, request: SentOf<Name>) => Promise<AnswerOf<Name>>;

interface FoundPlace {
  readonly file: File;
  readonly match: contract.SymbolMatch;
}

/** Of definitions: what is resolved; else what is near or imported; else whatever has the name. */
function surest(files: readonly File[]): FoundPlace[] {
  const exact = placesOf(files, "exact");
  return exact.length > 0 ? exact : related(files);
}

/** Of uses: all that are resolved, near or imported, in this order; else whatever has the name. */
function related(files: readonly File[]): FoundPlace[] {
  const sure = ["exact", "repository", "import"] as const;
  const found = sure.flatMap((certainty) => placesOf(files, certainty));
  return found.length > 0 ? found : placesOf(files);
}

function placesOf(files: readonly File[], certainty?: contract.Certainty): FoundPlace[] {
  return files.flatMap((file) =>
    file.matches
      .filter((match) => certainty === undefined || match.certainty === certainty)
      .map((match) => ({ file, match })),
  );
}

function locationOf({ file, match }: FoundPlace): Location {
  return { uri: uriOf(file), range: rangeInLine(match.lineContent, match.range) };
}

function uriOf({ localPath, repository, commit = "", fileName }: File | contract.FoundSymbol): string {
  if (localPath !== undefined) return pathToFileURL(localPath).href;
  return URI.from(snapshotUri({ repository, commit, path: fileName })).toString();
}

function placeIn(line: string | undefined, { line: index, character }: Position) {
  const column = line === undefined ? character : [...line.slice(0, character)].length;
  return { lineNumber: index + 1, column: column + 1 };
}

/** Names have no line breaks. */
function rangeInLine(line: string, { start, end }: contract.SymbolMatch["range"]): Range {
  const units = unitsIn(line);
  const at = ({ lineNumber, column }: typeof start) => ({
    line: lineNumber - 1,
    character: units(column),
  });
  return { start: at(start), end: at(end) };
}

/** UTF-16 units before a column of a line; beyond what is known of it a code point is taken for one. */
function unitsIn(line: string | undefined): (column: number) => number {
  if (line === undefined || !/[\ud800-\udbff]/.test(line)) return (column) => column - 1;
  const before: number[] = [];
  let units = 0;
  for (const point of line) {
    before.push(units);
    units += point.length;
  }
  return (column) => before[column - 1] ?? units + column - 1 - before.length;
}
