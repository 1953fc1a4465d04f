import { printListing } from "#agents/printListing";
import { matchLines, summarizeSearch } from "#agents/searchLines";
import { defaultMaxTokens } from "#agents/tool";
import { usageError } from "#base/error";
import { groupings } from "#contract/count";
import type { SearchResult } from "#contract/search";
import type { RequestInput } from "#contract/service";
import type { Instance } from "#instance/instance";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { formatCount } from "./format";
import { formatCountTable, formatCsv } from "./printCount";
import {
  formatFileName,
  formatSearchLines,
  incompleteCountReason,
  incompleteReason,
  type SearchStyle,
} from "./printSearch";
import { createPainter } from "./terminal";

/** Returns 0 if something was found, 1 if not. */
export async function searchCommand(context: CommandContext, flags: Flags): Promise<number> {
  const { terminal } = context;
  const groupBy = flags.choice("count-by", groupings);
  if (groupBy !== undefined) return await countCommand(context, flags, groupBy);
  for (const name of ["csv", "limit", "depth"])
    if (flags.has(name)) throw usageError(`--${name} requires --count-by.`);
  const request = searchRequest(flags);
  const instance = await context.open(
    readConfiguration(flags, context.currentFolder, context.defaultDataDir),
    "read",
  );
  try {
    const baseUrl = instance.url();
    const call = {
      credentials: { kind: "local" },
      signal: context.interrupted,
      ...(baseUrl === undefined ? {} : { baseUrl }),
    } as const;
    // Without a listener for its events, the stream returns only the counts.
    const result: SearchResult = flags.has("count")
      ? { ...(await instance.teamCaller("streamSearch", request, call)), files: [] }
      : await instance.teamCaller("search", request, call);
    await printResult(context, flags, result);
    const { query, isRegexEnabled, isCaseSensitivityEnabled } = request;
    const readRequest = { query, isRegexEnabled, isCaseSensitivityEnabled };
    const { problems } = await instance.teamCaller("readQuery", readRequest, call);
    for (const { message } of problems) terminal.printError(`trawl: ${message}\n`);
    const { totalMatchCount } = result.stats;
    if (result.phraseMatchCount !== undefined && terminal.isErrorTty) {
      terminal.printError(
        `trawl: Files and lines that contain the exact phrase come first (${formatCount(result.phraseMatchCount, "match", "matches")}). To find only the phrase, quote it.\n`,
      );
    }
    if (totalMatchCount === 0) await warnIfNothingIsIndexed(context, instance);
    if (result.serverProblem !== undefined) terminal.printError(`trawl: ${result.serverProblem}\n`);
    const reason = incompleteReason(result, request.matches);
    if (reason !== undefined) terminal.printError(`trawl: The results are incomplete: ${reason}.\n`);
    if (instance.role === "leader" && terminal.isErrorTty) {
      terminal.printError(
        'trawl: The index may be outdated because Trawl is not running. Run "trawl serve" to keep it current.\n',
      );
    }
    return totalMatchCount > 0 ? 0 : 1;
  } finally {
    await instance.close();
  }
}

/** Prints how many matches each group has. Returns 0 if something was found, 1 if not. */
async function countCommand(
  context: CommandContext,
  flags: Flags,
  groupBy: (typeof groupings)[number],
): Promise<number> {
  const { terminal } = context;
  const other = ["count", "files", "agent", "matches", "context"].find((name) => flags.has(name));
  if (other !== undefined) throw usageError(`--count-by and --${other} cannot be combined.`);
  if (flags.has("json") && flags.has("csv")) throw usageError("--json and --csv cannot be combined.");
  if (flags.has("depth") && groupBy !== "folder") throw usageError("--depth requires --count-by folder.");
  const limit = flags.integer("limit", 1, 10_000);
  const depth = flags.integer("depth", 1, 100);
  const { query, isRegexEnabled, isCaseSensitivityEnabled } = searchRequest(flags);
  const request = {
    query,
    isRegexEnabled,
    isCaseSensitivityEnabled,
    groupBy,
    ...(limit === undefined ? {} : { limit }),
    ...(depth === undefined ? {} : { depth }),
  };
  const instance = await context.open(
    readConfiguration(flags, context.currentFolder, context.defaultDataDir),
    "read",
  );
  try {
    const call = { credentials: { kind: "local" }, signal: context.interrupted } as const;
    const result = await instance.teamCaller("count", request, call);
    const style = { paint: createPainter(terminal.hasColors), isTty: terminal.isTty };
    const output = flags.has("json")
      ? `${JSON.stringify(result, undefined, terminal.isTty ? 2 : undefined)}\n`
      : flags.has("csv")
        ? formatCsv(result)
        : `${formatCountTable(result, style).join("\n")}\n`;
    await terminal.print(output);
    if (result.matchCount === 0) await warnIfNothingIsIndexed(context, instance);
    if (flags.has("csv") && result.omittedGroupCount > 0)
      terminal.printError(
        `trawl: ${result.omittedGroupCount} groups are not shown (use --limit N for more).\n`,
      );
    if (result.serverProblem !== undefined) terminal.printError(`trawl: ${result.serverProblem}\n`);
    const reason = incompleteCountReason(result);
    if (reason !== undefined) terminal.printError(`trawl: The counts are incomplete: ${reason}.\n`);
    return result.matchCount > 0 ? 0 : 1;
  } finally {
    await instance.close();
  }
}

async function warnIfNothingIsIndexed(
  { terminal, interrupted }: CommandContext,
  instance: Instance,
): Promise<void> {
  const call = { credentials: { kind: "local" }, signal: interrupted } as const;
  const { total } = await instance.teamCaller("repos", { perPage: 1 }, call);
  if (total === 0) terminal.printError('trawl: Nothing is indexed. Run "trawl index PATH".\n');
}

/** The match limit with --count or --files. */
const maxCountedMatches = 100_000;

function searchRequest(flags: Flags): RequestInput<"search"> {
  const query = flags.positionals.join(" ");
  if (flags.positionals.length === 0) throw usageError("search requires a QUERY.");
  const formats = ["json", "count", "files", "agent"].filter((name) => flags.has(name));
  if (formats.length > 1) throw usageError(`--${formats[0]} and --${formats[1]} cannot be combined.`);
  const wantsAll = flags.has("count") || flags.has("files");
  const matches = flags.integer("matches", 1, 100_000) ?? (wantsAll ? maxCountedMatches : undefined);
  const contextLines = flags.integer("context", 0, 100);
  return {
    query,
    ...(matches === undefined ? {} : { matches }),
    ...(contextLines === undefined ? {} : { contextLines }),
    enclosing: flags.has("agent"),
    isRegexEnabled: flags.has("regex"),
    isCaseSensitivityEnabled: flags.has("case"),
  };
}

async function printResult(context: CommandContext, flags: Flags, result: SearchResult): Promise<void> {
  const { terminal } = context;
  const style: SearchStyle = { paint: createPainter(terminal.hasColors), isTty: terminal.isTty };
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(result, undefined, terminal.isTty ? 2 : undefined)}\n`);
  } else if (flags.has("agent")) {
    await terminal.print(`${formatForAgent(result)}\n`);
  } else if (flags.has("count")) {
    await terminal.print(`${result.stats.totalMatchCount}\n`);
  } else {
    const lines =
      flags.has("files") && result.commits === undefined
        ? result.files.map((file) => formatFileName(file, style))
        : formatSearchLines(result, style);
    let batch = "";
    for (const line of lines) {
      batch += `${line}\n`;
      if (batch.length < 64 * 1024) continue;
      await terminal.print(batch);
      if (terminal.isClosed) return;
      batch = "";
    }
    await terminal.print(batch);
  }
}

function formatForAgent(result: SearchResult): string {
  const listing = {
    ...summarizeSearch(result, result.stats.actualMatchCount),
    lines: matchLines(result),
    narrow: "use more words or filters",
  };
  return printListing(listing, defaultMaxTokens, 0).text;
}
