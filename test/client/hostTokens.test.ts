/** Tokens that VS Code keeps: what is stored, what the server gets, and when. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { HostTokens, sessionProviderOf } from "#client/hosts/hostTokens";
import type { ServerState } from "#client/server/serviceClient";
import { eventually } from "#test/support/eventually";
import { memoryMemento } from "#test/support/memoryMemento";
import { EventEmitter, sessions, sessionsChanged, settings } from "#test/support/vscode";

interface Lent {
  readonly tokens: unknown;
  readonly token: { readonly isCancellationRequested: boolean };
}

/** A window, with the server's side of its calls. */
function openWindow(stored = new Map<string, string>(), memento = memoryMemento()) {
  const calls: Lent[] = [];
  const reads: string[] = [];
  const states = new EventEmitter();
  const secretsChanged = new EventEmitter();
  const service = {
    state: "idle" as ServerState,
    onState: states.event,
    async call(
      _name: string,
      { tokens }: Lent,
      { token, onEvent }: Lent & { onEvent: (event: object) => void },
    ) {
      calls.push({ tokens, token });
      onEvent({ held: 1 });
      return await new Promise(() => undefined);
    },
  };
  const secrets = {
    onDidChange: secretsChanged.event,
    async get(key: string) {
      reads.push(key);
      return stored.get(key);
    },
    async store(key: string, value: string) {
      stored.set(key, value);
      secretsChanged.fire({ key });
    },
    async delete(key: string) {
      stored.delete(key);
      secretsChanged.fire({ key });
    },
  };
  const tokens = new HostTokens({ service, secrets, memento, warn: assert.fail } as never);
  return {
    tokens,
    calls,
    reads,
    stored,
    memento,
    secretsChanged,
    /** What is lent now. */
    current: () => calls.filter(({ token }) => !token.isCancellationRequested).map((each) => each.tokens),
    start() {
      service.state = "running";
      states.fire("running");
    },
  };
}

beforeEach(() => {
  sessions.clear();
  delete settings["github-enterprise.uri"];
});

test("a pasted token is kept as a secret, lent to the server, replaced and deleted", async () => {
  const { tokens, stored, memento, current, start } = openWindow();
  start();
  await tokens.store("work", "https://git.example.com", "t1");
  const lent = (token: string) => [[{ name: "work", origin: "https://git.example.com", token }]];
  await eventually(() => current().length === 1);
  assert.deepEqual(current(), lent("t1"));
  assert.doesNotMatch(JSON.stringify(memento.get("trawl.hosts.tokens")), /t1/);
  await tokens.store("work", "https://git.example.com", "t2");
  await eventually(() => current().length === 1);
  assert.deepEqual(current(), lent("t2"));
  await tokens.forget("work");
  assert.deepEqual([current(), stored.size, tokens.names], [[], 0, []]);
});

test("a damaged token is not lent, and does not keep others from being lent", async () => {
  const { tokens, stored, current, start } = openWindow();
  start();
  await tokens.store("work", "https://git.example.com", "t1");
  stored.set("trawl.hosts.token.work", "t1");
  await tokens.store("other", "https://git.example.com", "t2");
  await eventually(() => current().length === 1);
  assert.deepEqual(current(), [[{ name: "other", origin: "https://git.example.com", token: "t2" }]]);
});

test("nothing is read before a host was added with a token, and everything when the server starts again", async () => {
  const first = openWindow();
  first.start();
  await first.tokens.store("work", "https://git.example.com", "t1");
  const second = openWindow(first.stored, first.memento);
  second.start();
  await eventually(() => second.calls.length === 1);
  second.start();
  await eventually(() => second.calls.length === 2 && second.current().length === 1);

  const unused = openWindow(first.stored);
  unused.start();
  assert.deepEqual([unused.reads, unused.calls], [[], []]);
  // Another window has stored it.
  unused.secretsChanged.fire({ key: "trawl.hosts.token.work" });
  await eventually(() => unused.current().length === 1);
});

test("GitHub's account is used for its own host, and for the configured server", async () => {
  assert.equal(sessionProviderOf("https://github.com"), "github");
  assert.equal(sessionProviderOf("https://ghe.example.com"), undefined);
  settings["github-enterprise.uri"] = "https://ghe.example.com/";
  assert.equal(sessionProviderOf("https://ghe.example.com"), "github-enterprise");

  const { tokens, stored, current, start } = openWindow();
  start();
  sessions.set("github", "gho_1");
  await tokens.signIn("github");
  assert.deepEqual(current(), [[{ name: "github", origin: "https://github.com", token: "gho_1" }]]);
  assert.equal(stored.size, 0);
  sessions.set("github", "gho_2");
  sessionsChanged.fire({ provider: { id: "github" } });
  await eventually(() => JSON.stringify(current()).includes("gho_2") && current().length === 1);
  sessions.delete("github");
  sessionsChanged.fire({ provider: { id: "github" } });
  await eventually(() => current().length === 0);
  await assert.rejects(tokens.signIn("github"), /canceled/);
});
