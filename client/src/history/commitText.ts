/** Short texts about commits. Pure: does not use VS Code. */
import type { CommitItem } from "#contract/commits";

/** Returns the names in git's decoration `HEAD -> main, tag: v1`, without `HEAD` itself. */
export function refNames(refs: string): readonly string[] {
  return refs
    .split(", ")
    .map((ref) => ref.replace(/^HEAD -> |^tag: /, ""))
    .filter((name) => name !== "" && name !== "HEAD");
}

/** Returns subject and body. */
export function wholeMessage({ message, body }: Pick<CommitItem, "message" | "body">): string {
  const lines = bodyLines(body);
  return lines.length === 0 ? message : [message, "", ...lines].join("\n");
}

/** Returns the lines after the subject, without blank lines around them. */
export function bodyLines(body: string): readonly string[] {
  const text = body.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  return text === "" ? [] : text.split(/\r?\n/);
}

export interface DayOfCommits {
  /** Start of the day, in milliseconds since 1970; NaN for an unreadable date. */
  readonly day: number;
  readonly commits: readonly CommitItem[];
}

/** With fewer commits per day, rows of days would take more space than they save. */
const minCommitsPerDay = 3;

/** Returns whether a list of commits is easier to read with a row for each day. */
export function isWorthGrouping(commits: readonly CommitItem[]): boolean {
  return commits.length >= minCommitsPerDay * daysOf(commits).length;
}

/** Groups adjacent commits of a day, in order. A day whose commits are not adjacent has several groups. */
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

/** Returns the start of the day in the local time zone. */
export function dayOf(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}
