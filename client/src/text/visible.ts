/** Text from repositories, made safe to show in one row. Pure: does not use VS Code. */

/**
 * Replaces characters that could break a row or change its direction, unit for unit, so that offsets stay valid. Text
 * from a repository must not change how the rest of a row reads.
 */
export function visible(text: string): string {
  return text
    .replace(/\t/g, " ")
    .replace(/[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu, "\uFFFD")
    .replace(/\p{Surrogate}/gu, "\uFFFD");
}
