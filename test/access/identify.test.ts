import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymousAllowed, identify } from "#access/identify";
import { isServiceError } from "#base/error";
import { type OperationName, operation } from "#contract/operations";
import type { Credentials } from "#contract/service";

test("without a decision, anonymous access is a matter of the address", () => {
  const rows: [host: string, configured: boolean | undefined, expected: boolean][] = [
    ["127.0.0.1", undefined, true],
    ["127.9.9.9", undefined, true],
    ["localhost", undefined, true],
    ["::1", undefined, true],
    ["[::1]", undefined, true],
    ["::ffff:127.0.0.1", undefined, true],
    ["0.0.0.0", undefined, false],
    ["::", undefined, false],
    ["192.168.1.5", undefined, false],
    ["127.example.org", undefined, false],
    ["localhost.example.org", undefined, false],
    ["127.0.0.1", false, false],
    ["0.0.0.0", true, true],
  ];
  for (const [host, configured, expected] of rows) {
    assert.equal(anonymousAllowed(host, configured), expected, `${host} ${configured}`);
  }
});

test("who is let in", () => {
  const key: Credentials = { kind: "apiKey", token: "trwl_x" };
  const bearer: Credentials = { kind: "bearer", token: "" };
  const rows: [credentials: Credentials, row: OperationName, anonymous: boolean, expected: string][] = [
    [{ kind: "none" }, "search", true, "anonymous"],
    [{ kind: "none" }, "search", false, "refused"],
    [{ kind: "none" }, "health", false, "anonymous"],
    [{ kind: "none" }, "addPaths", true, "refused"],
    [{ kind: "local" }, "search", false, "local"],
    [{ kind: "local" }, "addPaths", false, "local"],
    [key, "search", true, "refused"],
    [key, "addPaths", true, "refused"],
    [key, "health", false, "anonymous"],
    [bearer, "search", true, "refused"],
  ];
  for (const [credentials, row, anonymous, expected] of rows) {
    const actual = () => identify(credentials, operation(row), anonymous).kind;
    if (expected === "refused") assert.throws(actual, (error) => isServiceError(error, "NOT_AUTHENTICATED"));
    else assert.equal(actual(), expected);
  }
});
