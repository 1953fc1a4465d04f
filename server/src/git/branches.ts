/** Branches and tags, each with the commit that it names and its date. */
import { zonedDate } from "#base/zonedDate";
import type { ObjectReader } from "./objectReader";
import { askGit, type Question } from "./question";

export interface NamedCommit {
  /** Full ref name. */
  readonly name: string;
  readonly commit: string;
  /** Commit date, ISO 8601 with offset; empty where the commit cannot be read. */
  readonly date: string;
  /** The same in seconds since 1970. */
  readonly time: number;
}

const fields = ["refname", "objecttype", "objectname", "committerdate:raw"];
const format = [...fields, ...fields.slice(1).map((field) => `*${field}`)]
  .map((field) => `%(${field})`)
  .join("%00");

/** By name. Tags that lead to no commit (some lead to a tree) are left out. Throws what `askGit` throws. */
export async function listBranches(question: Question, objects: ObjectReader): Promise<NamedCommit[]> {
  const output = await askGit(question, ["for-each-ref", `--format=${format}`, "refs/heads", "refs/tags"]);
  const found: NamedCommit[] = [];
  for (const ref of parseBranches(output.toString("utf8"))) {
    // Git followed a tag to what it names, but not further.
    const commit = ref.type === "tag" ? await objects.commitOf(ref.hash) : ref.hash;
    if (commit === undefined || (ref.type !== "commit" && ref.type !== "tag")) continue;
    const date = ref.type === "tag" ? await dateOf(objects, commit) : ref.date;
    found.push({ name: ref.name, commit, ...datedFields(date) });
  }
  return found;
}

/** A commit with its date, under a name of the caller's. */
export async function namedCommit(objects: ObjectReader, name: string, commit: string): Promise<NamedCommit> {
  return { name, commit, ...datedFields(await dateOf(objects, commit)) };
}

export interface ListedRef {
  readonly name: string;
  /** Of what the ref names, or the tag that it names. */
  readonly type: string;
  readonly hash: string;
  /** Seconds and zone; empty for what is no commit. */
  readonly date: string;
}

/** A line each, its fields divided by NUL. */
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
