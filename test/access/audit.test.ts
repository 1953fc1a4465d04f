/** Which requests are recorded, with which fields. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { operation, operationNames } from "#contract/operations";
import type { AuditRecord } from "#contract/organization";
import type { Caller } from "#contract/service";
import { licenseOf, local, type TestOrganization, testOrganization } from "#test/support/organization";
import { repo } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const past = repo(`
  = main: One
  dir/a.txt
  | very secret content
`);

let organization: TestOrganization;
let caller: Caller;
let listener: TestListener;
let owner: { id: string; key: string };
let keyId: string;
let adaId: string;

before(async () => {
  organization = testOrganization();
  caller = callerOf(
    { repositories: viewOf([repository(1, "host/r", { path: past.path, revisions: [] })]) },
    { organization },
  );
  listener = await openListener(caller);
  await organization.setLicense(licenseOf());
  owner = await organization.member("bob@example.com", "OWNER");
  const { apiKeys, members } = await organization.organization.store();
  keyId = (await apiKeys.ofMember(owner.id as never))[0]?.id ?? "";
  adaId = (await members.byEmail("ada@example.com"))?.id ?? "";
});
after(() => listener.close());

async function ask(path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) {
  const headers = { "x-service-api-key": owner.key, ...more };
  const response =
    body === undefined
      ? await fetch(`${listener.url}${path}`, { headers })
      : await fetch(`${listener.url}${path}`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify(body),
        });
  return { response, content: (await response.json()) as Readonly<Record<string, string>> };
}

/** Returns the records, newest first. */
async function records(query = ""): Promise<readonly AuditRecord[]> {
  const { content } = await ask(`/api/ee/audit?perPage=100${query}`);
  return content as unknown as readonly AuditRecord[];
}

/** Returns what is in `now` but not in `before`, oldest first, without random fields and without `audit.fetch`. */
function since(before: readonly AuditRecord[], now: readonly AuditRecord[]) {
  const known = new Set(before.map(({ id }) => id));
  return now
    .filter(({ id, action }) => !known.has(id) && action !== "audit.fetch")
    .map(({ action, actorType, targetType, targetId, metadata }) => ({
      action,
      actorType,
      target: `${targetType} ${targetId}`,
      metadata,
    }))
    .reverse();
}

const path = "/api/source?repo=host/r&path=/dir/a.txt";

test("each request that reads code is recorded once, without queries or content", async () => {
  const earlier = await records();
  await ask("/api/search", { query: "hushhush" });
  // The response is not JSON.
  await ask("/api/stream_search", { query: "hushhush" }).catch(() => undefined);
  await ask("/api/repos");
  await ask("/api/tree", { repoName: "host/r" });
  await ask(path, undefined, { "x-service-client-source": "b".repeat(200) });
  await ask("/api/blame?repo=host/r&path=dir/a.txt");
  await ask("/api/source?repo=host/none&path=a");
  for (const each of ["commits?repo=host/r", "commits/authors?repo=host/r", "commit?repo=host/r&ref=HEAD"]) {
    await ask(`/api/${each}`);
  }
  await ask("/api/diff?repo=host/r&base=HEAD&head=HEAD");
  await ask("/api/version");
  await ask("/api/search", { query: "hushhush", matches: 0 });
  await ask("/api/ee/users");
  const metadata = { userId: owner.id };
  const actorType = "api_key";
  const now = await records();
  assert.deepEqual(since(earlier, now), [
    { action: "user.performed_code_search", actorType, target: "org 1", metadata },
    { action: "user.performed_code_search", actorType, target: "org 1", metadata },
    { action: "user.listed_repos", actorType, target: "org 1", metadata },
    { action: "user.fetched_file_tree", actorType, target: "repository host/r", metadata },
    {
      action: "user.fetched_file_source",
      actorType,
      target: "file host/r/-/dir/a.txt",
      metadata: { source: `${"b".repeat(99)}…`, ...metadata },
    },
    { action: "user.fetched_file_blame", actorType, target: "file host/r/-/dir/a.txt", metadata },
    { action: "user.fetched_file_source", actorType, target: "file host/none/-/a", metadata },
    { action: "user.list", actorType, target: "org 1", metadata },
  ]);
  assert(now.every(({ actorId }) => actorId === keyId));
  const text = JSON.stringify(now);
  for (const secret of ["hushhush", "very secret", owner.key]) assert(!text.includes(secret), secret);
});

test("a record has exactly the specified fields", async () => {
  await ask(path);
  const [record] = await records();
  assert.deepEqual(Object.keys(record ?? {}).sort(), [
    "action",
    "actorId",
    "actorType",
    "id",
    "metadata",
    "orgId",
    "serviceVersion",
    "targetId",
    "targetType",
    "timestamp",
  ]);
  assert.equal(record?.serviceVersion, "1.2.3");
  assert.equal(record?.orgId, 1);
  assert.match(record?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test("a fetch of the log appears in the next response, not in its own", async () => {
  const first = await records();
  const second = await records();
  assert.equal(second.length, first.length + 1);
  assert.equal(second[0]?.action, "audit.fetch");
  assert.deepEqual(second.slice(1), first);
});

test("the log has pages with link headers, and a time range includes both ends", async () => {
  const all = await records();
  const { response, content } = await ask("/api/ee/audit?page=2&perPage=3");
  assert.deepEqual(content, (await records()).slice(4, 7));
  assert.equal(response.headers.get("x-total-count"), String(all.length + 1));
  assert.match(response.headers.get("link") ?? "", /page=1&perPage=3>; rel="prev"/);
  const [one] = all.slice(3);
  const at = one?.timestamp ?? "";
  const shifted = new Date(Date.parse(at) + 5.5 * 60 * 60 * 1000).toISOString().replace("Z", "+05:30");
  const range = `&since=${encodeURIComponent(shifted)}&until=${encodeURIComponent(at)}`;
  const found = await records(range);
  assert(found.some(({ id }) => id === one?.id));
  assert(found.every(({ timestamp }) => timestamp === at));
  assert.equal((await ask("/api/ee/audit?page=1000")).response.status, 200);
});

for (const wrong of [
  "since=yesterday",
  "since=2026-01-01",
  "since=2026-01-01T00:00:00",
  "until=2026-13-01T00:00:00Z",
  "since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z",
  "page=0",
  "page=x",
  "perPage=101",
  "page=1&page=2",
]) {
  test(`${wrong} is refused`, async () => {
    const { response, content } = await ask(`/api/ee/audit?${wrong}`);
    assert.equal(`${response.status} ${content["errorCode"]}`, "400 INVALID_QUERY_PARAMS");
    // The message names the wrong parameter.
    assert.match(content["message"] ?? "", new RegExp(`"${wrong.split("=", 1)[0]}"`));
  });
}

test("a local user's changes to the organization are recorded, and their reads are not", async () => {
  const earlier = await records();
  await caller("search", { query: "found" }, local);
  const member = await caller("addMember", { email: "eve@example.com" }, local);
  await caller("changeRole", { userId: member.id, role: "OWNER" }, local);
  await caller("changeRole", { userId: member.id, role: "OWNER" }, local);
  await caller("changeRole", { userId: member.id, role: "MEMBER" }, local);
  const key = await caller("createKey", { name: "laptop", userId: member.id }, local);
  await assert.rejects(caller("createKey", { name: "laptop", userId: member.id }, local));
  await caller("revokeKey", { keyId: key.id }, local);
  await assert.rejects(caller("revokeKey", { keyId: key.id }, local));
  await caller("removeMember", { userId: member.id }, local);
  const actorType = "user";
  const target = `user ${member.id}`;
  const metadata = null;
  const now = await records();
  assert.deepEqual(since(earlier, now), [
    { action: "org.member_added", actorType, target, metadata },
    { action: "org.member_promoted_to_owner", actorType, target, metadata },
    { action: "org.owner_demoted_to_member", actorType, target, metadata },
    { action: "api_key.created", actorType, target: `api_key ${key.id}`, metadata },
    {
      action: "api_key.creation_failed",
      actorType,
      target: "org 1",
      metadata: { message: '"name": a key named "laptop" already exists.', api_key: "laptop" },
    },
    { action: "api_key.deleted", actorType, target: `api_key ${key.id}`, metadata: { api_key: "laptop" } },
    {
      action: "api_key.deletion_failed",
      actorType,
      target: "org 1",
      metadata: { message: `There is no API key ${key.id}.`, api_key: key.id },
    },
    { action: "user.delete", actorType, target, metadata },
  ]);
  assert(now.slice(0, 8).every(({ actorId }) => actorId === adaId));
  assert(!JSON.stringify(now).includes(key.key));
});

test("anonymous requests and refused requests are not recorded", async () => {
  const earlier = await records();
  await fetch(`${listener.url}/api/repos`);
  await fetch(`${listener.url}/api/repos`, { headers: { "x-service-api-key": "trwl_wrong" } });
  await fetch(`${listener.url}/api/ee/users`);
  assert.deepEqual(since(earlier, await records()), []);
});

/** Operations that read but are not recorded. */
const unrecorded = [
  "readQuery",
  "completeQuery",
  "skippedRepos",
  "unparsedRepos",
  "codeHosts",
  "codeHostRepositories",
  "planCodeHost",
  "sessions",
  "branches",
  "diff",
  "commit",
  "commits",
  "authors",
];

test("every endpoint either is recorded or is listed as unrecorded", () => {
  const silent = operationNames.filter((name) => {
    const { http, access, audit } = operation(name);
    return http !== undefined && access !== "open" && audit === undefined;
  });
  // The last two write their own records.
  assert.deepEqual(silent.sort(), [...unrecorded, "removeUser", "revokeSession"].sort());
});
