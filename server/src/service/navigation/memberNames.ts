/** Compares names of members, types and receivers by how they are written. */
import type { Range } from "#model/match";

/** Names of members of standard libraries: a definition of such a name is rarely the only one. */
const commonMembers: ReadonlySet<string> = new Set(
  `add all any append apply at bind call catch charAt clear clone close collect concat contains copy count create cut debug
   delete each emit encode end endsWith entries equals error every exec exit extend fill filter finally find findIndex flat
   flatMap flush format forEach from get getOrDefault has hashCode hasNext includes index indexOf info insert into is_empty
   isEmpty iter join keys last lastIndexOf len length listen load lock log lower main map match max merge min move name new
   next of on once open parse peek pipe poll pop print printf println push put read readLine reduce release remove replace
   reset resolve reverse run save search select send set shift size slice some sort splice split start startsWith stop
   stringify substring sum test then throw toLowerCase toString toUpperCase trim unlock unwrap update upper use value values
   wait warn with write`.split(/\s+/),
);

/** Whether members of standard libraries often have this name. */
export function isCommonMember(name: string): boolean {
  return commonMembers.has(name) || commonMembers.has(`${name.charAt(0).toLowerCase()}${name.slice(1)}`);
}

/** Whether the first type of these words is one of JavaScript's, as in `new AbortController()`. A promise is awaited. */
export function namesGlobalType(words: readonly string[]): boolean {
  const type = words.find((word) => /^\p{Lu}/u.test(word) && word !== "Promise");
  return type !== undefined && Object.hasOwn(globalThis, type);
}

/** Whether a name in a line is written `#name`, which is another member than `name`; not Rust's `r#name`. */
export function isPrivateName(line: string, { start }: Range): boolean {
  return line[start.column - 2] === "#" && !/\w/.test(line[start.column - 3] ?? "");
}

/** Whether a name ends with the words of another one: `logFile` with `File`, but not `profile`. */
export function endsWithWord(name: string, ending: string): boolean {
  const [words, last] = [wordsOf(name), wordsOf(ending)];
  return last.length > 0 && last.every((word, at) => words[words.length - last.length + at] === word);
}

function wordsOf(name: string): readonly string[] {
  const words = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{N}]+/gu) ?? [];
  return words.map((word) => word.toLowerCase());
}

export function toPlainName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
