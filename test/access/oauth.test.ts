/** Access tokens of a real issuer, and what somebody might show instead. */
import assert from "node:assert/strict";
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { after, before, test } from "node:test";
import { isServiceError } from "#base/error";
import { operation } from "#contract/operations";
import type { Actor } from "#contract/service";
import { audience, type Issuer, startIssuer } from "#test/support/issuer";
import { licenseOf, type TestOrganisation, testOrganisation } from "#test/support/organisation";
import { until } from "#test/support/served";

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

async function licensed(createsMembers = false, url = issuer.url): Promise<TestOrganisation> {
  const organisation = testOrganisation({ oauth: { issuer: url, audience, createsMembers } });
  await organisation.setLicense(licenseOf());
  return organisation;
}

function show(
  { access }: TestOrganisation,
  token: string,
  row: "search" | "users" = "search",
): Promise<Actor> {
  const { signal } = new AbortController();
  return access.admit(operation(row), { credentials: { kind: "bearer", token }, anonymous: "on", signal });
}

const isRefused = (error: unknown) => isServiceError(error, "NOT_AUTHENTICATED");

test("a token speaks for the member whose address the issuer has verified, and from then on for who it names", async () => {
  const organisation = await licensed();
  const { id } = await organisation.member("Bob@example.com", "OWNER");
  const token = await issuer.token("bob");
  assert.deepEqual(await show(organisation, token, "users"), { kind: "member", id, role: "OWNER" });
  const { members } = await organisation.organisation.store();
  const found = await members.byOAuth({ issuer: issuer.url, subject: "bob" });
  assert.equal(found?.id, id);
});

test("without a licence a token counts for nothing", async () => {
  const organisation = testOrganisation({ oauth: { issuer: issuer.url, audience, createsMembers: true } });
  await assert.rejects(show(organisation, await issuer.token("bob")), isRefused);
});

test("whom the issuer vouches for becomes a member only where the configuration says so", async () => {
  await assert.rejects(show(await licensed(false), await issuer.token("carol")), isRefused);
  const organisation = await licensed(true);
  const { organisation: parts } = organisation;
  const [actor, again] = await Promise.all([
    show(organisation, await issuer.token("carol")),
    show(organisation, await issuer.token("carol")),
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

test("a member who was removed does not come back with an old token", async () => {
  const organisation = await licensed(true);
  const { id } = await organisation.member("bob@example.com");
  const token = await issuer.token("bob");
  assert.equal((await show(organisation, token)).kind, "member");
  const { members } = await organisation.organisation.store();
  await members.remove(id);
  await assert.rejects(show(organisation, token), (error) => {
    assert(isRefused(error) && error instanceof Error);
    return /issued before a member was removed.*get a new one/.test(error.message);
  });
  // Nor does one that was issued in the same minute, by a clock that may be ahead; a later one brings them back.
  await assert.rejects(show(organisation, await issuer.token("bob")), isRefused);
});

test("a suspended member's token is refused", async () => {
  const organisation = await licensed();
  const { id } = await organisation.member("bob@example.com");
  const { members } = await organisation.organisation.store();
  await members.suspend(id);
  await assert.rejects(show(organisation, await issuer.token("bob")), isRefused);
});

test("a full licence lets nobody new in", async () => {
  const organisation = await licensed(true);
  await organisation.setLicense(licenseOf({ seats: 1 }));
  await assert.rejects(show(organisation, await issuer.token("carol")), (error) => {
    assert(isRefused(error) && error instanceof Error);
    return /no seat/.test(error.message);
  });
});

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly signature?: (signed: string) => Buffer;
}

/** A token with other contents; by default its signature is that of the true one. */
function forged(token: string, { header, claims, signature }: Forgery): string {
  const [head = "", body = "", seal = ""] = token.split(".");
  const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as object;
  const signed = `${encoded({ ...decoded(head), ...header })}.${encoded({ ...decoded(body), ...claims })}`;
  return `${signed}.${signature === undefined ? seal : signature(signed).toString("base64url")}`;
}

function signedBy(key: KeyObject): (signed: string) => Buffer {
  return (signed) => sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
}

test("what is not the issuer's word for this instance is refused", async () => {
  const organisation = await licensed(true);
  await organisation.member("bob@example.com");
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
    "somebody nobody knows": await issuer.token("nobody"),
    "an address that is not verified": await issuer.token("mallory"),
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
    "many letters": "a".repeat(20_000),
  };
  for (const [name, secret] of Object.entries(secrets)) {
    wrong[`HS256 with the public key as ${name}`] = forged(token, {
      header: { alg: "HS256" },
      signature: (signed) => createHmac("sha256", secret).update(signed).digest(),
    });
  }
  for (const [name, shown] of Object.entries(wrong)) {
    await assert.rejects(show(organisation, shown), isRefused, name);
  }
  assert.equal((await show(organisation, token)).kind, "member");
});

test("a token ends", async () => {
  const organisation = await licensed();
  await organisation.member("bob@example.com");
  const token = await issuer.token("bob");
  assert.equal((await show(organisation, token)).kind, "member");
  organisation.clock.addedMs = 20 * 60 * 1000;
  await assert.rejects(show(organisation, token), isRefused);
});

test("new keys of the issuer are found, and old ones forgotten", async (t) => {
  const changing = await startIssuer(people);
  t.after(() => changing.close());
  const organisation = await licensed(false, changing.url);
  await organisation.member("bob@example.com");
  const before = await changing.token("bob");
  assert.equal((await show(organisation, before)).kind, "member");
  await changing.rotate();
  const afterwards = await changing.token("bob");
  organisation.clock.addedMs = 15_000;
  assert.equal((await show(organisation, afterwards)).kind, "member");
  await assert.rejects(show(organisation, before), isRefused);
});

test("a key that the issuer has withdrawn counts no longer, also where nobody shows another one", async (t) => {
  const changing = await startIssuer(people);
  t.after(() => changing.close());
  const organisation = await licensed(false, changing.url);
  await organisation.member("bob@example.com");
  const token = await changing.token("bob");
  assert.equal((await show(organisation, token)).kind, "member");
  await changing.rotate();
  assert.equal((await show(organisation, token)).kind, "member");
  // Shorter than the token is valid for.
  organisation.clock.addedMs = 10 * 60 * 1000 - 1000;
  const asked = changing.keyRequests;
  assert.equal((await show(organisation, token)).kind, "member");
  organisation.clock.addedMs = 10 * 60 * 1000 + 1000;
  await show(organisation, token).catch(() => undefined);
  await until("Its keys are fetched again", () => changing.keyRequests > asked);
  await until("The token is refused", () => show(organisation, token).then(() => false, isRefused));
});

test("an issuer that is down is told from a wrong token, and is not asked again and again", async (t) => {
  const failing = await startIssuer(people);
  t.after(() => failing.close());
  const [known, unknown] = [await licensed(false, failing.url), await licensed(false, failing.url)];
  await Promise.all([known.member("bob@example.com"), unknown.member("bob@example.com")]);
  const token = await failing.token("bob");
  await show(known, token);
  const asked = failing.keyRequests;
  await show(known, token);
  assert.equal(failing.keyRequests, asked);
  await failing.close();
  // Who knows its keys needs it no more.
  assert.equal((await show(known, token)).kind, "member");
  for (let round = 0; round < 2; round++) {
    await assert.rejects(show(unknown, token), (error) => isServiceError(error, "ENGINE_UNAVAILABLE"));
  }
});
