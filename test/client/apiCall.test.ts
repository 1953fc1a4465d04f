import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { curlLine, getCall, shellWord } from "#client/server/apiCall";

const address = "http://127.0.0.1:4878";

test("a POST request has its body as a quoted JSON argument", () => {
  const line = curlLine(address, {
    method: "POST",
    path: "/api/search",
    body: { query: "it's", matches: 5 },
  });
  assert.equal(
    line,
    `curl -sS http://127.0.0.1:4878/api/search -H 'Content-Type: application/json' --data-raw '{"query":"it'\\''s","matches":5}'`,
  );
});

test("a GET request quotes its URL if needed", () => {
  assert.equal(curlLine(address, { method: "GET", path: "/api/repos" }), `curl -sS ${address}/api/repos`);
  assert.equal(
    curlLine(address, { method: "GET", path: "/api/repos", query: { query: "a b&c" } }),
    `curl -sS '${address}/api/repos?query=a+b%26c'`,
  );
});

test("a GET request omits undefined parameters", () => {
  const call = getCall("/api/diff", {
    repo: "a/b",
    base: "v1",
    head: "v2",
    path: undefined,
    mergeBase: true,
  });
  assert.equal(
    curlLine(address, call),
    `curl -sS '${address}/api/diff?repo=a%2Fb&base=v1&head=v2&mergeBase=true'`,
  );
});

/** Returns words as a shell parses them. */
function shell(words: readonly string[]): string[] {
  const script = `for word in ${words.map(shellWord).join(" ")}; do printf '%s\\0' "$word"; done`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

test("any text is quoted as one word of a shell", { skip: process.platform === "win32" }, () => {
  const words = [
    "",
    "a b",
    "'",
    "''",
    "$(touch x)",
    "`x`",
    "\\",
    "\n",
    "a\nb",
    "-n",
    "*",
    "~",
    "!x",
    "#",
    "é😀",
    "\t;&|<>",
  ];
  assert.deepEqual(shell(words), words);
  const text = fc.string({ unit: "grapheme" }).filter((each) => !each.includes("\0"));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (each) => assert.deepEqual(shell(each), each)),
    { numRuns: 50 },
  );
});
