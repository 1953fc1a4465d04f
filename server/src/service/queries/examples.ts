/** Suggests example queries: names that the open repositories define, preferably ones that other repositories use. */
import type { Examples } from "#contract/editor";
import type { Handler } from "#contract/service";
import type { Engine } from "#engine/engine";
import { decodeChunks, type FileMatch } from "#model/match";
import { monotonicNow } from "#platform/clock";
import type { Query } from "#query/query";
import { engineScope } from "#service/repositories/repositoryFilters";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { createInternalPlan } from "#service/search/internalPlan";
import { preferredRepositories } from "#service/search/searchPlan";

export interface ExampleOptions {
  readonly engine: Engine;
  readonly repositories: RepositoryView;
  /** Time limit in milliseconds. */
  readonly examplesTimeMs?: number;
}

type Example = Examples["queries"][number];

const maxExamples = 3;
const defaultTimeMs = 300;
/** Share of the time limit for finding names. */
const sampleShare = 0.4;
const maxSampled = 400;
const maxCandidates = 30;
const candidatesAtOnce = 5;
const maxCounted = 500;

/** A name after a keyword that introduces a definition in many languages. */
const definitionPattern =
  "\\b(?:class|interface|struct|trait|enum|type|func|function|def|fn|module|impl)\\s+[A-Za-z]\\w{7,39}\\b";

export function exampleHandlers({
  engine,
  repositories,
  examplesTimeMs: timeMs = defaultTimeMs,
}: ExampleOptions): { examples: Handler<"examples"> } {
  return {
    async examples(_request, { signal, folders = [] }) {
      const open = new Set(preferredRepositories(folders, repositories.all()));
      const startedAt = monotonicNow();
      const sampled = await engine.search(
        createInternalPlan(
          {
            kind: "text",
            pattern: { kind: "regexp", source: definitionPattern, caseSensitive: true },
            where: "content",
          },
          open.size === 0 ? engineScope(repositories, repositories.all()) : open,
          maxSampled,
          startedAt + timeMs * sampleShare,
        ),
        signal,
      );
      const names = interleave(sampled.files.map((file) => distinctiveNames(definedNames(file)))).slice(
        0,
        maxCandidates,
      );
      const found: Example[] = [];
      for (let at = 0; at < names.length; at += candidatesAtOnce) {
        const isTimeUp = monotonicNow() >= startedAt + timeMs;
        if (isTimeUp || found.filter((each) => rankOf(each) === 0).length >= maxExamples) break;
        const counting = names
          .slice(at, at + candidatesAtOnce)
          .map((name) => countMatches(engine, repositories, name, startedAt + timeMs, signal));
        found.push(...(await Promise.all(counting)));
      }
      const isFound = ({ matches }: Example) => matches > 0;
      const queries = found.filter(isFound).sort((left, right) => rankOf(left) - rankOf(right));
      return { queries: queries.slice(0, maxExamples) };
    },
  };
}

async function countMatches(
  engine: Engine,
  view: RepositoryView,
  name: string,
  deadline: number,
  signal: AbortSignal,
): Promise<Example> {
  const query: Query = {
    kind: "text",
    pattern: { kind: "literal", text: name, caseSensitive: false },
    where: "both",
  };
  const { files, stats } = await engine.search(
    createInternalPlan(query, engineScope(view, view.all()), maxCounted, deadline),
    signal,
  );
  const repositories = new Set(files.map(({ repositoryId }) => repositoryId)).size;
  return { query: name, repositories, matches: stats.totalMatchCount };
}

/** Ranks a name, lowest first: in several repositories, with several matches, too common, with at most one match. */
function rankOf({ repositories, matches }: Example): number {
  if (matches > maxDistinctive) return 2;
  if (repositories > 1) return 0;
  return matches > 1 ? 1 : 3;
}

/** A name with more matches is too common for an example. */
const maxDistinctive = 200;

function definedNames(file: FileMatch): string[] {
  return decodeChunks(file).flatMap(({ content, contentStart, matchRanges }) => {
    const bytes = new TextEncoder().encode(content);
    return matchRanges.flatMap(({ start, end }) => {
      const from = start.byteOffset - contentStart.byteOffset;
      const text = new TextDecoder().decode(bytes.subarray(from, end.byteOffset - contentStart.byteOffset));
      return /\w+$/.exec(text) ?? [];
    });
  });
}

/** Returns names of several words that are not about tests, those of medium length first. */
function distinctiveNames(names: readonly string[]): string[] {
  const wordsOf = (name: string) => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.length ?? 0;
  const rank = (name: string) => (name.length >= 12 && name.length <= 26 && wordsOf(name) <= 4 ? 0 : 1);
  return [...new Set(names)]
    .filter((name) => wordsOf(name) > 1 && !/^test|test$|mock|example/i.test(name))
    .sort((left, right) => rank(left) - rank(right));
}

/** Returns the first item of each list, then the second of each, and so on, without duplicates. */
function interleave(lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const rounds = Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? []));
  return [...new Set(rounds.flat())];
}
