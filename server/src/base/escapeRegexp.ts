/** Returns the source of a regular expression that matches exactly this text. */
export function escapeRegexp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
