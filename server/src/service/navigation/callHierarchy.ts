/** Finds which definitions call one another, level by level. */
import { setMaxListeners } from "node:events";
import type { CallRequest } from "#contract/calls";
import { addReason } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import { CalledDefinitions, type CalledDefinitionsOptions, maxDefinitions } from "./calledDefinitions";
import { CallFiles, type CallFilesOptions } from "./callFiles";
import { CallGraph, type FoundCall } from "./callGraph";
import { CallSearch } from "./callSearch";
import { type Completeness, Gaps } from "./candidates";
import { catchTimeLimit, type Definitions } from "./definitions";
import type { SymbolQuery } from "./symbolQuery";

export interface CallHierarchyOptions extends CalledDefinitionsOptions, CallFilesOptions {
  readonly definitions: Definitions;
}

export interface FoundCalls extends Completeness {
  readonly graph: CallGraph;
  readonly unparsedFiles: number;
}

type Direction = Pick<CallRequest, "direction" | "depth">;

/** Definitions whose calls are looked up in one level. */
const maxPerLevel = 200;

export class CallHierarchies {
  readonly #options: CallHierarchyOptions;

  constructor(options: CallHierarchyOptions) {
    this.#options = options;
  }

  /** Returns what is found before the query's deadline. Rejects with CANCELLED when `caller` fires. */
  async find(
    query: SymbolQuery,
    { direction, depth: maxDepth }: Direction,
    caller: AbortSignal,
  ): Promise<FoundCalls> {
    const limit = new TimeLimit(caller, query.deadline - monotonicNow());
    const { signal } = limit;
    setMaxListeners(0, signal);
    const graph = new CallGraph(query.maxMatches, query.origin?.repository.id);
    const gaps = new Gaps();
    const files = new CallFiles(query, this.#options, gaps, signal);
    const search = new CallSearch(
      files,
      new CalledDefinitions(query, this.#options, gaps, signal),
      gaps,
      query.maxMatches,
      signal,
    );
    const reason = await catchTimeLimit(signal, caller, async () => {
      this.#options.code.prepare();
      const roots = await this.#options.definitions.find({ ...query, maxMatches: maxDefinitions }, signal);
      gaps.add(roots);
      const best = roots.definitions.filter(({ certainty }) => certainty === roots.definitions[0]?.certainty);
      for (const { symbol, isParsed } of best) if (!isParsed) gaps.addUnreadable(symbol.document);
      let level = best.filter(({ isParsed }) => isParsed).map(({ symbol }) => graph.addRoot({ symbol }));
      for (let depth = 1; depth <= maxDepth && level.length > 0 && !graph.isFull; depth++) {
        if (level.length > maxPerLevel) gaps.addReason("MATCH_LIMIT");
        const found: FoundCall[] = [];
        try {
          await search[direction](level.slice(0, maxPerLevel), found);
        } finally {
          level = graph.addLevel(found, direction, depth);
        }
      }
      await files.addWholeRanges(graph.nodes);
      return graph.isFull ? "MATCH_LIMIT" : "NONE";
    }).finally(() => {
      limit.abort();
      limit.dispose();
    });
    const { completeness, unparsedFileCount } = gaps;
    return {
      graph,
      reason: addReason(completeness.reason, reason),
      filesMissing: completeness.filesMissing,
      unparsedFiles: unparsedFileCount,
    };
  }
}
