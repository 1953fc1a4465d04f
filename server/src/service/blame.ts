import type { Blame } from "#contract/history";
import type { Handler } from "#contract/service";
import { type BlamedFile, type BlameOptions, blame } from "#git/blame";
import { findEntry } from "#git/treePath";
import { checkLines, checkPath, type History, type OpenRevision } from "./history";
import { fileAt } from "./source";

/** The name that code hosts look for, too. */
const usualIgnoreFile = ".git-blame-ignore-revs";
/** Each is an argument of git's command line. */
const maxIgnored = 500;
/** How many times longer git may take for a patient caller. */
const patience = 6;

export function blameHandlers(history: History): { blame: Handler<"blame"> } {
  return {
    async blame(request, context) {
      const { repo, path, ref, ignoreRevs = true, ignoreRevsFile = usualIgnoreFile, isPatient } = request;
      const { ignoreWhitespace, followMoves, lines } = request;
      const repository = history.repository(repo);
      const inside = checkPath(path, "INVALID_QUERY_PARAMS");
      const ignoreFile = checkPath(ignoreRevsFile, "INVALID_QUERY_PARAMS");
      const stretch = lines ? checkLines(lines) : undefined;
      const revision = await history.resolve(history.open(repository, context), ref);
      const ignored = ignoreRevs ? await ignoredCommits(history, revision, ignoreFile) : [];
      const how: BlameOptions = {
        ignored,
        ignoreWhitespace,
        followMoves,
        ...(stretch === undefined ? {} : { lines: stretch }),
      };
      const timeLimitMs = revision.question.timeLimitMs * (isPatient ? patience : 1);
      return history.remember(
        { ...revision, question: { ...revision.question, timeLimitMs } },
        `blame ${JSON.stringify(how)} ${inside}`,
        async (shared) => {
          const file = await fileAt(shared, inside);
          return present(await blame(shared.question, shared.commit, file.path, how));
        },
        bytesOf,
      );
    },
  };
}

/**
 * Commits that are passed over: those that the file names at this commit, or, for a commit that is older than it, at
 * the default revision. Whoever goes back in history line by line then meets them no more often than at its end.
 */
async function ignoredCommits(
  history: History,
  revision: OpenRevision,
  file: string,
): Promise<readonly string[]> {
  const here = await ignoredAt(history, revision, file);
  if (here !== undefined) return here;
  const present = await history.find(revision, undefined);
  return (present && (await ignoredAt(history, present, file))) ?? [];
}

/** `undefined` where the commit has no such file. */
async function ignoredAt(
  history: History,
  revision: OpenRevision,
  path: string,
): Promise<readonly string[] | undefined> {
  const answer = await history.remember(
    revision,
    `ignored commits ${path}`,
    async ({ objects, commit }) => {
      const entry = path === "" ? undefined : await findEntry(objects, commit, path);
      const file = entry?.mode.startsWith("100") ? await objects.read(entry.hash) : undefined;
      if (file === undefined) return { hashes: undefined };
      const hashes: string[] = [];
      for (const hash of parseIgnored(file.bytes.toString("latin1")).slice(0, maxIgnored)) {
        // Git refuses to ignore what is not there.
        if ((await objects.commitOf(hash)) === hash) hashes.push(hash);
      }
      return { hashes };
    },
    ({ hashes = [] }) => hashes.length * 80,
  );
  return answer.hashes;
}

/** A full hash a line; `#` begins a comment. */
export function parseIgnored(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const word = line.replace(/#.*/, "").trim().toLowerCase();
    return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(word) ? [word] : [];
  });
}

function present({ lines, commits }: BlamedFile): Blame {
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

/** Roughly: a range is an object of two numbers and two strings that others hold as well. */
function bytesOf({ ranges, commits }: Blame): number {
  return ranges.length * 100 + Object.keys(commits).length * 800;
}
