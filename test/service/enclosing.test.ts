/** Each line that calls `hit` ends with the name of the definition around it, which every request must report. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CallHierarchy } from "#contract/calls";
import type { CountResult } from "#contract/count";
import type { SymbolResult } from "#contract/symbols";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const source = `
export function hit(size: number): number {
  return size;
}
hit(1); //
export const value = [
  hit(1), // value
];
export function outer(): void {
  const local = hit(1); // outer
  function inner(): void {
    hit(1); // inner
  }
  const arrow = () => {
    hit(1); // arrow
  };
  class Nested {
    field = [
      hit(1), // Nested
    ];
    run(): void {
      hit(1); // run
    }
  }
  [1].map(() => hit(1)); // outer
}
export class Box {
  size = [
    hit(1), // size
  ];
  open(): void {
    const draw = function () {
      hit(1); // draw
    };
  }
}
export namespace Tools {
  hit(1); // Tools
}
`.trim();

const expected = source.split("\n").flatMap((line, at) => {
  const name = /hit\(1\).* \/\/ ?(\w*)$/.exec(line)?.[1];
  return name === undefined ? [] : [`${at + 1} ${name}`];
});

let served: Served;

before(async () => {
  const folder = temporaryFolder();
  const lines = source.split("\n").map((line) => `| ${line}`.trimEnd());
  const { path } = repo(`= main: First\nhits.ts\n${lines.join("\n")}\n`, { path: `${folder}/hits` });
  served = await serve(temporaryFolder(), [path]);
  await served.ready();
  await eventually(async () => (await served.repositories()).every(({ symbolsReady }) => symbolsReady));
});

after(async () => {
  await served?.stop();
});

async function request<Result>(operation: string, body: object): Promise<Result> {
  const response = await fetch(`${served.url}/api/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200);
  return (await response.json()) as Result;
}

test("a search reports it with each chunk", async () => {
  const { files } = await served.search({ query: "hit(1)", matches: 100, enclosing: true });
  const found = files.flatMap(({ chunks }) =>
    chunks.map(({ contentStart, enclosing }) => `${contentStart.lineNumber} ${enclosing?.symbol ?? ""}`),
  );
  assert.deepEqual(found, expected);
});

test("matches are counted for it", async () => {
  const { groups } = await request<CountResult>("count", { query: "hit(1)", groupBy: "symbol" });
  const counts = new Map<string, number>();
  for (const line of expected) {
    const [, name = ""] = line.split(" ");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  assert.deepEqual(new Map(groups.map(({ symbol, matchCount }) => [symbol, matchCount])), counts);
});

test("it contains references and makes calls", async () => {
  const references = await request<SymbolResult>("find_references", { symbolName: "hit" });
  const found = references.files.flatMap(({ matches }) =>
    matches.map(({ range, parent }) => `${range.start.lineNumber} ${parent?.symbol ?? ""}`),
  );
  assert.deepEqual(found, expected);

  const { calls, definitions } = await request<CallHierarchy>("call_hierarchy", { symbolName: "hit" });
  const callers = calls.flatMap(({ caller, sites }) => {
    const { symbol = "", kind = "" } = definitions[caller] ?? {};
    return sites.map(({ range }) => `${range.start.lineNumber} ${kind === "file" ? "" : symbol}`);
  });
  assert.deepEqual(callers.sort(byLine), expected);
});

function byLine(left: string, right: string): number {
  return Number.parseInt(left, 10) - Number.parseInt(right, 10);
}
