/** Short texts about blame. Pure: does not use VS Code. */
import type { L10n } from "#client/text/l10n";
import { visible } from "#client/text/visible";
import type { BlameCommit } from "#contract/history";

const nameColumns = 12;
const ageColumns = 7;
const subjectColumns = 25;
const gap = "  ";
/** Width of the blame column. */
export const gutterColumns = nameColumns + ageColumns + subjectColumns + 2 * gap.length;

/** Returns author, age and subject in columns of their own. */
export function gutterText({ authorName, message }: BlameCommit, age: string): string {
  return [
    padded(visible(authorName), nameColumns),
    padded(age, ageColumns),
    truncate(visible(message), subjectColumns),
  ].join(gap);
}

/** Truncates text to a number of columns, or fills it up with spaces. */
function padded(text: string, columns: number): string {
  const cut = truncate(text, columns);
  const width = [...cut].reduce((sum, character) => sum + columnWidth(character), 0);
  return cut + " ".repeat(Math.max(0, columns - width));
}

/** Values for the placeholders of `trawl.blame.format`. */
export interface BlameFields {
  readonly commit: BlameCommit;
  readonly ago: string;
  /** The author date, formatted. */
  readonly date: string;
}

/**
 * Fills in `${author}`, `${email}`, `${ago}`, `${date}`, `${message}` and `${sha}`; `${name|n}` truncates to n columns.
 */
export function formatBlame(template: string, { commit, ago, date }: BlameFields): string {
  const fields: Readonly<Record<string, string>> = {
    author: commit.authorName,
    email: commit.authorEmail,
    ago,
    date,
    message: commit.message,
    sha: shortHash(commit.hash),
  };
  const text = template.replace(
    /\$\{(\w+)(?:\|(\d{1,3}))?\}/g,
    (placeholder, name: string, columns?: string) => {
      if (!Object.hasOwn(fields, name)) return placeholder;
      const value = visible(fields[name] ?? "");
      return columns === undefined ? value : truncate(value, Number(columns));
    },
  );
  return visible(text).trim();
}

export function shortHash(hash: string): string {
  return hash.slice(0, 7);
}

/** Truncates text to a number of columns, ending in `…` if anything was cut. */
export function truncate(text: string, columns: number): string {
  let width = 0;
  let result = "";
  for (const character of text) {
    const next = width + columnWidth(character);
    if (next > columns) {
      while (width > columns - 1) {
        const last = [...result].at(-1) ?? "";
        width -= columnWidth(last);
        result = result.slice(0, result.length - last.length);
      }
      return columns < 1 ? "" : `${result.trimEnd()}…`;
    }
    width = next;
    result += character;
  }
  return text;
}

/** Returns how many columns a character occupies in an editor: two for wide East Asian characters and emoji. */
export function columnWidth(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}|[\u{20000}-\u{3fffd}]/u.test(
    character,
  )
    ? 2
    : 1;
}

const dayMs = 86_400_000;
/** Upper limits of the age steps in days, newest first; older lines have the last step. */
const stepDays = [1, 7, 30, 91, 182, 365, 730, 1461, 2922];
export const ageSteps = stepDays.length + 1;

/** Returns the age step of a date, from 0 (newest) to `ageSteps - 1` (oldest). */
export function ageStep(date: string, now: number): number {
  const days = (now - Date.parse(date)) / dayMs;
  const step = stepDays.findIndex((limit) => days < limit);
  return step < 0 || Number.isNaN(days) ? ageSteps - 1 : step;
}

/** Returns what to show instead of blame for errors that mean "not in git"; `undefined` for other errors. */
export function unavailableText(errorCode: string, l10n: L10n): string | undefined {
  return ["FILE_NOT_FOUND", "INVALID_GIT_REF", "NOT_FOUND"].includes(errorCode)
    ? l10n.t("Not tracked by Git")
    : undefined;
}

const maxSteps = 4;

/** Appends a commit to the trail through a file's history that its tab shows: `HEAD › 3f2c1ab › 9d01e77`. */
export function extendTrail(trail: string, hash: string): string {
  const steps = [...trail.split(" › "), shortHash(hash)];
  if (steps.length <= maxSteps + 1) return steps.join(" › ");
  return [steps[0], "…", ...steps.slice(-maxSteps + 1)].join(" › ");
}
