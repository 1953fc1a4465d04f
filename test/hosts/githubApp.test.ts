/** GitHub Apps: tokens of an installation are requested with the app's key, kept, renewed, and never shown. */
import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { openHost } from "#hosts/openHost";
import { parseConnections } from "#hosts/parseConnections";
import type { Clock } from "#platform/clock";
import { temporaryFolder } from "#test/support/repo";
import { FakeHost, jumpingClock, manyRepositories } from "./fakeHost";
import { checkGithubResponse, githubObject } from "./githubApi";
import { github } from "./githubDialect";
import { listOnly, never } from "./openFake";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
const path = "/app/installations/{installation_id}/access_tokens";

/** A host whose installation 7 of app 5 gets a new token with each request. */
async function appHost(clock: Clock) {
  const fake = await new FakeHost(github, manyRepositories(30)).start();
  fake.pageLimit = 20;
  fake.hasEtags = true;
  const state = { fake, issued: 0, status: 201 };
  fake.intercept = ({ method, headers }, { pathname }) => {
    if (pathname !== "/api/v3/app/installations/7/access_tokens") return undefined;
    assert.equal(method, "POST");
    assert.equal(headers.accept, "application/vnd.github+json");
    const claims = verified(headers.authorization ?? "");
    const now = clock.now() / 1000;
    assert.equal(claims.iss, "5");
    assert.ok(claims.iat <= now - 30 && claims.exp > now && claims.exp - claims.iat <= 600);
    if (state.status !== 201)
      return { status: state.status, body: { message: `No ${headers.authorization}` } };
    fake.token = `ghs_c4nary${++state.issued}`;
    const body = githubObject(path, {
      token: fake.token,
      expires_at: new Date(clock.now() + 3_600_000).toISOString(),
    });
    checkGithubResponse(path, body);
    return { status: 201, body };
  };
  return state;
}

/** Returns the claims of a JSON Web Token after it has been checked with the public key. */
function verified(authorization: string) {
  const [, header = "", claims = "", signature = ""] =
    /^Bearer ([^.]+)\.([^.]+)\.([^.]+)$/.exec(authorization) ?? [];
  const decode = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  assert.deepEqual(decode(header), { alg: "RS256", typ: "JWT" });
  const signed = Buffer.from(`${header}.${claims}`);
  assert.ok(verify("RSA-SHA256", signed, publicKey, Buffer.from(signature, "base64url")));
  return decode(claims) as { readonly iss: string; readonly iat: number; readonly exp: number };
}

function connect(url: string, clock: Clock, key = pem) {
  const file = join(temporaryFolder(), "key.pem");
  writeFileSync(file, key, { mode: 0o600 });
  const { work } = parseConnections({
    work: {
      type: "github",
      url,
      allowHttp: true,
      app: { id: 5, installation: 7, privateKey: { file } },
      include: { installation: true },
    },
  });
  assert.ok(work);
  return openHost("work", work, { clock });
}

test("an installation's repositories are listed with its token, which is kept until it expires", async () => {
  const clock = jumpingClock();
  let offsetMs = 0;
  const moved: Clock = { ...clock, now: () => clock.now() + offsetMs };
  const host = await appHost(moved);
  const { fake } = host;
  const opened = connect(fake.url, moved);
  try {
    const [credentials, identity] = await Promise.all([opened.gitCredentials(), opened.identify(never)]);
    assert.deepEqual([credentials?.user, credentials?.password.reveal()], ["x-access-token", "ghs_c4nary1"]);
    assert.ok(!("message" in identity), inspect(identity));
    const listing = await listOnly(opened);
    assert.deepEqual(
      [listing.scope, listing.outcome, listing.repositories.length],
      ["installation", "complete", 30],
    );
    // One for the token, one for the identity, and two pages.
    assert.deepEqual([host.issued, fake.requests.length, opened.requestCount], [1, 4, 4]);

    offsetMs += 54 * 60_000;
    await opened.identify(never);
    assert.equal(host.issued, 1);
    offsetMs += 2 * 60_000;
    assert.equal((await opened.gitCredentials())?.password.reveal(), "ghs_c4nary2");
    // A new token of the same installation keeps what is known of the pages.
    fake.statuses.length = 0;
    assert.equal((await listOnly(opened)).repositories.length, 30);
    assert.deepEqual(fake.statuses, [304, 304]);
    assert.doesNotMatch(inspect(opened, { depth: 9 }), /c4nary|PRIVATE/);
  } finally {
    await opened.close();
    await fake.close();
  }
});

test("a token that the host refuses is replaced once", async () => {
  const clock = jumpingClock();
  const host = await appHost(clock);
  const { fake } = host;
  const opened = connect(fake.url, clock);
  try {
    await opened.identify(never);
    fake.token = "ghs_revoked-meanwhile";
    assert.equal((await listOnly(opened)).outcome, "complete");
    assert.equal(host.issued, 2);
    // A host that refuses every token is not asked without end.
    fake.faults.push({ kind: "answer", status: 401, body: '{"message":"no"}' });
    fake.requests.length = 0;
    host.status = 401;
    const refused = await listOnly(opened);
    assert.equal(refused.outcome, "failed");
    assert.ok(fake.requests.length <= 3, fake.requests.join("\n"));
  } finally {
    await opened.close();
    await fake.close();
  }
});

test("requests at the same time that carry a refused token all use the new one", async () => {
  const clock = jumpingClock();
  const { fake } = await appHost(clock);
  const opened = connect(fake.url, clock);
  try {
    await opened.identify(never);
    fake.token = "ghs_revoked-meanwhile";
    const identities = await Promise.all([1, 2, 3].map(() => opened.identify(never)));
    for (const identity of identities) assert.ok(!("message" in identity), inspect(identity));
  } finally {
    await opened.close();
    await fake.close();
  }
});

test("an app that was uninstalled does not make repositories seem to be gone", async () => {
  const clock = jumpingClock();
  const host = await appHost(clock);
  const { fake } = host;
  const opened = connect(fake.url, clock);
  try {
    const [repository] = (await listOnly(opened)).repositories;
    assert.ok(repository);
    fake.token = "ghs_revoked-meanwhile";
    host.status = 404;
    const found = await opened.lookUp(repository, never);
    assert.equal(found.kind, "unknown", inspect(found));
  } finally {
    await opened.close();
    await fake.close();
  }
});

test("a refused or unreadable key is reported without any of it", async () => {
  const clock = jumpingClock();
  const { fake, ...host } = await appHost(clock);
  const intercept = fake.intercept;
  fake.intercept = (request, url) =>
    intercept?.(request, url) && { status: 404, body: { message: `No ${request.headers.authorization}` } };
  const secretText = pem.split("\n")[1] ?? "";
  const damaged = pem.replace(secretText, secretText.toLowerCase());
  const cases: readonly [string, RegExp][] = [
    [pem, /found nothing.*404/],
    [damaged, /contains no private RSA key/],
    ["-----BEGIN RSA PRIVATE KEY-----\nc4nary\n", /contains no private RSA key/],
    [
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      /no private RSA/,
    ],
  ];
  try {
    for (const [key, message] of cases) {
      const opened = connect(fake.url, clock, key);
      const identity = await opened.identify(never);
      const text = inspect([identity, await opened.gitCredentials().catch((error: Error) => error)]);
      assert.match(text, message);
      assert.doesNotMatch(text, /c4nary|BEGIN|eyJ[A-Za-z0-9_-]{20}/);
      assert.ok(!text.includes(secretText));
      await opened.close();
    }
    assert.equal(host.issued, 0);
  } finally {
    await fake.close();
  }
});

test("an app excludes a token, and the scope of an installation needs an app", () => {
  const parse = (change: object) =>
    parseConnections({ a: { type: "github", include: { installation: true }, ...change } });
  const app = { id: 5, installation: 7, privateKey: { env: "KEY" } };
  assert.doesNotThrow(() => parse({ app }));
  assert.throws(() => parse({}), /"connections\.a\.app" is missing/);
  assert.throws(() => parse({ app, token: { env: "T" } }), /token" cannot be used with "app"/);
  assert.throws(() => parse({ app: { ...app, privateKey: "-----BEGIN" } }), /privateKey" must be \{"env"/);
  assert.throws(() => parse({ app: { ...app, id: "../x" } }), /app\.id/);
});
