/** Commits of one repository, and who wrote them. */
import { ServiceError } from "#base/error";
import type { CommitDetails, CommitItem, CommitsRequest } from "#contract/commits";
import type { Service } from "#contract/service";
import { listAuthors } from "#git/authors";
import { isOfReasonableSize } from "#git/basicExpression";
import { bytePathOfText, isText, textOf } from "#git/bytePath";
import { refsThatContain } from "#git/containment";
import { resolveDates } from "#git/dates";
import {
  type Commit,
  type CommitFilter,
  type CommitList,
  countCommits,
  describeCommits,
  type ListedCommit,
  listCommits,
  narrowCommits,
  pageOfCommits,
} from "#git/log";
import { refsMark } from "#git/refsMark";
import { checkRef, unresolved } from "#git/resolve";
import { findEntry, folderMode } from "#git/treePath";
import { checkLines, checkPath, type History, type OpenRepository, type OpenRevision } from "./history";
import { fileAt } from "./source";
import { commitUrl, hostCommitUrl } from "./webLinks";

export function commitHandlers(history: History): Pick<Service, "commits" | "commit" | "authors"> {
  return {
    async commits(request, context) {
      const { repo, ref, page, perPage } = request;
      checkFilters(request);
      const opened = history.open(history.repository(repo), context);
      const revision = await findOrNone(history, opened, ref);
      if (revision === undefined) return { items: [], total: 0 };
      const filter = await filterOf(history, revision, request);
      const end = revision.commit;
      const start = (page - 1) * perPage;
      const key = JSON.stringify(filter);
      const pageKey = `${page} ${perPage} ${key}`;
      const { notIn: _, ...narrow } = filter;
      if (Object.keys(narrow).length === 0) {
        const [total, commits] = await Promise.all([
          history.remember(
            revision,
            `count ${key}`,
            ({ question }) => countCommits(question, end, filter),
            () => 8,
          ),
          described(history, revision, pageKey, ({ question }) =>
            pageOfCommits(question, end, filter, start, perPage),
          ),
        ]);
        return { items: commits.map((commit) => present(commit)), total };
      }
      const list = await listOf(history, revision, filter);
      const listed = list.slice(start, perPage);
      const hashes = listed.map(({ hash }) => hash);
      const commits = await described(history, revision, pageKey, ({ question }) =>
        describeCommits(question, hashes),
      );
      return { items: commits.map((commit, at) => present(commit, listed[at])), total: list.total };
    },

    async commit({ repo, ref, containedIn }, context) {
      const repository = history.repository(repo);
      const opened = history.open(repository, context);
      const revision = await history.find(opened, ref);
      if (revision === undefined) throw await noCommit(history, opened, ref);
      const [commit] = await described(history, revision, "itself", ({ question }) =>
        describeCommits(question, [revision.commit]),
      );
      if (commit === undefined) throw unresolved(ref);
      const { parents, committerName, committerEmail, commitDate } = commit;
      return {
        ...present(commit),
        parents: [...parents],
        committerName,
        committerEmail,
        commitDate,
        webUrl: commitUrl(context.baseUrl, repo, commit.hash),
        externalWebUrl: hostCommitUrl(repository, commit.hash),
        ...(containedIn ? { containedIn: await containing(history, revision) } : {}),
      };
    },

    async authors({ repo, ref, path, followRenames, page, perPage }, context) {
      const opened = history.open(history.repository(repo), context);
      const revision = await findOrNone(history, opened, ref);
      if (revision === undefined) return { items: [], total: 0 };
      const place = await pathOf(revision, path, followRenames);
      const all = await history.remember(
        revision,
        `authors ${JSON.stringify(place)}`,
        ({ question, commit }) => listAuthors(question, commit, place),
        (authors) => 200 * authors.length,
      );
      return { items: all.slice((page - 1) * perPage, page * perPage), total: all.length };
    },
  };
}

/** A file is followed once, whatever is then asked of its commits. */
async function listOf(history: History, revision: OpenRevision, filter: CommitFilter): Promise<CommitList> {
  const { traits, ...whole } = filter;
  const isPart = traits !== undefined && filter.path?.isFollowed && filter.lines === undefined;
  const all = isPart ? await listOf(history, revision, whole) : undefined;
  return history.remember(
    revision,
    `commits ${JSON.stringify(filter)}`,
    ({ question, commit }) =>
      all === undefined || traits === undefined
        ? listCommits(question, commit, filter)
        : narrowCommits(question, commit, all, traits),
    ({ bytes }) => bytes,
  );
}

/** `undefined` for a repository without commits. Throws INVALID_GIT_REF where `ref` does not resolve in another. */
async function findOrNone(
  history: History,
  opened: OpenRepository,
  ref: string | undefined,
): Promise<OpenRevision | undefined> {
  const found = await history.find(opened, ref);
  if (found !== undefined || ref === undefined) return found;
  if ((await history.find(opened, undefined)) === undefined) return undefined;
  throw unresolved(ref);
}

/** Why there is no such commit. */
async function noCommit(history: History, opened: OpenRepository, ref: string): Promise<ServiceError> {
  checkRef(ref);
  const { name } = opened.repository;
  if ((await history.find(opened, undefined)) === undefined) {
    return new ServiceError("INVALID_GIT_REF", `Repository "${name}" has no commits.`);
  }
  return new ServiceError("NOT_FOUND", `Revision "${ref}" not found in repository "${name}".`);
}

/** Throws INVALID_QUERY_PARAMS for what must not be handed to git. */
function checkFilters({ query, author, since, until }: CommitsRequest): void {
  for (const [name, text] of Object.entries({ query, author, since, until })) {
    if (text?.includes("\0")) throw invalid(`"${name}" must not hold a NUL.`);
  }
  for (const [name, expression = ""] of Object.entries({ query, author })) {
    if (!isOfReasonableSize(expression)) throw invalid(`"${name}" asks for too many repetitions.`);
  }
}

/** Empty fields count as absent. */
async function filterOf(
  history: History,
  revision: OpenRevision,
  request: CommitsRequest,
): Promise<CommitFilter> {
  const { notIn, query, author, since, until, lines, followRenames } = request;
  const excluded = notIn === undefined ? undefined : await history.resolve(revision, notIn);
  const path = await pathOf(revision, request.path, followRenames);
  const times = await resolveDates(revision.question, {
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
  });
  if (times.since !== undefined && times.until !== undefined && times.since > times.until) {
    throw invalid(`"since" (${since}) must not be later than "until" (${until}).`);
  }
  if (lines) {
    if (path === undefined) throw invalid('"lines" needs the "path" of a file.');
    // Git would tell of what is no file in many ways.
    await fileAt(revision, textOf(path.name));
    if (!isText(path.name)) throw invalid('"lines" cannot be followed in a file whose name is no UTF-8.');
  }
  const traits = { ...(query ? { message: query } : {}), ...(author ? { author } : {}), ...times };
  return {
    ...(excluded === undefined ? {} : { notIn: excluded.commit }),
    ...(path === undefined ? {} : { path }),
    ...(lines ? { lines: checkLines(lines) } : {}),
    ...(Object.keys(traits).length === 0 ? {} : { traits }),
  };
}

/** `undefined` for the root and for an absent one. A path that is not there may have been a file once. */
async function pathOf(
  { objects, commit }: OpenRevision,
  written: string | undefined,
  followRenames: boolean,
): Promise<CommitFilter["path"]> {
  const name = written === undefined ? "" : checkPath(written, "INVALID_QUERY_PARAMS");
  const bare = name.replace(/\/+$/, "");
  if (bare === "") return undefined;
  const entry = await findEntry(objects, commit, bare);
  if (entry?.mode === folderMode) return { name: entry.path, isFollowed: false };
  return { name: entry?.path ?? bytePathOfText(name), isFollowed: followRenames && bare === name };
}

/** What is known of commits; `key` tells which of the revision they are. */
function described(
  history: History,
  revision: OpenRevision,
  key: string,
  make: (revision: OpenRevision) => Promise<readonly Commit[]>,
): Promise<readonly Commit[]> {
  // Which refs name a commit changes while the commit does not.
  const mark = refsMark(revision.question.place);
  if (mark === undefined) return make(revision);
  return history.remember(revision, `described ${key} ${mark}`, make, (commits) =>
    commits.reduce((sum, { subject, body, refs }) => sum + subject.length + body.length + refs.length, 0),
  );
}

function containing(
  history: History,
  revision: OpenRevision,
): Promise<NonNullable<CommitDetails["containedIn"]>> {
  const make = ({ question, commit }: OpenRevision) => refsThatContain(question, commit);
  const mark = refsMark(revision.question.place);
  if (mark === undefined) return make(revision);
  return history.remember(revision, `containing ${mark}`, make, ({ branches }) => 100 * branches.length);
}

function present(commit: Commit, listed?: ListedCommit): CommitItem {
  const { hash, date, subject, refs, body, authorName, authorEmail } = commit;
  const { path, oldPath } = listed ?? {};
  return {
    hash,
    date,
    message: subject,
    refs,
    body,
    authorName,
    authorEmail,
    ...(path === undefined ? {} : { path }),
    ...(oldPath === undefined ? {} : { oldPath }),
  };
}

function invalid(message: string): ServiceError {
  return new ServiceError("INVALID_QUERY_PARAMS", message);
}
