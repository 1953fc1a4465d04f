import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymousRule } from "#access/addresses";

test("by default, anonymous access depends on the address and on whether an editor's server listens", () => {
  const rows: [host: string, configured: boolean | undefined, expected: string, editors: string][] = [
    ["127.0.0.1", undefined, "on", "untilKeys"],
    ["127.9.9.9", undefined, "on", "untilKeys"],
    ["localhost", undefined, "on", "untilKeys"],
    ["::1", undefined, "on", "untilKeys"],
    ["[::1]", undefined, "on", "untilKeys"],
    ["::ffff:127.0.0.1", undefined, "on", "untilKeys"],
    ["0.0.0.0", undefined, "off", "off"],
    ["::", undefined, "off", "off"],
    ["192.168.1.5", undefined, "off", "off"],
    ["127.example.org", undefined, "off", "off"],
    ["localhost.example.org", undefined, "off", "off"],
    ["127.0.0.1", false, "off", "off"],
    ["127.0.0.1", true, "on", "on"],
    ["0.0.0.0", true, "on", "on"],
  ];
  for (const [host, configured, expected, editors] of rows) {
    assert.equal(anonymousRule(host, configured, false), expected, `${host} ${configured}`);
    assert.equal(anonymousRule(host, configured, true), editors, `${host} ${configured}, an editor's server`);
  }
});
