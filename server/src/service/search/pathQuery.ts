import { quoteText, writeExpression, writeName } from "#query/parser/write";

/** Longer texts are pasted, so each word is matched as it is. */
const maxLetters = 64;

/**
 * Returns a query for files of one repository whose paths match each word of `text`, in any case: they contain the letters
 * of the word in order. With `isLikely`, they contain the word itself; or, if there is only one, their last name starts
 * with its first letter and contains the others.
 */
export function pathQuery(
  repository: string,
  revision: string | undefined,
  text: string,
  isLikely: boolean,
): string {
  const parts = ["type:file", "case:no", `repo:^${writeExpression(repository)}$`];
  if (revision !== undefined) parts.push(`rev:${writeName(revision)}`);
  const words = wordsOfPath(text);
  const filters = words.map((word) => {
    const literal = quoteText(word);
    if (text.length > maxLetters) return literal;
    if (!isLikely) return `file:^${lettersIn(word)}`;
    // Each expression reads all paths.
    const isOfName = words.length === 1 && !word.includes("/");
    return isOfName ? `(${literal} or file:(^|/)${nameWith(word)})` : literal;
  });
  return [...parts, ...filters].join(" ");
}

/** Returns the words of a text that is typed for a path. */
export function wordsOfPath(text: string): readonly string[] {
  return text
    .replaceAll("\\", "/")
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Each letter is the next one of its kind, so that nothing is tried twice. */
function lettersIn(word: string, except = ""): string {
  return Array.from(word, writeExpression)
    .map((letter) => `[^${letter}${except}]*${letter}`)
    .join("");
}

function nameWith(word: string): string {
  const [first = "", ...others] = word;
  return `${writeExpression(first)}${lettersIn(others.join(""), "/")}[^/]*$`;
}
