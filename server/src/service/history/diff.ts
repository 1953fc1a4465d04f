/** The diff between two revisions. */
import { objectBytes } from "#base/byteCache";
import { isServiceError, ServiceError } from "#base/error";
import type * as contract from "#contract/commits";
import type { Handler } from "#contract/service";
import { type ChangedFile, diffCommits, mergeBase } from "#git/history/diff";
import { checkPath, type History, type OpenRevision } from "./history";

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
      const compute = async ({ gitRequest }: OpenRevision): Promise<contract.Diff> => {
        const from = request.mergeBase ? await mergeBase(gitRequest, base, head.commit) : base;
        if (from === undefined) {
          throw new ServiceError(
            "INVALID_GIT_REF",
            `"${request.base}" and "${request.head}" have no common ancestor.`,
          );
        }
        const detail = request.hunks ? "hunks" : "counts";
        const files = await diffCommits(gitRequest, from, head.commit, { path, detail });
        return { files: files.map(toChangedFile), ...(request.mergeBase ? { mergeBase: from } : {}) };
      };
      // Git takes seconds for a diff that is too large, so that is cached, too.
      const found = await history.memoize<contract.Diff | ServiceError>(
        head,
        key,
        (revision) => compute(revision).catch(tooLargeOnly),
        (result) =>
          result instanceof ServiceError
            ? tooLargeBytes
            : result.files.reduce((sum, file) => sum + estimateBytes(file), 0),
      );
      if (found instanceof ServiceError) throw found;
      return found;
    },
  };
}

/** What an error takes in memory, with its stack. */
const tooLargeBytes = 2000;

/** Returns the error that says that the diff is too large. Rethrows others. */
function tooLargeOnly(error: unknown): ServiceError {
  if (isServiceError(error, "ANSWER_TOO_LARGE")) return error;
  throw error;
}

/** Git's built-in empty trees, for SHA-1 and SHA-256. */
const emptyTrees: ReadonlySet<string> = new Set([
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
]);

const noFile = "/dev/null";

function toChangedFile({ oldPath, newPath, hunks, ...rest }: ChangedFile): contract.ChangedFile {
  return {
    oldPath: oldPath ?? noFile,
    newPath: newPath ?? noFile,
    hunks: hunks as contract.Hunk[],
    ...rest,
  };
}

/** Estimates memory: an object with its numbers takes a few hundred bytes. */
function estimateBytes({ oldPath, newPath, hunks }: contract.ChangedFile): number {
  const pathBytes = objectBytes([oldPath, newPath]);
  return hunks.reduce((sum, { body, heading }) => sum + objectBytes([body, heading]) + 200, pathBytes + 300);
}
