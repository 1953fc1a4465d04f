/** Rows of the Code Hosts view. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostSource, hostRow } from "#client/hosts/hostRows";
import { childrenOf, type Row } from "#client/workbench/rows";
import type { CodeHostRepository, CodeHostStatus } from "#contract/codeHosts";

const status: CodeHostStatus = {
  name: "work",
  type: "gitea",
  url: "https://git.example.com",
  listedAt: "2026-01-01T00:00:00Z",
  isListing: false,
  problems: Array.from({ length: 22 }, (_, at) => ({ scope: `orgs:o${at}`, message: "403." })),
  rightsProblems: [],
  unconfirmed: 6,
  unconfirmedPaths: [],
  counts: { waiting: 1, mirrored: 10_000, failing: 2, gone: 0, hidden: 3 },
  repositories: [],
};

function text(row: Row): string {
  const { label, description } = row.item();
  return [label, description].filter((part) => part !== undefined && part !== "").join(" · ");
}

test("failing repositories come first, and only loaded ones are shown", async () => {
  const loaded: CodeHostRepository[] = [
    { path: "acme/r1", repository: "git.example.com/acme/r1", state: "mirrored" },
  ];
  const calls: string[] = [];
  const source: HostSource = {
    repositories: async (_host, state) => {
      calls.push(state);
      return loaded;
    },
    loadMore: async (_host, state) => void calls.push(`more ${state}`),
    configure: async () => void calls.push("configure"),
    confirm: async () => void calls.push("confirm"),
    signIn: async () => void calls.push("signIn"),
  };
  const row = hostRow(status, source);
  assert.equal(
    text(row),
    "work · not listed completely · 6 disappeared · 2 failing · 1 to clone · 10,003 repositories",
  );
  assert.equal(row.item().contextValue, "host unconfirmed");
  const rows = await childrenOf(row);
  assert.deepEqual(
    rows.map(text).filter((each) => !each.startsWith("403.")),
    [
      "6 repositories disappeared at once · kept · click to confirm their removal",
      "2 more problems",
      "Failing · 2",
      "No longer included · 3",
      "To clone · 1",
      "Mirrored · 10,000",
    ],
  );
  assert.deepEqual(calls, []);
  const mirrored = rows.at(-1);
  assert.ok(mirrored);
  const inside = await childrenOf(mirrored);
  assert.deepEqual(inside.map(text), ["acme/r1", "Load More · 1 of 10,000"]);
  await inside.at(-1)?.run?.();
  await rows[0]?.run?.();
  await rows[1]?.run?.();
  assert.deepEqual(calls, ["mirrored", "more mirrored", "confirm", "configure"]);
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
});

test("who may read repositories is another problem than a list that is not complete", async () => {
  const problem = { scope: "acme/r1", message: "The host does not say who may read it now." };
  const row = hostRow(
    { ...status, problems: [], unconfirmed: 0, rightsProblems: [problem] },
    {} as HostSource,
  );
  assert.equal(text(row), "work · rights not current · 2 failing · 1 to clone · 10,003 repositories");
  const [first] = await childrenOf(row);
  assert.ok(first);
  assert.equal(text(first), "The host does not say who may read it now. · acme/r1");
  assert.equal(
    first.item().tooltip,
    "acme/r1\nThe host does not say who may read it now.\nClick to open the configuration of work.",
  );
});

test("a host that is being listed, or was not listed yet, says so", () => {
  const counts = { waiting: 0, mirrored: 1, failing: 0, gone: 0, hidden: 0 };
  const { listedAt: _, ...unlisted } = { ...status, problems: [], unconfirmed: 0, counts };
  const description = (host: CodeHostStatus) => hostRow(host, {} as HostSource).item().description;
  assert.equal(description({ ...unlisted, isListing: true }), "listing · 1 repository");
  assert.equal(description(unlisted), "not listed yet");
  assert.equal(description({ ...unlisted, listedAt: status.listedAt }), "1 repository");
});

test("a host that refuses the token kept by VS Code offers to sign in again", async () => {
  const calls: string[] = [];
  const source = { signIn: async ({ name }: CodeHostStatus) => void calls.push(name) } as HostSource;
  const signedIn = { ...status, problems: [], unconfirmed: 0, file: "/data/connections.jsonc" };
  const rowOf = (isNeeded: boolean) => hostRow({ ...signedIn, signIn: { token: "work", isNeeded } }, source);
  const row = rowOf(true);
  assert.match(text(row), /^work · not signed in · /);
  assert.equal(row.item().contextValue, "host signIn added");
  const [first] = await childrenOf(row);
  assert.ok(first);
  assert.equal(text(first), "Sign In Again · nothing was removed");
  await first.run?.();
  assert.deepEqual(calls, ["work"]);
  assert.doesNotMatch(text((await childrenOf(rowOf(false)))[0] as Row), /Sign In/);
});
