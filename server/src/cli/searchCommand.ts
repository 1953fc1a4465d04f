import type { SearchResult } from "#contract/search";
import type { SentOf } from "#contract/service";
import { readConfiguration } from "./configuration";
import { type Flags, usage } from "./flags";
import type { House, Instance } from "./instance";
import { fileName, incompleteness, type SearchStyle, searchLines } from "./printSearch";
import { painter } from "./terminal";

/** 0 where something was found, 1 where nothing was. */
export async function searchCommand(house: House, flags: Flags): Promise<number> {
  const { terminal } = house;
  const request = searchRequest(flags);
  const instance = await house.open(
    readConfiguration(flags, house.currentFolder, house.defaultDataDir),
    "read",
  );
  try {
    const baseUrl = instance.url();
    const call = {
      credentials: { kind: "local" },
      signal: house.interrupted,
      ...(baseUrl === undefined ? {} : { baseUrl }),
    } as const;
    // A stream that nobody reads brings the numbers alone.
    const result: SearchResult = flags.has("count")
      ? { ...(await instance.caller("streamSearch", request, call)), files: [] }
      : await instance.caller("search", request, call);
    await printResult(house, flags, result);
    for (const { prefix, suggestion } of result.suggestions ?? []) {
      terminal.say(`trawl: "${prefix}" is no filter and was taken as text. Did you mean "${suggestion}"?\n`);
    }
    const { totalMatchCount } = result.stats;
    if (totalMatchCount === 0) await sayIfNothingIsIndexed(house, instance);
    const gap = incompleteness(result, request.matches);
    if (gap !== undefined) terminal.say(`trawl: The answer is incomplete: ${gap}.\n`);
    if (instance.role === "leader" && terminal.isMessageScreen) {
      terminal.say(
        "trawl: No Trawl is running, so that the index may be older than the files (trawl serve).\n",
      );
    }
    return totalMatchCount > 0 ? 0 : 1;
  } finally {
    await instance.close();
  }
}

async function sayIfNothingIsIndexed({ terminal, interrupted }: House, instance: Instance): Promise<void> {
  const call = { credentials: { kind: "local" }, signal: interrupted } as const;
  const { total } = await instance.caller("repos", { perPage: 1 }, call);
  if (total === 0) terminal.say('trawl: Nothing is indexed. "trawl index PATH" does that.\n');
}

/** More than anyone reads, for questions that want a number or names only. */
const allMatches = 100_000;

function searchRequest(flags: Flags): SentOf<"search"> {
  const query = flags.words.join(" ");
  if (flags.words.length === 0) throw usage("search needs a QUERY.");
  const shapes = ["json", "count", "files"].filter((name) => flags.has(name));
  if (shapes.length > 1) throw usage(`--${shapes[0]} and --${shapes[1]} exclude each other.`);
  const wantsAll = flags.has("count") || flags.has("files");
  const matches = flags.integer("matches", 1, 100_000) ?? (wantsAll ? allMatches : undefined);
  const contextLines = flags.integer("context", 0, 100);
  return {
    query,
    ...(matches === undefined ? {} : { matches }),
    ...(contextLines === undefined ? {} : { contextLines }),
    isRegexEnabled: flags.has("regex"),
    isCaseSensitivityEnabled: flags.has("case"),
  };
}

async function printResult(house: House, flags: Flags, result: SearchResult): Promise<void> {
  const { terminal } = house;
  const style: SearchStyle = { paint: painter(terminal.colours), screen: terminal.isScreen };
  if (flags.has("json")) {
    await terminal.print(`${JSON.stringify(result, undefined, terminal.isScreen ? 2 : undefined)}\n`);
  } else if (flags.has("count")) {
    await terminal.print(`${result.stats.totalMatchCount}\n`);
  } else {
    const lines =
      flags.has("files") && result.commits === undefined
        ? result.files.map((file) => fileName(file, style))
        : searchLines(result, style);
    let batch = "";
    for (const line of lines) {
      batch += `${line}\n`;
      if (batch.length < 64 * 1024) continue;
      await terminal.print(batch);
      if (terminal.closed) return;
      batch = "";
    }
    await terminal.print(batch);
  }
}
