/** Returns the form in which names and email addresses are compared that differ only in case. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
