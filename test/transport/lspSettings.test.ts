import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "#transport/lsp/settings";

const cases: readonly (readonly [
  name: string,
  value: unknown,
  settings: object,
  complaints: readonly string[],
])[] = [
  ["nothing", undefined, {}, []],
  ["what is no object", ["roots"], {}, []],
  ["the settings themselves", { isTrusted: true, roots: ["/a"] }, { isTrusted: true, roots: ["/a"] }, []],
  ["an object around them", { settings: { threads: 2 } }, { threads: 2 }, []],
  ["null and what is unknown", { roots: null, other: 1, scanDepth: 3 }, { scanDepth: 3 }, []],
  [
    "what is wrong, beside what is right",
    { scanDepth: 99, newestTags: "many", discovery: "all", roots: ["/a", 1], submodules: false },
    { submodules: false },
    ["roots.1", "scanDepth", "newestTags", "discovery"],
  ],
  [
    "what git may cost",
    { maxGitProcesses: 0, gitTimeLimitMs: 20_000 },
    { gitTimeLimitMs: 20_000 },
    ["maxGitProcesses"],
  ],
  [
    "a place inside a value",
    { endpoint: { isEnabled: true, port: -1, allowedOrigins: [] } },
    {},
    ["endpoint.port"],
  ],
];

for (const [name, value, settings, complaints] of cases) {
  test(`settings are read from ${name}`, () => {
    const read = readSettings(value);
    assert.deepEqual(read.settings, settings);
    const named = read.complaints.map(
      (line) => /^The setting "(.+)" does not count: \S.*\.$/.exec(line)?.[1],
    );
    assert.deepEqual(named.sort(), [...complaints].sort());
  });
}
