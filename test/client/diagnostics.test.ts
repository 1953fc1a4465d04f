/** What "Copy Diagnostics" discloses and what it redacts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { diagnosticsText, redacted, withoutCredentials } from "#client/status/diagnostics";

function check(text: string, expected: string, home = "/home/ada"): void {
  test(`redacted: ${text}`, () => assert.equal(redacted(text, home), expected));
}

check("/home/ada/code and /home/ada", "~/code and ~");
check("C:\\Users\\ada\\code", "~\\code", "C:\\Users\\ada");
check('"C:\\\\Users\\\\ada\\\\code"', '"~\\\\code"', "C:\\Users\\ada");
check("https://ada:hunter22@example.com/r.git", "https://***@example.com/r.git");
check("https://token@example.com", "https://***@example.com");
check("ssh://git@example.com/r", "ssh://***@example.com/r");
check("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer ***");
check("?access_token=abcdef123456&x=1", "?access_token=***&x=1");
check('"apiKey": "abcdef123456"', '"apiKey": "***"');
check("ghp_0123456789abcdefghijABCDEFGHIJ", "***");
check(`{"key":"trwl_${"aB3-_".repeat(9).slice(0, 43)}"}`, '{"key":"***"}');
check("license eyJhbGciOiJFZERTQSJ9.eyJpZCI6IjEifQ.c2lnbmF0dXJl", "license ***");
check("glpat-0123456789abcdefghij", "***");
check("the token was refused", "the token was refused");
check("github.com/acme/orders", "github.com/acme/orders");
check("/ is the root", "/ is the root", "/");

test("traced messages contain no tokens of code hosts", () => {
  const lent = { tokens: [{ name: "work", origin: "https://git.example.com", token: 'a "c4nary" \\' }] };
  for (const space of [undefined, 4]) {
    const text = withoutCredentials(`Params: ${JSON.stringify(lent, undefined, space)}`);
    assert.match(text, /"origin": ?"https:.*"token": ?"\*\*\*"\s*\}/s);
    assert.doesNotMatch(text, /c4nary/);
  }
});

test("the report contains versions, settings, state and errors", () => {
  const text = diagnosticsText({
    versions: { Trawl: "1.2.3", Node: "22.1.0" },
    settings: { "trawl.repositories.roots": ["/home/ada/code"] },
    instance: { version: "1.2.3", dataDir: "/home/ada/.local/share/trawl", isPaused: false },
    server: "running",
    errors: ["2026-01-01T00:00:00.000Z ``` in /home/ada"],
    home: "/home/ada",
  });
  assert.equal(
    text,
    `## Trawl diagnostics

### Versions

- Trawl: 1.2.3
- Node: 22.1.0

### Settings that differ from their defaults

- trawl.repositories.roots: ["~/code"]

### Server

- state: running
- version: 1.2.3
- dataDir: ~/.local/share/trawl
- isPaused: false

### Last errors

\`\`\`
2026-01-01T00:00:00.000Z ''' in ~
\`\`\`
`,
  );
});

test("the report says so if there is no server and there are no errors", () => {
  const text = diagnosticsText({
    versions: {},
    settings: {},
    instance: undefined,
    server: "failed: It stopped.",
    errors: [],
    home: "/home/ada",
  });
  assert.match(text, /- state: failed: It stopped\./);
  assert.match(text, /### Last errors\n\nNone\./);
});
