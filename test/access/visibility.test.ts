/** What callers see who may see some repositories only: every operation responds as if the others did not exist. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as fc from "fast-check";
import { isServiceError } from "#base/error";
import { type OperationName, operation, operationNames } from "#contract/operations";
import { compare, type RightsCase, type RightsRequests, rightsRequests } from "#test/support/rightsFuzz";
import { type RightsWorld, type Side, startRightsWorld } from "#test/support/rightsWorld";

/**
 * How an operation treats callers who see some repositories only.
 *
 * `sees`: like a server without the others. `owners`: only owners may call it, who see everything, and never with a key for
 * some repositories. `own`: it concerns only the caller. `open`: it shows no repositories. `all`: it refuses them.
 */
const rows: Readonly<Record<OperationName, "sees" | "owners" | "own" | "open" | "all">> = {
  search: "sees",
  streamSearch: "sees",
  count: "sees",
  readQuery: "sees",
  completeQuery: "sees",
  findDefinitions: "sees",
  findReferences: "sees",
  streamReferences: "sees",
  callHierarchy: "sees",
  findSymbols: "sees",
  outline: "sees",
  symbolAt: "sees",
  describeSymbol: "sees",
  repos: "sees",
  skippedRepos: "sees",
  unparsedRepos: "sees",
  branches: "sees",
  tree: "sees",
  source: "sees",
  diff: "sees",
  commit: "sees",
  commits: "sees",
  authors: "sees",
  blame: "sees",
  health: "open",
  version: "open",
  metrics: "all",
  users: "owners",
  removeUser: "owners",
  audit: "owners",
  members: "owners",
  addMember: "owners",
  addService: "owners",
  setSuspended: "owners",
  removeMember: "owners",
  changeRole: "owners",
  keys: "own",
  createKey: "own",
  revokeKey: "own",
  beginLogin: "open",
  completeLogin: "open",
  allowEditor: "own",
  connectEditor: "open",
  currentMember: "own",
  sessions: "own",
  revokeSession: "own",
  signIn: "own",
  signOut: "own",
  license: "owners",
  installLicense: "owners",
  resetClock: "owners",
  backup: "owners",
  restore: "owners",
  addPaths: "owners",
  removePaths: "owners",
  indexing: "owners",
  removeRepositories: "owners",
  reindex: "owners",
  codeHosts: "owners",
  codeHostRepositories: "owners",
  planCodeHost: "owners",
  syncCodeHost: "owners",
  confirmCodeHost: "owners",
  checkCodeHost: "owners",
  addCodeHost: "owners",
  removeCodeHost: "owners",
  holdCodeHostTokens: "owners",
  reloadCodeHosts: "owners",
  receiveWebhook: "open",
  pauseIndexing: "owners",
  clones: "owners",
  siblings: "owners",
  examples: "owners",
  locate: "owners",
  instance: "owners",
  startEndpoint: "owners",
  stopEndpoint: "owners",
};

const accessOf = { sees: "anonymous", owners: "owner", own: "member", open: "open", all: "anonymous" };

/** Requests of each operation for each viewer, and of each other kind. */
const samples = 6;
const seed = 20_261_126;

let world: RightsWorld;
let requests: RightsRequests;
before(async () => {
  world = await startRightsWorld();
  requests = rightsRequests(world);
});
after(() => world.close());

for (const name of operationNames) {
  const row = rows[name];
  test(`${name}: ${row}`, async () => {
    assert.equal(operation(name).access, accessOf[row], "the row fits the access of the operation");
    if (row === "sees") {
      const arbitrary = requests.byOperation.get(name);
      assert.ok(arbitrary, "there are requests for the operation");
      await checkSamples(arbitrary);
    }
    if (row === "owners") {
      for (const side of [...world.viewers.map(({ limited }) => limited), world.boundedOwner])
        assert.match(await codeOf(side, name), /INSUFFICIENT_PERMISSIONS|LICENSE_REQUIRED/);
    }
    if (row === "all") {
      for (const { limited } of world.viewers)
        assert.equal(await codeOf(limited, name), "INSUFFICIENT_PERMISSIONS");
    }
  });
}

test("pages, tools for agents and resources show nothing that is hidden", async () => {
  for (const arbitrary of requests.others) await checkSamples(arbitrary);
});

test("an owner's key for some repositories sees no others, and manages nothing", async () => {
  const { caller, call } = world.boundedOwner;
  const { items } = await caller("repos", { dependencies: "yes" }, call);
  assert.deepEqual(
    items.map(({ repoName }) => repoName),
    ["github.com/acme/shop", "npm/money@1.0.0"],
  );
  assert.equal(await codeOf(world.boundedOwner, "createKey", { name: "more" }), "INSUFFICIENT_PERMISSIONS");
  assert.deepEqual(
    (await caller("keys", {}, call)).map(({ repositories }) => repositories),
    [["github.com/acme/shop"]],
    "it lists the keys of its member, not all",
  );
});

async function checkSamples(arbitrary: fc.Arbitrary<RightsCase>): Promise<void> {
  for (const sample of fc.sample(arbitrary, { numRuns: samples, seed })) {
    for (const viewer of world.viewers) assert.equal((await compare(viewer, sample)).leak, undefined);
  }
}

async function codeOf({ caller, call }: Side, name: OperationName, request: object = {}): Promise<string> {
  try {
    await caller(name, request, call);
    return "OK";
  } catch (error) {
    if (isServiceError(error)) return error.code;
    throw error;
  }
}
