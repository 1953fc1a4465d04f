/** Searches here and on the team's server, and merges the results. */
import type { FileMatch, SearchEnd, SearchEvent, SearchRequest, SearchResult } from "#contract/search";
import { addStats, noStats, type SearchStats } from "#model/stats";
import type { RepositorySet } from "./localRepositories";
import { shownText } from "./serverFailure";
import { exceptionsOf, type Part, requestPart, type TeamContext, type TeamHandler } from "./teamContext";

export const search: TeamHandler<"search"> = async (request, call, context) => {
  const here = await context.localRepositories.set(call);
  const { signal, end } = linkedSignal(call.signal);
  try {
    const teamPart = requestPart(context, "search", () => teamRequest(request, here, context), signal);
    // An error of the search here ends both, and must not leave the other one unhandled.
    teamPart.catch(() => undefined);
    const local = await context.local("search", { ...request, scores: true }, withoutJson(call));
    return mergeResults(request, local, await teamPart, here);
  } finally {
    end();
  }
};

export const streamSearch: TeamHandler<"streamSearch"> = async (request, call, context) => {
  const here = await context.localRepositories.set(call);
  const { signal, end } = linkedSignal(call.signal);
  const stream = new MergedStream(request, call.emit);
  const local = stream.part();
  const team = stream.part(here);
  try {
    const teamPart = requestPart(
      context,
      "streamSearch",
      () => teamRequest(request, here, context),
      signal,
      call.emit && team,
    );
    teamPart.catch(() => undefined);
    const { emit: _, ...rest } = withoutJson(call);
    const localEnd = await context.local("streamSearch", request, {
      ...rest,
      ...(call.emit === undefined ? {} : { emit: local }),
    });
    const merged = mergeEnds(localEnd, await teamPart);
    await stream.sent;
    if (!stream.isCut || call.emit === undefined) return merged;
    const stats = { ...addReason(merged.stats, "MATCH_LIMIT"), actualMatchCount: stream.matchCount };
    return { ...merged, stats, isSearchExhaustive: false };
  } finally {
    end();
  }
};

async function teamRequest(request: SearchRequest, here: RepositorySet, context: TeamContext) {
  return { ...request, scores: true, exceptRepositories: exceptionsOf(request, context, here) };
}

/** Results here are merged as objects. */
function withoutJson<Options extends { readonly acceptsJsonText?: boolean }>({
  acceptsJsonText: _,
  ...call
}: Options): Omit<Options, "acceptsJsonText"> {
  return call;
}

/** Returns a signal that fires with `outer`, and with `end`. */
export function linkedSignal(outer: AbortSignal): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  outer.addEventListener("abort", abort, { once: true });
  if (outer.aborted) abort();
  return {
    signal: controller.signal,
    end() {
      outer.removeEventListener("abort", abort);
      abort();
    },
  };
}

function mergeResults(
  request: SearchRequest,
  local: SearchResult,
  part: Part<SearchResult>,
  here: RepositorySet,
): SearchResult {
  const { files: teamFiles = [], commits: teamCommits } = part.response ?? {};
  const merged = [...local.files, ...teamFiles.filter(({ repository }) => !here.hasName(repository))];
  merged.sort((left, right) => (right.score ?? 0) - (left.score ?? 0));
  const { kept, rangeCount } = cutFiles(merged, request.matches, request);
  const mergedCommits = [
    ...(local.commits ?? []),
    ...(teamCommits ?? []).filter(({ repository }) => !here.hasName(repository)),
  ].sort((left, right) => Date.parse(right.commitDate) - Date.parse(left.commitDate));
  const commits = mergedCommits.slice(0, request.matches);
  const all = mergeEnds(local, part);
  const isCut = kept.length < merged.length || commits.length < mergedCommits.length;
  const used = new Set([...kept, ...commits].map(({ repositoryId }) => repositoryId));
  const actualMatchCount = rangeCount + commits.length;
  const stats = isCut ? { ...addReason(all.stats, "MATCH_LIMIT"), actualMatchCount } : all.stats;
  return {
    ...all,
    stats,
    isSearchExhaustive: all.isSearchExhaustive && !isCut,
    files: request.scores === true ? kept : kept.map(({ score: _, ...file }) => file),
    ...(local.commits === undefined && teamCommits === undefined ? {} : { commits }),
    repositoryInfo: all.repositoryInfo.filter(({ id }) => used.has(id)),
  };
}

/** Merges everything but the files. */
function mergeEnds(local: SearchEnd | SearchResult, part: Part<SearchEnd | SearchResult>): SearchEnd {
  const { files: _files, commits: _commits, ...end } = { files: [], commits: [], ...local };
  const { response, problem } = part;
  if (response === undefined) {
    const stats = addReason(end.stats, "ENGINE_PARTIAL");
    return { ...end, stats, isSearchExhaustive: false, serverProblem: problem };
  }
  const { stats, repositoryInfo, isSearchExhaustive, suggestions = [], phraseMatchCount = 0 } = response;
  const sum = {
    ...addStats(end.stats, stats),
    duration: Math.max(end.stats.duration, stats.duration),
  };
  const { suggestions: localSuggestions = [], phraseMatchCount: localPhrases = 0, ...rest } = end;
  // A name that one of both knows is no mistake.
  const shared = localSuggestions.filter(({ offset }) => suggestions.some((each) => each.offset === offset));
  const phrases = localPhrases + phraseMatchCount;
  return {
    ...rest,
    stats: sum,
    repositoryInfo: [...end.repositoryInfo, ...repositoryInfo],
    isSearchExhaustive: end.isSearchExhaustive && isSearchExhaustive,
    ...allUnavailable(end, response),
    ...(shared.length === 0 ? {} : { suggestions: shared }),
    ...(phrases === 0 ? {} : { phraseMatchCount: phrases }),
  };
}

export function addReason(stats: SearchStats, flushReason: SearchStats["flushReason"]): SearchStats {
  return addStats(stats, { ...noStats, flushReason });
}

type Unavailable = Pick<SearchEnd, "unavailable">;

/** Combines the unavailable nodes of both responses. */
export function allUnavailable(local: Unavailable, response: Unavailable): Unavailable {
  const others = (response.unavailable ?? []).map(({ node, reason, ...part }) => ({
    ...part,
    node: shownText(node),
    reason: shownText(reason),
  }));
  const unavailable = [...(local.unavailable ?? []), ...others];
  return unavailable.length === 0 ? {} : { unavailable };
}

/** Keeps the first files up to a number of ranges. The last file of a `filesOnly` search may exceed it. */
function cutFiles(files: FileMatch[], maxRanges: number, request: SearchRequest) {
  let rangeCount = 0;
  const end = files.findIndex((file) => {
    const count = rangesIn(file, request);
    const room = maxRanges - rangeCount;
    if (request.filesOnly ? room <= 0 : count > room) return true;
    rangeCount += Math.min(count, room);
    return false;
  });
  return { kept: end < 0 ? files : files.slice(0, end), rangeCount };
}

/** Returns the number of ranges; with `filesOnly`, as if the file contained them. */
function rangesIn(
  { chunks, fileName, matchCount = 0 }: FileMatch,
  { filesOnly, matchesPerFile = Number.POSITIVE_INFINITY }: SearchRequest,
): number {
  if (filesOnly && matchCount > 0) return Math.min(matchCount, matchesPerFile);
  return chunks.reduce((sum, { matchRanges }) => sum + matchRanges.length, fileName.matchRanges.length);
}

type Emit = (event: SearchEvent) => Promise<void>;

/** Sends the events of both searches, in the order in which they arrive, up to the limit of the request. */
class MergedStream {
  readonly #request: SearchRequest;
  readonly #emit: ((event: SearchEvent) => void | Promise<void>) | undefined;
  #fileCount = 0;
  #commitCount = 0;
  #rangeCount = 0;
  /** Whether files or commits were left out because of the limit. */
  isCut = false;
  sent: Promise<void> = Promise.resolve();

  constructor(request: SearchRequest, emit: ((event: SearchEvent) => void | Promise<void>) | undefined) {
    this.#request = request;
    this.#emit = emit;
  }

  get matchCount(): number {
    return this.#rangeCount + this.#commitCount;
  }

  /** Returns what receives the events of one search; without results in the repositories of `except`. */
  part(except?: RepositorySet): Emit {
    const isKept = ({ repository }: { readonly repository: string }) => except?.hasName(repository) !== true;
    return (event) => {
      if (event.event !== "files") return this.sent;
      const { files, commits, repositoryInfo } = event.data;
      const room = this.#request.matches - this.#rangeCount;
      const found = files.filter(isKept);
      const { kept, rangeCount } = cutFiles(found, room, this.#request);
      if (kept.length < found.length) this.isCut = true;
      this.#rangeCount += rangeCount;
      this.#fileCount += kept.length;
      const foundCommits = commits?.filter(isKept);
      const keptCommits = foundCommits?.slice(0, this.#request.matches - this.#commitCount);
      if ((keptCommits?.length ?? 0) < (foundCommits?.length ?? 0)) this.isCut = true;
      this.#commitCount += keptCommits?.length ?? 0;
      if (kept.length === 0 && (keptCommits ?? []).length === 0) return this.sent;
      const scored =
        this.#request.scores === true ? [...kept] : kept.map(({ score: _, ...file }): FileMatch => file);
      const data = {
        files: scored,
        ...(keptCommits === undefined ? {} : { commits: keptCommits }),
        repositoryInfo,
      };
      void this.#send({ event: "files", data });
      const progress = { fileCount: this.#fileCount, matchCount: this.#rangeCount };
      return this.#send({ event: "progress", data: progress });
    };
  }

  #send(event: SearchEvent): Promise<void> {
    this.sent = this.sent.then(() => this.#emit?.(event));
    this.sent.catch(() => undefined);
    return this.sent;
  }
}
