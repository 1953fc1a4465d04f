/** Counts here and on the team's server, and adds up the numbers. */
import type { CountedGroup, CountResult } from "#contract/count";
import { addStats } from "#model/stats";
import { addReason, allUnavailable, linkedSignal } from "./searchHandlers";
import { exceptionsOf, type Part, requestPart, type TeamHandler } from "./teamContext";

/** Groups that both return, so that those beyond the limit of the request are added up, too. */
const maxGroups = 10_000;

export const count: TeamHandler<"count"> = async (request, call, context) => {
  const here = await context.localRepositories.set(call);
  const { signal, end } = linkedSignal(call.signal);
  const wide = { ...request, limit: maxGroups };
  try {
    const teamPart = requestPart(
      context,
      "count",
      async () => ({ ...wide, exceptRepositories: exceptionsOf(request, context, here) }),
      signal,
    );
    teamPart.catch(() => undefined);
    const local = await context.local("count", wide, call);
    return mergeCounts(local, await teamPart, request.limit);
  } finally {
    end();
  }
};

function mergeCounts(
  local: CountResult,
  { response, problem }: Part<CountResult>,
  limit: number,
): CountResult {
  if (response === undefined) {
    const groups = local.groups.slice(0, limit);
    return {
      ...local,
      groups,
      omittedGroupCount: local.groupCount - groups.length,
      stats: addReason(local.stats, "ENGINE_PARTIAL"),
      isExhaustive: false,
      serverProblem: problem,
    };
  }
  const byKey = new Map<string, CountedGroup>();
  for (const group of [...local.groups, ...response.groups]) {
    const { matchCount, fileCount, ...properties } = group;
    const key = JSON.stringify(Object.entries(properties).sort(([left], [right]) => (left < right ? -1 : 1)));
    const known = byKey.get(key);
    byKey.set(
      key,
      known === undefined
        ? group
        : { ...known, matchCount: known.matchCount + matchCount, fileCount: known.fileCount + fileCount },
    );
  }
  const all = [...byKey.values()].sort((left, right) => right.matchCount - left.matchCount);
  const groups = all.slice(0, limit);
  const unseen = local.omittedGroupCount + response.omittedGroupCount;
  const groupCount = all.length + unseen;
  const sum = {
    ...addStats(local.stats, response.stats),
    duration: Math.max(local.stats.duration, response.stats.duration),
  };
  // Some of the groups that neither returned may be the same.
  const stats = unseen > 0 ? addReason(sum, "BYTE_LIMIT") : sum;
  return {
    ...local,
    matchCount: local.matchCount + response.matchCount,
    fileCount: local.fileCount + response.fileCount,
    repositoryCount: local.repositoryCount + response.repositoryCount,
    groups,
    groupCount,
    omittedGroupCount: groupCount - groups.length,
    isExhaustive: local.isExhaustive && response.isExhaustive && unseen === 0,
    ...allUnavailable(local, response),
    stats,
  };
}
