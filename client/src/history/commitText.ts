/** Commits in few words. Pure: knows no VS Code. */
import type { CommitItem } from "#contract/commits";

/** The names in `HEAD -> main, tag: v1`, without where `HEAD` points. */
export function refNames(refs: string): readonly string[] {
  return refs
    .split(", ")
    .map((ref) => ref.replace(/^HEAD -> |^tag: /, ""))
    .filter((name) => name !== "" && name !== "HEAD");
}

/** The whole message, as it was written. */
export function wholeMessage({ message, body }: Pick<CommitItem, "message" | "body">): string {
  const lines = bodyLines(body);
  return lines.length === 0 ? message : [message, "", ...lines].join("\n");
}

/** The lines behind the subject, without empty ones around them. */
export function bodyLines(body: string): readonly string[] {
  const text = body.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  return text === "" ? [] : text.split("\n");
}

export interface DayOfCommits {
  /** Where the day began, in milliseconds since 1970; NaN where a commit has no date that can be read. */
  readonly day: number;
  readonly commits: readonly CommitItem[];
}

/** Adjacent commits of one day, in their order; a day whose commits are not adjacent is there more than once. */
export function daysOf(commits: readonly CommitItem[]): readonly DayOfCommits[] {
  const days: { readonly day: number; readonly commits: CommitItem[] }[] = [];
  for (const commit of commits) {
    const day = dayOf(Date.parse(commit.date));
    const last = days.at(-1);
    if (last !== undefined && Object.is(last.day, day)) last.commits.push(commit);
    else days.push({ day, commits: [commit] });
  }
  return days;
}

/** In the time zone of the person. */
export function dayOf(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}
