/**
 * What decides between the languages of an ambiguous extension: patterns on the first 16 KiB, tried in order, then a
 * language for everything else. Where text never decides, the rule is that language alone.
 *
 * Text is anyone's, so a pattern must take linear time: it starts at a line with `[ \t]*`, never with `\s*`, and repeats
 * nothing within a repetition.
 */
export type Rules = string | readonly (string | readonly [pattern: RegExp, language: string])[];
