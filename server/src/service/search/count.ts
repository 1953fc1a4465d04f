/** The handler of counts: plans the query like a search, and names the groups that the engine has counted. */
import { isServiceError, throwIfAborted } from "#base/error";
import type { CountedGroup, CountRequest, CountResult } from "#contract/count";
import type { Blame } from "#contract/history";
import type { CallContext, Handler } from "#contract/service";
import { type CountedGroups, maxGroupTextBytes } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import type { FlushReason } from "#model/stats";
import { addStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeSlice } from "#platform/timeSlice";
import { parseError } from "#query/parser/errors";
import { outlineQuery } from "#query/parser/parse";
import { blameFile } from "#service/history/blame";
import { evictionGaps } from "#service/repositories/evictedRepositories";
import { runBeforeDeadline } from "./beforeDeadline";
import {
  addReasons,
  indexRevisions,
  replaceRepositoryTypes,
  type SearchOptions,
  suggestionsFor,
} from "./search";
import { planSearch } from "./searchPlan";

/** Maximum number of files to blame. Each takes a git process. */
const maxBlamedFiles = 500;
/** Files that are blamed at a time; the history has fewer processes, which are shared by all requests. */
const concurrentBlames = 4;
/** The least number of groups to sort at a time. */
const minSorted = 1000;
/** The share of the remaining time that blaming may take. */
const blameShare = 0.9;

type Properties = Omit<CountedGroup, "matchCount" | "fileCount">;

interface Group {
  readonly key: string;
  matchCount: number;
  fileCount: number;
}

export function countHandlers(options: SearchOptions): { count: Handler<"count"> } {
  return {
    async count(request, context) {
      const { signal } = context;
      const flags = { ...request, isCount: request.groupBy ?? true };
      const search = {
        ...flags,
        matches: 1,
        contextLines: 0,
        whole: false,
        explain: false,
        enclosing: false,
        filesOnly: false,
      };
      const planned = await planSearch(search, context, options);
      const { plan, unindexed, grouping } = planned;
      rejectOtherResults(request, plan.query);
      const groupBy = request.groupBy ?? grouping;
      const revisionReasons = await indexRevisions(unindexed, plan.limits.deadline, options, context);
      const { searched } = planned;
      const { query, gaps } = await replaceRepositoryTypes(
        plan.query,
        options.engine,
        plan,
        searched,
        signal,
      );
      const limits = { ...plan.limits, maxMatches: Number.POSITIVE_INFINITY, maxDisplayedMatches: 0 };
      const counting = { by: groupBy ?? "none", depth: request.depth } as const;
      const deadline =
        monotonicNow() + (plan.limits.deadline - monotonicNow()) * (groupBy === "author" ? 0.5 : 1);
      const found = await options.engine.search(
        { ...plan, query, limits: { ...limits, deadline }, grouping: counting },
        signal,
      );
      const evicted = evictionGaps(planned.scope, options.repositories, planned.evictionCount);
      const { groups, groupCount, reasons } = await groupsOf(groupBy, found.groups, options, {
        context: { ...context, deadline: plan.limits.deadline },
        limit: request.limit,
      });
      const stats = addReasons(addStats(addStats(found.stats, gaps), evicted), [
        ...planned.reasons,
        ...revisionReasons,
        ...reasons,
        ...(found.isExhaustive ? [] : ["ENGINE_PARTIAL" as const]),
      ]);
      return {
        matchCount: stats.totalMatchCount,
        fileCount: stats.fileCount,
        repositoryCount: found.groups?.repositories.size ?? 0,
        ...(groupBy === undefined ? {} : { groupBy }),
        groups: groups.map((group) => toCountedGroup(groupBy, group, options)),
        groupCount,
        omittedGroupCount: groupCount - groups.length,
        isExhaustive: stats.flushReason === "NONE",
        stats,
        ...(found.unavailable === undefined
          ? {}
          : { unavailable: found.unavailable.map((part) => ({ ...part })) }),
        ...(await suggestionsFor(search, planned, stats, options, context)),
      } satisfies CountResult;
    },
  };
}

/** Throws FAILED_TO_PARSE_QUERY for `type:commit` and `type:repo`, which do not find matches in files. */
function rejectOtherResults(
  request: CountRequest,
  query: { readonly kind: string; readonly type?: string },
): void {
  if (query.kind !== "type" || (query.type !== "commit" && query.type !== "repo")) return;
  const outline = outlineQuery(request.query, { ...request, isCount: true, skipsChecks: true });
  const leaf = outline.leaves.find(({ prefix, value }) => prefix?.name === "type" && value === query.type);
  const [start, end] = [leaf?.termStart ?? 0, leaf?.end ?? 0];
  throw parseError(`"type:${query.type}" cannot be counted: only matches in files can`, start, {
    length: end - start,
    edits: [{ title: "Remove it", offset: start, length: end - start, text: "" }],
    advice: "Remove it, or search without counting.",
  });
}

/** Most matches first, then most files; the rest by key, so that the order is always the same. */
function compareGroups(left: Group, right: Group): number {
  return (
    right.matchCount - left.matchCount ||
    right.fileCount - left.fileCount ||
    (left.key < right.key ? -1 : left.key > right.key ? 1 : 0)
  );
}

interface NamedGroups {
  /** The first ones in the order of `compareGroups`. */
  readonly groups: readonly Group[];
  /** The number of all. */
  readonly groupCount: number;
  readonly reasons: readonly FlushReason[];
}

async function groupsOf(
  groupBy: CountRequest["groupBy"],
  counted: CountedGroups | undefined,
  options: SearchOptions,
  { context, limit }: { readonly context: CallContext<"count">; readonly limit: number },
): Promise<NamedGroups> {
  if (groupBy === undefined || counted === undefined) return { groups: [], groupCount: 0, reasons: [] };
  const { counts, reasons } =
    groupBy === "author"
      ? await authorsOf(counted, options, context)
      : { counts: counted.counts, reasons: [] };
  const groups = await firstGroups(counts, limit, context.signal);
  return { groups, groupCount: counts.size, reasons };
}

/** Returns the first groups in the order of `compareGroups`. Works in time slices. */
async function firstGroups(
  counts: CountedGroups["counts"],
  limit: number,
  signal: AbortSignal,
): Promise<Group[]> {
  const slice = new TimeSlice();
  let first: Group[] = [];
  let last: Group | undefined;
  let seen = 0;
  for (const [key, { matchCount, fileCount }] of counts) {
    const group = { key, matchCount, fileCount };
    if (last === undefined || compareGroups(group, last) < 0) first.push(group);
    if (first.length >= 2 * limit + minSorted) {
      first = first.sort(compareGroups).slice(0, limit);
      last = first.at(-1);
    }
    if (++seen % 256 !== 0 || !slice.isExpired) continue;
    await slice.yieldToEventLoop();
    throwIfAborted(signal);
  }
  return first.sort(compareGroups).slice(0, limit);
}

/**
 * Groups matches by the authors of their lines. Blames the files with the most matches, of those whose lines the engine
 * has kept: the first ones that it has searched.
 */
async function authorsOf(
  { counts, lines }: CountedGroups,
  { repositories, history }: SearchOptions,
  context: CallContext<"count">,
): Promise<Pick<CountedGroups, "counts"> & Pick<NamedGroups, "reasons">> {
  const byAuthor = new Map<string, Group>();
  const reasons = new Set<FlushReason>();
  const add = (key: string, matchCount: number, fileCount: number) => {
    const group = byAuthor.get(key) ?? { key, matchCount: 0, fileCount: 0 };
    group.matchCount += matchCount;
    group.fileCount += fileCount;
    byAuthor.set(key, group);
  };
  const known = new Map<string, Omit<Group, "key">>();
  const slice = new TimeSlice();
  let committedCount = 0;
  for (const [key, file] of counts) {
    // Files that are not committed have an empty commit.
    if (key.includes("\0\0")) add("\0", file.matchCount, file.fileCount);
    else committedCount++;
    if (lines.has(key)) known.set(key, file);
    if (!slice.isExpired) continue;
    await slice.yieldToEventLoop();
    throwIfAborted(context.signal);
  }
  const blamed = await firstGroups(known, maxBlamedFiles, context.signal);
  if (blamed.length < committedCount) reasons.add("MATCH_LIMIT");
  const deadline = monotonicNow() + (context.deadline - monotonicNow()) * blameShare;
  let next = 0;
  const work = async () => {
    for (let file = blamed[next++]; file !== undefined; file = blamed[next++]) {
      const { key, fileCount } = file;
      const [id = "", commit = "", path = ""] = key.split("\0");
      const repository = repositories.get(Number(id) as RepositoryId);
      if (repository === undefined) continue;
      if (monotonicNow() >= deadline) {
        reasons.add("TIME_LIMIT");
        return;
      }
      const request = {
        repo: repository.name,
        path: fromLatin1(path),
        ref: commit,
        ignoreWhitespace: false,
        followMoves: false,
        isPatient: false,
      };
      try {
        const found = await runBeforeDeadline({ signal: context.signal, deadline }, (signal) =>
          blameFile(history, request, { ...context, signal }),
        );
        if (found === undefined) {
          reasons.add("TIME_LIMIT");
          return;
        }
        for (const [author, matchCount] of countLines(found, lines.get(key) ?? []))
          add(author, matchCount, fileCount);
      } catch (error) {
        throwIfAborted(context.signal);
        // Its repository has changed, is damaged, or git took too long.
        if (!isServiceError(error) || error.code === "CANCELLED") throw error;
        reasons.add("ENGINE_PARTIAL");
      }
    }
  };
  await Promise.all(Array.from({ length: concurrentBlames }, work));
  return { counts: byAuthor, reasons: [...reasons] };
}

/**
 * Returns the number of matches per author, whose name and e-mail address are separated by NUL. See `CountedGroups` for
 * `lines`.
 */
function countLines({ ranges, commits }: Blame, lines: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>();
  let at = 0;
  for (let index = 0; index < lines.length; index += 2) {
    const [line = 0, matchCount = 0] = [lines[index], lines[index + 1]];
    // Lines are ascending, and so are ranges.
    for (
      let range = ranges[at];
      range !== undefined && range.startLine + range.lineCount <= line;
      range = ranges[++at]
    );
    const commit = commits[ranges[at]?.hash ?? ""];
    const key = `${commit?.authorName ?? ""}\0${commit?.authorEmail ?? ""}`;
    counts.set(key, (counts.get(key) ?? 0) + matchCount);
  }
  return counts;
}

/** Returns the properties of a group from its key. See `CountedGroups`. */
function toCountedGroup(
  groupBy: CountRequest["groupBy"],
  { key, matchCount, fileCount }: Group,
  { repositories }: SearchOptions,
): CountedGroup {
  const parts = key.split("\0");
  const repository = () => repositories.get(Number(parts[0]) as RepositoryId)?.name ?? "";
  const text = (at: number) => fromLatin1(parts[at] ?? "");
  const counts = { matchCount, fileCount };
  switch (groupBy) {
    case "repo":
      return { repository: repository(), ...counts };
    case "folder":
      return { repository: repository(), folder: text(1), ...counts };
    case "symbol": {
      const [fileName, symbol, kind, parent] = [text(1), text(2), text(3), text(4)];
      return { repository: repository(), fileName, symbol, kind, parent, ...counts };
    }
    case "author":
      return { authorName: parts[0] ?? "", authorEmail: parts[1] ?? "", ...counts };
    case "text":
      return { ...cutText(key), ...counts };
    default:
      return { language: key, ...counts };
  }
}

/** A cut text ends with a whole character. */
function cutText(key: string): Pick<Properties, "text" | "isTextCut"> {
  if (key.length <= maxGroupTextBytes) return { text: fromLatin1(key), isTextCut: false };
  let end = maxGroupTextBytes;
  while (end > maxGroupTextBytes - 3 && (key.charCodeAt(end) & 0xc0) === 0x80) end--;
  return { text: fromLatin1(key.slice(0, end)), isTextCut: true };
}

/** Keys contain bytes. */
function fromLatin1(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
