/** What differs between two revisions. */
import { ServiceError } from "#base/error";
import type * as contract from "#contract/commits";
import type { Handler } from "#contract/service";
import { type ChangedFile, diffCommits, mergeBase } from "#git/diff";
import { checkPath, type History } from "./history";

export function diffHandlers(history: History): { diff: Handler<"diff"> } {
  return {
    async diff(request, context) {
      const path = checkPath(request.path ?? "", "INVALID_QUERY_PARAMS").replace(/\/+$/, "") || undefined;
      const opened = history.open(history.repository(request.repo), context);
      const base = emptyTrees.has(request.base)
        ? request.base
        : (await history.resolve(opened, request.base)).commit;
      const head = await history.resolve(opened, request.head);
      const key = JSON.stringify(["diff", base, path, request.mergeBase, request.hunks]);
      return history.remember(
        head,
        key,
        async ({ question }) => {
          const from = request.mergeBase ? await mergeBase(question, base, head.commit) : base;
          if (from === undefined) {
            throw new ServiceError(
              "INVALID_GIT_REF",
              `"${request.base}" and "${request.head}" have no common ancestor.`,
            );
          }
          const detail = request.hunks ? "hunks" : "counts";
          const files = await diffCommits(question, from, head.commit, { path, detail });
          return { files: files.map(present), ...(request.mergeBase ? { mergeBase: from } : {}) };
        },
        ({ files }) => files.reduce((sum, file) => sum + sizeOf(file), 0),
      );
    },
  };
}

/** Git has them without being told; the second one where hashes are longer. */
const emptyTrees: ReadonlySet<string> = new Set([
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
]);

const noFile = "/dev/null";

function present({ oldPath, newPath, hunks, ...rest }: ChangedFile): contract.ChangedFile {
  return {
    oldPath: oldPath ?? noFile,
    newPath: newPath ?? noFile,
    hunks: hunks as contract.Hunk[],
    ...rest,
  };
}

/** In memory, about; an object and its numbers take some hundred bytes. */
function sizeOf({ hunks }: contract.ChangedFile): number {
  return hunks.reduce((sum, { body }) => sum + 2 * body.length + 300, 500);
}
