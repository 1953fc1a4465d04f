/** From what a caller calls a revision to a commit. */
import { isServiceError, ServiceError } from "#base/error";
import type { CommitHash } from "#model/repository";
import type { ObjectReader } from "./objectReader";
import type { GitPlace } from "./place";
import { askGit, type Question } from "./question";
import { lookUpHead, lookUpRef } from "./refs";

export interface ResolvedRef {
  readonly commit: CommitHash;
  /** Full name of the branch or tag that it is, `HEAD` where that is detached; absent for a commit and a calculation. */
  readonly name?: string;
}

const maxRefLength = 250;
/** What may stand behind a name: `~`, `~2`, `^`, `^2`, `^0`, `^{}`, `^{commit}`. */
const nameAndSuffix = /^(.*?)((?:[~^]\d{0,9}|\^\{(?:commit)?\})*)$/s;
/** What no name of a ref may hold, and what would mean something else to git. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const refused = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|^-|^\/|\/\/|\.lock$/;

/** Throws INVALID_GIT_REF for what is no name of one revision: a range, an option, a search. */
export function checkRef(ref: string): void {
  const [, name = ""] = ref.length > maxRefLength ? [] : (nameAndSuffix.exec(ref) ?? []);
  if (name !== "" && !refused.test(name) && !/\p{Surrogate}/u.test(name)) return;
  throw new ServiceError(
    "INVALID_GIT_REF",
    `Invalid git reference: ${shown(ref)}. A branch, a tag, a full ref name, a commit or HEAD can be named, with ~ and ^ behind it.`,
  );
}

/** What an unresolvable ref is told as. */
export function unresolved(ref: string): ServiceError {
  return new ServiceError("INVALID_GIT_REF", `Git reference ${shown(ref)} could not be resolved.`);
}

/** `undefined` where there is no such commit. Throws what `checkRef`, `askGit` and the reader throw. */
export async function resolveRef(
  question: Question,
  objects: ObjectReader,
  ref: string,
): Promise<ResolvedRef | undefined> {
  checkRef(ref);
  const [, name = "", suffix = ""] = nameAndSuffix.exec(ref) ?? [];
  const known = suffix === "" ? lookUp(question, name) : undefined;
  if (known !== undefined) {
    const commit = await objects.commitOf(known.hash);
    if (commit === undefined) return undefined;
    return { commit: commit as CommitHash, ...(known.name === undefined ? {} : { name: known.name }) };
  }
  // Git takes four digits for a commit; such short ones are rather a mistake.
  if (/^[0-9a-f]{4,6}$/i.test(name) && lookUp(question, name) === undefined) return undefined;
  const commit = await calculate(question, ref);
  return commit === undefined ? undefined : { commit };
}

interface KnownHash {
  readonly hash: string;
  readonly name?: string;
}

/** What needs no git; a tag comes before a branch of the same name, as it does for git. */
function lookUp({ place }: Question, name: string): KnownHash | undefined {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return { hash: name.toLowerCase() };
  if (name === "HEAD" || name === "@") {
    const head = lookUpHead(place);
    if (head.kind === "detached") return { hash: head.hash, name: "HEAD" };
    return head.kind === "branch" ? readNamed(place, head.name) : undefined;
  }
  for (const full of name.startsWith("refs/") ? [name] : [`refs/tags/${name}`, `refs/heads/${name}`]) {
    const found = readNamed(place, full);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readNamed(place: GitPlace, name: string): KnownHash | undefined {
  const hash = lookUpRef(place, name);
  return hash === undefined ? undefined : { hash, name };
}

async function calculate(question: Question, ref: string): Promise<CommitHash | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  try {
    const printed = (await askGit(question, args, { acceptedExitCode: 1 })).toString("latin1").trim();
    return /^[0-9a-f]{40,64}$/.test(printed) ? (printed as CommitHash) : undefined;
  } catch (error) {
    // An ambiguous or a damaged one; git itself is well.
    if (isServiceError(error, "GIT_FAILED")) return undefined;
    throw error;
  }
}

function shown(ref: string): string {
  const short = ref.length <= 80 ? ref : `${ref.slice(0, 80)}…`;
  return JSON.stringify(short);
}
