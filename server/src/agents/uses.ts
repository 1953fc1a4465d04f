import * as z from "zod";
import { isServiceError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import type { CallHierarchy } from "#contract/calls";
import type { RequestInput } from "#contract/service";
import type { SymbolResult } from "#contract/symbols";
import { callerLines, callItem, callingFileCount, summarizeCalls } from "./callTree";
import { count, definitionHeading, fileHeading } from "./fileHeading";
import { explainNothing, listNames, unknownFile, withRepository } from "./names";
import { definition, definitionItem, fileItem, filesOf, lineFields, matchCounts } from "./output";
import { commonFilters } from "./queryText";
import { type Lines, type Listing, langInput, lazyLines, pathInput, revInput, type Send, tool } from "./tool";

const maxMatches = 1000;
const maxSimilar = 5;

export const uses = tool({
  name: "uses",
  title: "Find references and definitions",
  description:
    "Where a symbol is used, defined or called in the code of all repositories, without comments and strings, most certain first: exact, repository, import, or only the same name.",
  input: {
    symbol: z.string().min(1).max(1000).describe("The exact name, without its type."),
    role: z.enum(["references", "definitions", "callers"]).default("references"),
    depth: z.int().min(1).max(3).default(1).describe("Levels of callers."),
    repo: z.string().min(1).max(1000).optional().describe("Only in this repository."),
    lang: langInput,
    rev: revInput,
    from: z
      .object({ repo: z.string().max(1000), path: pathInput, line: z.int().min(1).max(1e9) })
      .optional()
      .describe("Where you saw the name: ranks what it means there first."),
  },
  output: {
    ...matchCounts,
    files: filesOf({
      ...lineFields,
      kind: z.string().optional(),
      certainty: z.string().optional(),
      enclosing: definition.optional(),
    }).optional(),
    items: z.array(callItem).optional().describe("Callers."),
  },
  async run({ symbol, role, depth, repo, lang, rev, from }, { send }): Promise<Listing> {
    const request = {
      symbolName: symbol,
      matches: maxMatches,
      ...(lang === undefined ? {} : { language: lang }),
      ...(rev === undefined ? {} : { revisionName: rev }),
    };
    const find = async (scoped: RequestInput<"findReferences">): Promise<SymbolResult | CallHierarchy> => {
      if (role === "callers") return await send("callHierarchy", { ...scoped, depth });
      return await send(role === "references" ? "findReferences" : "findDefinitions", scoped);
    };
    const search = async (repoName?: string): Promise<SymbolResult | CallHierarchy> => {
      const scoped = { ...request, ...(repoName === undefined ? {} : { repoName }) };
      if (from === undefined) return await find(scoped);
      return await withRepository(send, from.repo, async (fromRepo) => {
        const askedFrom = { repo: fromRepo, path: from.path, lineNumber: from.line };
        try {
          return await find({ ...scoped, askedFrom });
        } catch (error) {
          if (!isServiceError(error, "FILE_NOT_FOUND")) throw error;
          throw await unknownFile(send, fromRepo, from.path, undefined);
        }
      });
    };
    const result = repo === undefined ? await search() : await withRepository(send, repo, search);
    const { matchCount, isExhaustive = true, unparsedFiles = 0 } = result.stats;
    const reason =
      "calls" in result && result.stats.flushReason !== "NONE" ? result.stats.flushReason : undefined;
    const narrow = "add repo or lang";
    const counts = {
      matchCount,
      fileCount: "files" in result ? result.files.length : callingFileCount(result),
    };
    const unparsed =
      role === "callers"
        ? "could not be parsed: may contain more calls"
        : "without a parser: matched as text";
    const hasDefinition = !("calls" in result) || result.definitions.length > 0;
    const notes = [
      ...(isExhaustive || (!hasDefinition && reason === undefined)
        ? []
        : ["Not everything was searched: there may be more. Add repo or lang, or try again."]),
      ...(unparsedFiles > 0 ? [`${count(unparsedFiles, "file")} ${unparsed}.`] : []),
    ];
    if (matchCount === 0) {
      const query = commonFilters({ repo, rev }).join(" ");
      const scope = await explainNothing(send, { query }, isExhaustive, { repo, rev });
      if (!hasDefinition)
        return {
          summary: `No indexed definition of ${JSON.stringify(symbol)}, so its callers are unknown.`,
          lines: [],
          notes: ['Role "references" shows where the name is used.', ...scope, ...notes],
          narrow,
          isExhaustive,
          reason,
          counts,
        };
      const hints = [...(await similarNames(send, symbol)), ...scope, ...notes];
      const summary = `No ${role} of ${JSON.stringify(symbol)}.`;
      return { summary, lines: [], notes: hints, narrow, isExhaustive, counts };
    }
    if ("calls" in result)
      return {
        summary: summarizeCalls(result),
        lines: callerLines(result),
        notes,
        narrow,
        isExhaustive,
        reason,
        counts,
      };
    const what = role === "references" ? "reference" : "definition";
    const summary = `${isExhaustive ? "" : "At least "}${count(matchCount, what)} in ${count(result.files.length, "file")}.`;
    return { summary, lines: symbolLines(result, rev), notes, narrow, isExhaustive, counts };
  },
});

function symbolLines({ files }: SymbolResult, rev: string | undefined): Lines {
  const found = files.flatMap((file) => {
    const { matches } = file;
    // A name may occur several times in a line.
    return matches.flatMap((match, index) =>
      match.range.start.lineNumber === matches[index - 1]?.range.start.lineNumber ? [] : [{ file, match }],
    );
  });
  return lazyLines(found, ({ file: { repository, fileName, origin }, match }) => {
    const { lineContent, range, kind, certainty, parent } = match;
    const location = { repository, path: fileName, origin, branches: rev === undefined ? [] : [rev] };
    const facts = [kind, certainty].filter((fact) => fact !== undefined).join(", ");
    const { lineNumber: line } = range.start;
    const text = lineContent.slice(0, 300);
    return {
      headings: [fileHeading(location), ...definitionHeading(parent)],
      text: `${line}:${text}${facts === "" ? "" : `   [${facts}]`}`,
      file: fileItem(location),
      item: { line, text, kind, certainty, enclosing: definitionItem(parent) },
    };
  });
}

/**
 * Says what may be wrong with a name that was not found: it has only a definition, it includes its type, or it is similar
 * to others, which contain its letters, or begin like it and differ in a few.
 */
async function similarNames(send: Send, symbol: string): Promise<readonly string[]> {
  const bareName = symbol.split(/\.|::|#/).at(-1) ?? "";
  if (bareName !== symbol && bareName !== "") {
    return [`Give the name without its type: ${JSON.stringify(bareName)}.`];
  }
  const fuzzy = await send("findSymbols", { query: symbol, limit: maxSimilar });
  const start = symbol.slice(0, Math.ceil(symbol.length / 2));
  const prefix = await send("findSymbols", { query: start, match: "prefix", limit: 1000 });
  const near = nearestNames(symbol.slice(0, 200), new Set(prefix.symbols.map((each) => each.symbol)));
  const names = [...new Set([...near, ...fuzzy.symbols.map((each) => each.symbol)])];
  if (names.includes(symbol)) return ['It is defined: role "definitions" shows where.'];
  return names.length === 0 ? [] : [`Did you mean ${listNames(names)}?`];
}
