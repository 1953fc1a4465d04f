/** Lists branches and tags with their commits and commit dates. */
import { zonedDate } from "#base/zonedDate";
import { type GitRequest, runGitRequest } from "#git/gitRequest";
import type { ObjectReader } from "#git/objects/objectReader";
import { isRemoteHead } from "./revisions";

export interface NamedCommit {
  /** Full ref name. */
  readonly name: string;
  readonly commit: string;
  /** Commit date, ISO 8601 with offset; empty if the commit cannot be read. */
  readonly date: string;
  /** Commit date in seconds since 1970. */
  readonly time: number;
}

const fields = ["refname", "objecttype", "objectname", "committerdate:raw"];
const format = [...fields, ...fields.slice(1).map((field) => `*${field}`)]
  .map((field) => `%(${field})`)
  .join("%00");

/**
 * Returns branches and tags ordered by name, except for tags of trees and blobs; with `withRemotes`, remote-tracking
 * branches, too. Throws what `runGitRequest` throws.
 */
export async function listBranchesAndTags(
  request: GitRequest,
  objects: ObjectReader,
  withRemotes = false,
): Promise<NamedCommit[]> {
  const folders = ["refs/heads", "refs/tags", ...(withRemotes ? ["refs/remotes"] : [])];
  const output = await runGitRequest(request, ["for-each-ref", `--format=${format}`, ...folders]);
  const found: NamedCommit[] = [];
  for (const ref of parseBranches(output.toString("utf8"))) {
    if (isRemoteHead(ref.name)) continue;
    // `for-each-ref` peels only one level of tags.
    const commit = ref.type === "tag" ? await objects.commitOf(ref.hash) : ref.hash;
    if (commit === undefined || (ref.type !== "commit" && ref.type !== "tag")) continue;
    const date = ref.type === "tag" ? await dateOf(objects, commit) : ref.date;
    found.push({ name: ref.name, commit, ...datedFields(date) });
  }
  return found;
}

/** Returns `commit` with its date, as if a ref `name` pointed to it. */
export async function toNamedCommit(
  objects: ObjectReader,
  name: string,
  commit: string,
): Promise<NamedCommit> {
  return { name, commit, ...datedFields(await dateOf(objects, commit)) };
}

export interface ListedRef {
  readonly name: string;
  /** Type of the object that the ref, or the tag that it names, points to. */
  readonly type: string;
  readonly hash: string;
  /** Seconds since 1970 and time zone; empty unless the object is a commit. */
  readonly date: string;
}

/** Parses one ref per line, with NUL-separated fields. */
export function parseBranches(text: string): ListedRef[] {
  return text.split("\n").flatMap((line) => {
    const [name = "", ...rest] = line.split("\0");
    if (rest.length !== 6) return [];
    const [type = "", hash = "", date = ""] = rest[3] === "" ? rest : rest.slice(3);
    return [{ name, type, hash, date }];
  });
}

async function dateOf(objects: ObjectReader, commit: string): Promise<string> {
  const text = (await objects.read(commit))?.bytes.toString("latin1") ?? "";
  return /^committer .*> (-?\d+ [+-]\d+)$/m.exec(text)?.[1] ?? "";
}

function datedFields(raw: string): { readonly date: string; readonly time: number } {
  const [seconds = "", zone = ""] = raw.split(" ");
  if (seconds === "") return { date: "", time: 0 };
  return { date: zonedDate(Number(seconds), zone), time: Number(seconds) };
}
