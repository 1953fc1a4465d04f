/** Access tokens of a real issuer, and forgeries. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import { isServiceError } from "#base/error";
import { operation } from "#contract/operations";
import type { Actor } from "#contract/service";
import { getJson } from "#platform/http";
import { eventually } from "#test/support/eventually";
import { audience, type Issuer, startIssuer } from "#test/support/issuer";
import { licenseOf, type TestOrganization, testOrganization } from "#test/support/organization";

const people = {
  bob: { email: "bob@example.com", email_verified: true, name: "Bob" },
  carol: { email: "carol@example.com", email_verified: true, name: "Carol" },
  mallory: { email: "ada@example.com", email_verified: false },
  nobody: {},
};

let issuer: Issuer;
let other: Issuer;
before(async () => {
  [issuer, other] = await Promise.all([startIssuer(people), startIssuer(people)]);
});
after(() => Promise.all([issuer.close(), other.close()]));

async function licensed(createsMembers = false, url = issuer.url): Promise<TestOrganization> {
  const organization = testOrganization({ oauth: { issuer: url, audience, createsMembers } });
  await organization.setLicense(licenseOf());
  return organization;
}

function admit(
  { access }: TestOrganization,
  token: string,
  name: "search" | "users" = "search",
): Promise<Actor> {
  const { signal } = new AbortController();
  return access.admit(operation(name), { credentials: { kind: "bearer", token }, anonymous: "on", signal });
}

const isRefused = (error: unknown) => isServiceError(error, "NOT_AUTHENTICATED");

test("a token authenticates the member with its verified email address, whose subject is then stored", async () => {
  const organization = await licensed();
  const { id } = await organization.member("Bob@example.com", "OWNER");
  const token = await issuer.token("bob");
  assert.deepEqual(await admit(organization, token, "users"), { kind: "member", id, role: "OWNER" });
  const { members } = await organization.organization.store();
  const found = await members.byOAuth({ issuer: issuer.url, subject: "bob" });
  assert.equal(found?.id, id);
});

test("without a license, a token is refused", async () => {
  const organization = testOrganization({ oauth: { issuer: issuer.url, audience, createsMembers: true } });
  await assert.rejects(admit(organization, await issuer.token("bob")), isRefused);
});

test("an unknown person with a valid token becomes a member only if createsMembers is set", async () => {
  await assert.rejects(admit(await licensed(false), await issuer.token("carol")), isRefused);
  const organization = await licensed(true);
  const { organization: parts } = organization;
  const [actor, again] = await Promise.all([
    admit(organization, await issuer.token("carol")),
    admit(organization, await issuer.token("carol")),
  ]);
  assert.deepEqual(actor, again);
  const { members, auditLog } = await parts.store();
  const all = (await members.all()).map(({ name, email, role }) => `${name} ${email} ${role}`);
  assert.deepEqual(all, ["Ada ada@example.com OWNER", "Carol carol@example.com MEMBER"]);
  const { items } = await auditLog.page({ page: 1, perPage: 10 });
  assert.deepEqual(
    items.map(({ action, targetId }) => [action, targetId]),
    [["org.member_added", actor.kind === "member" ? actor.id : ""]],
  );
});

test("a removed member cannot rejoin with an old token", async () => {
  const organization = await licensed(true);
  const { id } = await organization.member("bob@example.com");
  const token = await issuer.token("bob");
  assert.equal((await admit(organization, token)).kind, "member");
  const { members } = await organization.organization.store();
  await members.remove(id);
  await assert.rejects(admit(organization, token), (error) => {
    assert(isRefused(error) && error instanceof Error);
    return /issued before the last removal.*Get a new token/.test(error.message);
  });
  // Neither with one issued in the same minute, because the issuer's clock may be ahead.
  await assert.rejects(admit(organization, await issuer.token("bob")), isRefused);
});

test("a suspended member's token is refused", async () => {
  const organization = await licensed();
  const { id } = await organization.member("bob@example.com");
  const { members } = await organization.organization.store();
  await members.suspend(id);
  await assert.rejects(admit(organization, await issuer.token("bob")), isRefused);
});

test("a token creates no member if the license has no free seat", async () => {
  const organization = await licensed(true);
  await organization.setLicense(licenseOf({ seats: 1 }));
  await assert.rejects(admit(organization, await issuer.token("carol")), (error) => {
    assert(isRefused(error) && error instanceof Error);
    return /All seats of the license are taken/.test(error.message);
  });
});

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly signature?: (signed: string) => Buffer;
}

/** Returns a token with other contents, by default with the signature of the original. */
function forged(token: string, { header, claims, signature }: Forgery): string {
  const [head = "", body = "", seal = ""] = token.split(".");
  const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as object;
  const signed = `${encoded({ ...decoded(head), ...header })}.${encoded({ ...decoded(body), ...claims })}`;
  return `${signed}.${signature === undefined ? seal : signature(signed).toString("base64url")}`;
}

function signedBy(key: KeyObject): (signed: string) => Buffer {
  return (signed) => sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
}

test("forged and unsuitable tokens are refused", async () => {
  const organization = await licensed(true);
  await organization.member("bob@example.com");
  const token = await issuer.token("bob");
  const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const [published] = await issuer.keys();
  const publicKey = createPublicKey({ key: published as never, format: "jwk" });
  const secrets = {
    pem: publicKey.export({ format: "pem", type: "spki" }),
    der: publicKey.export({ format: "der", type: "spki" }),
    json: JSON.stringify(published),
    x: String(published?.["x"]),
  };
  const wrong: Record<string, string> = {
    "another audience": await issuer.token("bob", "https://elsewhere.example.com"),
    "another issuer": await other.token("bob"),
    "another issuer that claims to be this one": forged(await other.token("bob"), {
      claims: { iss: issuer.url },
      signature: signedBy(stranger),
    }),
    "a subject without an email address": await issuer.token("nobody"),
    "an unverified email address": await issuer.token("mallory"),
    "other claims": forged(token, { claims: { sub: "ada" } }),
    "another signature": forged(token, { signature: signedBy(stranger) }),
    "no signature": forged(token, { header: { alg: "none" }, signature: () => Buffer.alloc(0) }),
    "no signature, in capitals": forged(token, { header: { alg: "NONE" }, signature: () => Buffer.alloc(0) }),
    "another type": forged(token, { header: { typ: "JWT" } }),
    "a key of its own": forged(token, {
      header: { jwk: createPublicKey(stranger).export({ format: "jwk" }) },
      signature: signedBy(stranger),
    }),
    "not a token": "a.b.c",
    nothing: "",
    "a very long token": "a".repeat(20_000),
  };
  for (const [name, secret] of Object.entries(secrets)) {
    wrong[`HS256 with the public key as ${name}`] = forged(token, {
      header: { alg: "HS256" },
      signature: (signed) => createHmac("sha256", secret).update(signed).digest(),
    });
  }
  for (const [name, value] of Object.entries(wrong)) {
    await assert.rejects(admit(organization, value), isRefused, name);
  }
  assert.equal((await admit(organization, token)).kind, "member");
});

test("a token expires", async () => {
  const organization = await licensed();
  await organization.member("bob@example.com");
  const token = await issuer.token("bob");
  assert.equal((await admit(organization, token)).kind, "member");
  organization.clock.addedMs = 20 * 60 * 1000;
  await assert.rejects(admit(organization, token), isRefused);
});

test("after a key rotation, new tokens are accepted and old ones are refused", async (t) => {
  const changing = await startIssuer(people);
  t.after(() => changing.close());
  const organization = await licensed(false, changing.url);
  await organization.member("bob@example.com");
  const before = await changing.token("bob");
  assert.equal((await admit(organization, before)).kind, "member");
  await changing.rotate();
  const afterwards = await changing.token("bob");
  organization.clock.addedMs = 15_000;
  assert.equal((await admit(organization, afterwards)).kind, "member");
  await assert.rejects(admit(organization, before), isRefused);
});

test("a token signed with a withdrawn key is refused even if no other token arrives", async (t) => {
  const changing = await startIssuer(people);
  t.after(() => changing.close());
  const organization = await licensed(false, changing.url);
  await organization.member("bob@example.com");
  const token = await changing.token("bob");
  assert.equal((await admit(organization, token)).kind, "member");
  await changing.rotate();
  assert.equal((await admit(organization, token)).kind, "member");
  // The token itself is still valid.
  organization.clock.addedMs = 10 * 60 * 1000 - 1000;
  const requested = changing.keyRequests;
  assert.equal((await admit(organization, token)).kind, "member");
  organization.clock.addedMs = 10 * 60 * 1000 + 1000;
  await admit(organization, token).catch(() => undefined);
  await eventually(() => changing.keyRequests > requested);
  await eventually(() => admit(organization, token).then(() => false, isRefused));
});

test("an issuer that is down is reported as such, and its keys are fetched only once", async (t) => {
  const failing = await startIssuer(people);
  t.after(() => failing.close());
  const [known, unknown] = [await licensed(false, failing.url), await licensed(false, failing.url)];
  await Promise.all([known.member("bob@example.com"), unknown.member("bob@example.com")]);
  const token = await failing.token("bob");
  await admit(known, token);
  const requested = failing.keyRequests;
  await admit(known, token);
  assert.equal(failing.keyRequests, requested);
  await failing.close();
  // Known keys are still used.
  assert.equal((await admit(known, token)).kind, "member");
  for (let round = 0; round < 2; round++) {
    await assert.rejects(admit(unknown, token), (error) => isServiceError(error, "ENGINE_UNAVAILABLE"));
  }
});

test("a request to a server that is not reachable, or does not respond in full, times out within seconds", async (t) => {
  // Listens, but never accepts a connection.
  const script = `
    const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      require("node:fs").writeSync(1, String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  const queued = Array.from({ length: 4 }, () => connect(Number(port), "127.0.0.1").on("error", () => {}));
  t.after(() => {
    for (const socket of queued) socket.destroy();
  });
  const listening = async (server: Server) => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  const silent = await listening(createServer());
  const trickling = await listening(
    createServer((socket) => {
      socket.on("error", () => {}).write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
      const trickle = setInterval(() => socket.write(" "), 50);
      socket.on("close", () => clearInterval(trickle));
    }),
  );
  const check = (port: number, message: RegExp) =>
    assert.rejects(getJson(`http://127.0.0.1:${port}/keys`), { message });
  await Promise.all([
    check(Number(port), /^http:\/\/127\.0\.0\.1:\d+\/keys cannot be reached within 3 s\.$/),
    check(silent, /\/keys did not respond within 5 s\.$/),
    check(trickling, /\/keys did not respond within 5 s\.$/),
  ]);
});
