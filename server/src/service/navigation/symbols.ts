/** Names in code: the handlers of their rows. */
import type { CallContext, Handler } from "#contract/service";
import type * as contract from "#contract/symbols";
import type { Engine } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import { addReason, type FlushReason } from "#model/stats";
import { type SymbolKind, symbolKinds } from "#model/symbol";
import { preferredRepositories, unsavedDocument } from "#service/searchPlan";
import type { SymbolParsers } from "#symbols/parsers";
import { CodePlaces } from "./codePlaces";
import { Definitions } from "./definitions";
import { Describing } from "./describing";
import { requestedLanguages } from "./languageFamilies";
import { Packages } from "./packages";
import { ParsedCode } from "./parsedCode";
import {
  introduceRepositories,
  type Presentation,
  presentDefinitions,
  presentFoundSymbol,
  presentOutline,
  presentUses,
  surestFirst,
} from "./presentSymbols";
import { createQuestion, type Question, type QuestionOptions } from "./question";
import { References } from "./references";

export interface SymbolOptions extends Omit<QuestionOptions, "code" | "places"> {
  readonly engine: Engine;
  readonly parsers: SymbolParsers;
}

type Rows =
  | "findDefinitions"
  | "findReferences"
  | "streamReferences"
  | "findSymbols"
  | "outline"
  | "symbolAt"
  | "describeSymbol";

export function symbolHandlers(options: SymbolOptions): { readonly [Row in Rows]: Handler<Row> } {
  const { engine, repositories, parsers } = options;
  const code = new ParsedCode(parsers);
  const places = new CodePlaces(options);
  const packages = new Packages(engine);
  const definitions = new Definitions({ engine, repositories, code, packages });
  const references = new References({ engine, repositories, code, packages, definitions });
  const asking = { ...options, code, places };
  const describing = new Describing({ ...asking, definitions });

  function presentation({ scopes }: Pick<Question, "scopes">, context: CallContext): Presentation {
    return { repositories, context, scopes };
  }

  async function uses(
    request: contract.SymbolRequest,
    context: CallContext,
    onFiles: (files: readonly contract.SymbolFile[], presented: Presentation) => Promise<void> | void,
  ) {
    const question = await createQuestion(request, context, asking);
    const presented = presentation(question, context);
    const found = await references.find(question, context.signal, (files) =>
      onFiles(presentUses(files, presented), presented),
    );
    const stats = {
      matchCount: found.matchCount,
      isExhaustive: isExhaustive(found.reason, question.reasons),
      unparsedFiles: found.unparsedFiles,
    };
    return { stats, presented };
  }

  return {
    async findDefinitions(request, context) {
      const question = await createQuestion(request, context, asking);
      const { definitions: found, reason } = await definitions.find(question, context.signal);
      const presented = presentation(question, context);
      const files = presentDefinitions(found, presented);
      const stats = {
        matchCount: files.reduce((sum, { matches }) => sum + matches.length, 0),
        isExhaustive: isExhaustive(reason, question.reasons),
        unparsedFiles: files.filter(({ isParsed }) => !isParsed).length,
      };
      return { stats, files, repositoryInfo: introduceRepositories(files, presented) };
    },

    async findReferences(request, context) {
      const found: contract.SymbolFile[] = [];
      const { stats, presented } = await uses(request, context, (files) => {
        found.push(...files);
      });
      const files = surestFirst(found);
      return { stats, files, repositoryInfo: introduceRepositories(files, presented) };
    },

    async streamReferences(request, context) {
      const known = new Set<number>();
      const { stats, presented } = await uses(request, context, async (files, presenting) => {
        const repositoryInfo = introduceRepositories(files, presenting).filter(({ id }) => !known.has(id));
        for (const { id } of repositoryInfo) known.add(id);
        await context.emit?.({ event: "files", data: { files: [...files], repositoryInfo } });
      });
      const all = [...known].map((repositoryId) => ({ repositoryId }));
      return { stats, repositoryInfo: introduceRepositories(all, presented) };
    },

    async findSymbols(request, context) {
      const { query, match, kinds, language, limit } = request;
      const name = query.trim();
      const wanted = scopeOf(request, context, options);
      const presented = presentation({ scopes: [{ repositories: wanted, revisions: [] }] }, context);
      if (name === "" || (wanted !== "all" && wanted.size === 0)) {
        return { symbols: [], repositoryInfo: [], isExhaustive: name !== "" };
      }
      const answer = await engine.findSymbols(
        {
          name: { kind: match, text: name, caseSensitive: false },
          ...(kinds === undefined ? {} : { kinds: kinds.filter(isSymbolKind) }),
          ...(language === undefined ? {} : { languages: requestedLanguages(language) }),
          withLocals: false,
          repositories: wanted,
          revisions: [],
          unsaved: (context.unsaved ?? []).flatMap((document) =>
            unsavedDocument(document, repositories, options.languageOf),
          ),
          preferred: preferredRepositories(context.folders ?? [], repositories.all()),
          limit,
        },
        context.signal,
      );
      const symbols = answer.symbols.flatMap((symbol) => presentFoundSymbol(symbol, presented) ?? []);
      return {
        symbols,
        repositoryInfo: introduceRepositories(symbols, presented),
        isExhaustive: answer.flushReason === "NONE" && !repositories.isScanning(),
      };
    },

    async outline({ place }, context) {
      const text = await places.read(places.find(place, context), context);
      const symbols = await code.symbols(text, context.signal);
      if (symbols.kind === "unparsed")
        return { language: text.language, symbols: [], reason: symbols.reason };
      return { language: text.language, symbols: presentOutline(text.places, symbols.definitions) };
    },

    symbolAt: ({ place }, context) => describing.nameAt(place, context),
    describeSymbol: ({ place }, context) => describing.describe(place, context),
  };
}

function isExhaustive(reason: FlushReason, reasons: readonly FlushReason[]): boolean {
  return reasons.reduce(addReason, reason) === "NONE";
}

function isSymbolKind(kind: string): kind is SymbolKind {
  return symbolKinds.some((each) => each === kind);
}

/** Throws NOT_FOUND. */
function scopeOf(
  { repoNames, withoutOpen }: contract.SymbolsRequest,
  { folders = [] }: CallContext,
  { repositories, history }: SymbolOptions,
): ReadonlySet<RepositoryId> | "all" {
  const all = repositories.all();
  const open = new Set(withoutOpen ? preferredRepositories(folders, all) : []);
  if (repoNames === undefined && open.size === 0) return "all";
  const among = repoNames === undefined ? all : repoNames.map((name) => history.repository(name));
  return new Set(among.map(({ id }) => id).filter((id) => !open.has(id)));
}
