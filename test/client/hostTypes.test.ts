/** What the steps of "Add Code Host..." produce, checked by the schema of the server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressProblem,
  type Credentials,
  connectionName,
  hostTypes,
  namesIn,
  settingsOf,
} from "#client/hosts/hostTypes";
import { planText } from "#client/hosts/planText";
import type { CodeHostPlan } from "#contract/codeHosts";
import { connectionTypes } from "#hosts/connection";
import { parseConnections } from "#hosts/parseConnections";

test("every answer is a valid connection, for every type of host", () => {
  assert.deepEqual(
    hostTypes.map(({ type }) => type).sort(),
    connectionTypes.map(({ shape }) => shape.type.value).sort(),
  );
  for (const host of hostTypes) {
    for (const scope of host.scopes) {
      for (const kind of ["none", "env", "file", "session", "secret"] as const) {
        const user = host.needsUser ? { user: "svc" } : {};
        // Only GitHub has sessions, and needs no user.
        if (kind === "session" && host.needsUser) continue;
        const credentials: Credentials =
          kind === "none"
            ? { kind }
            : kind === "session"
              ? { kind, provider: "github" }
              : kind === "secret"
                ? { kind, token: "hunter2", ...user }
                : { kind, name: kind === "env" ? "TOKEN" : "/run/token", ...user };
        const names = scope.example === undefined ? [] : [scope.example];
        const address = host.address === "https://" ? "http://git.example.com:3000/sub" : host.address;
        const answers = { host, credentials, scope, names, ...(address === undefined ? {} : { address }) };
        const settings = settingsOf(answers, "main");
        const { main } = parseConnections({ main: settings });
        assert.equal(main?.type, host.type);
        const token = {
          none: undefined,
          env: { env: "TOKEN" },
          file: { file: "/run/token" },
          session: { editor: "github" },
          secret: { editor: "main" },
        }[kind];
        assert.deepEqual(main?.token, token);
        assert.doesNotMatch(JSON.stringify(settings), /hunter2/);
      }
    }
  }
});

for (const [address, taken, name] of [
  ["https://github.com", [], "github.com"],
  ["https://github.com", ["github.com", "github.com-2"], "github.com-3"],
  ["http://127.0.0.1:4000/git", [], "127.0.0.1-4000"],
  ["http://[::1]:80", [], "1"],
  ["https://GIT.Example.com", [], "git.example.com"],
] as const) {
  test(`a connection to ${address} beside ${taken.length} others is named ${name}`, () => {
    assert.equal(connectionName(address, taken), name);
    assert.doesNotThrow(() =>
      parseConnections({ [name]: { type: "gerrit", url: "https://g", include: { all: true } } }),
    );
  });
}

test("names are separated by commas and whitespace, and addresses are checked", () => {
  assert.deepEqual(namesIn(" acme/shop, /acme/tools/\nacme/shop "), ["acme/shop", "acme/tools"]);
  for (const [text, problem] of [
    ["https://git.example.com/sub", undefined],
    ["https://u:p@git.example.com", "credentials"],
    ["git.example.com", "invalid"],
    ["https://", "invalid"],
    ["ssh://git.example.com", "invalid"],
    ["https://git.example.com?x", "invalid"],
  ] as const)
    assert.equal(addressProblem(text), problem, text);
});

test("a plan lists what changes, and no control characters", () => {
  const plan: CodeHostPlan = {
    account: "svc",
    scopes: [{ scope: "orgs:acme", outcome: "partial" }],
    listed: 4,
    requests: 1,
    problems: [{ scope: "orgs:acme", message: "Page 2: 503." }],
    added: ["acme/new\u202e"],
    renamed: [{ from: "acme/a", to: "acme/b" }],
    excluded: [{ path: "acme/old", reason: "It is archived." }],
    removed: [],
    kept: 2,
    unconfirmed: 0,
  };
  const text = planText("work", plan);
  for (const line of [
    "Plan of work",
    "Signed in as svc",
    "4 repositories listed with 1 request",
    "2 mirrored already, 1 to add, 0 to remove, 1 excluded",
    "Problems (1)",
    "  orgs:acme: Page 2: 503.",
    "  acme/a -> acme/b",
    "  acme/old: It is archived.",
  ])
    assert.ok(text.split("\n").includes(line), line);
  assert.doesNotMatch(text, /\u202e/);
  assert.doesNotMatch(text, /To remove/);
});
