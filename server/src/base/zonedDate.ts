/**
 * Formats a time as ISO 8601 with its own UTC offset: `zonedDate(1500000000, "+0200")` is
 * `2017-07-14T04:40:00+02:00`.
 *
 * `zone` is `+hhmm` or `-hhmm`, as in git; anything else counts as `+0000`. Returns `""` for a time outside the years 0
 * to 9999.
 */
export function zonedDate(seconds: number, zone: string): string {
  const [, sign = "+", hours = "00", minutes = "00"] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === "-" ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  const local = new Date((seconds + offset) * 1000);
  const year = Number.isNaN(local.getTime()) ? -1 : local.getUTCFullYear();
  if (year < 0 || year > 9999) return "";
  return `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}
