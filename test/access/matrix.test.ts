/** Every endpoint, for every kind of caller, with and without a license, with and without anonymous access. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isServedOverHttp, usesQueryString } from "#contract/operation";
import { type OperationName, operation, operationNames } from "#contract/operations";
import type { AnonymousRule, Caller } from "#contract/service";
import { audience, type Issuer, startIssuer } from "#test/support/issuer";
import { licenseOf, local, type TestOrganization, testOrganization } from "#test/support/organization";
import { repo } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

/** Requests for operations that refuse an empty one. */
const requests: Partial<Record<OperationName, Readonly<Record<string, unknown>>>> = {
  search: { query: "found" },
  count: { query: "found" },
  streamSearch: { query: "found" },
  readQuery: { query: "found" },
  completeQuery: { query: "found", offset: 5 },
  findDefinitions: { symbolName: "found" },
  findReferences: { symbolName: "found" },
  streamReferences: { symbolName: "found" },
  callHierarchy: { symbolName: "found" },
  findSymbols: { query: "found" },
  outline: { place: { repo: "r", path: "a.txt" } },
  symbolAt: { place: { repo: "r", path: "a.txt" } },
  describeSymbol: { place: { repo: "r", path: "a.txt" } },
  branches: { repo: "r" },
  tree: { repoName: "r" },
  source: { repo: "r", path: "a.txt" },
  blame: { repo: "r", path: "a.txt" },
  commits: { repo: "r" },
  commit: { repo: "r", ref: "HEAD" },
  authors: { repo: "r" },
  diff: { repo: "r", base: "HEAD", head: "HEAD" },
  codeHostRepositories: { name: "main" },
  removeUser: { userId: "nobody" },
  revokeSession: { sessionId: "none" },
};

/** Kinds of credentials, and the principal of each. Access tokens are accepted only with a license. */
const callers = {
  "no credential": "anonymous",
  "a wrong key": "refused",
  "a wrong bearer token": "refused",
  "an empty key": "refused",
  "another scheme": "refused",
  "a revoked key": "refused",
  "an expired key": "refused",
  "a suspended member's key": "refused",
  "a removed member's key": "refused",
  "a member's key": "member",
  "a member's key as bearer token": "member",
  "a service account's key": "member",
  "an owner's key": "owner",
  "an owner's key as bearer token": "owner",
  "a member's access token": "member by token",
  "an owner's access token": "owner by token",
  "a stranger's access token": "refused",
  "a wrong bearer token with an owner's key": "refused",
} as const;
type CallerName = keyof typeof callers;

/** The expected refusal, or undefined if the response is that for a local caller. */
function refusal(name: OperationName, caller: CallerName, isLicensed: boolean, isOpen: boolean) {
  const { access, licensed } = operation(name);
  if (access === "open") return undefined;
  const principal = callers[caller];
  if (principal === "anonymous")
    return access === "anonymous" && isOpen ? undefined : "401 NOT_AUTHENTICATED";
  if (principal === "refused" || (principal.endsWith("by token") && !isLicensed))
    return "401 NOT_AUTHENTICATED";
  if (licensed && !isLicensed) return "403 LICENSE_REQUIRED";
  if (access === "owner" && principal.startsWith("member")) return "403 INSUFFICIENT_PERMISSIONS";
  return undefined;
}

const people = Object.fromEntries(
  ["member", "owner", "stranger"].map((name) => [
    name,
    { email: `${name}@example.com`, email_verified: true },
  ]),
);
const past = repo(`
  = main: One
  a.txt
  | found
`);

let issuer: Issuer;
let organization: TestOrganization;
let caller: Caller;
let listeners: Readonly<Record<"on" | "off", TestListener>>;
let headers: Readonly<Record<CallerName, Readonly<Record<string, string>>>>;

before(async () => {
  issuer = await startIssuer(people);
  organization = testOrganization({ oauth: { issuer: issuer.url, audience, createsMembers: false } });
  const repositories = viewOf([repository(1, "r", { path: past.path, revisions: [] })]);
  caller = callerOf({ repositories }, { organization });
  const open = (anonymous: AnonymousRule) => openListener(caller, { anonymous });
  listeners = { on: await open("on"), off: await open("off") };
  headers = await credentials();
});
after(() => Promise.all([listeners.on.close(), listeners.off.close(), issuer.close()]));

async function credentials(): Promise<typeof headers> {
  const { members } = await organization.organization.store();
  const member = await organization.member("member@example.com");
  const owner = await organization.member("owner@example.com", "OWNER");
  const suspended = await organization.member("suspended@example.com", "OWNER");
  await members.suspend(suspended.id);
  const removed = await organization.member("removed@example.com", "OWNER");
  await caller("removeMember", { userId: removed.id }, local);
  const revoked = await caller("createKey", { name: "revoked", userId: owner.id }, local);
  await caller("revokeKey", { keyId: revoked.id }, local);
  const service = await caller("addService", { service: "nightly" }, local);
  const serviceKey = await caller("createKey", { name: "service", userId: service.id }, local);
  const expiresAt = new Date(organization.clock.now() + 60_000).toISOString();
  const expired = await caller("createKey", { name: "expired", userId: owner.id, expiresAt }, local);
  organization.clock.addedMs += 60_000;
  const key = (value: string) => ({ "x-service-api-key": value });
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
  const wrong = `trwl_${"x".repeat(43)}`;
  return {
    "no credential": {},
    "a wrong key": key(wrong),
    "a wrong bearer token": bearer(wrong),
    "an empty key": key(""),
    "another scheme": { authorization: `Basic ${owner.key}` },
    "a revoked key": key(revoked.key),
    "an expired key": key(expired.key),
    "a suspended member's key": key(suspended.key),
    "a removed member's key": bearer(removed.key),
    "a member's key": key(member.key),
    "a member's key as bearer token": { authorization: `bEARER ${member.key}` },
    "a service account's key": key(serviceKey.key),
    "an owner's key": key(owner.key),
    "an owner's key as bearer token": bearer(owner.key),
    "a member's access token": bearer(await issuer.token("member")),
    "an owner's access token": bearer(await issuer.token("owner")),
    "a stranger's access token": bearer(await issuer.token("stranger")),
    "a wrong bearer token with an owner's key": { ...bearer(wrong), ...key(owner.key) },
  };
}

/** Returns the status, followed by the error code if the request fails. */
async function ask(listener: TestListener, name: OperationName, headers: Readonly<Record<string, string>>) {
  const definition = operation(name);
  assert(isServedOverHttp(definition));
  const { method, path } = definition.http;
  const request = requests[name] ?? {};
  const parameters = Object.entries(request).map(([field, value]): [string, string] => [
    field,
    String(value),
  ]);
  const response = usesQueryString(definition)
    ? await fetch(`${listener.url}${path}?${new URLSearchParams(parameters)}`, { method, headers })
    : await fetch(`${listener.url}${path}`, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(request),
      });
  const text = await response.text();
  if (response.ok) return String(response.status);
  const { statusCode, errorCode, message } = JSON.parse(text);
  assert.equal(statusCode, response.status);
  assert.equal(typeof message, "string");
  // The response does not contain the credentials.
  for (const value of Object.values(headers))
    assert(value === "" || !text.includes(value.split(" ").at(-1) ?? ""));
  if (statusCode === 401) assert.equal(response.headers.get("www-authenticate"), "Bearer");
  return `${statusCode} ${errorCode}`;
}

for (const isLicensed of [true, false]) {
  for (const name of operationNames.filter((each) => isServedOverHttp(operation(each)))) {
    test(`${name} ${isLicensed ? "with" : "without"} a license`, async () => {
      await organization.setLicense(
        isLicensed ? licenseOf({}, undefined, organization.clock.now()) : undefined,
      );
      const succeeded = /^(?:removeUser|revokeSession)$/.test(name) ? "404 NOT_FOUND" : "200";
      for (const anonymous of ["on", "off"] as const) {
        for (const each of Object.keys(callers) as CallerName[]) {
          const expected = refusal(name, each, isLicensed, anonymous === "on") ?? succeeded;
          const actual = await ask(listeners[anonymous], name, headers[each]);
          assert.equal(actual, expected, `${each}, anonymous ${anonymous}`);
        }
      }
    });
  }
}
