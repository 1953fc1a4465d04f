import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { commands } from "#cli/commands";
import { type Configuration, readConfiguration } from "#cli/configuration";
import { readFlags } from "#cli/flags";

const folder = mkdtempSync(join(tmpdir(), "trawl-configuration-"));
const file = join(folder, "trawl.json");
const serveFlags = commands.find((command) => command.name === "serve")?.flags ?? [];

const defaults: Configuration = {
  host: "127.0.0.1",
  dataDir: "/data",
  allowedHosts: [],
  allowedOrigins: [],
  paths: [],
  contexts: {},
  hosts: {},
  branches: ["**"],
  remoteBranches: [],
  tags: ["**"],
  newestTags: 20,
  maxFileBytes: 2 * 1024 * 1024,
  indexExclude: [],
  scanDepth: 4,
  exclude: [],
  submodules: true,
  auditDays: 180,
  licenseMakers: [],
};

/** What the flags and the file come to beyond the defaults, or the complaint. */
function read(args: readonly string[], text?: string): Partial<Configuration> | string {
  try {
    if (text !== undefined) writeFileSync(file, text);
    const all = text === undefined ? args : [...args, "--config", file];
    const configuration = readConfiguration(readFlags(all, serveFlags), "/here", "/data");
    return Object.fromEntries(
      Object.entries(configuration).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof Configuration]),
      ),
    );
  } catch (error) {
    assert(isServiceError(error, "USAGE"));
    return error.message.replaceAll(file, "FILE");
  }
}

const cases: readonly (readonly [args: string, text: string | undefined, result: object | string])[] = [
  ["", undefined, {}],
  ["", "{}", {}],
  ["--database postgres://trawl@db/trawl", undefined, { database: "postgres://trawl@db/trawl" }],
  [
    "",
    '{ "database": "postgresql://db/trawl", "auditDays": 7 }',
    { auditDays: 7, database: "postgresql://db/trawl" },
  ],
  [
    "--database mysql://root:secret@db/trawl",
    undefined,
    "--database takes the address of a PostgreSQL such as postgres://trawl@db.example.com/trawl.",
  ],
  ["", "// nothing\n{ /* here */ }", {}],
  ["", '\uFEFF{ "port": 1, }', { port: 1 }],
  ["--port 0 --host ::1", undefined, { host: "::1", port: 0 }],
  ["--port 2", '{ "port": 1, "host": "h" }', { host: "h", port: 2 }],
  ["--anonymous off", '{ "anonymous": true }', { anonymous: false }],
  ["", '{ "anonymous": true }', { anonymous: true }],
  ["--data-dir d", '{ "dataDir": "e" }', { dataDir: "/here/d" }],
  ["", '{ "dataDir": "e" }', { dataDir: join(folder, "e") }],
  ["", '{ "paths": ["a", "/b", "~/c"] }', { paths: [join(folder, "a"), "/b", join(homedir(), "c")] }],
  ["", '{ "hosts": { "Git.Example": "gitlab" } }', { hosts: { "git.example": "gitlab" } }],
  ["", '{ "contexts": { "web": ["github.com/a/*"] } }', { contexts: { web: ["github.com/a/*"] } }],
  ["--public-url https://x.example/trawl/", undefined, { publicUrl: "https://x.example/trawl" }],
  [
    "--allowed-host A.example --allowed-host b:80 --allowed-origin https://c.example/",
    undefined,
    { allowedHosts: ["a.example", "b:80"], allowedOrigins: ["https://c.example"] },
  ],
  ["", '{ "prot": 1 }', 'FILE: There is no setting "prot". Did you mean "port"?'],
  ["", '{ "elephant": 1 }', 'FILE: There is no setting "elephant".'],
  ["", '{ "port": "x" }', "FILE: port: Invalid input: expected number, received string."],
  ["", '{ "port": 1.5 }', "FILE: port: Invalid input: expected int, received number."],
  ["", "[]", "FILE: the file: Invalid input: expected object, received array."],
  ["", '{\n  "port" 1\n}', "FILE:2:10: ColonExpected."],
  ["", "", "FILE:1:1: ValueExpected."],
  ["--anonymous maybe", undefined, '--anonymous takes on or off, not "maybe".'],
  [
    "--public-url x.example",
    undefined,
    '--public-url takes an address such as https://search.example.com, not "x.example".',
  ],
  [
    "--public-url file:///x",
    undefined,
    '--public-url takes an address such as https://search.example.com, not "file:///x".',
  ],
  [
    "--allowed-origin https://x.example/path",
    undefined,
    '--allowed-origin takes an origin such as https://example.com, not "https://x.example/path".',
  ],
  [
    "--allowed-host http://x",
    undefined,
    '--allowed-host takes a host name such as search.example.com, not "http://x".',
  ],
];

for (const [args, text, result] of cases) {
  test(`${args} ${JSON.stringify(text ?? null)}`, () =>
    assert.deepEqual(read(args === "" ? [] : args.split(" "), text), result));
}

test("a file that is not there is named", () => {
  assert.match(String(read(["--config", "/no/such"])), /Cannot read the configuration \/no\/such: ENOENT/);
});
