/** Which repositories rules and keys grant, and what limited keys may do. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isServiceError } from "#base/error";
import type { RepositoryRules } from "#contract/access";
import type { Call, Caller } from "#contract/service";
import { licenseOf, local, type TestOrganization, testOrganization } from "#test/support/organization";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const view = viewOf([
  repository(1, "github.com/acme/docs"),
  repository(2, "github.com/acme/secret-keys", { dependencies: [5, 6] as never }),
  repository(3, "github.com/acme/shop", { dependencies: [6] as never }),
  repository(4, "Notes"),
  repository(5, "npm/hidden@1.0.0", { kind: "package" }),
  repository(6, "npm/shared@1.0.0", { kind: "package" }),
]);
const everything = view.all().map(({ name }) => name);

let organization: TestOrganization;
let caller: Caller;
let listener: TestListener;
before(async () => {
  organization = testOrganization();
  caller = callerOf({ repositories: view }, { organization });
  listener = await openListener(caller, { anonymous: "on" });
  await organization.setLicense(licenseOf());
});
after(() => listener.close());

interface Identity {
  readonly credentials: Call["credentials"];
  readonly repositoryRules?: RepositoryRules;
}

async function seenBy(by: Identity, dependencies: "no" | "only" = "no"): Promise<readonly string[]> {
  const { items, total } = await caller("repos", { dependencies }, { ...local, ...by });
  assert.equal(items.length, total);
  return items.map(({ repoName }) => repoName);
}

const apiKey = (token: string) => ({ kind: "apiKey", token }) as const;
const none = { kind: "none" } as const;

async function newKey(request: object): Promise<string> {
  const name = `key ${Math.random()}`;
  return (await caller("createKey", { name, ...request }, local)).key;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "OK";
  } catch (error) {
    if (isServiceError(error)) return error.code;
    throw error;
  }
}

const acme = ["github.com/acme/docs", "github.com/acme/shop"];
const rules: RepositoryRules = [
  { names: ["github.com/ACME/*"], except: ["**/secret-*"], roles: ["member"] },
  { names: ["**/Secret-*"], members: ["ann@EXAMPLE.com"], groups: ["security"] },
  { names: ["*/*/docs"], anonymous: true },
];

test("rules grant by role, address and to everyone; owners and the local user see everything", async () => {
  const ann = await organization.member("Ann@example.com");
  const bob = await organization.member("bob@example.com");
  const owner = await organization.member("owner@example.com", "OWNER");
  const seen = (credentials: Call["credentials"]) => seenBy({ credentials, repositoryRules: rules });
  assert.deepEqual(await seen(none), ["github.com/acme/docs"]);
  assert.deepEqual(await seen(apiKey(bob.key)), acme);
  assert.deepEqual(await seen(apiKey(ann.key)), [
    "github.com/acme/docs",
    "github.com/acme/secret-keys",
    "github.com/acme/shop",
  ]);
  assert.deepEqual(await seen(apiKey(owner.key)), everything);
  assert.deepEqual(await seen(local.credentials), everything);
  assert.deepEqual(await seenBy({ credentials: apiKey(bob.key) }), everything, "without rules");
  const packages = (credentials: Call["credentials"]) =>
    seenBy({ credentials, repositoryRules: rules }, "only");
  assert.deepEqual(await packages(none), []);
  assert.deepEqual(await packages(apiKey(bob.key)), ["npm/shared@1.0.0"]);
  assert.deepEqual(await packages(apiKey(ann.key)), ["npm/hidden@1.0.0", "npm/shared@1.0.0"]);
});

test("a promotion, a demotion and a change of rules take effect on the next request", async () => {
  const { id, key } = await organization.member("dan@example.com");
  const seen = (repositoryRules: RepositoryRules) => seenBy({ credentials: apiKey(key), repositoryRules });
  assert.deepEqual(await seen([{ names: ["Notes"], roles: ["member"] }]), ["Notes"]);
  assert.deepEqual(await seen([{ names: ["Notes"], roles: ["owner"] }]), []);
  await caller("changeRole", { userId: id, role: "OWNER" }, local);
  assert.deepEqual(await seen(rules), everything);
  await caller("changeRole", { userId: id, role: "MEMBER" }, local);
  assert.deepEqual(await seen(rules), acme);
});

test("a key for some repositories sees no more than its member, and acts as a member", async () => {
  const { id, key } = await organization.member("eve@example.com");
  const limited = await newKey({ userId: id, repositories: ["**/s*"] });
  assert.deepEqual(await seenBy({ credentials: apiKey(limited) }), [
    "github.com/acme/secret-keys",
    "github.com/acme/shop",
  ]);
  const credentials = apiKey(limited);
  assert.deepEqual(await seenBy({ credentials, repositoryRules: rules }), ["github.com/acme/shop"]);
  const call = { ...local, credentials };
  assert.equal(await codeOf(caller("createKey", { name: "more" }, call)), "INSUFFICIENT_PERMISSIONS");
  assert.equal(
    await codeOf(caller("createKey", { name: "more" }, { ...local, credentials: apiKey(key) })),
    "OK",
  );
  const owned = apiKey(await newKey({ repositories: ["Notes"] }));
  assert.deepEqual(await seenBy({ credentials: owned }), ["Notes"]);
  for (const name of ["users", "audit", "clones"] as const)
    assert.equal(
      await codeOf(caller(name, {}, { ...local, credentials: owned })),
      "INSUFFICIENT_PERMISSIONS",
    );
  assert.equal(
    await codeOf(caller("metrics", {}, { ...local, credentials: owned })),
    "INSUFFICIENT_PERMISSIONS",
  );
});

test("a browser session has the bounds of its key", async () => {
  const token = await newKey({ repositories: ["Notes"], isReadOnly: true });
  const signedIn = await caller("signIn", {}, { ...local, credentials: apiKey(token) });
  const session = { kind: "session", token: signedIn.token } as const;
  assert.deepEqual(await seenBy({ credentials: session }), ["Notes"]);
  assert.equal(await codeOf(caller("signOut", {}, { ...local, credentials: session })), "OK");
});

test("a read-only key of an owner reads everything and changes nothing", async () => {
  const key = await newKey({ isReadOnly: true });
  const status = async (path: string, method = "GET") =>
    (await fetch(`${listener.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } })).status;
  assert.deepEqual(await seenBy({ credentials: apiKey(key), repositoryRules: rules }), everything);
  assert.deepEqual(
    [
      await status("/api/ee/users"),
      await status("/metrics"),
      await status("/api/ee/user?userId=x", "DELETE"),
    ],
    [200, 200, 403],
  );
});

test("a hidden repository gets the same response as one that does not exist", async () => {
  const { key } = await organization.member("finn@example.com");
  const call = { ...local, credentials: apiKey(key), repositoryRules: rules };
  const messageOf = async (repo: string) => {
    const error: unknown = await caller("source", { repo, path: "a" }, call).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(isServiceError(error, "NOT_FOUND"));
    return error.message.replace(repo, "NAME");
  };
  assert.equal(await messageOf("github.com/acme/secret-keys"), await messageOf("github.com/acme/no-such"));
});

test("the rules of the listener apply to its pages and to calls that it forwards", async () => {
  const guarded = await openListener(caller, { anonymous: "on", repositoryRules: rules });
  try {
    const page = await (await fetch(`${guarded.url}/repositories`)).text();
    assert.ok(page.includes("github.com/acme/docs") && !page.includes("secret") && !page.includes("shop"));
    const found = await (await fetch(`${guarded.url}/api/repos`)).json();
    assert.equal(Array.isArray(found) && found.length, 1);
  } finally {
    await guarded.close();
  }
});
