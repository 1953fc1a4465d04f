/** Explains and completes a query while the user types it. */
import type { CallContext, Handler } from "#contract/service";
import type { Repository } from "#model/repository";
import { explainQuery, maxHandwrittenLength, type QueryProblem } from "#query/parser/explain";
import { workingFixes } from "#query/parser/fixes";
import { outlineQuery, type ParseOptions } from "#query/parser/parse";
import type { Query } from "#query/query";
import { revisionMatcher } from "#query/revisionName";
import type { History } from "#service/history/history";
import { searchedRepositories } from "#service/repositories/repositoryFilters";
import { viewGaps } from "#service/repositories/repositoryView";
import { revisionNames } from "#service/repositories/unindexedRevisions";
import { describeUnknownName, findUnknownNames } from "#service/repositories/unknownNames";
import { nameCheck } from "#service/search/search";
import { type CompletionOptions, completeQuery } from "./completion";

export interface QueryOptions extends CompletionOptions {
  readonly history: History;
}

export function queryHandlers(options: QueryOptions): {
  readQuery: Handler<"readQuery">;
  completeQuery: Handler<"completeQuery">;
} {
  const { repositories, contexts } = options;
  const names = new Set(Object.keys(contexts));
  return {
    async readQuery({ query: text, ...flags }, context) {
      const parseOptions = { ...flags, contexts: names };
      const { query, isCheap, hasText, phraseQuery, phrase, ...read } = explainQuery(text, parseOptions);
      const problems = [...read.problems, ...(await unknownNames(text, parseOptions, options, context))];
      return {
        filters: [...read.filters],
        problems: problems.map((problem) => ({ ...problem, fixes: [...problem.fixes] })),
        hasText,
        ...(phraseQuery === undefined ? {} : { phraseQuery, phrase }),
        isCheap: isCheap && query !== undefined && !namesNewRevision(query, repositories.all()),
      };
    },

    completeQuery: completeQuery(options),
  };
}

/** Returns hints for repositories and revisions that do not exist. */
async function unknownNames(
  text: string,
  options: ParseOptions,
  { repositories, contexts, history }: QueryOptions,
  caller: Pick<CallContext, "signal" | "client">,
): Promise<QueryProblem[]> {
  // While paths are being scanned, an unknown repository may still be found.
  if (text.length > maxHandwrittenLength || viewGaps(repositories).length > 0) return [];
  const draft = { text, options, outline: outlineQuery(text, options) };
  const searched = searchedRepositories(repositories, draft.outline.query);
  const found = await findUnknownNames(draft.outline, searched, contexts, nameCheck(history, caller));
  return found.map((unknown) => {
    const { offset, length, nearest } = unknown;
    const edits = nearest.map(({ name, text }) => ({ title: `Use "${name}"`, offset, length, text }));
    const message = describeUnknownName(unknown);
    return { offset, length, severity: "hint", message, fixes: workingFixes(draft, edits) };
  });
}

/** Returns whether running the query would index a revision first, which a half-typed name must not trigger. */
function namesNewRevision(query: Query, repositories: readonly Repository[]): boolean {
  const names = new Set(revisionNames(query));
  names.delete("HEAD");
  return [...names]
    .map(revisionMatcher)
    .some(
      (matches) =>
        !repositories.some(({ revisions }) => revisions.some(({ name, commit }) => matches(name, commit))),
    );
}
