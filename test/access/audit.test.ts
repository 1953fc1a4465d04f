/** What is recorded of whom, and that nothing else is. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { operation, operationNames } from "#contract/operations";
import type { AuditRecord } from "#contract/organisation";
import type { Caller } from "#contract/service";
import { licenseOf, local, type TestOrganisation, testOrganisation } from "#test/support/organisation";
import { repo } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const past = repo(`
  = main: One
  dir/a.txt
  | very secret content
`);

let organisation: TestOrganisation;
let caller: Caller;
let listener: TestListener;
let owner: { id: string; key: string };
let keyId: string;
let adaId: string;

before(async () => {
  organisation = testOrganisation();
  caller = callerOf(
    { repositories: viewOf([repository(1, "host/r", { path: past.path, revisions: [] })]) },
    { organisation },
  );
  listener = await openListener(caller);
  await organisation.setLicense(licenseOf());
  owner = await organisation.member("bob@example.com", "OWNER");
  const { apiKeys, members } = await organisation.organisation.store();
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
  return { response, answer: (await response.json()) as Readonly<Record<string, string>> };
}

/** Newest first. */
async function records(query = ""): Promise<readonly AuditRecord[]> {
  const { answer } = await ask(`/api/ee/audit?perPage=100${query}`);
  return answer as unknown as readonly AuditRecord[];
}

/** What came since `before`, oldest first, without what a test cannot foresee; the question itself is left out. */
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

test("each reading of code is recorded once, without what was looked for or found", async () => {
  const earlier = await records();
  await ask("/api/search", { query: "hushhush" });
  // Its answer is no JSON.
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

test("a record as the specification has it", async () => {
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

test("the fetch of the log is in the next one, not in its own", async () => {
  const first = await records();
  const second = await records();
  assert.equal(second.length, first.length + 1);
  assert.equal(second[0]?.action, "audit.fetch");
  assert.deepEqual(second.slice(1), first);
});

test("pages, their headers, and a range of time that includes its ends", async () => {
  const all = await records();
  const { response, answer } = await ask("/api/ee/audit?page=2&perPage=3");
  assert.deepEqual(answer, (await records()).slice(4, 7));
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
    const { response, answer } = await ask(`/api/ee/audit?${wrong}`);
    assert.equal(`${response.status} ${answer["errorCode"]}`, "400 INVALID_QUERY_PARAMS");
    // It names what is wrong.
    assert.match(answer["message"] ?? "", new RegExp(`"${wrong.split("=", 1)[0]}"`));
  });
}

test("what the person at this computer does to the organisation is recorded, and what they read is not", async () => {
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
      metadata: { message: '"name": there is a key "laptop" already.', api_key: "laptop" },
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

test("anonymous calls and refused ones leave nothing", async () => {
  const earlier = await records();
  await fetch(`${listener.url}/api/repos`);
  await fetch(`${listener.url}/api/repos`, { headers: { "x-service-api-key": "trwl_wrong" } });
  await fetch(`${listener.url}/api/ee/users`);
  assert.deepEqual(since(earlier, await records()), []);
});

/** What can be read and is not recorded, because a commit is no code: `commits`, `commit`, `authors`, `diff`. */
const unrecorded = [
  "readQuery",
  "completeQuery",
  "skippedRepos",
  "unparsedRepos",
  "branches",
  "diff",
  "commit",
  "commits",
  "authors",
];

test("a new endpoint is recorded, or somebody has decided that it is not", () => {
  const silent = operationNames.filter((name) => {
    const { http, access, audit } = operation(name);
    return http !== undefined && access !== "open" && audit === undefined;
  });
  // It records what it has done.
  assert.deepEqual(silent.sort(), [...unrecorded, "removeUser"].sort());
});
