import assert from "node:assert/strict";
import { test } from "node:test";
import { definitionRows, documentParser } from "#test/support/symbols";

/**
 * Tests that a syntax error does not affect the rest of a text: its definitions, and the references to `used`, each of
 * which is marked by `^^^^` in the line below.
 */
function check(language: string, marked: string, rows: string): void {
  test(`${language}: recovers from an error`, async () => {
    const parser = await documentParser();
    const lines = marked.split("\n").filter((line) => !/^ *\^{4}$/.test(line));
    const content = new TextEncoder().encode(lines.slice(1).join("\n"));
    assert.deepEqual(definitionRows(content, parser.symbols(language, content)), rows.trim().split("\n"));
    const { occurrences } = parser.occurrences(language, content, "used");
    let lineEnd = -1;
    const found = lines.flatMap((line) => {
      const columns = occurrences.map(({ start }) => start - lineEnd);
      lineEnd += line.length + 1;
      const within = columns.filter((column) => column >= 0 && column < line.length);
      return [line, ...within.map((column) => `${" ".repeat(column)}^^^^`)];
    });
    assert.equal(found.join("\n"), marked);
  });
}

check(
  "TypeScript",
  `
export interface Overloads<State> {
  one: TypedOne<State>
  <Returned, Argument extends string>(
    start: Creator<Returned, Argument>,
  ): Thunk<State, Returned>
  <Other extends Record<string, any>>(next: Other): Thunk<State, Other>
}

interface Next<State extends Record<string, any>> {
  field: State
}

export function make<Cases extends Record<string, any>>(options: Cases): Cases {
  return used(options)
         ^^^^
}

export const made = /* @__PURE__ */ make({ a: 1 })
`,
  `
1 interface Overloads
2 property one in Overloads
9 interface Next
10 property field in Next
13 function make
17 constant made
`,
);

check(
  "Shell",
  `
first() {
    echo 1
}

second() {
    if [[ $1 =~ --[]x[-]+ ]]; then
        option2=\${option/"\${BASH_REMATCH[1]}"/}
    option=\${option%%[<{().[]*}
    printf '%s\\n' "\${option/=*/=}"
}

third() {
    for i in 1 2; do used "$1"; done
                     ^^^^
}

fourth() {
    case $1 in a) used 1;; esac
                  ^^^^
}
`,
  `
1 function first
5 function second
12 function third
16 function fourth
`,
);

check(
  "Kotlin",
  `
class Settings {

  /** Flags. */
  private var flags: Int = 0

  /**
   * Whether one of them is set.
   */
  fun isSet(id: Int): Boolean {
    val bit = 1 shl id
    return flags and bit != 0
  }

  fun broken() {
    = ) (
  }

  fun merge(other: Settings) {
    for (i in 0 until 10) {
      used(i, other)
      ^^^^
    }
  }
}

fun last() = 1
`,
  `
1 class Settings
4 property flags in Settings
9 method isSet in Settings
14 method broken in Settings
18 method merge in Settings
25 function last
`,
);

check(
  "Objective-C",
  `
#if OS_API_VERSION(GS_API_MACOSX, GS_API_LATEST)
@implementation Jar

- (int) size
{
  NS_DURING
    {
      if (x) {
#if A
      foo(^{
#else
      bar(
#endif
    }
  NS_ENDHANDLER
  return used(1);
         ^^^^
}

- (void) fill
{
  used(2);
  ^^^^
}
@end
#endif
`,
  `
2 class Jar
4 method size in Jar
19 method fill in Jar
`,
);

test("a text with nothing but errors has no definitions", async () => {
  const parser = await documentParser();
  for (const language of ["TypeScript", "Kotlin", "Shell", "Objective-C"]) {
    const content = new TextEncoder().encode("@ ) x [ ( ]\n\n".repeat(2000));
    assert.deepEqual(parser.symbols(language, content).definitions, []);
  }
});
