import type { BytePath } from "#git/bytePath";

const escapes: Readonly<Record<string, string>> = {
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

/** Decodes a path that git may have quoted, such as `"a\nb\303\251"`. */
export function unquotePath(path: BytePath): BytePath {
  const inside = /^"(.*)"$/s.exec(path)?.[1];
  if (inside === undefined) return path;
  return inside.replace(/\\(?:([0-3][0-7]{2})|([abfnrtv"\\]))/g, (_, octal?: string, letter?: string) =>
    octal === undefined ? (escapes[letter ?? ""] ?? "") : String.fromCharCode(Number.parseInt(octal, 8)),
  ) as BytePath;
}
