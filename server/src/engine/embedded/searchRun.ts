import { cancelled, isServiceError, throwIfAborted } from "#base/error";
import type { EngineResult } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { addStats, type FlushReason, noStats, type SearchStats } from "#model/stats";
import type { Limits } from "#query/limits";
import { type ChosenHit, chooseHits, shownRanges } from "./collect";
import type { LimitedEmit } from "./limitedEmit";
import type { PresentAnswer, PresentedFiles, SearchAnswer, SearchCall, SearchThread } from "./task";

export interface SearchRun {
  readonly threads: readonly SearchThread[];
  readonly callFor: (thread: number) => SearchCall;
  readonly limits: Limits;
  /** Absent where the result brings the files. */
  readonly emit: LimitedEmit | undefined;
  readonly onDamage: (files: readonly string[]) => void;
}

interface Answered {
  readonly thread: SearchThread;
  readonly answer: SearchAnswer;
}

/**
 * One search on some threads: all are asked, the best hits chosen, and those presented.
 *
 * Rejects with `CANCELLED` as soon as `signal` fires: a thread in the middle of an expression hears of it late.
 */
export async function runSearch(run: SearchRun, signal: AbortSignal): Promise<EngineResult | "tooSlow"> {
  throwIfAborted(signal);
  let giveUp = () => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(cancelled());
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([search(run, signal), aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

async function search(run: SearchRun, signal: AbortSignal): Promise<EngineResult | "tooSlow"> {
  const asked = await askAll(run, signal);
  if (asked === "tooSlow") return asked;
  const answers = asked.map(({ answer }) => answer);
  const { hits, totalMatchCount, fileCount } = chooseHits(answers, run.limits);
  const presented = await presentAll(asked, hits, signal);
  const { files, isCut } = withinBytes(presented, run.limits.maxAnswerBytes);
  const damagedFiles = new Set([...answers, ...presented].flatMap((each) => each?.damagedFiles ?? []));
  run.onDamage([...damagedFiles]);

  const lost = run.threads.length - asked.length + presented.filter((each) => each === undefined).length;
  const actualMatchCount = run.emit?.shown() ?? files.reduce((sum, file) => sum + shownRanges(file), 0);
  const hasLimit = run.limits.maxDisplayedMatches > 0;
  const reasons: readonly (readonly [boolean, FlushReason])[] = [
    [damagedFiles.size > 0, "SHARD_DAMAGED"],
    [isCut, "BYTE_LIMIT"],
    [presented.some((each) => each?.isLate === true), "TIME_LIMIT"],
    // Also where every worker came to its end: who has which shard must not show.
    [totalMatchCount >= run.limits.maxMatches, "MATCH_LIMIT"],
    [answers.some((answer) => answer.wasCut), "MATCH_LIMIT"],
    [hasLimit && actualMatchCount < totalMatchCount, "MATCH_LIMIT"],
    [lost > 0, "ENGINE_PARTIAL"],
  ];
  const sum = answers.reduce<SearchStats>((all, answer) => addStats(all, answer.stats), noStats);
  const stats = reasons.reduce(
    (all, [holds, flushReason]) => (holds ? addStats(all, { ...noStats, flushReason }) : all),
    { ...sum, totalMatchCount, fileCount, actualMatchCount, crashes: damagedFiles.size + lost },
  );
  return { files, stats, exhaustive: stats.flushReason === "NONE" };
}

async function askAll(run: SearchRun, signal: AbortSignal): Promise<Answered[] | "tooSlow"> {
  const given = new AbortController();
  const either = AbortSignal.any([signal, given.signal]);
  let isTooSlow = false;
  const asked = run.threads.map(async (thread, index) => {
    try {
      const answer = await thread.run(run.callFor(index), either, async (files) =>
        run.emit?.push(files as FileMatch[]),
      );
      if (answer.kind === "tooSlow") {
        isTooSlow = true;
        given.abort();
      }
      return answer.kind === "answer" ? [{ thread, answer }] : [];
    } catch (error) {
      if (isTooSlow || isServiceError(error, "ENGINE_UNAVAILABLE")) return [];
      given.abort();
      throw error;
    }
  });
  const answered = (await Promise.all(asked)).flat();
  return isTooSlow ? "tooSlow" : answered;
}

/** What each thread presents of the chosen hits; absent for one that is gone. */
async function presentAll(
  asked: readonly Answered[],
  hits: readonly ChosenHit[],
  signal: AbortSignal,
): Promise<Presented[]> {
  return Promise.all(
    asked.map(async ({ thread, answer }, index) => {
      const picks = hits.filter((hit) => hit.answer === index);
      if (answer.token === 0) return { ...nothing, picks };
      const pieces: PresentedFiles[] = [];
      const take = (piece: unknown) => void pieces.push(piece as PresentedFiles);
      try {
        const shown = await thread.run({ kind: "present", token: answer.token, picks }, signal, take);
        if (shown.kind !== "presented") return undefined;
        return { ...shown, files: [...pieces, shown.files].flat(), picks };
      } catch (error) {
        if (isServiceError(error, "ENGINE_UNAVAILABLE")) return undefined;
        throw error;
      }
    }),
  );
}

/** Absent for a thread that is gone. */
type Presented = (PresentAnswer & { readonly picks: readonly ChosenHit[] }) | undefined;

const nothing: PresentAnswer = { kind: "presented", files: [], isLate: false, damagedFiles: [] };

/** The files in the order in which their hits were chosen, as many as the answer may hold. */
function withinBytes(
  presented: readonly Presented[],
  maxBytes: number,
): { files: FileMatch[]; isCut: boolean } {
  const ranked = presented
    .flatMap((each) => each?.picks.map((pick, at) => ({ rank: pick.rank, shown: each.files[at] })) ?? [])
    .sort((left, right) => left.rank - right.rank);
  const files: FileMatch[] = [];
  let bytes = 0;
  for (const { shown } of ranked) {
    // A worker stops when its time is over, or its own files are too many; of a damaged shard it has none.
    if (shown === undefined) continue;
    bytes += shown.byteCount;
    if (bytes > maxBytes) return { files, isCut: true };
    files.push(shown.file);
  }
  return { files, isCut: false };
}
