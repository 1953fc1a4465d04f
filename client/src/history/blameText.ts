/** Blame in few words. Pure: knows no VS Code. */
import type { L10n } from "#client/l10n";
import { visible } from "#client/search/resultLines";
import type { BlameCommit } from "#contract/history";

/** Columns of the blame beside the lines. */
export const gutterColumns = 40;
const nameColumns = 16;

/** Beside a line: `name · age · subject…`, in as many columns as there are. */
export function gutterText({ authorName, message }: BlameCommit, age: string): string {
  return cut([cut(visible(authorName), nameColumns), age, visible(message)].join(" · "), gutterColumns);
}

/** What a template of `trawl.blame.format` can name. */
export interface BlameWords {
  readonly commit: BlameCommit;
  readonly ago: string;
  /** The author date as people write it. */
  readonly date: string;
}

/** Fills `${author}`, `${email}`, `${ago}`, `${date}`, `${message}` and `${sha}`, each with `|n` cut to n columns. */
export function formatted(template: string, { commit, ago, date }: BlameWords): string {
  const words: Readonly<Record<string, string>> = {
    author: commit.authorName,
    email: commit.authorEmail,
    ago,
    date,
    message: commit.message,
    sha: shortHash(commit.hash),
  };
  const text = template.replace(/\$\{(\w+)(?:\|(\d{1,3}))?\}/g, (written, name: string, columns?: string) => {
    if (!Object.hasOwn(words, name)) return written;
    const word = visible(words[name] ?? "");
    return columns === undefined ? word : cut(word, Number(columns));
  });
  return visible(text).trim();
}

export function shortHash(hash: string): string {
  return hash.slice(0, 7);
}

/** No wider than so many columns, with `…` where something is missing. */
export function cut(text: string, columns: number): string {
  let width = 0;
  let kept = "";
  for (const character of text) {
    const next = width + columnsOf(character);
    if (next > columns) {
      while (width > columns - 1) {
        const last = [...kept].at(-1) ?? "";
        width -= columnsOf(last);
        kept = kept.slice(0, kept.length - last.length);
      }
      return columns < 1 ? "" : `${kept.trimEnd()}…`;
    }
    width = next;
    kept += character;
  }
  return text;
}

/** How many columns of an editor's font a character takes: two for the wide ones of East Asia and for pictures. */
export function columnsOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}|[\u{20000}-\u{3fffd}]/u.test(
    character,
  )
    ? 2
    : 1;
}

const dayMs = 86_400_000;
/** Days under which a line has each step, from the newest; what is older has the last one. */
const stepDays = [1, 7, 30, 91, 182, 365, 730, 1461, 2922];
export const ageSteps = stepDays.length + 1;

/** 0 for what is new, `ageSteps - 1` for what is oldest. */
export function ageStep(date: string, now: number): number {
  const days = (now - Date.parse(date)) / dayMs;
  const step = stepDays.findIndex((limit) => days < limit);
  return step < 0 || Number.isNaN(days) ? ageSteps - 1 : step;
}

/** What stands instead of blame where there is none; `undefined` for what has other reasons. */
export function withoutBlame(errorCode: string, l10n: L10n): string | undefined {
  return ["FILE_NOT_FOUND", "INVALID_GIT_REF", "NOT_FOUND"].includes(errorCode)
    ? l10n.t("Not tracked by Git")
    : undefined;
}

const stepsShown = 4;

/** The way back through a file's past, as its tab tells it: `HEAD › 3f2c1ab › 9d01e77`. */
export function trailWith(trail: string, hash: string): string {
  const steps = [...trail.split(" › "), shortHash(hash)];
  if (steps.length <= stepsShown + 1) return steps.join(" › ");
  return [steps[0], "…", ...steps.slice(-stepsShown + 1)].join(" › ");
}
