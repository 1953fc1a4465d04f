/** What a thread does that parses. */
import type { Task } from "#platform/workers";
import { TooSlow } from "./budget";
import { DocumentParser } from "./documentParser";
import { grammarOf } from "./grammars";
import { type PackedSymbols, pack } from "./packed";
import { Runtime } from "./runtime";
import {
  maxParsedBytes,
  type ParsedOccurrences,
  type ParsedPlace,
  type ParsedSignature,
  type SourceText,
  type Unparsed,
  type UnparsedReason,
} from "./symbols";

export type Question =
  | { readonly kind: "symbols" }
  | { readonly kind: "occurrences"; readonly name: string }
  | { readonly kind: "place"; readonly offset: number }
  | { readonly kind: "signature"; readonly nameStart: number };

export type ParserWork = Question & { readonly texts: readonly SourceText[] };

export type Parsed = PackedSymbols | Unparsed | ParsedOccurrences | ParsedPlace | ParsedSignature;

export interface ParserAnswer {
  /** In the order of the texts; fewer than there are texts when the parser ended with the last one. */
  readonly parsed: readonly Parsed[];
  /** This thread must not be asked again: its parser has ended, or its memory has grown too large. */
  readonly isWorn: boolean;
}

/** Whoever waits is told after this time that the work goes on. */
const signMs = 1000;

/** `folder` holds the unpacked grammars. */
export function parserTask(folder: string): Task<ParserWork, ParserAnswer> {
  let starting: Promise<Runtime> | undefined;
  return async ({ texts, ...question }, { cancelled, emit }) => {
    starting ??= Runtime.start(folder);
    const runtime = await starting;
    const parser = new DocumentParser(runtime);
    const parsed: Parsed[] = [];
    let lastSign = performance.now();
    for (const text of texts) {
      if (cancelled()) break;
      const answer = answerOf(parser, question, text);
      parsed.push(answer);
      if (isEnd(answer)) return { parsed, isWorn: true };
      if (performance.now() - lastSign < signMs) continue;
      lastSign = performance.now();
      emit(undefined).catch(() => undefined);
    }
    return { parsed, isWorn: runtime.isWorn };
  };
}

function isEnd(answer: Parsed): boolean {
  return answer.kind === "unparsed" && answer.reason === "crashed";
}

function answerOf(parser: DocumentParser, question: Question, { language, content }: SourceText): Parsed {
  if (grammarOf(language) === undefined) return unparsed("noGrammar");
  if (content.length > maxParsedBytes) return unparsed("tooLarge");
  try {
    switch (question.kind) {
      case "symbols":
        return pack(parser.symbols(language, content));
      case "occurrences":
        return { kind: "parsed", ...parser.occurrences(language, content, question.name) };
      case "place":
        return { kind: "parsed", place: parser.placeAt(language, content, question.offset) };
      case "signature":
        return { kind: "parsed", signature: parser.signature(language, content, question.nameStart) };
    }
  } catch (error) {
    return unparsed(error instanceof TooSlow ? "tooSlow" : "crashed");
  }
}

function unparsed(reason: UnparsedReason): Unparsed {
  return { kind: "unparsed", reason };
}
