import { objectBytes } from "#base/byteCache";
import { ServiceError } from "#base/error";
import type { Blame } from "#contract/history";
import type { Handler, RequestOf } from "#contract/service";
import { type BlamedFile, type BlameOptions, blame } from "#git/history/blame";
import { findEntry } from "#git/objects/treePath";
import {
  type CallerInfo,
  checkPath,
  type History,
  missingHistory,
  type OpenRevision,
  parseLineRange,
  patienceFactor,
} from "./history";
import { fileAt } from "./source";

/** The conventional name, which code hosts use too. */
const defaultIgnoreFile = ".git-blame-ignore-revs";
/** Limited, because each ignored commit is an argument on git's command line. */
const maxIgnored = 500;

export function blameHandlers(history: History): { blame: Handler<"blame"> } {
  return { blame: (request, context) => blameFile(history, request, context) };
}

/** Returns who last changed each line of a file. */
export async function blameFile(
  history: History,
  request: RequestOf<"blame">,
  caller: CallerInfo,
): Promise<Blame> {
  const { repo, path, ref, ignoreRevs = true, ignoreRevsFile = defaultIgnoreFile, isPatient } = request;
  const { ignoreWhitespace, followMoves, lines } = request;
  const repository = history.repository(repo);
  const { remote } = history;
  if (remote !== undefined)
    return await remote.call("blame", repository.name, { ...request, repo: repository.name }, caller);
  const relativePath = checkPath(path, "INVALID_QUERY_PARAMS");
  const ignoreFile = checkPath(ignoreRevsFile, "INVALID_QUERY_PARAMS");
  const lineRange = lines ? parseLineRange(lines) : undefined;
  const revision = await history.resolve(history.open(repository, caller), ref);
  const missing = missingHistory(revision);
  if (missing !== undefined) throw new ServiceError("INVALID_GIT_REF", missing);
  void history.graphs.writeFirst(repository, revision.gitRequest.gitRepository);
  const ignored = ignoreRevs ? await findIgnoredCommits(history, revision, ignoreFile) : [];
  const options: BlameOptions = {
    ignored,
    ignoreWhitespace,
    followMoves,
    ...(lineRange === undefined ? {} : { lines: lineRange }),
  };
  const timeLimitMs = revision.gitRequest.timeLimitMs * (isPatient ? patienceFactor : 1);
  return history.memoize(
    { ...revision, gitRequest: { ...revision.gitRequest, timeLimitMs } },
    `blame ${JSON.stringify(options)} ${relativePath}`,
    async (shared) => {
      const file = await fileAt(shared, relativePath);
      return toBlame(await blame(shared.gitRequest, shared.commit, file.path, options));
    },
    estimateBytes,
  );
}

/**
 * Returns the commits to ignore: those that `file` lists at this revision or, if it does not exist there, at the
 * default revision. Ignored commits therefore stay ignored while a user steps back through history.
 */
async function findIgnoredCommits(
  history: History,
  revision: OpenRevision,
  file: string,
): Promise<readonly string[]> {
  const here = await readIgnoredCommits(history, revision, file);
  if (here !== undefined) return here;
  const atDefault = await history.find(revision, undefined);
  return (atDefault && (await readIgnoredCommits(history, atDefault, file))) ?? [];
}

/** Returns the commits that the file at `path` lists, or `undefined` if the revision has no such file. */
async function readIgnoredCommits(
  history: History,
  revision: OpenRevision,
  path: string,
): Promise<readonly string[] | undefined> {
  const listed = await history.memoize(
    revision,
    `ignored commits ${path}`,
    async ({ objects, commit }) => {
      const entry = path === "" ? undefined : await findEntry(objects, commit, path);
      const file = entry?.mode.startsWith("100") ? await objects.readExisting(entry.hash) : undefined;
      if (file === undefined) return { hashes: undefined };
      const hashes: string[] = [];
      for (const hash of parseIgnoredCommits(file.bytes.toString("latin1")).slice(0, maxIgnored)) {
        // Skip unknown commits, because git rejects them.
        if ((await objects.commitOf(hash)) === hash) hashes.push(hash);
      }
      return { hashes };
    },
    ({ hashes = [] }) => hashes.length * 80,
  );
  return listed.hashes;
}

/** Parses a list of full hashes, one per line. `#` begins a comment; other lines are skipped. */
export function parseIgnoredCommits(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const word = line.replace(/#.*/, "").trim().toLowerCase();
    return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(word) ? [word] : [];
  });
}

function toBlame({ lines, commits }: BlamedFile): Blame {
  return {
    ranges: lines.map(({ hash, path, startLine, lineCount }) => ({ hash, path, startLine, lineCount })),
    commits: Object.fromEntries(
      [...commits].map(([hash, { previous, ...commit }]) => [
        hash,
        { ...commit, ...(previous === undefined ? {} : { previous: { ...previous } }) },
      ]),
    ),
  };
}

/** Estimates memory: a range has two numbers and two shared strings. */
function estimateBytes({ ranges, commits }: Blame): number {
  const sizes = Object.values(commits).map(({ previous, ...texts }) => {
    return objectBytes([...Object.values(texts), ...Object.values(previous ?? {})]);
  });
  return sizes.reduce((sum, size) => sum + size, ranges.length * 100);
}
