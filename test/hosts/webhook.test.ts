/** Webhooks of each type of host: which are authentic, and what they hint at. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Connection } from "#hosts/connection";
import { Secret } from "#hosts/secret";
import { readWebhook, type Webhook } from "#hosts/webhook";
import type { WebhookRequest } from "#hosts/webhookHint";
import { projectRoot } from "#test/support/house";

type HostType = Connection["type"];

/** Events as GitHub sends them. */
const recorded: Readonly<Record<"push" | "delete" | "repository" | "ping", object>> = JSON.parse(
  readFileSync(join(projectRoot(), "test/fixtures/githubWebhooks.json"), "utf8"),
);
const now = Date.parse("2026-11-26T12:00:00Z");
const key = "correct-horse-battery-staple";

/** HMAC as RFC 2104 defines it. */
function hmac(secret: string | Buffer, message: string): Buffer {
  const sha256 = (...parts: readonly Buffer[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
  const given = Buffer.from(secret);
  const block = Buffer.alloc(64);
  (given.length > 64 ? sha256(given) : given).copy(block);
  const pad = (byte: number) => block.map((each) => each ^ byte) as Buffer;
  return sha256(pad(0x5c), sha256(pad(0x36), Buffer.from(message)));
}

function read(
  type: HostType,
  secret: string,
  headers: WebhookRequest["headers"],
  body: string,
  more: Partial<WebhookRequest> = {},
  at = now,
): Promise<Webhook | undefined> {
  return readWebhook(type, new Secret(secret), { headers, body: Buffer.from(body), ...more }, at);
}

test("the examples in the documentation of the signatures are authentic", async () => {
  const everybody = "It's a Secret to Everybody";
  const github = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const bitbucket = "sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9";
  assert.ok(await read("github", everybody, { "x-hub-signature-256": github }, "Hello, World!"));
  assert.ok(await read("bitbucketCloud", everybody, { "x-hub-signature": bitbucket }, "Hello World!"));
  assert.ok(await read("bitbucketServer", everybody, { "x-hub-signature": bitbucket }, "Hello World!"));
  const standard = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const body = '{"test": 2432232314}';
  const token = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const at = 1_614_265_330_000;
  assert.equal((await read("gitlab", token, standard, body, {}, at))?.deliveryId, standard["webhook-id"]);
  assert.ok(await read("gitlab", token, standard, body, {}, at + 299_000));
  assert.equal(await read("gitlab", token, standard, body, {}, at + 301_000), undefined);
  assert.equal(await read("gitlab", token, standard, body, {}, at - 301_000), undefined);
  const emptyKey = `v1,${hmac("", `${standard["webhook-id"]}.1614265330.${body}`).toString("base64")}`;
  const headers = { ...standard, "webhook-signature": emptyKey };
  assert.equal(await read("gitlab", "whsec_!", headers, body, {}, at), undefined);
  assert.equal(await read("gitlab", token, { "x-gitlab-token": token }, body, {}, at), undefined);
});

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly url?: Pick<WebhookRequest, "repository" | "secret">;
}

/** How each type of host proves that it knows a secret. */
const prove: Readonly<Record<HostType, (secret: string, body: string) => Sent>> = {
  github: (secret, body) => ({
    headers: { "x-hub-signature-256": `sha256=${hmac(secret, body).toString("hex")}` },
  }),
  gitlab: (secret) => ({ headers: { "x-gitlab-token": secret } }),
  gitea: (secret, body) => ({ headers: { "x-gitea-signature": hmac(secret, body).toString("hex") } }),
  gerrit: (secret) => ({ headers: {}, url: { secret } }),
  bitbucketServer: (secret, body) => ({
    headers: { "x-hub-signature": `sha256=${hmac(secret, body).toString("hex")}` },
  }),
  bitbucketCloud: (secret, body) => ({
    headers: { "x-hub-signature": `sha256=${hmac(secret, body).toString("hex")}` },
  }),
  azuredevops: (secret) => ({
    headers: { authorization: `Basic ${Buffer.from(`any:${secret}`).toString("base64")}` },
  }),
  genericGitHost: (secret) => ({ headers: { authorization: `Bearer ${secret}` } }),
};
const types = Object.keys(prove) as readonly HostType[];

interface Case {
  readonly type: HostType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string;
  readonly url?: Pick<WebhookRequest, "repository">;
  readonly expected: Webhook;
}

const list = { mayListDiffer: true };
const ignored = { mayListDiffer: false };
const pushed = (pushedId: string) => ({ pushedId, mayListDiffer: false });
const github = (event: string) => ({ "x-github-event": event, "x-github-delivery": "d1" });
const form = { "content-type": "application/x-www-form-urlencoded" };

const cases: readonly Case[] = [
  {
    type: "github",
    headers: github("push"),
    body: recorded.push,
    expected: { ...pushed("186853002"), deliveryId: "d1" },
  },
  {
    type: "github",
    headers: github("delete"),
    body: recorded.delete,
    expected: { ...pushed("186853002"), deliveryId: "d1" },
  },
  {
    type: "github",
    headers: github("repository"),
    body: recorded.repository,
    expected: { ...list, deliveryId: "d1" },
  },
  {
    type: "github",
    headers: github("ping"),
    body: recorded.ping,
    expected: { ...ignored, deliveryId: "d1" },
  },
  {
    type: "github",
    headers: { "x-github-event": "push", ...form },
    body: `payload=${encodeURIComponent(JSON.stringify(recorded.push))}`,
    expected: pushed("186853002"),
  },
  {
    type: "gitlab",
    headers: { "x-gitlab-event": "Push Hook" },
    body: { project_id: 15, project: { id: 15 } },
    expected: pushed("15"),
  },
  {
    type: "gitlab",
    headers: { "x-gitlab-event": "Tag Push Hook" },
    body: { project_id: 1 },
    expected: pushed("1"),
  },
  {
    type: "gitlab",
    headers: { "x-gitlab-event": "System Hook", "idempotency-key": "k" },
    body: { event_name: "repository_update", project_id: 1 },
    expected: { ...pushed("1"), deliveryId: "k" },
  },
  {
    type: "gitlab",
    headers: { "x-gitlab-event": "System Hook" },
    body: { event_name: "project_rename", project_id: 1 },
    expected: list,
  },
  {
    type: "gitlab",
    headers: { "x-gitlab-event": "Issue Hook" },
    body: { project: { id: 1 } },
    expected: ignored,
  },
  {
    type: "gitea",
    // Gitea sends GitHub's headers as well.
    headers: {
      "x-gitea-event": "push",
      "x-gitea-delivery": "g",
      "x-github-event": "push",
      "x-github-delivery": "h",
    },
    body: { ref: "refs/heads/main", repository: { id: 7 } },
    expected: { ...pushed("7"), deliveryId: "g" },
  },
  {
    type: "gitea",
    headers: { "x-forgejo-event": "repository" },
    body: { action: "created", repository: { id: 7 } },
    expected: list,
  },
  {
    type: "bitbucketServer",
    headers: { "x-event-key": "repo:refs_changed" },
    body: { repository: { id: 84 } },
    expected: pushed("84"),
  },
  {
    type: "bitbucketServer",
    headers: { "x-event-key": "repo:modified" },
    body: { new: { id: 84 } },
    expected: list,
  },
  {
    type: "bitbucketServer",
    headers: { "x-event-key": "diagnostics:ping" },
    body: { test: true },
    expected: ignored,
  },
  {
    type: "bitbucketCloud",
    headers: { "x-event-key": "repo:push", "x-request-uuid": "u" },
    body: { repository: { uuid: "{a-b}" } },
    expected: { ...pushed("{a-b}"), deliveryId: "u" },
  },
  { type: "bitbucketCloud", headers: { "x-event-key": "repo:updated" }, body: {}, expected: list },
  {
    type: "azuredevops",
    body: { id: "n1", eventType: "git.push", resource: { repository: { id: "278d5cd2" } } },
    expected: { ...pushed("278d5cd2"), deliveryId: "n1" },
  },
  { type: "azuredevops", body: { eventType: "git.repo.renamed" }, expected: list },
  {
    type: "gerrit",
    body: { type: "ref-updated", refUpdate: { project: "team/app", refName: "refs/heads/main" } },
    expected: pushed("team/app"),
  },
  {
    type: "gerrit",
    body: { type: "ref-updated", refUpdate: { project: "a", refName: "refs/changes/01/1/1" } },
    expected: ignored,
  },
  { type: "gerrit", body: { type: "project-created", projectName: "a" }, expected: list },
  { type: "genericGitHost", body: "", url: { repository: "/team/app.git" }, expected: pushed("team/app") },
  { type: "genericGitHost", body: "anything", expected: list },
];

test("events name the repository that was pushed to, or that the list may have changed", async () => {
  for (const { type, headers = {}, body, url = {}, expected } of cases) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const proof = prove[type](key, text);
    const found = await read(type, key, { ...headers, ...proof.headers }, text, { ...url, ...proof.url });
    assert.deepEqual(found, expected, `${type} ${JSON.stringify(headers)}`);
  }
});

test("an own header is enough for Azure DevOps", async () => {
  assert.ok(await read("azuredevops", key, { "x-webhook-secret": key }, "{}"));
  assert.equal(await read("azuredevops", key, { "x-webhook-secret": "other" }, "{}"), undefined);
});

test("what is not signed, or signed with another secret or for another body, is not authentic", async () => {
  const body = JSON.stringify(recorded.push);
  for (const type of types) {
    const right = prove[type](key, body);
    assert.ok(await read(type, key, right.headers, body, right.url), type);
    const wrong = [
      prove[type]("", body),
      prove[type](`${key}x`, body),
      prove[type](key.toUpperCase(), body),
      { headers: {} },
    ];
    for (const { headers, url } of wrong)
      assert.equal(await read(type, key, headers, body, url), undefined, type);
    const isBodySigned = "github gitea bitbucketServer bitbucketCloud".includes(type);
    if (isBodySigned) assert.equal(await read(type, key, right.headers, `${body} `), undefined, type);
  }
});

/** Random numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("no headers and no body make it fail, or pass without the secret", async () => {
  const random = randomNumbers(1);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const names = [
    ..."x-github-event x-gitlab-event x-gitea-event x-event-key x-hub-signature x-hub-signature-256".split(
      " ",
    ),
    ..."x-gitea-signature x-gitlab-token authorization content-type x-webhook-secret".split(" "),
    ..."webhook-id webhook-timestamp webhook-signature x-github-delivery __proto__ constructor".split(" "),
  ];
  const values = [
    "",
    " ",
    "push",
    "System Hook",
    "repo:push",
    "sha256=",
    "Bearer ",
    "Basic Og==",
    "v1,",
    "\u{10ffff}",
    "a".repeat(9000),
  ];
  const bodies = [
    "",
    "null",
    "[]",
    "{",
    "\0",
    "\ud800",
    '{"repository":null}',
    '{"repository":{"id":{}}}',
    '{"repository":{"id":-1}}',
    '{"repository":{"id":1e400}}',
    '{"__proto__":{"repository":{"id":1}}}',
    '{"type":1,"eventType":[],"event_name":{}}',
    "[".repeat(50_000),
    "payload=%",
  ];
  for (let round = 0; round < 500; round++) {
    const headers: Record<string, string> = Object.create(null);
    for (let count = 0; count < 4; count++) headers[pick(names)] = pick(values);
    const type = pick(types);
    const body = pick(bodies);
    const url = random() < 0.5 ? {} : { secret: pick(values), repository: pick(values) };
    assert.equal(await read(type, key, headers, body, url), undefined, `round ${round}`);
    const proof = prove[type](key, body);
    const found = await read(type, key, { ...headers, ...proof.headers }, body, { ...url, ...proof.url });
    assert.ok(found, `round ${round}: ${type}`);
    assert.ok(found.pushedId === undefined || found.pushedId.length <= 9000);
  }
});
