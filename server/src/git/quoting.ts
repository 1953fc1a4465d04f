import type { BytePath } from "./bytePath";

const letters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  '"': '"',
  "\\": "\\",
};

/** A path as git writes it where it may need quotes: `"a\nb\303\251"` in quotes, others as they are. */
export function unquoted(path: BytePath): BytePath {
  const inside = /^"(.*)"$/s.exec(path)?.[1];
  if (inside === undefined) return path;
  return inside.replace(/\\(?:([0-3][0-7]{2})|([abfnrtv"\\]))/g, (_, octal?: string, letter?: string) =>
    octal === undefined ? (letters[letter ?? ""] ?? "") : String.fromCharCode(Number.parseInt(octal, 8)),
  ) as BytePath;
}
