/** Everything that an index worker does, as one task. */
import { ServiceError } from "#base/error";
import { type IndexAnswer, type IndexTask, indexTask } from "#indexing/indexTask";
import { type Inspection, inspect, type ShardContents } from "#indexing/inspect";
import { makeSymbols, type SymbolAnswer, type SymbolTask } from "#indexing/symbolTask";
import { withSignal } from "#indexing/taskSignal";
import { type UnparsedDocument, type UnparsedQuestion, unparsedDocuments } from "#indexing/unparsed";
import { makeOverlay, type OverlayAnswer, type OverlayTask } from "#overlay/overlay";
import type { Files } from "#platform/files";
import type { Pool, Task } from "#platform/workers";
import { type Rewrite, type Rewritten, rewriteShards } from "#shard/rewrite";
import type { SymbolParsers } from "#symbols/parsers";

export type Work =
  | IndexTask
  | ({ readonly kind: "overlay" } & OverlayTask)
  | ({ readonly kind: "inspect" } & Inspection)
  | ({ readonly kind: "unparsed" } & UnparsedQuestion)
  | ({ readonly kind: "rewrite" } & Rewrite)
  | ({ readonly kind: "symbols" } & SymbolTask);
export type WorkAnswer =
  | IndexAnswer
  | ({ readonly kind: "overlaid" } & OverlayAnswer)
  | ({ readonly kind: "inspected" } & ShardContents)
  | { readonly kind: "unparsedDocuments"; readonly documents: readonly UnparsedDocument[] }
  | Rewritten
  | SymbolAnswer;

/** What an index worker serves; without parsers, all but symbols. */
export function indexWork(files?: Files, parsers?: SymbolParsers): Task<Work, WorkAnswer> {
  const index = indexTask(files);
  return async (work, context) => {
    if (work.kind === "symbols") {
      if (parsers === undefined) throw new ServiceError("ENGINE_UNAVAILABLE", "Nothing is parsed here.");
      return withSignal(context, (signal) => makeSymbols(work, parsers, signal, files));
    }
    if (work.kind === "inspect") return { kind: "inspected", ...(await inspect(work)) };
    if (work.kind === "unparsed") {
      return { kind: "unparsedDocuments", documents: await unparsedDocuments(work) };
    }
    if (work.kind === "rewrite") return rewriteShards(work, context.cancelled, files);
    if (work.kind !== "overlay") return index(work, context);
    return { kind: "overlaid", ...(await withSignal(context, (signal) => makeOverlay(work, signal))) };
  };
}

/** The same pool as the indexer sees it: what it asks for is answered in kind. */
export function indexPool(pool: Pool<Work, WorkAnswer>): Pool<IndexTask, IndexAnswer> {
  return pool as Pool<IndexTask, IndexAnswer>;
}

/** Looks at the working tree of a repository, or at some of its paths. */
export async function runOverlay(
  pool: Pool<Work, WorkAnswer>,
  task: OverlayTask,
  signal: AbortSignal,
): Promise<OverlayAnswer> {
  const answer = await pool.run({ kind: "overlay", ...task }, signal);
  if (answer.kind !== "overlaid") throw new Error(`An index worker answered ${answer.kind}`);
  return answer;
}

export async function inspectShards(
  pool: Pool<Work, WorkAnswer>,
  inspection: Inspection,
  signal: AbortSignal,
): Promise<ShardContents> {
  const answer = await pool.run({ kind: "inspect", ...inspection }, signal);
  if (answer.kind !== "inspected") throw new Error(`An index worker answered ${answer.kind}`);
  return answer;
}

export async function askUnparsed(
  pool: Pool<Work, WorkAnswer>,
  question: UnparsedQuestion,
  signal: AbortSignal,
): Promise<readonly UnparsedDocument[]> {
  const answer = await pool.run({ kind: "unparsed", ...question }, signal);
  if (answer.kind !== "unparsedDocuments") throw new Error(`An index worker answered ${answer.kind}`);
  return answer.documents;
}
