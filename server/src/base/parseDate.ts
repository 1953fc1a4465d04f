/**
 * Parses dates as people write them. Git accepts any text as a date and reads what it does not understand as the
 * current time. So this file decides what counts as a date, and git only computes the time.
 */

/** Seconds since 1970, or an expression whose time git can compute. */
export type ParsedDate =
  | { readonly kind: "time"; readonly seconds: number }
  | { readonly kind: "words"; readonly text: string };

/** Returns `undefined` for a text that is not a date. Does not call git. */
export function parseDate(written: string): ParsedDate | undefined {
  const text = written.trim().replaceAll(/\s+/g, " ");
  if (text.length > maxDateLength) return undefined;
  const epoch = /^@?(\d{9,12})(?: [+-]\d{4})?$/.exec(text)?.[1];
  if (epoch !== undefined) return { kind: "time", seconds: Number(epoch) };
  return isoDate(text) ?? parseWords(text);
}

const maxDateLength = 100;

const isoPattern =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d{1,9})?)?(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)| (\d\d:\d\d))?)?)?)?$/i;

/** Parses ISO 8601, from a year alone to seconds with an offset. Returns `undefined` for anything else. */
function isoDate(text: string): ParsedDate | undefined {
  const match = isoPattern.exec(text);
  if (!match) return undefined;
  const [, year = "", month = "01", day = "01", hour = "00", minute = "00", second = "00"] = match;
  // A plus sign that is not escaped in a URL becomes a space.
  const zone = match[7] ?? (match[8] === undefined ? undefined : `+${match[8]}`);
  const isPossible =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= daysOfMonth(Number(year), Number(month)) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) <= 60;
  if (!isPossible) return undefined;
  if (zone === undefined) {
    // Without a zone, git decides: its time zone may differ from that of this process.
    if (Number(year) < 1971) return { kind: "time", seconds: 0 };
    return { kind: "words", text: `${year}-${month}-${day} ${hour}:${minute}:${second}` };
  }
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
  const seconds = local / 1000 + Number(second) - offsetSeconds(zone);
  return { kind: "time", seconds: Math.max(0, seconds) };
}

function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function offsetSeconds(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (!match) return 0;
  const [, sign, hours, minutes = "0"] = match;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

const count = "(?:\\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten)";
const unit = "(?:second|minute|hour|day|week|month|year)s?";
const weekday =
  "(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)";
const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const clock = "(?:\\d{1,2}:\\d\\d(?::\\d\\d)?(?: ?[ap]m)?|\\d{1,2} ?[ap]m|noon|midnight|tea)";
const zone = "(?: (?:z|utc|gmt|[+-]\\d{4}))?";
const dayOfMonth = "\\d{1,2}(?:st|nd|rd|th)?";

/** Dates for which git uses the current time of day if they contain no time. */
const dateFormats: readonly RegExp[] = [
  `(?:${weekday},? )?${month} ${dayOfMonth}(?:,? \\d{4})?(?: (?:at )?${clock}${zone})?`,
  `(?:${weekday},? )?${dayOfMonth} ${month}(?:,? \\d{4})?(?: (?:at )?${clock}${zone})?`,
].map(fullMatch);

/** Other expressions that git parses correctly, in lower case. A space stands for any of its separators. */
const otherFormats: readonly RegExp[] = [
  `now|never|${clock}`,
  `(?:today|yesterday)(?: (?:at )?${clock})?`,
  `${clock} (?:today|yesterday)`,
  `(?:${count} ${unit}(?: and)? ?)+(?:ago)?`,
  `last (?:${unit}|${weekday})(?: (?:at )?${clock})?`,
  // The format in which git writes dates.
  `${weekday} ${month} \\d{1,2} \\d\\d:\\d\\d:\\d\\d \\d{4}(?: [+-]\\d{4})?`,
].map(fullMatch);

/** Returns `undefined` for an expression that git would misread, for example as the current time. */
function parseWords(written: string): ParsedDate | undefined {
  const lowerCase = written.toLowerCase();
  const text = /^[a-z0-9]+(?:[._-][a-z0-9]+)+$/.test(lowerCase)
    ? lowerCase.replaceAll(/[._-]/g, " ")
    : lowerCase;
  if (dateFormats.some((format) => format.test(text))) {
    const hasTime = new RegExp(`${month}.* ${clock}${zone}$`).test(text);
    return { kind: "words", text: hasTime ? text : `${text} 00:00:00` };
  }
  if (!otherFormats.some((format) => format.test(text))) return undefined;
  // Git does not know "today".
  return { kind: "words", text: text === "today" ? "midnight" : text.replace(/ ?\btoday\b ?/, "") };
}

function fullMatch(source: string): RegExp {
  return new RegExp(`^(?:${source})$`);
}
