/** Returns the form in which names and email addresses are compared that differ only in case. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

const ascii = /^[\0-\x7f]*$/;

/** Converts ASCII letters to lower case, as in posting lists. */
export function foldName(name: string): string {
  // Almost all names are ASCII, and `toLowerCase` is several times faster.
  if (ascii.test(name)) return name.toLowerCase();
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
