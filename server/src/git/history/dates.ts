/** Resolves dates that callers write, using git for relative ones. */
import { ServiceError } from "#base/error";
import { parseDate } from "#base/parseDate";
import { type GitRequest, runGitRequest } from "#git/gitRequest";

/**
 * Returns the dates in seconds since 1970; earlier ones are 0.
 *
 * A date without a time is the start of that day. One without an offset is in this computer's time zone. Throws
 * INVALID_QUERY_PARAMS, naming the field, for an invalid date.
 */
export async function resolveDates<Field extends string>(
  request: GitRequest,
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
  const output = (await runGitRequest(request, ["rev-parse", ...args])).toString("latin1");
  const found = [...output.matchAll(/^--max-age=(\d+)$/gm)].map(([, seconds]) => Number(seconds));
  for (const [at, { field }] of words.entries()) times[field] = found[at] ?? 0;
  return times;
}
