/** Reading and completing a query, for a person who is still writing it. */
import type { Handler } from "#contract/service";
import type { Repository } from "#model/repository";
import type { Query } from "#query/query";
import { readQuery } from "#query/read";
import { revisionMatcher } from "#query/revisionName";
import { type CompletionOptions, completeQuery } from "./completion";
import { revisionNames } from "./revisions";

export function queryHandlers(options: CompletionOptions): {
  readQuery: Handler<"readQuery">;
  completeQuery: Handler<"completeQuery">;
} {
  const { repositories, contexts } = options;
  const names = new Set(Object.keys(contexts));
  return {
    async readQuery({ query: text, ...flags }) {
      const { query, isCheap, hasText, ...read } = readQuery(text, { ...flags, contexts: names });
      return {
        filters: [...read.filters],
        problems: read.problems.map((problem) => ({ ...problem, fixes: [...problem.fixes] })),
        hasText,
        isCheap: isCheap && query !== undefined && !namesNewRevision(query, repositories.all()),
      };
    },

    completeQuery: completeQuery(options),
  };
}

/** Whether a revision would have to be read from git first: half a name must not set that off. */
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
