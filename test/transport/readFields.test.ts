import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorSettings } from "#contract/editorOptions";
import { readFields } from "#transport/lsp/readFields";

const cases: readonly (readonly [
  name: string,
  value: unknown,
  settings: object,
  ignored: readonly string[],
])[] = [
  ["nothing", undefined, {}, []],
  ["a value that is not an object", ["roots"], {}, []],
  ["the settings themselves", { isTrusted: true, roots: ["/a"] }, { isTrusted: true, roots: ["/a"] }, []],
  ["an object with a settings field", { settings: { threads: 2 } }, { threads: 2 }, []],
  [
    "a trawl section among others",
    { settings: { other: { threads: 1 }, trawl: { threads: 2 } } },
    { threads: 2 },
    [],
  ],
  ["Lua's empty tables", { settings: [] }, {}, []],
  ["an object with null and unknown fields", { roots: null, other: 1, scanDepth: 3 }, { scanDepth: 3 }, []],
  [
    "valid and invalid fields",
    { scanDepth: 99, newestTags: "many", discovery: "all", roots: ["/a", 1], submodules: false },
    { submodules: false },
    ["roots[1]", "scanDepth", "newestTags", "discovery"],
  ],
  [
    "an invalid limit of git processes and a valid time limit",
    { maxGitProcesses: 0, gitTimeLimitMs: 20_000 },
    { gitTimeLimitMs: 20_000 },
    ["maxGitProcesses"],
  ],
  [
    "an invalid nested field",
    { endpoint: { isEnabled: true, port: -1, allowedOrigins: [] } },
    {},
    ["endpoint.port"],
  ],
];

for (const [name, value, settings, expectedIgnored] of cases) {
  test(`settings are read from ${name}`, () => {
    const { fields, problems } = readFields(EditorSettings, value);
    assert.deepEqual(fields, settings);
    const ignored = problems.map((line) => /^Ignored a setting: "(.+?)" \S.*\.$/.exec(line)?.[1]);
    assert.deepEqual(ignored.sort(), [...expectedIgnored].sort());
  });
}
