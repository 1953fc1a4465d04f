/** The task of a parser thread. */
import type { Task } from "#platform/serveTask";
import { BudgetSpent } from "#symbols/budget";
import { grammarOf } from "#symbols/grammars/grammars";
import { Runtime } from "#symbols/grammars/runtime";
import {
  maxParsedBytes,
  type ParsedCalls,
  type ParsedIdentifier,
  type ParsedOccurrences,
  type ParsedSignature,
  type SourceText,
  type Unparsed,
  type UnparsedReason,
} from "#symbols/symbols";
import { DocumentParser } from "./documentParser";
import { type PackedSymbols, pack } from "./packed";

export type ParserRequest =
  | { readonly kind: "symbols" }
  | { readonly kind: "occurrences"; readonly name: string }
  | { readonly kind: "calls"; readonly name?: string }
  | { readonly kind: "identifier"; readonly offset: number }
  | { readonly kind: "signature"; readonly nameStart: number };

export type ParserWork = ParserRequest & { readonly texts: readonly SourceText[] };

export type Parsed =
  | PackedSymbols
  | Unparsed
  | ParsedOccurrences
  | ParsedCalls
  | ParsedIdentifier
  | ParsedSignature;

export interface ParserResponse {
  /**
   * In the order of the texts. Fewer than the texts if the parser crashed on the last one, or the work was canceled.
   */
  readonly parsed: readonly Parsed[];
  /** Whether the thread must be replaced, because its parser crashed or its memory has grown too large. */
  readonly mustReplaceThread: boolean;
}

/** How often a heartbeat is sent to the caller. */
const heartbeatMs = 1000;

/** `folder` contains the unpacked grammars. */
export function parserTask(folder: string): Task<ParserWork, ParserResponse> {
  let starting: Promise<Runtime> | undefined;
  return async ({ texts, ...request }, { isCanceled, emit }) => {
    starting ??= Runtime.start(folder);
    const runtime = await starting;
    const parser = new DocumentParser(runtime);
    const parsed: Parsed[] = [];
    let lastHeartbeat = performance.now();
    for (const text of texts) {
      if (isCanceled()) break;
      const result = parse(parser, request, text);
      parsed.push(result);
      if (isCrash(result)) return { parsed, mustReplaceThread: true };
      if (performance.now() - lastHeartbeat < heartbeatMs) continue;
      lastHeartbeat = performance.now();
      emit(undefined).catch(() => undefined);
    }
    return { parsed, mustReplaceThread: runtime.mustBeReplaced };
  };
}

function isCrash(result: Parsed): boolean {
  return result.kind === "unparsed" && result.reason === "crashed";
}

function parse(parser: DocumentParser, request: ParserRequest, { language, content }: SourceText): Parsed {
  if (grammarOf(language) === undefined) return unparsed("noGrammar");
  if (content.length > maxParsedBytes) return unparsed("tooLarge");
  try {
    switch (request.kind) {
      case "symbols":
        return pack(parser.symbols(language, content));
      case "occurrences":
        return { kind: "parsed", ...parser.occurrences(language, content, request.name) };
      case "calls":
        return { kind: "parsed", ...parser.calls(language, content, request.name) };
      case "identifier":
        return { kind: "parsed", identifier: parser.identifierAt(language, content, request.offset) };
      case "signature":
        return { kind: "parsed", signature: parser.signature(language, content, request.nameStart) };
    }
  } catch (error) {
    return unparsed(error instanceof BudgetSpent ? "tooSlow" : "crashed");
  }
}

function unparsed(reason: UnparsedReason): Unparsed {
  return { kind: "unparsed", reason };
}
