/** Texts and values that are known to break programs. */
import type { Random } from "#test/support/corpus";

const long = (text: string, count: number) => text.repeat(count);

export const hostileTexts: readonly string[] = [
  // Nothing, and whitespace
  ...["", " ", "\t\n\r", "\u00a0", "\u200b", "\ufeff", "\u2028\u2029"],
  // Control characters, terminals
  ...[
    "\0",
    "a\0b",
    "main\0",
    "src/cart.ts\0.png",
    "\u0007\u0008\u007f",
    "\u001b[2J\u001b]0;x\u0007",
    "a\r\nX-Injected: 1",
  ],
  // Characters outside the BMP, lone surrogates, text direction, normalization, case
  ...[
    "\ud800",
    "\udc00x",
    "a\ud83d",
    "👩‍👩‍👧‍👦",
    "\u202egnp.exe",
    "e\u0301\u0301\u0301",
    "ﬀ İı ſ ẞ",
    "\uffff\ufffe",
  ],
  long("\u0300", 500),
  // Names with a meaning in JavaScript
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "[object Object]"],
  ...["null", "undefined", "NaN", "true", "-0", "1e400", "0x10", "1_000", "٣", "Infinity"],
  // Paths
  ...[
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "//etc/passwd",
    "src/../../x",
    "./src/./cart.ts",
    "src//cart.ts",
    "~root",
  ],
  ...[
    "..\\..\\windows",
    "C:\\x",
    "\\\\host\\share",
    "file:///etc/passwd",
    "CON",
    "src/cart.ts/",
    "src/cart.ts/x",
    ".git/config",
  ],
  ...["%2e%2e%2f", "%00", "%", "%zz", "%E0%A4%A", "%c0%ae%c0%ae/", "a%0d%0ab"],
  long("a/", 2500),
  long("../", 500),
  // Revisions and options of git
  ...[
    "HEAD~999999999",
    "HEAD^{tree}",
    "HEAD:README.md",
    "main..feature",
    "main...feature",
    "@{-1}",
    "@",
    "-",
    "--all",
  ],
  ...[
    "--output=/tmp/trawl-hostile",
    "--upload-pack=touch /tmp/trawl-hostile",
    "-n1",
    ":/fix",
    "^HEAD",
    "refs/heads/*",
  ],
  ...[
    "refs/../HEAD",
    "HEAD.lock",
    "a b",
    "main~",
    "main^^^^^^^^",
    "0000000000000000000000000000000000000000",
    "deadbeef",
  ],
  ...[
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ":(top)x",
    ":(glob)**",
    ":!README.md",
    "feature",
    "v1.0",
    "HEAD",
  ],
  // Expressions and queries
  ...[
    "(",
    ")",
    "[",
    "(?",
    "*",
    "+",
    "\\",
    "a{1001}",
    "(?=a)",
    "\\1",
    "(?P<n>a)",
    "[[:alpha:]]",
    "\\p{L}",
    "\\pZ",
    "(?i)K",
  ],
  ...[
    "(a+)+$",
    "(a|a)*b",
    "((a*)*)*",
    "(.*){50}x",
    "a?".repeat(30) + "a".repeat(30),
    "(x+x+)+y",
    "[^a]*[^b]*[^c]*$",
  ],
  ...["\\(", "\\{1", "a\\{1,99999\\}", "\\(a*\\)*b", "[a-", "[z-a]"],
  ...[
    "file:",
    "repo:(",
    "lang:nothing",
    "rev:../x",
    "sym:",
    "type:",
    "type:commit \0",
    "case:maybe",
    "-",
    "or",
    "a or",
    "or or or",
  ],
  ...[
    "type:commit author:\\( since:never",
    "type:commit since:9999999999999",
    "reposet:a,b",
    "context:x",
    'content:"',
    "rev:*",
    "- - -a",
  ],
  ...[
    "(((((((((((a",
    long("(", 3000),
    long("a or ", 2000),
    long("-", 4000),
    long("file:a ", 1200),
    long("x", 10_001),
  ],
  // Shells, databases, pages, templates
  ...[
    "; touch /tmp/trawl-hostile",
    "$(id)",
    "`id`",
    "| cat",
    "& ver",
    "'; DROP TABLE members; --",
    '" OR ""="',
    "<script>alert(1)</script>",
  ],
  ...['"><img src=x onerror=alert(1)>', "javascript:alert(1)", "{{7*7}}", "#{7*7}", "<!--", "]]>", "&lt;"],
  // Numbers and dates
  ...[
    "0",
    "-1",
    "1.5",
    "9007199254740993",
    "99999999999999999999999",
    "2147483648",
    "1-",
    "10-1",
    "1-2-3",
    "0-0",
    "1-999999999",
  ],
  ...[
    "2026-02-30",
    "0000-00-00",
    "9999-12-31T23:59:60Z",
    "2026-01-01T00:00:00+99:99",
    "-1",
    "@0",
    "tea time",
    "12/13/14",
    "yesterday",
  ],
  // Lengths at which something changes
  ...[255, 256, 1000, 1001, 4096, 4097, 8192].map((length) => long("x", length)),
];

/** A JSON value of any type. */
export function hostileValue(random: Random, depth = 0): unknown {
  switch (random.between(0, depth > 2 ? 6 : 9)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick([0, -0, -1, 1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 1e21, 5e-324]);
    case 7:
      return Array.from({ length: random.pick([0, 1, 2, 50, 1001]) }, () => hostileValue(random, depth + 2));
    case 8:
      return Object.fromEntries(
        Array.from({ length: random.between(0, 5) }, () => [
          random.pick(hostileTexts),
          hostileValue(random, depth + 1),
        ]),
      );
    case 9:
      return random.pick(hostileTexts).repeat(random.between(1, 3));
    default:
      return random.pick(hostileTexts);
  }
}
