import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { commands } from "#cli/commands";
import { readConfiguration } from "#cli/configuration";
import { readFlags } from "#cli/flags";
import type { Configuration } from "#instance/configuration";
import { temporaryFolder } from "#test/support/repo";

const folder = temporaryFolder();
const file = join(folder, "trawl.json");
const serveFlags = commands.find((command) => command.name === "serve")?.flags ?? [];

const defaults: Configuration = {
  role: "all",
  host: "127.0.0.1",
  dataDir: "/data",
  allowedHosts: [],
  allowedOrigins: [],
  paths: [],
  contexts: {},
  hosts: {},
  connections: {},
  branches: ["**"],
  remoteBranches: [],
  tags: ["**"],
  newestTags: 20,
  maxFileBytes: 2 * 1024 * 1024,
  indexExclude: [],
  scanDepth: 4,
  exclude: [],
  submodules: true,
  dependencies: true,
  auditDays: 180,
  licenseMakers: [],
};

/** Returns the settings of flags and file that differ from the defaults, or the error message. */
function read(args: readonly string[], text?: string): Partial<Configuration> | string {
  try {
    if (text !== undefined) writeFileSync(file, text);
    const all = text === undefined ? args : [...args, "--config", file];
    const configuration = readConfiguration(readFlags(all, serveFlags), "/here", "/data");
    return Object.fromEntries(
      Object.entries(configuration).filter(
        ([name, value]) =>
          name !== "source" &&
          JSON.stringify(value) !== JSON.stringify(defaults[name as keyof Configuration]),
      ),
    );
  } catch (error) {
    assert(isServiceError(error, "USAGE"));
    return error.message.replaceAll(file, "FILE");
  }
}

const cases: readonly (readonly [args: string, text: string | undefined, result: object | string])[] = [
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://localhost:6070/", "indexFolder": "n" }] } } }',
    {
      zoekt: {
        nodes: [
          {
            name: "a",
            url: "http://localhost:6070",
            indexFolder: join(folder, "n"),
            hasIndexer: false,
            weight: 1,
          },
        ],
        replicas: 1,
        leaseSeconds: 60,
        maxResponseBytes: 64 * 1024 * 1024,
      },
    },
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a", "indexFolder": "/n", "hasIndexer": true }, { "name": "b", "url": "http://b", "indexFolder": "/n", "hasIndexer": true }], "replicas": 2, "gitUrl": "https://git.test/git/{id}", "gitToken": { "env": "T" } } } }',
    {
      zoekt: {
        nodes: ["a", "b"].map((name) => ({
          name,
          url: `http://${name}`,
          indexFolder: "/n",
          hasIndexer: true,
          weight: 1,
        })),
        replicas: 2,
        gitUrl: "https://git.test/git/{id}",
        gitToken: { env: "T" },
        leaseSeconds: 60,
        maxResponseBytes: 64 * 1024 * 1024,
      },
    },
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a" }], "gitToken": { "env": "T" } } } }',
    'FILE: "engine.zoekt.gitToken" needs "engine.zoekt.gitUrl", to which it is sent.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a" }], "gitUrl": "https://git.test/git" } } }',
    'FILE: "engine.zoekt.gitUrl" must contain {id} or {name}.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a" }], "gitUrl": "https://git.test{name}" } } }',
    'FILE: "engine.zoekt.gitUrl" must contain {id} or {name} only in its path.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a" }], "gitUrl": "https://:s3cret@git.test/{id}" } } }',
    'FILE: "engine.zoekt.gitUrl" must be a URL without user, query and fragment.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "https://a/?key=s3cret" }] } } }',
    'FILE: "engine.zoekt.nodes[0].url" must be a URL without user, query and fragment.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a" }], "gitUrl": "http://git.test/{id}", "gitToken": { "env": "T" } } } }',
    'FILE: "engine.zoekt.gitUrl" must begin with https://, so that nobody can read the secret. Set "allowPlainHttp": true if the network is trusted.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a" }], "gitToken": "s3cret" } } }',
    'FILE: "engine.zoekt.gitToken" must be {"env": "NAME"} or {"file": "/path"}, so that no secret is in the configuration file.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a" }], "replicas": 4 } } }',
    'FILE: "engine.zoekt.replicas" must be an integer from 1 to 3, but is 4.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "ftp://localhost" }] } } }',
    'FILE: "engine.zoekt.nodes[0].url" must be a URL such as https://search.example.com, not "ftp://localhost".',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://u:secret@localhost" }] } } }',
    'FILE: "engine.zoekt.nodes[0].url" must be a URL without user, query and fragment.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a" }, { "name": "a", "url": "http://b" }] } } }',
    'FILE: "engine.zoekt.nodes[1].name" is the same as that of another node.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [{ "name": "a", "url": "http://a", "weight": 0 }] } } }',
    'FILE: "engine.zoekt.nodes[0].weight" must be an integer from 1 to 1000, but is 0.',
  ],
  [
    "",
    '{ "engine": { "zoekt": { "nodes": [], "node": 1 } } }',
    'FILE: "engine.zoekt.nodes" must be an array of at least 1 item and at most 1000 items, but is an array of 0 items.\nFILE: Unknown setting "engine.zoekt.node".',
  ],
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
    "--database must be a PostgreSQL URL such as postgres://trawl@db.example.com/trawl.",
  ],
  ["", "// nothing\n{ /* here */ }", {}],
  ["", '\uFEFF{ "port": 1, }', { port: 1 }],
  ["--port 0 --host ::1", undefined, { host: "::1", port: 0 }],
  ["--port 2", '{ "port": 1, "host": "h" }', { host: "h", port: 2 }],
  ["--anonymous off", '{ "anonymous": true }', { anonymous: false }],
  ["", '{ "anonymous": true }', { anonymous: true }],
  ["--dependencies off", '{ "dependencies": true }', { dependencies: false }],
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
  ["", '{ "prot": 1 }', 'FILE: Unknown setting "prot". Did you mean "port"?'],
  ["", '{ "elephant": 1 }', 'FILE: Unknown setting "elephant".'],
  ["", '{ "port": "x" }', 'FILE: "port" must be an integer from 0 to 65535, but is "x".'],
  ["", '{ "port": 1.5 }', 'FILE: "port" must be an integer from 0 to 65535, but is 1.5.'],
  ["", "[]", "FILE: The file must contain a JSON object, but contains an array of 0 items."],
  ["", '{\n  "port" 1\n}', "FILE:2:10: Colon expected."],
  ["", "", "FILE:1:1: Value expected."],
  ["", '{ "maxIndexBytes": 5000000000 }', { maxIndexBytes: 5_000_000_000 }],
  ["", '{ "maxMemoryBytes": 500000000 }', { maxMemoryBytes: 500_000_000 }],
  [
    "",
    '{ "maxMemoryBytes": "1 GB" }',
    'FILE: "maxMemoryBytes" must be an integer from 1 to 9007199254740991, but is "1 GB".',
  ],
  [
    "",
    '{ "maxIndexBytes": 0 }',
    'FILE: "maxIndexBytes" must be an integer from 1 to 9007199254740991, but is 0.',
  ],
  ["", '{ "timeLimitMs": 0 }', 'FILE: "timeLimitMs" must be an integer from 1 to 600000, but is 0.'],
  ["", '{ "anonymous": "on" }', 'FILE: "anonymous" must be true or false, but is "on".'],
  ["", '{ "host": "" }', 'FILE: "host" must be a string of at least 1 character, but is "".'],
  ["", '{ "paths": "a" }', 'FILE: "paths" must be an array, but is "a".'],
  [
    "",
    '{ "branches": ["a", ""] }',
    'FILE: "branches[1]" must be a string of at least 1 character, but is "".',
  ],
  ["", '{ "contexts": { "web": "a" } }', 'FILE: "contexts.web" must be an array, but is "a".'],
  [
    "",
    '{ "hosts": { "a.example": "github", "b.example": "hub" } }',
    'FILE: "hosts.b.example" must be one of "github", "gitlab", "gitea", "gerrit", "bitbucketServer", "bitbucketCloud", "genericGitHost", "azuredevops", but is "hub".',
  ],
  [
    "",
    '{ "team": { "url": "https://search.example.com", "key": { "env": "TEAM_KEY" } } }',
    { team: { url: "https://search.example.com", key: { env: "TEAM_KEY" } } },
  ],
  ["", '{ "team": 1 }', 'FILE: "team" must be {"url": "https://...", "key": {"env": "NAME"}}.'],
  [
    "",
    '{ "team": { "url": "http://search.example.com" } }',
    'FILE: "team.url": The URL of the server must begin with https://, so that nobody can read the key. Only a server on this computer may use http://.',
  ],
  [
    "",
    '{ "team": { "url": "https://x.example", "key": "hushhush" } }',
    'FILE: "team.key" must be {"env": "NAME"} or {"file": "/path"}, so that no secret is in the configuration file.',
  ],
  ["", '{ "oauth": 1 }', 'FILE: "oauth" must be an object, but is 1.'],
  [
    "",
    '{ "oauth": { "issuer": "https://x.example" } }',
    'FILE: "oauth" needs "audience", to accept access tokens, or "clientId", to let users log in.',
  ],
  [
    "",
    '{ "oauth": { "issuer": "https://x.example", "clientId": "y", "groupsClaim": "g", "roles": { "a": "owner", "b": "member" } } }',
    {
      oauth: {
        issuer: "https://x.example",
        createsMembers: false,
        clientId: "y",
        groupsClaim: "g",
        roles: { a: "OWNER", b: "MEMBER" },
      },
    },
  ],
  [
    "",
    '{ "oauth": { "issuer": "https://x.example", "clientId": "y", "clientSecret": { "env": "SECRET" } } }',
    {
      oauth: {
        issuer: "https://x.example",
        createsMembers: false,
        clientId: "y",
        clientSecret: { env: "SECRET" },
      },
    },
  ],
  ...['"hushhush"', '{ "env": "a-b" }', '{ "env": "A", "file": "/a" }', '{ "file": "a" }', "null"].map(
    (secret) =>
      [
        "",
        `{ "oauth": { "issuer": "https://x.example", "clientId": "y", "clientSecret": ${secret} } }`,
        'FILE: "oauth.clientSecret" must be {"env": "NAME"} or {"file": "/path"}, so that no secret is in the configuration file.',
      ] as const,
  ),
  [
    "",
    '{ "oauth": { "issuer": "https://x.example", "clientId": "y", "roles": { "a": "owner" } } }',
    'FILE: "oauth.roles" needs "oauth.groupsClaim", the claim that names the groups.',
  ],
  [
    "",
    '{ "oauth": { "issuer": "https://x.example", "clientId": "y", "groupsClaim": "g", "roles": { "a": "admin" } } }',
    'FILE: "oauth.roles.a" must be one of "owner", "member", but is "admin".',
  ],
  [
    "",
    '{ "oauth": { "issuer": "https://x.example", "audience": "y", "scopes": ["openid"] } }',
    'FILE: "oauth.scopes" needs "oauth.clientId".',
  ],
  [
    "",
    '{ "oauth": { "issuer": "x", "audience": "y" } }',
    'FILE: "oauth.issuer" must be an https:// URL, not "x".',
  ],
  [
    "",
    '{ "oauth": { "issuer": "https://x.example", "audience": "y", "foo": 1 } }',
    'FILE: Unknown setting "oauth.foo".',
  ],
  [
    "",
    '{ "access": { "repositories": [{ "names": ["a/*"], "except": ["a/b"], "roles": ["member"] }] } }',
    { repositoryRules: [{ names: ["a/*"], except: ["a/b"], roles: ["member"] }] },
  ],
  [
    "",
    '{ "access": { "repositories": [] } }',
    'FILE: "access.repositories" must be an array of at least 1 item and at most 10000 items, but is an array of 0 items.',
  ],
  [
    "",
    '{ "access": { "repositories": [{ "names": ["a"], "anonymous": true }, { "names": ["b"], "anonymous": false }] } }',
    'FILE: "access.repositories[1]" must have "members", "groups", "roles" or "anonymous": true.',
  ],
  [
    "",
    '{ "access": { "repositories": [{ "names": ["a"], "roles": ["guest"] }] } }',
    'FILE: "access.repositories[0].roles[0]" must be one of "owner", "member", but is "guest".',
  ],
  [
    "",
    '{ "access": { "repositories": [{ "names": ["a"], "users": ["b"] }] } }',
    'FILE: Unknown setting "access.repositories.0.users".',
  ],
  [
    "",
    '{ "database": "x" }',
    'FILE: "database" must be a PostgreSQL URL such as postgres://trawl@db.example.com/trawl.',
  ],
  [
    "",
    '{ "allowedHosts": ["a", "a/b"] }',
    'FILE: "allowedHosts" must be a host name such as search.example.com, not "a/b".',
  ],
  ["--port x", undefined, '--port must be a whole number from 0 to 65535, not "x".'],
  ["--port 70000", undefined, '--port must be a whole number from 0 to 65535, not "70000".'],
  ["--anonymous maybe", undefined, '--anonymous must be on or off, not "maybe".'],
  [
    "--public-url x.example",
    undefined,
    '--public-url must be a URL such as https://search.example.com, not "x.example".',
  ],
  [
    "--public-url file:///x",
    undefined,
    '--public-url must be a URL such as https://search.example.com, not "file:///x".',
  ],
  [
    "--public-url https://ada:secret@x.example",
    undefined,
    "--public-url must be a URL without user, query and fragment.",
  ],
  [
    "--allowed-origin https://ada:secret@x.example",
    undefined,
    "--allowed-origin must be an origin such as https://example.com.",
  ],
  [
    "--allowed-origin https://x.example/path",
    undefined,
    '--allowed-origin must be an origin such as https://example.com, not "https://x.example/path".',
  ],
  [
    "--allowed-host http://x",
    undefined,
    '--allowed-host must be a host name such as search.example.com, not "http://x".',
  ],
];

for (const [args, text, result] of cases) {
  test(`${args} ${JSON.stringify(text ?? null)}`, () =>
    assert.deepEqual(read(args === "" ? [] : args.split(" "), text), result));
}

test("a missing configuration file is reported", () => {
  assert.match(
    String(read(["--config", "/no/such"])),
    /Cannot read the configuration file \/no\/such: ENOENT/,
  );
});
