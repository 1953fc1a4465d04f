/**
 * Counts documents on nodes, for completions. A node returns only some of the documents that match; those whose keys are
 * known are then excluded, so that rarer keys are found, too.
 */
import type { CountRequest, DocumentCounts } from "#engine/engine";
import { monotonicNow } from "#platform/clock";
import { revisionMatcher } from "#query/revisionName";
import { languageOf } from "./candidates";
import type { AssignedRepository, PlacedRepository } from "./nodeRepositories";
import { restriction } from "./nodeSearch";
import { divide, type NodeScope } from "./replicas";
import { NodeFailure, type ZoektNode } from "./zoektNode";
import { literalSource, quoted } from "./zoektQuery";
import { parseSearchReply, type ZoektFile } from "./zoektReplies";

/** Share of the time that is left in which a node must respond if others have its repositories. */
const firstShare = 0.5;
/** How long a node searches. It then returns what it has found. */
const searchMs = 100;
/** How many documents all nodes together return for one request, and one of them at least and at most. */
const documentCounts = { total: 2000, min: 100, max: 500 };
/** After how many times as many documents a node searches no further shards. */
const totalFactor = 4;
/** A node is asked again while it may have documents with other keys: at most so often, for so long, and until so many. */
const maxRounds = 4;
const roundsMs = 150;
const enoughKeys = 200;
/** More names would make the query longer than it saves. */
const maxBranchNames = 50;

interface Run {
  readonly request: CountRequest;
  readonly nodes: ReadonlyMap<string, ZoektNode>;
  readonly documentCount: number;
  /** The largest response of a node. */
  readonly maxBytes: number;
  /** When nodes must have responded, in milliseconds of `monotonicNow`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export type NodeCountsOptions = Pick<Run, "nodes" | "maxBytes" | "deadline" | "signal">;

export interface NodeCounts extends DocumentCounts {
  /** Whether the nodes that responded have no other keys. Numbers may be too small in either case. */
  readonly hasAllKeys: boolean;
  readonly haveAllResponded: boolean;
}

/** Omits repositories of nodes that fail. Rejects only with CANCELLED. */
export async function countOnNodes(
  request: CountRequest,
  repositories: readonly AssignedRepository[],
  options: NodeCountsOptions,
): Promise<NodeCounts> {
  const { total, min, max } = documentCounts;
  const nodeCount = Math.max(1, new Set(repositories.map(({ node }) => node)).size);
  const documentCount = Math.max(min, Math.min(max, Math.floor(total / nodeCount)));
  const run = { ...options, request, documentCount };
  const parts = await countRepositories(run, repositories, new Set());
  return {
    ...mergeCounts(parts),
    hasAllKeys: parts.every(({ hasAllKeys }) => hasAllKeys),
    haveAllResponded: parts.every(({ haveAllResponded }) => haveAllResponded),
  };
}

export function mergeCounts(parts: readonly DocumentCounts[]): DocumentCounts {
  const counts = new Map<string, number>();
  for (const part of parts)
    for (const [key, count] of part.counts) counts.set(key, (counts.get(key) ?? 0) + count);
  return { counts, isComplete: parts.every(({ isComplete }) => isComplete) };
}

const nothing: NodeCounts = {
  counts: new Map(),
  isComplete: false,
  hasAllKeys: true,
  haveAllResponded: false,
};

/** Asks replicas if a node fails. */
async function countRepositories(
  run: Run,
  repositories: readonly AssignedRepository[],
  avoided: ReadonlySet<string>,
): Promise<readonly NodeCounts[]> {
  const { scopes, rest } = divide(repositories, run.nodes, avoided);
  const counted = await Promise.all(
    scopes.map(async (scope) => {
      const assigned = scope.repositories.map((repository) => repository.assigned);
      const others = new Set([...avoided, scope.node.name]);
      const hasOthers = divide(assigned, run.nodes, others).scopes.length > 0;
      const leftMs = run.deadline - monotonicNow();
      const until = monotonicNow() + (hasOthers ? leftMs * firstShare : leftMs);
      try {
        return [await countScope(run, scope, until, hasOthers)];
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        return await countRepositories(run, assigned, others);
      }
    }),
  );
  return rest.length === 0 ? counted.flat() : [...counted.flat(), nothing];
}

/** Throws `NodeFailure` if the first request fails, or lacks shards while others have them. */
async function countScope(
  run: Run,
  { node, repositories }: NodeScope,
  until: number,
  hasOthers: boolean,
): Promise<NodeCounts> {
  const { request, documentCount, maxBytes, signal } = run;
  const startedAt = monotonicNow();
  const placed = repositories.map((repository) => repository.placed);
  const branches = branchCondition(placed, request);
  const repositoryOf = new Map(placed.map((repository) => [repository.name, repository]));
  const counts = new Map<string, number>();
  const excluded = new Set<string>();
  for (let round = 0; ; round++) {
    const sent = {
      Q: queryFor(request, branches, [...excluded]),
      Opts: {
        MaxDocDisplayCount: documentCount,
        ShardMaxMatchCount: documentCount,
        TotalMaxMatchCount: totalFactor * documentCount,
        MaxWallTime: searchMs * 1e6,
      },
    };
    try {
      const body = { ...sent, ...restriction(sent.Q, placed) };
      const timeMs = until - monotonicNow();
      const reply = parseSearchReply(
        await node.post({ path: "/api/search", body, timeMs, maxBytes, signal }),
        "names",
      );
      if (reply === undefined) throw new NodeFailure("malformed", "returned a malformed response");
      if (reply.Crashes > 0 && hasOthers) throw new NodeFailure("down", "has not loaded all of its index");
      const knownCount = excluded.size;
      for (const file of reply.files) {
        const repository = repositoryOf.get(file.Repository);
        const key = keyOf(file, request);
        if (key === undefined || repository === undefined || !isCovered(file, repository, request)) continue;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        const exclusion = exclusionOf(file, request);
        if (exclusion !== undefined) excluded.add(exclusion);
      }
      if (reply.Crashes > 0) return { ...nothing, counts };
      const isWhole =
        reply.files.length === reply.FileCount && reply.FilesSkipped + reply.ShardsSkipped === 0;
      if (isWhole) return { counts, isComplete: round === 0, hasAllKeys: true, haveAllResponded: true };
      const isLast = round === maxRounds - 1 || monotonicNow() - startedAt > roundsMs;
      // Without new keys, the node would return the same documents again.
      if (isLast || excluded.size === knownCount || counts.size >= enoughKeys) break;
    } catch (error) {
      if (round === 0 || !(error instanceof NodeFailure)) throw error;
      return { ...nothing, counts };
    }
  }
  return { counts, isComplete: false, hasAllKeys: false, haveAllResponded: true };
}

/** Returns a query for the documents to count, except those with one of these keys. */
function queryFor({ by }: CountRequest, branches: readonly string[], excluded: readonly string[]): string {
  const conditions = ["type:file", ...branches];
  if (by.kind === "language") {
    if (by.names !== undefined) conditions.push(anyLanguage(by.names));
    if (excluded.length > 0) conditions.push(`-${anyLanguage(excluded)}`);
  } else {
    const folder = literalSource(by.folder);
    if (folder !== "") conditions.push(named(`\\A${folder}`, "yes"));
    if (by.kind === "path") conditions.push(named(`/${literalSource(by.start)}[^/]*\\z`, "no"));
    else if (by.part !== "") conditions.push(named(`\\A${folder}[^/]*${literalSource(by.part)}`, "no"));
    if (excluded.length > 0) {
      const names = excluded.map((name) => literalSource(name) + (name.endsWith("/") ? "" : "\\z"));
      conditions.push(`-${named(`\\A${folder}(?:${names.join("|")})`, "yes")}`);
    }
  }
  return conditions.length === 1 ? `${conditions[0]} ( )` : conditions.join(" ");
}

/** Restricts a request to the branches that are covered, and to others whose names contain theirs. */
function branchCondition(repositories: readonly PlacedRepository[], request: CountRequest): string[] {
  if (request.revisions.length === 0) return ['branch:"HEAD"'];
  const names = new Set<string>();
  // Zoekt means the first branch by `HEAD`.
  for (const repository of repositories)
    for (const [at, { name }] of repository.branches.entries())
      if (isCovered({ Branches: [name] }, repository, request)) names.add(at === 0 ? "HEAD" : name);
  if (names.size === 0 || names.size > maxBranchNames) return [];
  return [`( ${[...names].map((name) => `branch:${quoted(name)}`).join(" or ")} )`];
}

function anyLanguage(names: readonly string[]): string {
  return `( ${names.map((name) => `lang:${quoted(name)}`).join(" or ")} )`;
}

function named(source: string, matchCase: "yes" | "no"): string {
  return `( case:${matchCase} file:${quoted(source)} )`;
}

/** What excludes further documents with the key of a file: the name of a language or of an entry of the folder. */
function exclusionOf(file: ZoektFile, { by }: CountRequest): string | undefined {
  if (by.kind === "language") return file.Language || undefined;
  return by.kind === "name" ? entryOf(file.FileName, by.folder) : undefined;
}

function keyOf({ FileName: path, Language: language }: ZoektFile, { by }: CountRequest): string | undefined {
  if (by.kind === "language") return languageOf(language ?? "");
  if (by.kind === "name") return entryOf(path, by.folder);
  const at = path.lastIndexOf("/") + 1;
  const isBelow = at > by.folder.length && path.startsWith(by.folder);
  return isBelow && path.slice(at).toLowerCase().startsWith(by.start.toLowerCase()) ? path : undefined;
}

/** Returns the name in the folder, with a slash if it is a folder itself. */
function entryOf(path: string, folder: string): string | undefined {
  return path.startsWith(folder) ? /^[^/]+\/?/.exec(path.slice(folder.length))?.[0] : undefined;
}

/** Whether a document is in one of the revisions. */
function isCovered(
  { Branches: names }: Pick<ZoektFile, "Branches">,
  { branches, defaultRevision }: PlacedRepository,
  { revisions }: CountRequest,
): boolean {
  if (revisions.length === 0) return true;
  const containing = branches.filter(({ name }) => names?.includes(name));
  return revisions.some((name) => {
    const matches = revisionMatcher(name === "HEAD" ? defaultRevision : name);
    return containing.some(({ revision, commit }) => matches(revision, commit));
  });
}
