/**
 * Compares calls with labeled projects in ten languages, and with calls that are easily confused. A comment `@calls Type.name file` (or `@calls name file`) at the end of
 * a line names the definition that the call in it refers to; `@calls nothing` that it refers to none of the project's.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CallHierarchy } from "#contract/calls";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { type CallProject, callProjects } from "./callProjects";
import { confusingProjects } from "./confusingCalls";

let served: Served;

before(async () => {
  const folder = temporaryFolder();
  const paths = [...callProjects, ...confusingProjects].map(({ language, files }, at) => {
    const text = Object.entries(files)
      .map(([path, content]) => {
        const lines = content.trim().split("\n");
        return [path, ...lines.map((line) => `| ${line}`.trimEnd())].join("\n");
      })
      .join("\n");
    return repo(`= main: First\n${text}\n`, {
      path: `${folder}/${at < callProjects.length ? nameOf(language) : confusingName(language)}`,
    }).path;
  });
  served = await serve(temporaryFolder(), paths);
  await served.ready();
  await eventually(async () => (await served.repositories()).every(({ symbolsReady }) => symbolsReady));
});

after(async () => {
  await served?.stop();
});

function nameOf(language: string): string {
  return language.replace("#", "sharp").replaceAll("+", "p").toLowerCase();
}

function confusingName(language: string): string {
  return `confusing-${nameOf(language)}`;
}

interface Label {
  readonly path: string;
  readonly line: number;
  /** `Type.name file` or `nothing`. */
  readonly callee: string;
}

function labelsOf(files: Readonly<Record<string, string>>): Label[] {
  return Object.entries(files).flatMap(([path, content]) =>
    content
      .trim()
      .split("\n")
      .flatMap((text, index) => {
        const callees = /@calls (.*)$/.exec(text)?.[1]?.split(", ") ?? [];
        return callees.map((callee) => ({ path, line: index + 1, callee: callee.trim() }));
      }),
  );
}

async function callersOf(symbolName: string, repoName: string): Promise<CallHierarchy> {
  const response = await fetch(`${served.url}/api/call_hierarchy`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ symbolName, repoName }),
  });
  assert.equal(response.status, 200);
  return (await response.json()) as CallHierarchy;
}

interface Comparison {
  readonly wanted: ReadonlySet<string>;
  readonly missing: readonly string[];
  readonly excess: readonly string[];
}

/** Compares the confident calls of all labeled names with the labels. */
async function compare({ files }: CallProject, repoName: string): Promise<Comparison> {
  const labels = labelsOf(files);
  const names = new Set(
    labels.flatMap(({ callee }) =>
      callee === "nothing" ? [] : (callee.split(" ")[0]?.split(".").at(-1) ?? []),
    ),
  );
  const found = new Set<string>();
  for (const name of names) {
    const { definitions, calls } = await callersOf(name, repoName);
    for (const { caller, callee, certainty, sites } of calls) {
      if (certainty !== "exact" && certainty !== "repository") continue;
      const target = definitions[callee];
      const path = definitions[caller]?.fileName;
      if (target === undefined) continue;
      // A constructor counts as its type.
      const isMember =
        target.parent.symbol !== "" &&
        target.parent.symbol !== target.symbol &&
        target.parent.kind !== "module" &&
        target.parent.kind !== "namespace";
      const qualified = isMember ? `${target.parent.symbol}.${target.symbol}` : target.symbol;
      for (const { range } of sites)
        found.add(`${path}:${range.start.lineNumber} ${qualified} ${target.fileName}`);
    }
  }
  const wanted = new Set(
    labels
      .filter(({ callee }) => callee !== "nothing")
      .map(({ path, line, callee }) => `${path}:${line} ${callee}`),
  );
  const missing = [...wanted].filter((each) => !found.has(each));
  // A header declares what a source file defines; both are right.
  const excess = [...found].filter(
    (each) =>
      !wanted.has(each) &&
      !wanted.has(each.replace(/\.h$/, ".c")) &&
      !wanted.has(each.replace(/\.h$/, ".cpp")),
  );
  return { wanted, missing, excess };
}

test("confident calls are right, and most calls are found", async (context) => {
  let right = 0;
  let wrong = 0;
  let expected = 0;
  for (const project of callProjects) {
    const { wanted, missing, excess } = await compare(project, nameOf(project.language));
    right += wanted.size - missing.length;
    wrong += excess.length;
    expected += wanted.size;
    context.diagnostic(
      `${project.language}: ${wanted.size - missing.length} of ${wanted.size} found, ${excess.length} wrong` +
        [...missing.map((each) => `\n  missing ${each}`), ...excess.map((each) => `\n  wrong ${each}`)].join(
          "",
        ),
    );
  }
  const precision = right / (right + wrong);
  const recall = right / expected;
  context.diagnostic(`precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} of ${expected} calls`);
  assert.ok(precision >= 0.95, `precision ${precision}`);
  assert.ok(recall >= 0.9, `recall ${recall}`);
});

for (const project of confusingProjects) {
  test(`calls in ${project.language} that only look like those of a definition are not confident`, async () => {
    const { missing, excess } = await compare(project, confusingName(project.language));
    assert.deepEqual({ missing, excess }, { missing: [], excess: [] });
  });
}
