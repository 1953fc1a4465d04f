/** Commits of one repository, and their authors. */
import { objectBytes } from "#base/byteCache";
import { ServiceError } from "#base/error";
import type { CommitDetails, CommitItem, CommitsRequest } from "#contract/commits";
import type { Service } from "#contract/service";
import { bytePathFromText, isUtf8, textOf } from "#git/bytePath";
import { listAuthors } from "#git/history/authors";
import type { Commit } from "#git/history/commit";
import { resolveDates } from "#git/history/dates";
import {
  type CommitFilter,
  type CommitList,
  filterCommits,
  type ListedCommit,
  listCommits,
  readCommitPage,
  readCommits,
} from "#git/history/log";
import { hasReasonableSize } from "#git/history/posixRegex";
import { folderMode } from "#git/objects/fileMode";
import { findEntry } from "#git/objects/treePath";
import { findContainingRefs } from "#git/refs/containingRefs";
import { refsFingerprint } from "#git/refs/refsFingerprint";
import { checkRef, unresolvedRef } from "#git/refs/resolveRef";
import { monotonicNow } from "#platform/clock";
import { commitUrl, hostCommitUrl } from "#service/repositories/webLinks";
import { ChangedTextSearch } from "./changedText";
import { CommitCounts } from "./commitCounts";
import {
  checkPath,
  type History,
  missingHistory,
  type OpenRepository,
  type OpenRevision,
  parseLineRange,
} from "./history";
import { fileAt } from "./source";

/** The part of a request's time for searching changes. The rest is for reading the commits that were found. */
const searchingShare = 0.8;

export function commitHandlers(history: History): Pick<Service, "commits" | "commit" | "authors"> {
  const counts = new CommitCounts(history.graphs);
  return {
    async commits(request, context) {
      const { repo, ref, path, lines, changedText, page, perPage } = request;
      checkFilters(request);
      const opened = history.open(history.repository(repo), context);
      const revision = await resolveUnlessEmpty(history, opened, ref);
      if (revision === undefined) return { items: [], total: 0 };
      const filter = await toCommitFilter(history, revision, request);
      const incomplete = missingHistory(revision);
      // What the only commit has changed is unknown.
      if (incomplete !== undefined && (path || lines || changedText))
        return { items: [], total: 0, incomplete };
      const note = incomplete === undefined ? {} : { incomplete };
      const end = revision.commit;
      const start = (page - 1) * perPage;
      const key = JSON.stringify(filter);
      const pageKey = `${page} ${perPage} ${key}`;
      if (changedText) {
        const all = await memoizeList(history, revision, filter);
        const search = await openTextSearch(history, revision, all, filter, changedText);
        await search.run(opened.gitRequest, (context.deadline - monotonicNow()) * searchingShare);
        const { checked, found } = search;
        const textKey = `${checked} ${pageKey} ${changedText}`;
        const items = await readListed(history, revision, textKey, found.slice(start, perPage));
        if (checked === all.total) return { items, total: found.total };
        const [last] = await readListed(history, revision, `last ${textKey}`, all.slice(checked - 1, 1));
        return { items, total: found.total, incomplete: describeProgress(checked, all.total, last) };
      }
      if (Object.keys(filter).length === 0) {
        const commits = await cachedCommits(history, revision, pageKey, ({ gitRequest }) =>
          readCommitPage(gitRequest, end, start, perPage),
        );
        const isLastPage = commits.length < perPage && (commits.length > 0 || page === 1);
        const total = isLastPage
          ? start + commits.length
          : await history.memoize(
              revision,
              "count",
              (shared) => counts.count(shared, page === 1 ? commits : []),
              () => 8,
            );
        return { items: commits.map((commit) => toCommitItem(commit)), total, ...note };
      }
      const list = await memoizeList(history, revision, filter);
      const items = await readListed(history, revision, pageKey, list.slice(start, perPage));
      return { items, total: list.total, ...note };
    },

    async commit({ repo, ref, containedIn }, context) {
      const repository = history.repository(repo);
      const opened = history.open(repository, context);
      const revision = await history.find(opened, ref);
      if (revision === undefined) throw await commitNotFound(history, opened, ref);
      const [commit] = await cachedCommits(history, revision, "itself", ({ gitRequest }) =>
        readCommits(gitRequest, [revision.commit]),
      );
      if (commit === undefined) throw unresolvedRef(ref);
      const { parents, committerName, committerEmail, commitDate } = commit;
      const incomplete = missingHistory(revision);
      return {
        ...toCommitItem(commit),
        parents: [...parents],
        committerName,
        committerEmail,
        commitDate,
        webUrl: commitUrl(context.baseUrl, repo, commit.hash),
        externalWebUrl: hostCommitUrl(repository, commit.hash),
        ...(incomplete === undefined ? {} : { incomplete }),
        ...(containedIn ? { containedIn: await findContaining(history, revision) } : {}),
      };
    },

    async authors({ repo, ref, path, followRenames, page, perPage }, context) {
      const opened = history.open(history.repository(repo), context);
      const revision = await resolveUnlessEmpty(history, opened, ref);
      if (revision === undefined) return { items: [], total: 0 };
      const pathFilter = await toPathFilter(revision, path, followRenames);
      const missing = missingHistory(revision);
      if (missing !== undefined) throw new ServiceError("INVALID_GIT_REF", missing);
      const all = await history.memoize(
        revision,
        `authors ${JSON.stringify(pathFilter)}`,
        ({ gitRequest, commit }) => listAuthors(gitRequest, commit, pathFilter),
        (authors) =>
          authors.reduce(
            (sum, { name, email, lastActiveAt }) => sum + objectBytes([name, email, lastActiveAt]),
            0,
          ),
      );
      return { items: all.slice((page - 1) * perPage, page * perPage), total: all.length };
    },
  };
}

/**
 * Returns the commits that pass `filter`. Following a file through renames is expensive, so that list is cached without
 * other criteria and then filtered.
 */
async function memoizeList(
  history: History,
  revision: OpenRevision,
  filter: CommitFilter,
): Promise<CommitList> {
  const { criteria, ...unrefined } = filter;
  const isRefined = criteria !== undefined && filter.path?.isFollowed && filter.lines === undefined;
  const unrefinedList = isRefined ? await memoizeList(history, revision, unrefined) : undefined;
  return history.memoize(
    revision,
    `commits ${JSON.stringify(filter)}`,
    ({ repository, gitRequest, commit }) => {
      void history.graphs.writeFirst(repository, gitRequest.gitRepository);
      return unrefinedList === undefined || criteria === undefined
        ? listCommits(gitRequest, commit, filter)
        : filterCommits(gitRequest, commit, unrefinedList, criteria);
    },
    ({ bytes }) => bytes,
  );
}

/** Returns the search for a text in the changes of the commits in `list`, which pass `filter`, as far as it has come. */
function openTextSearch(
  history: History,
  revision: OpenRevision,
  list: CommitList,
  { path, ...filter }: CommitFilter,
  text: string,
): Promise<ChangedTextSearch> {
  if (path !== undefined && !isUtf8(path.name)) {
    throw invalid('"changedText" cannot be searched in a file whose name is not UTF-8.');
  }
  return history.memoize(
    revision,
    `changes ${JSON.stringify([path, filter, text])}`,
    async () => {
      const paths = new Set(path === undefined ? [] : [textOf(path.name)]);
      // All names that a followed file has had.
      for (const { path: name, oldPath } of path?.isFollowed ? list.slice(0, list.total) : []) {
        for (const each of [name, oldPath]) if (each !== undefined) paths.add(each);
      }
      return new ChangedTextSearch(list, { text, paths: [...paths] });
    },
    ({ bytes }) => bytes,
  );
}

/** Reads a part of a list, cached by revision and `key`. */
async function readListed(
  history: History,
  revision: OpenRevision,
  key: string,
  listed: readonly ListedCommit[],
): Promise<readonly CommitItem[]> {
  const hashes = listed.map(({ hash }) => hash);
  const commits = await cachedCommits(history, revision, key, ({ gitRequest }) =>
    readCommits(gitRequest, hashes),
  );
  return commits.map((commit, at) => toCommitItem(commit, listed[at]));
}

function describeProgress(checked: number, total: number, last: CommitItem | undefined): string {
  const reached =
    last === undefined ? "" : `, down to ${last.hash.slice(0, 12)} of ${last.date.slice(0, 10)}`;
  return `Searched ${checked} of ${total} commits before the time limit${reached}. Repeat the request to continue, or narrow it with "path", "since" or "until".`;
}

/** Resolves `ref`, or returns `undefined` if the repository has no commits. Otherwise throws INVALID_GIT_REF. */
async function resolveUnlessEmpty(
  history: History,
  opened: OpenRepository,
  ref: string | undefined,
): Promise<OpenRevision | undefined> {
  const found = await history.find(opened, ref);
  if (found !== undefined || ref === undefined) return found;
  if ((await history.find(opened, undefined)) === undefined) return undefined;
  throw unresolvedRef(ref);
}

/** Returns the error for a commit that does not exist. Throws INVALID_GIT_REF if `ref` is malformed. */
async function commitNotFound(history: History, opened: OpenRepository, ref: string): Promise<ServiceError> {
  checkRef(ref);
  const { name } = opened.repository;
  if ((await history.find(opened, undefined)) === undefined) {
    return new ServiceError("INVALID_GIT_REF", `Repository "${name}" has no commits.`);
  }
  return new ServiceError("NOT_FOUND", `Revision "${ref}" not found in repository "${name}".`);
}

/** Throws INVALID_QUERY_PARAMS for values that must not reach git. */
function checkFilters({ query, author, changedText, since, until }: CommitsRequest): void {
  for (const [name, text] of Object.entries({ query, author, changedText, since, until })) {
    if (text?.includes("\0")) throw invalid(`"${name}" must not contain a NUL character.`);
  }
  for (const [name, expression = ""] of Object.entries({ query, author })) {
    if (!hasReasonableSize(expression)) throw invalid(`"${name}" contains too many repetitions.`);
  }
}

/** Converts a request to git's filters. Empty fields count as absent. Throws INVALID_QUERY_PARAMS, FILE_NOT_FOUND. */
async function toCommitFilter(
  history: History,
  revision: OpenRevision,
  request: CommitsRequest,
): Promise<CommitFilter> {
  const { notIn, query, author, since, until, lines, followRenames } = request;
  const excluded = notIn === undefined ? undefined : await history.resolve(revision, notIn);
  const path = await toPathFilter(revision, request.path, followRenames);
  const dates = { ...(since ? { since } : {}), ...(until ? { until } : {}) };
  const times = await (request.changedText
    ? keepDates(history, revision, dates)
    : resolveDates(revision.gitRequest, dates));
  if (times.since !== undefined && times.until !== undefined && times.since > times.until) {
    throw invalid(`"since" (${since}) must not be later than "until" (${until}).`);
  }
  if (lines) {
    if (path === undefined) throw invalid('"lines" needs the "path" of a file.');
    // Check now, because git reports a missing file in many ways.
    await fileAt(revision, textOf(path.name));
    if (!isUtf8(path.name)) throw invalid('"lines" cannot be followed in a file whose name is not UTF-8.');
  }
  const criteria = { ...(query ? { message: query } : {}), ...(author ? { author } : {}), ...times };
  return {
    ...(excluded === undefined ? {} : { excludes: excluded.commit }),
    ...(path === undefined ? {} : { path }),
    ...(lines ? { lines: parseLineRange(lines) } : {}),
    ...(Object.keys(criteria).length === 0 ? {} : { criteria }),
  };
}

/**
 * Resolves dates as a request before it did, for an hour: a request that continues a search must not resolve
 * "2 weeks ago" to another second.
 */
async function keepDates(
  history: History,
  revision: OpenRevision,
  dates: Readonly<Partial<Record<"since" | "until", string>>>,
): ReturnType<typeof resolveDates<"since" | "until">> {
  const key = JSON.stringify(dates);
  const firstAt = await history.memoize(
    revision,
    `first dates ${key}`,
    async () => monotonicNow(),
    () => 8,
  );
  const hour = Math.floor((monotonicNow() - firstAt) / 3_600_000);
  return history.memoize(
    revision,
    `dates ${hour} ${key}`,
    ({ gitRequest }) => resolveDates(gitRequest, dates),
    () => 16,
  );
}

/** Returns `undefined` for the root and for an absent path. A path that does not exist may be that of a former file. */
async function toPathFilter(
  { objects, commit }: OpenRevision,
  path: string | undefined,
  followRenames: boolean,
): Promise<CommitFilter["path"]> {
  const name = path === undefined ? "" : checkPath(path, "INVALID_QUERY_PARAMS");
  const trimmed = name.replace(/\/+$/, "");
  if (trimmed === "") return undefined;
  const entry = await findEntry(objects, commit, trimmed);
  if (entry?.mode === folderMode) return { name: entry.path, isFollowed: false };
  return { name: entry?.path ?? bytePathFromText(name), isFollowed: followRenames && trimmed === name };
}

/** Reads commits with `compute`, cached by revision and `key`. */
function cachedCommits(
  history: History,
  revision: OpenRevision,
  key: string,
  compute: (revision: OpenRevision) => Promise<readonly Commit[]>,
): Promise<readonly Commit[]> {
  // The key covers the refs too: which of them point to a commit can change.
  const fingerprint = refsFingerprint(revision.gitRequest.gitRepository);
  if (fingerprint === undefined) return compute(revision);
  return history.memoize(revision, `described ${key} ${fingerprint}`, compute, (commits) =>
    commits.reduce(
      (sum, { parents, ...texts }) => sum + objectBytes([...parents, ...Object.values(texts)]),
      0,
    ),
  );
}

function findContaining(
  history: History,
  revision: OpenRevision,
): Promise<NonNullable<CommitDetails["containedIn"]>> {
  const compute = ({ gitRequest, commit }: OpenRevision) => findContainingRefs(gitRequest, commit);
  const fingerprint = refsFingerprint(revision.gitRequest.gitRepository);
  if (fingerprint === undefined) return compute(revision);
  return history.memoize(revision, `containing ${fingerprint}`, compute, ({ branches, tag }) =>
    objectBytes([...branches, tag]),
  );
}

function toCommitItem(commit: Commit, listed?: ListedCommit): CommitItem {
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
