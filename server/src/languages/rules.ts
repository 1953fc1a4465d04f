/**
 * Rules that choose between the languages of an ambiguous extension: patterns for the first 16 KiB of text, tried in
 * order, then a default. A single string is the language of every file with the extension.
 *
 * Text is untrusted, so a pattern must take linear time: it matches the start of a line with `[ \t]*`, never `\s*`, and
 * nests no repetitions.
 */
export type Rules = string | readonly (string | readonly [pattern: RegExp, language: string])[];
