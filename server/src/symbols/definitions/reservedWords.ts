/**
 * Reserved words, which are never names. After a macro or a preprocessor conditional, a grammar may parse one as a
 * name: `else if (x) {` after `#endif` looks like a function.
 */

const statements = "if else for while do switch case default return break continue";
const c = `${statements} goto sizeof typedef struct union enum static extern const volatile register signed unsigned void char short int long float double`;

const reserved: Readonly<Record<string, ReadonlySet<string>>> = {
  c: words(c),
  cpp: words(`${c} namespace template typename using operator`),
  objc: words(c),
  c_sharp: words(`${statements} foreach catch finally lock void`),
  java: words(
    `${statements} catch finally new throw void boolean byte char short int long float double class`,
  ),
  dart: words("if else for while do switch case return void"),
};
const none: ReadonlySet<string> = new Set();

/** Returns the reserved words of a grammar. Empty for grammars that never parse one as a name. */
export function reservedWordsOf(grammar: string): ReadonlySet<string> {
  return Object.hasOwn(reserved, grammar) ? (reserved[grammar] ?? none) : none;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
