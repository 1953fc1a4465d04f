/** Which claims of an issuer name a user on code hosts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCodeHostLogins } from "#access/codeHostLogins";

test("configured claims name a user by connection, in a fixed order", () => {
  const claims = { gitlab: "Ada", gitea: "ada.l", other: "eve" };
  const logins = parseCodeHostLogins(claims, { work: "gitlab", home: "gitea", missing: "none" });
  assert.deepEqual(Object.entries(logins), [
    ["home", "ada.l"],
    ["work", "Ada"],
  ]);
  assert.deepEqual(parseCodeHostLogins(claims), {});
});

test("what is not a name is ignored", () => {
  const claims = ["", ".", "..", "a/b", "a\\b", "a b", "a\n", "x".repeat(257), 7, ["ada"], null];
  for (const claim of claims) assert.deepEqual(parseCodeHostLogins({ claim }, { work: "claim" }), {});
});
