/** Resolves a revision, as callers write it, to a commit. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isServiceError, ServiceError } from "#base/error";
import { type GitRequest, runGitRequest } from "#git/gitRequest";
import { maxCommitBytes, parentsOfCommit } from "#git/objects/commitHeader";
import { hasWholeHistory, ObjectDatabase } from "#git/objects/objectDatabase";
import type { ObjectReader } from "#git/objects/objectReader";
import type { GitRepository } from "#git/repository";
import type { CommitHash } from "#model/repository";
import { packedHash, readHeadFile, readRefFile } from "./refs";

export interface ResolvedRef {
  readonly commit: CommitHash;
  /** Full name of the branch or tag, or `HEAD` if that is detached; absent for a hash or an expression. */
  readonly name?: string;
}

const maxRefLength = 250;
/** Following more parents takes longer than starting git, which has a commit-graph. */
const maxGenerations = 100;
/** A name, and the allowed suffixes `~`, `~2`, `^`, `^2`, `^0`, `^{}`, `^{commit}`. */
const nameAndSuffix = /^(.*?)((?:[~^]\d{0,9}|\^\{(?:commit)?\})*)$/s;
/** What ref names cannot contain, or what means something else to git. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are rejected
const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|^-|^\/|\/\/|\.lock$/;

/**
 * Throws INVALID_GIT_REF unless `ref` may name a single revision. Rejects ranges, options and searches, for example.
 */
export function checkRef(ref: string): void {
  const [, name = ""] = ref.length > maxRefLength ? [] : (nameAndSuffix.exec(ref) ?? []);
  if (name !== "" && !forbidden.test(name) && !/\p{Surrogate}/u.test(name)) return;
  throw new ServiceError(
    "INVALID_GIT_REF",
    `Invalid git reference: ${quotedForMessage(ref)}. Use a branch, a tag, a full ref name, a commit or HEAD, optionally followed by ~ or ^.`,
  );
}

/** Whether git accepts a full ref name (see git-check-ref-format(1)). Also rejects some unusual names. */
export function isPlainRefName(name: string): boolean {
  return !forbidden.test(name) && !/(?:^|\/)\.|\.lock\/|[./]$|[\ud800-\udfff\ufffd]/.test(name);
}

/** Returns the error for a ref that cannot be resolved. */
export function unresolvedRef(ref: string): ServiceError {
  return new ServiceError("INVALID_GIT_REF", `Git reference ${quotedForMessage(ref)} could not be resolved.`);
}

/**
 * Resolves a branch, a tag, a hash or an expression. Returns `undefined` if there is no such commit. Throws what
 * `checkRef`, `runGitRequest` and the reader throw.
 */
export async function resolveRef(
  request: GitRequest,
  objects: ObjectReader,
  ref: string,
): Promise<ResolvedRef | undefined> {
  checkRef(ref);
  const [, name = "", suffix = ""] = nameAndSuffix.exec(ref) ?? [];
  const known = lookUpInFiles(request, name);
  if (known !== undefined) {
    const commit = await objects.commitOf(known.hash);
    if (commit === undefined) {
      // The object of a ref must exist, even if it is not a commit.
      if (known.name !== undefined) await objects.readExisting(known.hash);
      return undefined;
    }
    if (suffix === "")
      return { commit: commit as CommitHash, ...(known.name === undefined ? {} : { name: known.name }) };
    const ancestor = findAncestor(request.gitRepository, commit, suffix);
    if (ancestor !== undefined) return { commit: ancestor };
  }
  // Git accepts abbreviated hashes of four digits, but such short ones are more likely a mistake.
  if (/^[0-9a-f]{4,6}$/i.test(name) && known === undefined) return undefined;
  const commit = await revParse(request, `${ref}^{commit}`);
  if (commit !== undefined) return { commit };
  // `rev-parse` prints the hash of a parent even if that commit is missing.
  const named = suffix === "" ? undefined : await revParse(request, ref);
  if (named !== undefined) await objects.readExisting(named);
  return undefined;
}

interface ResolvedHash {
  readonly hash: string;
  readonly name?: string;
}

/** Resolves what can be resolved without git. A tag takes precedence over a branch of the same name, as in git. */
function lookUpInFiles({ gitRepository: repository }: GitRequest, name: string): ResolvedHash | undefined {
  if (isFullHash(name)) return { hash: name.toLowerCase() };
  if (name === "HEAD" || name === "@") {
    const head = readHeadFile(repository);
    if (head.kind === "detached") return { hash: head.hash, name: "HEAD" };
    return head.kind === "branch" ? readNamed(repository, head.name) : undefined;
  }
  if (!name.startsWith("refs/") && namesAnother(repository, name)) return undefined;
  for (const full of name.startsWith("refs/") ? [name] : [`refs/tags/${name}`, `refs/heads/${name}`]) {
    const found = readNamed(repository, full);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Follows suffixes such as `~2` and `^2` from a commit. Returns `undefined` if that must be left to git. */
function findAncestor(repository: GitRepository, commit: string, suffix: string): CommitHash | undefined {
  const parentNumbers: number[] = [];
  for (const [, kind, digits = ""] of suffix.matchAll(/([~^])(?!\{)(\d*)/g)) {
    const number = digits === "" ? 1 : Number(digits);
    if (number > maxGenerations) return undefined;
    if (kind === "~") parentNumbers.push(...Array<number>(number).fill(1));
    else if (number > 0) parentNumbers.push(number);
  }
  if (parentNumbers.length > maxGenerations || !hasWholeHistory(repository.commonDir)) return undefined;
  return ObjectDatabase.use(repository, (objects) => {
    let at = commit;
    for (const number of parentNumbers) {
      const found = objects?.isExhausted ? undefined : objects?.read(at, maxCommitBytes);
      const parent = found && parentsOfCommit(found)?.[number - 1];
      if (parent === undefined) return undefined;
      at = parent;
    }
    // Git names a parent even if it is missing.
    return objects?.read(at, maxCommitBytes)?.type === "commit" ? (at as CommitHash) : undefined;
  });
}

/** Whether git prefers a ref `NAME` in the git directory, or `refs/NAME`, to a tag or branch of this name. */
function namesAnother(repository: GitRepository, name: string): boolean {
  const { gitDir, commonDir } = repository;
  const files = [join(gitDir, name), join(commonDir, name), join(commonDir, "refs", name)];
  return files.some(isRefFile) || packedHash(repository, `refs/${name}`) !== undefined;
}

const longestRefFile = 4096;

/** Whether a file contains a hash, or the name of another ref. */
function isRefFile(path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.size > longestRefFile) return false;
    return /^(?:ref:|[0-9a-f]{40})/.test(readFileSync(path, "latin1"));
  } catch {
    return false;
  }
}

function isFullHash(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name);
}

function readNamed(repository: GitRepository, name: string): ResolvedHash | undefined {
  const hash = readRefFile(repository, name);
  return hash === undefined ? undefined : { hash, name };
}

async function revParse(request: GitRequest, expression: string): Promise<CommitHash | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", expression];
  try {
    const printed = (await runGitRequest(request, args, { acceptedExitCode: 1 })).toString("latin1").trim();
    return /^[0-9a-f]{40,64}$/.test(printed) ? (printed as CommitHash) : undefined;
  } catch (error) {
    // The expression is ambiguous, or the repository is damaged.
    if (isServiceError(error, "GIT_FAILED")) return undefined;
    throw error;
  }
}

function quotedForMessage(ref: string): string {
  const short = ref.length <= 80 ? ref : `${ref.slice(0, 80)}…`;
  return JSON.stringify(short);
}
