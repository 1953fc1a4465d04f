/**
 * Compares the callers of definitions with those that the language server of the compiler finds, line by line: of this
 * project's own TypeScript, or of a Go module by gopls. A call that may run the definition, because it is an
 * implementation of what is called, is neither right nor wrong: TypeScript lists it only for what the type declares, and
 * gopls for all implementations.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { escapeRegexp } from "#base/escapeRegexp";
import type { CallHierarchy } from "#contract/calls";
import type { RepositoryItem } from "#contract/repositories";
import type { ResponseOf } from "#contract/service";
import { Random } from "#test/support/corpus";
import { eventually } from "#test/support/eventually";
import { projectRoot } from "#test/support/house";
import { type CodeLocation, LanguageServer, type LanguageServerOptions } from "./languageServer";
import { Product } from "./product";
import { heading, median, ms, printTable, quantile } from "./report";

export interface CallsOptions {
  readonly seed: number;
  readonly shownMisses: number;
}

/** The files of a project that its compiler reads. */
interface Project extends LanguageServerOptions {
  readonly title: string;
  readonly paths: ReadonlySet<string>;
}

interface Definition extends CodeLocation {
  readonly name: string;
  readonly kind: string;
  readonly parentKind: string;
}

interface Miss {
  /** The kinds of the definition and of the call. */
  readonly group: string;
  readonly text: string;
}

const sampleSize = 250;
const readyMs = 180_000;
/** A cold or busy server may reach its time limit. */
const maxAttempts = 5;
const accessor = /^\s*(?:static )?[gs]et [\w#]+\(/;
const sampledKinds: ReadonlySet<string> = new Set(["function", "method", "class"]);

/** `goModule` is the root of a git repository with a Go module, instead of this project. */
export async function benchCalls(
  scratch: string,
  goModule: string | undefined,
  options: CallsOptions,
): Promise<void> {
  const project = goModule === undefined ? ownProject() : goProject(goModule);
  await compare(join(scratch, "calls"), project, options);
}

/** Only the code of the server, because that is what its project contains. */
function ownProject(): Project {
  const root = projectRoot();
  const manifest = createRequire(join(root, "package.json")).resolve("typescript/package.json");
  const args = ["ls-files", "-z", "--", "server/src/"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0");
  const isCompiled = (path: string) => path.endsWith(".ts") && !path.includes("/assembly/");
  return {
    title: "TypeScript",
    root,
    command: process.execPath,
    args: [join(dirname(manifest), "bin/tsc"), "--lsp", "--stdio"],
    languageId: "typescript",
    paths: new Set(listed.filter(isCompiled)),
  };
}

/** Without the files that are for other systems. Needs `go`, and `gopls` on the PATH or in `GOPLS`. */
function goProject(root: string): Project {
  const lists = ["GoFiles", "CgoFiles", "TestGoFiles", "XTestGoFiles"];
  const format = lists.map((list) => `{{range .${list}}}{{$.Dir}}/{{.}}\n{{end}}`).join("");
  const listed = execFileSync("go", ["list", "-e", "-f", format, "./..."], { cwd: root, encoding: "utf8" });
  const paths = listed.split("\n").filter(Boolean);
  return {
    title: "Go",
    root,
    command: process.env["GOPLS"] ?? "gopls",
    args: ["serve"],
    languageId: "go",
    paths: new Set(paths.map((path) => relative(root, path))),
  };
}

async function compare(
  dataDir: string,
  project: Project,
  { seed, shownMisses }: CallsOptions,
): Promise<void> {
  const { root, paths } = project;
  const product = await Product.start(dataDir, [root]);
  const compiler = await LanguageServer.start(project);
  try {
    await product.ready;
    const repositories = async () => (await get(product, "/api/repos")) as readonly RepositoryItem[];
    await eventually(async () => (await repositories()).every(({ symbolsReady }) => symbolsReady), readyMs);
    const repo = (await repositories())[0]?.repoName ?? "";
    const random = new Random(seed);
    const all = await definitionsOf(product, repo, project);
    const sample = Array.from({ length: sampleSize }, () => random.pick(all));
    const times: number[] = [];
    const missed: Miss[] = [];
    const wrong: string[] = [];
    let right = 0;
    let dispatched = 0;
    for (const definition of new Set(sample)) {
      const { path, name, line } = definition;
      const expected = await compiler.callers(definition);
      const began = performance.now();
      const found = await callersOf(product, repo, definition, paths);
      times.push(performance.now() - began);
      for (const [site, location] of expected) {
        if (!paths.has(location.path)) continue;
        if (found.has(site)) right++;
        else if (!(await compiler.definitions(location)).has(`${path}:${line}`)) dispatched++;
        else
          missed.push({
            group: groupOf(definition, site, root),
            text: `${name} ${path}:${line} from ${site}`,
          });
      }
      for (const [site, location] of found) {
        if (expected.has(site)) continue;
        const implementations = await compiler.implementations(location);
        if (implementations.has(`${path}:${line}`)) dispatched++;
        else wrong.push(`${name} ${path}:${line} from ${site}`);
      }
    }
    heading(`Calls, compared with ${project.title}`);
    printTable(
      ["definitions", "calls", "of subtypes", "precision", "recall", "median, ms", "p95, ms"],
      [
        [
          String(new Set(sample).size),
          String(right + missed.length),
          String(dispatched),
          (right / (right + wrong.length)).toFixed(3),
          (right / (right + missed.length)).toFixed(3),
          ms(median(times)),
          ms(quantile(times, 0.95)),
        ],
      ],
    );
    printMisses(missed, wrong, shownMisses);
  } finally {
    await compiler.stop();
    await product.stop();
  }
}

function printMisses(missed: readonly Miss[], wrong: readonly string[], shownMisses: number): void {
  const groups = new Map<string, string[]>();
  for (const { group, text } of missed) groups.set(group, [...(groups.get(group) ?? []), text]);
  const sorted = [...groups].sort(([, left], [, right]) => right.length - left.length);
  printTable(
    ["missing calls", ""],
    sorted.map(([group, texts]) => [group, String(texts.length)]),
  );
  for (const [group, texts] of sorted)
    for (const text of texts.slice(0, shownMisses)) console.log(`missing, ${group}: ${text}`);
  for (const text of wrong.slice(0, shownMisses)) console.log(`wrong: ${text}`);
}

/** Accessors are left out: TypeScript counts each read of a property as a call of its getter, and Trawl does not. */
async function definitionsOf(
  product: Product,
  repo: string,
  { root, paths }: Project,
): Promise<readonly Definition[]> {
  const found: Definition[] = [];
  for (const path of paths) {
    const { symbols } = (await product.post("/api/outline", {
      place: { repo, path },
    })) as ResponseOf<"outline">;
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    for (const { symbol, kind, range, parentIndex } of symbols) {
      if (!sampledKinds.has(kind) || accessor.test(lines[range.start.lineNumber - 1] ?? "")) continue;
      const { lineNumber: line, column } = range.start;
      found.push({
        path,
        name: symbol,
        line,
        column,
        kind,
        parentKind: symbols[parentIndex]?.kind ?? "file",
      });
    }
  }
  return found;
}

/** Returns the lines of confident calls, as `path:line`. */
async function callersOf(
  product: Product,
  repo: string,
  definition: Definition,
  paths: ReadonlySet<string>,
): Promise<Map<string, CodeLocation>> {
  const { path, line, column, name } = definition;
  const request = { symbolName: name, askedFrom: { repo, path, lineNumber: line, column }, matches: 10_000 };
  const ask = async () => (await product.post("/api/call_hierarchy", request)) as CallHierarchy;
  let response = await ask();
  for (let attempt = 1; attempt < maxAttempts && response.stats.flushReason === "TIME_LIMIT"; attempt++)
    response = await ask();
  const { definitions, calls } = response;
  const sites = calls.flatMap((call) => {
    const file = definitions[call.caller]?.fileName ?? "";
    if (call.certainty === "name" || !paths.has(file)) return [];
    return call.sites.map(({ range: { start } }): [string, CodeLocation] => {
      return [`${file}:${start.lineNumber}`, { path: file, line: start.lineNumber, column: start.column }];
    });
  });
  return new Map(sites);
}

/** Describes the definition and the call. */
function groupOf({ name, kind, parentKind }: Definition, site: string, root: string): string {
  const [path = "", line = ""] = site.split(":");
  const text = readFileSync(join(root, path), "utf8").split("\n")[Number(line) - 1] ?? "";
  const before = text.slice(0, text.search(new RegExp(`${escapeRegexp(name)}\\b`)));
  const receiver = /([\w#.$]*[)\]!?]?)\??\.$/.exec(before)?.[1];
  const shape =
    receiver === undefined
      ? "f()"
      : /^this\.[\w#]+$/.test(receiver)
        ? "this.field.f()"
        : receiver === "this"
          ? "this.f()"
          : /^[\w$]+$/.test(receiver)
            ? "variable.f()"
            : /[)\]]$/.test(receiver) || receiver === ""
              ? "(…).f()"
              : "a.b.f()";
  return `${kind} of ${parentKind}, ${shape}`;
}

async function get(product: Product, path: string): Promise<unknown> {
  return await (await fetch(product.url + path)).json();
}
