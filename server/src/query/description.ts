/**
 * A description, as in `words:"how are routes registered"`: what a searcher knows about code whose names are unknown.
 *
 * Its words are compared with the words of identifiers (`registerRoute`, `route_registry`) by their stems, and none of
 * them has to occur. Words that say nothing about code (`how`, `the`) are ignored.
 */

/** A description, as plain data. */
export interface Description {
  /** The stems of the distinct words, at least one. */
  readonly stems: readonly string[];
  /** Words that are probably names: `SessionInterface`, `max_age`, capitalized ones except for the first, or the only word. */
  readonly names: readonly string[];
}

/** An evaluation has a bit for each. */
const maxStems = 32;

const functionWords = new Set(
  (
    "a about after again against all also am an and any are as at be because been before being below between both but by " +
    "can could did do does doing down during each every few for from further had has have having here how i if in into is " +
    "it its itself just let like me more most my no nor not of off on once only or other our out over own same shall " +
    "should so some somehow somewhere such than that the their them then there these they this those through to too " +
    "under until up us use used uses using very via was we were what when where whether which while who whom whose why " +
    "will with within without would you your"
  ).split(" "),
);

/** Returns undefined if the text contains no words. */
export function parseDescription(text: string): Description | undefined {
  const all = text.match(/[\p{L}\p{N}_$]+/gu)?.filter((word) => /[\p{L}\p{N}]/u.test(word)) ?? [];
  const contentWords = all.filter((word) => !functionWords.has(word.toLowerCase()));
  const words = contentWords.length > 0 ? contentWords : all;
  // Only ASCII letters are searched in both cases.
  const parts = words.flatMap(wordsOf).map((word) => (isAscii(word) ? word.toLowerCase() : word));
  const long = parts.filter((part) => part.length > 1);
  const stems = [...new Set((long.length > 0 ? long : parts).map(stemOf))].slice(0, maxStems);
  if (stems.length === 0) return undefined;
  const [start = ""] = all;
  const names = [...new Set(words)].filter(
    (word) => words.length === 1 || isIdentifier(word) || (word !== start && isCapitalized(word)),
  );
  return { stems, names: names.slice(0, maxStems) };
}

function isAscii(word: string): boolean {
  return /^[A-Za-z0-9]+$/.test(word);
}

function isIdentifier(word: string): boolean {
  return /\p{L}_|\p{Ll}\p{Lu}/u.test(word);
}

function isCapitalized(word: string): boolean {
  return /^\p{Lu}\p{Ll}+$/u.test(word);
}

/** Splits an identifier into its words: `parseJSONFile_v2` into `parse`, `JSON`, `File`, `v`, `2`. */
export function wordsOf(identifier: string): string[] {
  return identifier.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+|\p{Lu}/gu) ?? [];
}

/** Longest first among those that overlap: the first one that fits is removed. */
const suffixes = (
  "izations ization ations ation ators ator ating ated ates ate ments ment ness ings ing edly ers er ors or ed ions ion " +
  "able ible ive al ally ly ity ance ence ant ent e y"
).split(" ");

/** Suffixes that are part of many short words: `signal` is no form of `sign`, nor `element` of `ele`. */
const longStems: ReadonlySet<string> = new Set(["al", "ally", "ment", "ments"]);
const minLongStem = 5;

/** At most this many suffixes are removed: `registrations` loses `s` and `ation`. */
const maxSuffixes = 2;
/** The minimum length of what is left after the first suffix, and after others. */
const minStems = [3, 4] as const;

/**
 * Returns the stem of a lower-case English word, which the word starts with. It need not be a word:
 * `registers`, `registered` and `registering` have the stem `regist`.
 */
export function stemOf(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  let stem = withoutEnding(word);
  for (let count = 0; count < maxSuffixes; count++) {
    const current = stem;
    const minLength = minStems[Math.min(count, 1)] ?? 0;
    const suffix = suffixes.find(
      (each) =>
        current.endsWith(each) &&
        current.length - each.length >= (longStems.has(each) ? minLongStem : minLength),
    );
    if (suffix === undefined) break;
    stem = current.slice(0, -suffix.length);
  }
  // `mapped`, `controlling`, but not `fill`.
  if (/..(?:([bdgmnprt])\1|.ll)$/.test(stem)) stem = stem.slice(0, -1);
  return word.startsWith(stem) ? stem : word;
}

/** Removes the ending of a plural, and what replaces a final `y`. */
function withoutEnding(word: string): string {
  if (word.length > 4 && /i(?:es|ed|er|ers)$/.test(word)) return `${word.slice(0, word.lastIndexOf("i"))}y`;
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}
