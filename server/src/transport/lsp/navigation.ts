/**
 * Handles the standard LSP navigation requests across all repositories: translates each request into calls of
 * operations, and the responses into locations that the client can open.
 */
import type {
  CallHierarchyItem,
  CancellationToken,
  Connection,
  DocumentSymbol,
  Hover,
  Location,
  Position,
  SymbolInformation,
  TextDocumentContentResult,
} from "vscode-languageserver/node";
import { ErrorCodes, ResponseError, SymbolKind } from "vscode-languageserver/node";
import { isServiceError } from "#base/error";
import type { RequestInput } from "#contract/service";
import type * as contract from "#contract/symbols";
import { CallRequests } from "./callRequests";
import { formatHover } from "./hoverText";
import type { FoundName, LocationConverter, SendRequest } from "./locations";
import { createCall, type LspSession, responseError, toAbortSignal } from "./requests";
import { toDocumentSymbols, toLspKind, toSymbolInformation } from "./symbolKinds";

/** Result limits of `textDocument/definition`, and of `workspace/symbol`, which clients send on every keystroke. */
const maxDefinitions = 100;
const maxWorkspaceSymbols = 100;

type File = contract.SymbolFile;

/** Registers the request handlers. Call this before the connection listens. */
export function serveNavigation(
  connection: Connection,
  session: LspSession,
  locations: LocationConverter,
): void {
  const { features } = session;
  const calls = new CallRequests(locations);

  connection.onDefinition(({ textDocument, position }, token) =>
    respondOrNull(token, async (send) => {
      const symbolRequest = await symbolRequestAt(send, textDocument.uri, position);
      return symbolRequest === undefined ? null : bestDefinitions(send, symbolRequest);
    }),
  );

  connection.onReferences(({ textDocument, position, context }, token) =>
    respondOrNull(token, async (send) => {
      const symbolRequest = await symbolRequestAt(send, textDocument.uri, position);
      if (symbolRequest === undefined) return null;
      const { files } = await send("findReferences", symbolRequest);
      const declarations = context?.includeDeclaration ? await bestDefinitions(send, symbolRequest) : [];
      return [...declarations, ...(await toOpenableLocations(send, likelyMatches(files)))];
    }),
  );

  connection.onHover(({ textDocument, position }, token) =>
    respondOrNull(token, async (send): Promise<Hover | null> => {
      const location = await locations.toFilePosition(send, textDocument.uri, position);
      if (location === undefined) return null;
      const { definition, range } = await send("describeSymbol", { place: location });
      if (definition === undefined || range === undefined) return null;
      return {
        contents: formatHover(definition, features().hoverFormat),
        range: (await locations.rangeConverter(send, textDocument.uri))(range),
      };
    }),
  );

  connection.onDocumentSymbol(({ textDocument: { uri } }, token) =>
    respondOrNull(token, async (send): Promise<DocumentSymbol[] | SymbolInformation[] | null> => {
      const location = await locations.toFilePosition(send, uri);
      if (location === undefined) return null;
      const { symbols } = await send("outline", { place: location });
      const { hasSymbolTree, outlineKind: kindOf } = features();
      const options = { rangeOf: await locations.rangeConverter(send, uri), kindOf };
      return hasSymbolTree ? toDocumentSymbols(symbols, options) : toSymbolInformation(symbols, uri, options);
    }),
  );

  connection.languages.callHierarchy.onPrepare(({ textDocument, position }, token) =>
    respondOrNull(token, async (send) => {
      const symbolRequest = await symbolRequestAt(send, textDocument.uri, position);
      return symbolRequest === undefined ? null : await calls.prepare(send, symbolRequest);
    }),
  );

  connection.languages.callHierarchy.onIncomingCalls(({ item }, token) =>
    respondOrNull(token, async (send) => {
      const symbolRequest = await symbolRequestOf(send, item);
      return symbolRequest === undefined ? null : await calls.incoming(send, symbolRequest);
    }),
  );

  connection.languages.callHierarchy.onOutgoingCalls(({ item }, token) =>
    respondOrNull(token, async (send) => {
      const symbolRequest = await symbolRequestOf(send, item);
      return symbolRequest === undefined ? null : await calls.outgoing(send, symbolRequest);
    }),
  );

  connection.onWorkspaceSymbol(({ query }, token) =>
    respondOrNull(token, async (send): Promise<SymbolInformation[]> => {
      const { options, workspaceSymbolKind } = features();
      const withoutOpen = options.workspaceSymbols === "otherRepositories";
      const { symbols } = await send("findSymbols", { query, withoutOpen, limit: maxWorkspaceSymbols });
      const found = await locations.toLocations(
        send,
        symbols.map((symbol) => ({ file: symbol, match: symbol })),
      );
      return symbols.flatMap(({ symbol, kind, parent, repository }, at) => {
        const location = found[at];
        if (location === undefined) return [];
        const containerName = [parent.symbol, repository].filter((name) => name !== "").join(" · ");
        return [{ name: symbol, kind: workspaceSymbolKind(toLspKind(kind)), containerName, location }];
      });
    }),
  );

  connection.onRequest(
    "workspace/textDocumentContent",
    ({ uri }: { readonly uri: string }, token: CancellationToken) =>
      respond(token, async (send): Promise<TextDocumentContentResult> => {
        const text = await locations.readSnapshot(send, uri);
        if (text !== undefined) return { text };
        throw new ResponseError(
          ErrorCodes.InvalidParams,
          `"uri" must name a trawl: document, but is ${uri}.`,
        );
      }),
  );

  async function respond<Result>(
    token: CancellationToken,
    work: (send: SendRequest) => Promise<Result>,
    recover = (error: unknown): Result => {
      throw error instanceof ResponseError ? error : responseError(error, session.log);
    },
  ): Promise<Result> {
    const { signal, release } = toAbortSignal(token);
    const arrivedAt = performance.now();
    try {
      const call = await createCall(session, { signal, arrivedAt });
      const caller = await session.caller;
      return await work((name, request) => caller(name, request, call));
    } catch (error) {
      return recover(error);
    } finally {
      release();
    }
  }

  /**
   * Responds with `null` to expected errors: editors then show a message of their own, such as "No definition found".
   */
  function respondOrNull<Result>(
    token: CancellationToken,
    work: (send: SendRequest) => Promise<Result | null>,
  ) {
    return respond<Result | null>(token, work, (error) => {
      const isExpected =
        isServiceError(error) && error.code !== "CANCELLED" && error.code !== "UNEXPECTED_ERROR";
      if (isExpected) return null;
      throw responseError(error, session.log);
    });
  }

  /** Returns nothing for a file with calls at the top level, which nothing calls. */
  async function symbolRequestOf(send: SendRequest, { kind, uri, selectionRange }: CallHierarchyItem) {
    return kind === SymbolKind.File ? undefined : await symbolRequestAt(send, uri, selectionRange.start);
  }

  async function symbolRequestAt(send: SendRequest, uri: string, position: Position) {
    const askedFrom = await locations.toFilePosition(send, uri, position);
    if (askedFrom === undefined) return undefined;
    const { symbol } = await send("symbolAt", { place: askedFrom });
    return symbol === "" ? undefined : { symbolName: symbol, askedFrom };
  }

  async function bestDefinitions(
    send: SendRequest,
    symbolRequest: RequestInput<"findDefinitions">,
  ): Promise<Location[]> {
    const { files } = await send("findDefinitions", { ...symbolRequest, matches: maxDefinitions });
    return toOpenableLocations(send, bestMatches(files));
  }

  async function toOpenableLocations(send: SendRequest, names: readonly FoundName[]): Promise<Location[]> {
    return (await locations.toLocations(send, names)).filter((location) => location !== undefined);
  }
}

/** Returns the resolved definitions; else those in the same repository or imported; else all with the name. */
function bestMatches(files: readonly File[]): FoundName[] {
  const exact = namesWithCertainty(files, "exact");
  return exact.length > 0 ? exact : likelyMatches(files);
}

/** Returns the resolved matches, then those in the same repository, then imported ones; if none, all with the name. */
function likelyMatches(files: readonly File[]): FoundName[] {
  const likely = ["exact", "repository", "import"] as const;
  const found = likely.flatMap((certainty) => namesWithCertainty(files, certainty));
  return found.length > 0 ? found : namesWithCertainty(files);
}

function namesWithCertainty(files: readonly File[], certainty?: contract.Certainty): FoundName[] {
  return files.flatMap((file) =>
    file.matches
      .filter((match) => certainty === undefined || match.certainty === certainty)
      .map((match) => ({ file, match })),
  );
}
