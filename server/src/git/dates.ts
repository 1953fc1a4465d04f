/** When a written date is; git knows. */
import { ServiceError } from "#base/error";
import { parseDate } from "#base/writtenDate";
import { askGit, type Question } from "./question";

/**
 * The times of dates, in seconds since 1970; those before 1970 are 0.
 *
 * A date without a time is the beginning of that day; one without an offset is in this computer's time zone. Throws
 * INVALID_QUERY_PARAMS, which names the field, for what is no date.
 */
export async function resolveDates<Field extends string>(
  question: Question,
  dates: Readonly<Partial<Record<Field, string>>>,
): Promise<Partial<Record<Field, number>>> {
  const times: Partial<Record<Field, number>> = {};
  const words: { readonly field: Field; readonly text: string }[] = [];
  for (const field of Object.keys(dates) as Field[]) {
    const date = parseDate(dates[field] ?? "");
    if (date === undefined) {
      throw new ServiceError(
        "INVALID_QUERY_PARAMS",
        `"${field}" must be a date, as in 2026-01-31, 2026-01-31T10:00:00Z or "2 weeks ago".`,
      );
    }
    if (date.kind === "time") times[field] = date.seconds;
    else words.push({ field, text: date.text });
  }
  if (words.length === 0) return times;
  const args = words.map(({ text }) => `--since=${text}`);
  const output = (await askGit(question, ["rev-parse", ...args])).toString("latin1");
  const found = [...output.matchAll(/^--max-age=(\d+)$/gm)].map(([, seconds]) => Number(seconds));
  for (const [at, { field }] of words.entries()) times[field] = found[at] ?? 0;
  return times;
}
