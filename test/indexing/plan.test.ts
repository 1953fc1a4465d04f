import assert from "node:assert/strict";
import { test } from "node:test";
import { bytePathFromText, textOf } from "#git/bytePath";
import type { TreeChange, TreeEntry } from "#git/objects/tree";
import { planDelta } from "#indexing/deltaTask";
import { movedRevisions } from "#indexing/indexing";
import {
  type PlannedDocument,
  packDocuments,
  planDocuments,
  sortByRank,
  splitIntoTasks,
  unpackDocuments,
} from "#indexing/plan";
import { assignSlots } from "#indexing/slots";
import type { CommitHash } from "#model/repository";

/** Parses `path=hash path=hash` as a tree; in changes, a `path` alone is removed. */
function entries(text: string): TreeEntry[] {
  return changes(text).flatMap(({ entry }) => entry ?? []);
}

function changes(text: string): TreeChange[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word) => {
      const [name = "", hash] = word.split("=");
      const path = bytePathFromText(name);
      return hash === undefined ? { path } : { path, entry: { path, hash, isSymlink: false } };
    });
}

function printed(documents: readonly PlannedDocument[]): string {
  return documents.map(({ path, hash, slots }) => `${textOf(path)}=${hash}@${slots.join()}`).join(" ");
}

const plans: [string, Record<number, string>, string][] = [
  ["a=1 b=2", {}, "a=1@0 b=2@0"],
  ["a=1 b=2", { 1: "", 2: "" }, "a=1@0,1,2 b=2@0,1,2"],
  ["a=1 b=2", { 1: "a=3" }, "a=1@0 a=3@1 b=2@0,1"],
  ["a=1", { 1: "a=3", 2: "a=3", 3: "a=4" }, "a=1@0 a=3@1,2 a=4@3"],
  ["a=1", { 1: "a", 2: "b=9" }, "a=1@0,2 b=9@2"],
  ["a=1", { 1: "a=1" }, "a=1@0,1"],
  ["", { 1: "a=1", 2: "a=1" }, "a=1@1,2"],
];

for (const [base, others, expected] of plans) {
  test(`${base || "nothing"} with ${JSON.stringify(others)}`, () => {
    const compared = Object.entries(others).map(([slot, text]) => ({
      slot: Number(slot),
      changes: changes(text),
    }));
    assert.equal(printed(planDocuments(entries(base), 0, compared)), expected);
  });
}

test("documents with the same set have the same array, however many refs there are", () => {
  const others = Array.from({ length: 5000 }, (_, at) => ({ slot: at + 1, changes: changes(`own${at}=x`) }));
  const documents = planDocuments(entries("a=1 b=2"), 0, others);
  assert.equal(documents.length, 5002);
  assert.equal(documents[0]?.slots, documents[1]?.slots);
  assert.equal(documents[0]?.slots.length, 5001);
});

test("documents are sorted by category, then depth, then name", () => {
  const documents = planDocuments(entries("z=1 test/a=1 a/b/c=1 b/a=1 a/b=1"), 0, []);
  const sorted = sortByRank(documents, (path) => (path.startsWith("test/") ? 1 : 0));
  assert.equal(sorted.map(({ path }) => path).join(" "), "z a/b b/a a/b/c test/a");
});

test("packed documents are unpacked unchanged", () => {
  const documents = planDocuments(entries("a=1 d\u00e9/\u{1f600}=2"), 0, [
    { slot: 3, changes: changes("a=4") },
  ]);
  assert.equal(printed(unpackDocuments(packDocuments(documents))), printed(documents));
  assert.deepEqual(unpackDocuments(packDocuments([])), []);
  const onDisk = documents.map((document) => ({ ...document, hash: "" }));
  assert.equal(printed(unpackDocuments(packDocuments(onDisk))), printed(onDisk));
});

test("tasks have about the same size", () => {
  const sizes = (count: number) =>
    splitIntoTasks(Array.from({ length: count }), 10)
      .map((task) => task.length)
      .join();
  assert.deepEqual([0, 1, 10, 11, 25].map(sizes), ["", "1", "10", "6,5", "9,9,7"]);
});

function revisions(text: string): { name: string; commit: CommitHash }[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word) => {
      const [name = "", commit = ""] = word.split("=");
      return { name, commit: commit as CommitHash };
    });
}

test("a ref keeps its slot, and no slot is assigned twice", () => {
  const first = assignSlots(undefined, revisions("m=1 a=1"));
  const second = assignSlots(first, revisions("m=2 b=1"));
  const third = assignSlots(second, revisions("a=1 m=2 b=1"));
  const print = ({ revisions: all, nextSlot }: typeof first) =>
    `${all.map(({ name, slot }) => name + slot).join(" ")} | ${nextSlot}`;
  assert.deepEqual([first, second, third].map(print), ["m0 a1 | 2", "m0 b2 | 3", "a3 m0 b2 | 4"]);
});

const moves: [string, string, string][] = [
  ["m=1 a=2", "m=1 a=2", ""],
  ["m=1 a=2", "m=1", ""],
  ["m=1 a=2", "m=3 a=2", "0:1>3"],
  ["m=1 a=2", "m=1 a=2 n=2", "2:2>2 like 1"],
  ["m=1 a=2", "m=1 a=2 n=5", "2:1>5 like 0"],
  ["", "m=1", "no base"],
];

for (const [before, after, expected] of moves) {
  test(`moves from ${before || "nothing"} to ${after}`, () => {
    const old = { ...assignSlots(undefined, revisions(before)), defaultRevision: "m" };
    const moved = movedRevisions(old, { ...assignSlots(old, revisions(after)), defaultRevision: "m" });
    const lines = moved?.map(
      ({ slot, indexedCommit, commit, copiedSlot }) =>
        `${slot}:${indexedCommit}>${commit}${copiedSlot === undefined ? "" : ` like ${copiedSlot}`}`,
    );
    assert.equal(lines?.join(" ") ?? "no base", expected);
  });
}

test("a delta overrides existing documents and adds new ones", () => {
  const older = [
    { segment: 0, document: 4, blob: "1", slots: [0, 1] },
    { segment: 1, document: 2, blob: "2", slots: [2] },
  ];
  const segments = { find: (path: Uint8Array) => (Buffer.from(path).toString() === "a" ? older : []) };
  const at = (path: string, slots: Record<number, string | undefined>) =>
    [
      bytePathFromText(path),
      new Map(Object.entries(slots).map(([slot, hash]) => [Number(slot), hash])),
    ] as const;
  const plan = (
    slots: Record<number, string | undefined>,
    slotCopies: { slot: number; like: number }[] = [],
  ) => {
    const { documents, overrides } = planDelta(new Map([at("a", slots)]), slotCopies, segments);
    const over = overrides.map(({ segment, document, slots: set }) => `${segment}/${document}@${set.join()}`);
    return [printed(documents), ...over].filter(Boolean).join(" ");
  };
  assert.equal(plan({ 0: "2" }), "0/4@1 1/2@0,2");
  assert.equal(plan({ 0: "3" }), "a=3@0 0/4@1");
  assert.equal(plan({ 0: undefined, 1: undefined }), "0/4@");
  assert.equal(plan({ 5: "3" }, [{ slot: 5, like: 0 }]), "a=3@5 0/4@0,1");
  assert.equal(plan({ 5: "1" }, [{ slot: 5, like: 2 }]), "0/4@0,1,5 1/2@2");
  assert.equal(plan({ 0: "1" }), "");
});
