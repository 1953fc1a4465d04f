import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConfigurationFile, withDefaults } from "#instance/configuration";
import { temporaryFolder } from "#test/support/repo";

const file = join(temporaryFolder(), "trawl.jsonc");

function read(settings: object, mode = 0o600) {
  writeFileSync(file, JSON.stringify(settings));
  chmodSync(file, mode);
  return withDefaults(readConfigurationFile(file), "/data", (setting) => setting);
}

const secret = { file: "/run/secret" };
const server = { name: "a", url: "https://git-a.example.com/", secret };

test("a git server and a frontend are configured in one file", () => {
  const settings = {
    gitServer: { listen: "[::1]:4879", secret },
    gitServers: [server, { name: "b", url: "http://localhost:4879", secret, weight: 2 }],
    paths: ["/src"],
  };
  const { gitServer, gitServers, role, paths } = read(settings);
  assert.deepEqual([role, paths], ["all", ["/src"]]);
  assert.deepEqual(gitServer, { host: "::1", port: 4879, secret });
  assert.deepEqual(gitServers, [
    { name: "a", url: "https://git-a.example.com", weight: 1, secret },
    { name: "b", url: "http://localhost:4879", weight: 2, secret },
  ]);
  assert.deepEqual(read({ ...settings, role: "frontend" }).paths, []);
});

const restricted = {
  connections: {
    work: {
      type: "gitea",
      url: "https://git.example.com",
      token: { env: "TOKEN" },
      include: { orgs: ["acme"] },
      access: { visibleTo: "codeHost" },
    },
  },
};

const mistakes: Record<string, readonly [object, RegExp]> = {
  "no port for a git server": [{ role: "gitserver" }, /needs "gitServer"/],
  "no servers for a frontend": [{ role: "frontend" }, /needs "gitServers"/],
  "rights of code hosts on a git server": [
    { role: "gitserver", gitServer: { listen: "127.0.0.1:4879", secret }, ...restricted },
    /"work" cannot have "visibleTo": "codeHost" with the role "gitserver"/,
  ],
  "rights of code hosts on a frontend": [
    { role: "frontend", gitServers: [server], ...restricted },
    /"work" cannot have "visibleTo": "codeHost" with the role "frontend"/,
  ],
  "an empty list": [{ gitServers: [] }, /must be a list/],
  "an unknown role": [{ role: "searcher" }, /role/],
  "an unknown field": [{ gitServers: [{ ...server, key: "x" }] }, /must be a list/],
  "a listener for others": [
    { gitServer: { listen: "0.0.0.0:4879", secret } },
    /without encryption.*allowPlainHttp/,
  ],
  "an address without a port": [{ gitServer: { listen: "127.0.0.1", secret } }, /address and a port/],
  "a port that is too large": [{ gitServer: { listen: "127.0.0.1:70000", secret } }, /address and a port/],
  "plain HTTP to others": [{ gitServers: [{ ...server, url: "http://git-a.example.com" }] }, /https:\/\//],
  "a file URL": [{ gitServers: [{ ...server, url: "file:///x" }] }, /must be a URL/],
  "the same name twice": [
    { gitServers: [server, { ...server, url: "https://b.example.com" }] },
    /\[1\]\.name is the same/,
  ],
  "the same URL twice": [{ gitServers: [server, { ...server, name: "b" }] }, /\[1\]\.url is the same/],
};

for (const [what, [settings, message]] of Object.entries(mistakes))
  test(`${what} is refused`, () => {
    assert.throws(() => read(settings), { code: "USAGE", message });
  });

test("a secret in the file is refused, and never quoted", () => {
  for (const settings of [
    { gitServer: { listen: "127.0.0.1:4879", secret: "hunter2hunter2hunter2" } },
    { gitServers: [{ ...server, secret: "hunter2hunter2hunter2" }] },
    { gitServers: [{ ...server, url: "https://x:hunter2hunter2hunter2@example.com" }] },
  ])
    assert.throws(
      () => read(settings),
      ({ message }: Error) => /must be/.test(message) && !message.includes("hunter2"),
    );
});

test("plain HTTP is possible in a trusted network", () => {
  const { gitServer, gitServers } = read({
    gitServer: { listen: "0.0.0.0:4879", secret, allowPlainHttp: true },
    gitServers: [{ name: "a", url: "http://git-a:4879", secret, allowPlainHttp: true }],
  });
  assert.deepEqual([gitServer?.host, gitServers?.[0]?.url], ["0.0.0.0", "http://git-a:4879"]);
});

test("a file that others can write to is refused", { skip: process.platform === "win32" }, () => {
  assert.throws(
    () => read({ gitServers: [server] }, 0o666),
    /sets "gitServers", but other users can write to it/,
  );
});
