export interface Fault {
  readonly text: string;
  /** Where the fault lies in the expression, in UTF-16 units; 0 where the parser does not tell. */
  readonly offset: number;
}

/** What people know from other dialects and RE2 does not have. */
const constructs: readonly (readonly [start: RegExp, name: string])[] = [
  [/^\(\?<?[=!]/, "look-around"],
  [/^\\[1-9]/, "a back-reference"],
  [/^\\k[<{']/, "a back-reference"],
  [/^\(\?P=/, "a back-reference"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?#/, "a comment"],
  [/^\(\?[(|]/, "a conditional"],
  [/^[*+?}]\+$/, "a possessive repetition"],
];

/** Says in words what Go's text says, and finds the part of the expression that it quotes. */
export function explainFault(message: string, source: string): Fault {
  const [, reason = message, part = ""] = /^error parsing regexp: (.*?)(?:: `(.*)`)?$/su.exec(message) ?? [];
  const offset = Math.max(0, part === "" ? 0 : source.indexOf(part));
  const construct = constructs.find(([start]) => start.test(part));
  if (construct === undefined) return { text: part === "" ? reason : `${reason}: ${part}`, offset };
  return { text: `${construct[1]} is not supported: ${part}`, offset };
}
