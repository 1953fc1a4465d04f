import * as z from "zod";
import { isServiceError, ServiceError } from "#base/error";
import { type CountResult, groupings } from "#contract/count";
import { count } from "./fileHeading";
import { explainNothing } from "./names";
import { definition, fileFields, filesOf, lineFields, matchCounts } from "./output";
import { commonFilters, contentTerm, fileFilter, wordsFilter } from "./queryText";
import { completeness, fileLines, groupName, matchLines, summarizeSearch } from "./searchLines";
import { type Listing, langInput, pathInput, revInput, tool } from "./tool";

/** All pages of a result are cut from the same search, so that they agree. */
const maxMatches = 1000;
/** With the mode that prints only files. */
const maxFiles = 2000;
const maxGroups = 1000;
/** With mode words: those of some thirty files. */
const maxWords = 300;

/** The limit of the service. */
const maxQueryLength = 10_000;

const pattern = z.string().min(1).max(1000);

export const grep = tool({
  name: "grep",
  title: "Search code",
  description:
    "Search text or regular expressions in all indexed repositories, at any revision. Prefer it to shell grep beyond the current repository.",
  input: {
    pattern: pattern.optional(),
    patterns: z.array(pattern).min(1).max(8).optional().describe("Instead of pattern: any of these."),
    regex: z.boolean().default(false).describe("RE2 syntax."),
    case: z.boolean().default(false).describe("Match case."),
    repo: z.string().min(1).max(1000).optional().describe("Part of the repository name."),
    path: pathInput.optional().describe("Glob such as src/**/*.ts, or part of the path."),
    exclude: pathInput.optional().describe("Paths to skip, like path."),
    lang: langInput,
    rev: revInput,
    mode: z
      .enum(["lines", "files", "count", "words"])
      .default("lines")
      .describe("words: pattern describes code; best matches, even if words are missing."),
    group: z.enum(groupings).optional().describe("With count: matches per group. text: the captured text."),
    context: z.int().min(0).max(20).default(0).describe("Lines around each match."),
  },
  output: {
    ...matchCounts,
    files: filesOf(
      { ...lineFields, isMatch: z.boolean(), enclosing: definition.optional() },
      { ...fileFields, matchCount: z.int().optional().describe("With mode files.") },
    ).optional(),
    items: z
      .array(z.object({ name: z.string(), ...matchCounts }))
      .optional()
      .describe("Groups."),
  },
  async run(input, { send }): Promise<Listing> {
    const patterns = [...(input.pattern === undefined ? [] : [input.pattern]), ...(input.patterns ?? [])];
    if (patterns.length === 0) {
      throw new ServiceError("INVALID_REQUEST_BODY", '"pattern" is missing: give the text to search for.');
    }
    if (input.mode === "words" && input.regex) {
      throw new ServiceError("INVALID_REQUEST_BODY", '"regex" cannot be combined with mode "words".');
    }
    const query = writeQuery(input, patterns);
    if (query.length > maxQueryLength) {
      throw new ServiceError("INVALID_REQUEST_BODY", '"patterns" are too long together: search for fewer.');
    }
    const request = {
      query,
      isRegexEnabled: input.regex,
      isCaseSensitivityEnabled: input.case,
    };
    if (input.group !== undefined && input.mode !== "count") {
      throw new ServiceError("INVALID_REQUEST_BODY", '"group" requires mode "count".');
    }
    const narrow = "use a longer pattern, or add repo, path or lang";
    const { mode } = input;
    const limit = mode === "files" ? maxFiles : mode === "words" ? maxWords : maxMatches;
    try {
      if (mode === "count") {
        const counted = await send("count", { ...request, groupBy: input.group, limit: maxGroups });
        const listing = countListing(counted, narrow);
        if (counted.matchCount > 0) return listing;
        const reasons = await explainNothing(send, request, counted.isExhaustive, input);
        return { ...listing, notes: [...reasons, ...(listing.notes ?? [])] };
      }
      const result = await send("search", {
        ...request,
        contextLines: input.context,
        matches: limit,
        ...(mode === "files" ? { filesOnly: true, matchesPerFile: 1 } : { enclosing: true }),
      });
      const summary = summarizeSearch(result, limit, mode === "files" ? "files" : "matches");
      if (result.stats.totalMatchCount === 0) {
        const reasons = await explainNothing(send, request, result.isSearchExhaustive, input);
        return { ...summary, lines: [], notes: [...reasons, ...summary.notes], narrow };
      }
      return { ...summary, lines: mode === "files" ? fileLines(result) : matchLines(result), narrow };
    } catch (error) {
      if (!isServiceError(error, "FAILED_TO_PARSE_QUERY")) throw error;
      throw new ServiceError(error.code, explainParseError(error.message, input.regex), { cause: error });
    }
  },
});

function countListing(counted: CountResult, narrow: string): Listing {
  const { matchCount, isExhaustive, groups, omittedGroupCount, ...rest } = counted;
  const { stats } = rest;
  const isBlameLimit = !isExhaustive && stats.flushReason === "MATCH_LIMIT";
  const summary = summarizeSearch({ ...rest, isSearchExhaustive: isExhaustive || isBlameLimit }, matchCount);
  return {
    ...summary,
    ...completeness({ isSearchExhaustive: isExhaustive, stats }),
    lines: groups.map((group) => {
      const name = groupName(group);
      const text = `${group.matchCount} ${name} (${count(group.fileCount, "file")})`;
      return { text, item: { name, matchCount: group.matchCount, fileCount: group.fileCount } };
    }),
    notes: [
      ...summary.notes,
      ...(isBlameLimit ? ["Only the matches of some files have authors: add repo, path or lang."] : []),
      ...(omittedGroupCount > 0 ? [`${count(omittedGroupCount, "group")} with fewer matches left out.`] : []),
    ],
    narrow,
  };
}

function writeQuery(
  input: {
    readonly mode: string;
    readonly regex: boolean;
    readonly repo?: string | undefined;
    readonly path?: string | undefined;
    readonly exclude?: string | undefined;
    readonly lang?: string | undefined;
    readonly rev?: string | undefined;
  },
  patterns: readonly string[],
): string {
  const { regex, path, exclude } = input;
  const terms = patterns.map((each) =>
    input.mode === "words" ? wordsFilter(each) : contentTerm(each, regex),
  );
  return [
    terms.length === 1 || input.mode === "words" ? terms.join(" ") : `(${terms.join(" or ")})`,
    ...commonFilters(input),
    ...(path === undefined || path === "" ? [] : [fileFilter(path)]),
    ...(exclude === undefined || exclude === "" ? [] : [`-${fileFilter(exclude)}`]),
  ].join(" ");
}

/** The message quotes the query, which agents do not write, and offsets in it mean nothing to them. */
function explainParseError(message: string, isRegex: boolean): string {
  const [, reason] = /^Invalid regular expression at offset \d+: (.*?): \(\?:/s.exec(message) ?? [];
  if (isRegex && reason !== undefined) {
    return `"pattern" is not a valid RE2 expression: ${reason}. Escape it, or set regex to false to search for the text.`;
  }
  return `${message.replace(/ at offset \d+/, "")} Check pattern, repo, path, lang and rev.`;
}
