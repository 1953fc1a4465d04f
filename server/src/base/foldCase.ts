/** Returns the form in which names and email addresses are compared that differ only in case. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Converts ASCII letters to lower case, as in posting lists. */
export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
