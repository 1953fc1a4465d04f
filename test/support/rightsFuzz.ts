/** Random requests for every operation that shows repositories, and the comparison of what two servers respond. */
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { runTool } from "#agents/runTool";
import { toErrorObject } from "#contract/error";
import type { OperationName } from "#contract/operations";
import type { RepositoryInfo } from "#contract/repositories";
import type { Place, RightsWorld, Side, Viewer } from "#test/support/rightsWorld";
import { type ToolCall, toolCalls } from "#test/support/toolFuzz";
import { readResource } from "#transport/mcp/resources";
import { renderPage } from "#transport/pages/pages";

/** A request to an operation, for a page, to a tool for agents, or for a resource of MCP. */
export type RightsCase =
  | { readonly operation: OperationName; readonly request: Readonly<Record<string, unknown>> }
  | { readonly page: string }
  | { readonly tool: ToolCall }
  | { readonly resource: string };

/** Requests that name hidden repositories, revisions, paths and words as often as visible ones. */
export interface RightsRequests {
  readonly byOperation: ReadonlyMap<OperationName, fc.Arbitrary<RightsCase>>;
  readonly others: readonly fc.Arbitrary<RightsCase>[];
}

const words = [
  "total",
  "rotate",
  "Cart",
  "rotateSecretly",
  "ledgerWord",
  "hiddenWord",
  "vault",
  "Server",
  "to.al",
  "fn",
  "money",
];
const paths = [
  "src/cart.ts",
  "src",
  "api/server.ts",
  "api/rotate.py",
  "keys/rotate.ts",
  "hidden.ts",
  "vault.rs",
  "books/ledger.ts",
  "package-lock.json",
  "index.ts",
  "docs/guide.md",
  "none.ts",
];
const refs = [
  "main",
  "next",
  "hidden",
  "secret",
  "closed",
  "v1",
  "v7",
  "v9",
  "HEAD",
  "HEAD~1",
  "mian",
  "hiden",
];
const packages = ["npm/money@1.0.0", "npm/mystery@1.0.0"];
const languages = ["typescript", "python", "rust", "markdown"];

export function rightsRequests({
  commits,
  places,
  names,
}: Pick<RightsWorld, "commits" | "places" | "names">): RightsRequests {
  const known = fc.constantFrom(...places);
  const word = fc.constantFrom(...words);
  const path = fc.constantFrom(...paths);
  const repo = fc.constantFrom(...names, ...packages);
  const ref = fc.constantFrom(...refs, ...commits, ...commits.map((commit) => commit.slice(0, 9)));
  const language = fc.constantFrom(...languages);
  const shortRepo = fc.constantFrom(
    "shop",
    "api",
    "secrets",
    "vault",
    "valt",
    "secrts",
    "ledger",
    "acme",
    "npm/",
  );
  const filter = fc.oneof(
    shortRepo.map((name) => `repo:${name}`),
    repo.map((name) => `repo:^${name}$`),
    fc.tuple(shortRepo, ref).map(([name, revision]) => `repo:${name}@${revision}`),
    ref.map((name) => `rev:${name}`),
    language.map((name) => `lang:${name}`),
    path.map((name) => `file:${name}`),
    word.map((name) => `sym:${name}`),
    fc.tuple(repo, repo).map(([one, other]) => `reposet:${one},${other}`),
    fc.constantFrom("type:repo", "type:file", "type:symbol", "type:commit", "type:commit author:ann"),
    fc.constantFrom(
      "dependencies:yes",
      "dependencies:only",
      "fork:no",
      "visibility:any",
      "topic:go",
      "case:yes",
      "tests:no",
    ),
    fc.constantFrom(
      "group:repo",
      "group:folder",
      "group:language",
      "group:text",
      "group:author",
      "group:symbol",
    ),
    word.map((name) => `words:${name}`),
    word.map((name) => `(${name} or type:repo ${name})`),
  );
  const term = fc.oneof(
    { weight: 3, arbitrary: word },
    { weight: 4, arbitrary: filter },
    { weight: 1, arbitrary: filter.map((text) => `-${text}`) },
    { weight: 1, arbitrary: fc.constant("or") },
  );
  const query = fc.array(term, { minLength: 1, maxLength: 4 }).map((terms) => terms.join(" "));
  const partial = fc.oneof(
    query,
    fc.constantFrom("repo:", "rev:", "lang:", "file:", "reposet:", "file:keys/", "repo:npm/", "context:"),
    fc.tuple(filter, fc.nat(12)).map(([text, length]) => text.slice(0, length)),
    fc
      .tuple(query, fc.constantFrom("repo:", "rev:", "lang:", "file:", "file:ro"))
      .map((both) => both.join(" ")),
  );
  const flag = fc.boolean();
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 });
  /** Fields that refer to something that exists somewhere, or to anything. */
  const located = <Fields>(fields: (place: Place) => Fields, others: fc.Arbitrary<Fields>) =>
    fc.oneof({ weight: 4, arbitrary: known.map(fields) }, { weight: 1, arbitrary: others });
  const file = located<{ repo: string; path: string; ref?: string | undefined }>(
    (each) => ({ repo: each.repo, path: each.path, ref: each.ref }),
    fc.record({ repo, path, ref: maybe(ref) }),
  );
  const revision = located((each) => ({ repo: each.repo, ref: each.ref }), fc.record({ repo, ref }));
  const search = fc.record({
    query,
    matches: fc.constantFrom(10_000, 500),
    contextLines: fc.nat(2),
    whole: flag,
    isRegexEnabled: flag,
    isCaseSensitivityEnabled: flag,
    isWholeWordEnabled: flag,
    enclosing: flag,
  });
  const place = located<object>(
    ({ word: _word, ...rest }) => rest,
    fc.record({
      repo,
      path,
      ref: maybe(ref),
      lineNumber: fc.integer({ min: 1, max: 6 }),
      column: fc.integer({ min: 1, max: 30 }),
    }),
  );
  const symbol = fc.oneof(
    fc.record({
      symbolName: fc.oneof(
        word,
        known.map((each) => each.word),
      ),
      language: maybe(language),
      repoName: maybe(repo),
      revisionName: maybe(ref),
    }),
    known.map(({ word: symbolName, ...askedFrom }) => ({ symbolName, askedFrom })),
    known.map(({ word: symbolName, repo: repoName }) => ({ symbolName, repoName })),
    word.map((symbolName) => ({ symbolName })),
  );
  const groupBy = maybe(fc.constantFrom("repo", "folder", "language", "author", "symbol", "text"));
  const listed = fc.record({ page: fc.constantFrom(1, 1, 2), perPage: fc.constantFrom(3, 50) });
  const callees = fc.record({
    direction: fc.constantFrom("callers", "callees"),
    depth: fc.constantFrom(1, 2),
  });
  const all = (...parts: readonly fc.Arbitrary<object>[]) =>
    fc.tuple(...parts).map((objects): object => Object.assign({}, ...objects));
  const ofRepository = all(listed, fc.record({ repo: maybe(repo) }));
  const requests: Partial<Record<OperationName, fc.Arbitrary<object>>> = {
    search,
    streamSearch: search,
    count: fc.record({ query, groupBy, isRegexEnabled: flag }),
    readQuery: fc.record({ query: partial, isRegexEnabled: flag }),
    completeQuery: fc.record({ query: partial, offset: fc.constantFrom(99, 99, 3) }),
    findDefinitions: symbol,
    findReferences: symbol,
    streamReferences: symbol,
    callHierarchy: all(symbol, callees),
    findSymbols: fc.record({
      query: fc.oneof(word, fc.constant("")),
      match: fc.constantFrom("prefix", "fuzzy"),
      language: maybe(language),
      repoNames: maybe(fc.array(repo, { minLength: 1, maxLength: 2 })),
    }),
    outline: fc.record({ place: file }),
    symbolAt: fc.record({ place }),
    describeSymbol: fc.record({ place }),
    repos: all(
      listed,
      fc.record({
        query: maybe(shortRepo),
        sort: fc.constantFrom("name", "pushed"),
        dependencies: fc.constantFrom("no", "yes", "only"),
      }),
    ),
    skippedRepos: ofRepository,
    unparsedRepos: ofRepository,
    branches: all(listed, fc.record({ repo })),
    tree: fc.oneof(
      known.map(({ repo: repoName, ref: revisionName }) => ({ repoName, revisionName, paths: ["src"] })),
      fc.record({ repoName: repo, revisionName: ref, paths: fc.array(path, { maxLength: 2 }) }),
    ),
    source: file,
    diff: all(
      revision.map((each) => ({ repo: each.repo, base: each.ref })),
      fc.record({ head: fc.oneof(fc.constant("HEAD"), ref) }),
    ),
    commit: all(revision, fc.record({ containedIn: flag })),
    commits: all(listed, revision, fc.record({ path: maybe(path), changedText: maybe(word) })),
    authors: all(listed, revision),
    blame: file,
  };
  const byOperation = new Map(
    Object.entries(requests).map(([name, arbitrary]) => {
      const operation = name as OperationName;
      return [
        operation,
        arbitrary.map((request) => ({ operation, request: withoutUndefined(request) })),
      ] as const;
    }),
  );
  const browsed = fc
    .tuple(file, fc.constantFrom("blob", "tree", "raw", "commits", "refs", "find", "commit"))
    .map(([{ repo: name, path: inside, ref: revision = "HEAD" }, view]) => ({
      page: `/browse/${name}@${encodeURIComponent(revision)}/-/${view}/${view === "commit" ? revision : inside}`,
    }));
  const searched = fc
    .tuple(fc.constantFrom("/?q=", "/?live=1&q=", "/complete?q="), query)
    .map(([start, text]) => ({ page: start + encodeURIComponent(text) }));
  const lists = fc.constantFrom("/", "/repositories", "/repositories?filter=va", "/repositories?filter=sh");
  const resource = file.map(({ repo: name, path: inside, ref: revision = "HEAD" }) => ({
    resource: `trawl://${encodeURIComponent(name)}@${encodeURIComponent(revision)}/${inside}`,
  }));
  const worldWords = fc.constantFrom(...names, ...packages, ...words, ...paths, ...refs, ...commits);
  const tool = fc
    .tuple(toolCalls, fc.array(worldWords, { minLength: 8, maxLength: 8 }))
    .map(([call, values]) => ({ tool: { name: call.name, args: withWords(call.args, values) } }));
  return { byOperation, others: [browsed, searched, lists.map((page) => ({ page })), resource, tool] };
}

function withoutUndefined(record: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(record));
}

/** Replaces texts that name things of another test by those of this one. */
function withWords(args: unknown, values: readonly string[]): unknown {
  let next = 0;
  const replace = (key: string, value: unknown): unknown =>
    typeof value === "string" && !["mode", "kind", "direction", "cursor"].includes(key)
      ? value === "" || /^[a-z]+$/.test(value) // Choices, such as "lines", are words.
        ? value
        : (values[next++ % values.length] ?? value)
      : value;
  return JSON.parse(JSON.stringify(args ?? null, replace));
}

export interface Comparison {
  /** The difference, if the viewer can tell the shared server from one without hidden repositories. */
  readonly leak?: string;
  /** Whether the response names a repository or shows a path or word of one, so that it could show a hidden one. */
  readonly isTelling: boolean;
}

/** Compares what a viewer gets from the shared server with what a server without hidden repositories responds. */
export async function compare(viewer: Viewer, sample: RightsCase): Promise<Comparison> {
  const [limited, reference] = await Promise.all([
    outcome(viewer.limited, sample),
    outcome(viewer.reference, sample),
  ]);
  const isTelling =
    !isErrorObject(limited) &&
    /acme|npm|total|rotate|main|cart|round|server|vault/i.test(JSON.stringify(limited));
  if (isDeepStrictEqual(limited, reference)) return { isTelling };
  const [found, expected] = [JSON.stringify(limited), JSON.stringify(reference)];
  let at = 0;
  while (found[at] === expected[at]) at++;
  const print = (text: string) => text.slice(Math.max(0, at - 200), at + 400);
  const difference = `${print(found)}\n  instead of\n  ${print(expected)}`;
  return { isTelling, leak: `${viewer.name}, ${JSON.stringify(sample)}:\n  ${difference}` };
}

async function outcome(side: Side, sample: RightsCase): Promise<unknown> {
  const events: unknown[] = [];
  const emit = async (event: unknown) => {
    events.push(event);
  };
  try {
    if ("page" in sample) {
      const { status, location, body } = await renderPage(sample.page, side.caller, side.call);
      return { status, location, body: comparableText(body.toString()) };
    }
    if ("tool" in sample) {
      const onDefect = (error: unknown) => events.push(String(error));
      const { name, args } = sample.tool;
      const { text, isError } = await runTool(name, args, side.caller, side.call, { onDefect });
      return { text: comparableText(text), isError, events };
    }
    if ("resource" in sample) {
      const send = (name: OperationName, request: unknown) => side.caller(name, request, side.call) as never;
      return await readResource(send, sample.resource);
    }
    const found = await side.caller(sample.operation, sample.request, { ...side.call, emit });
    const files = filesOf(events, side.names);
    const response = withoutTemporaryCost(sortedInfo(found, files.length > 0), sample.request);
    return { response: comparable(response, side.names), files };
  } catch (error) {
    return toErrorObject(error);
  }
}

function isErrorObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && "errorCode" in value;
}

/** The files of a stream, sorted, because they may be found in any order. */
function filesOf(events: readonly unknown[], names: ReadonlyMap<number, string>): readonly string[] {
  const found = events.flatMap((event) => {
    const { data = event } = event as { readonly data?: unknown };
    const { files = [] } = data as { readonly files?: readonly unknown[] };
    return files;
  });
  return found.map((file) => JSON.stringify(comparable(file, names))).sort();
}

/** Sorts the repositories of a stream, which come in the order in which they were found. */
function sortedInfo(response: object, isStream: boolean): object {
  if (!isStream || !("repositoryInfo" in response)) return response;
  const infos = response.repositoryInfo as readonly RepositoryInfo[];
  return { ...response, repositoryInfo: infos.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
}

/** Leaves out whether a query is cheap if it names a revision that others may have had indexed. */
function withoutTemporaryCost(response: object, { query }: Readonly<Record<string, unknown>>): object {
  if (!("isCheap" in response) || typeof query !== "string") return response;
  const { isCheap, ...rest } = response;
  return /HEAD~1|[0-9a-f]{9,40}/.test(query) ? rest : { ...rest, isCheap };
}

/**
 * Times and sizes that differ from run to run, costs, which limited callers do not learn, and whether symbols are ready,
 * which they are not while a revision is indexed that somebody searched for.
 */
const ignored: ReadonlySet<string> = new Set([
  "duration",
  "wait",
  "contentBytesLoaded",
  "indexBytesLoaded",
  "shardFilesConsidered",
  "filesConsidered",
  "filesLoaded",
  "shardsScanned",
  "shardsSkipped",
  "shardsSkippedFilter",
  "ngramMatches",
  "ngramLookups",
  "matchTreeConstruction",
  "matchTreeSearch",
  "regexpsConsidered",
  "indexedAt",
  "indexBytes",
  "symbolsReady",
]);

/** Replaces ids by names, because the same repository has different ids on different servers. */
function comparable(value: unknown, names: ReadonlyMap<number, string>): unknown {
  if (Array.isArray(value))
    return value.filter((each) => !isTemporary(each)).map((each) => comparable(each, names));
  if (typeof value !== "object" || value === null) return value;
  const isInfo = "codeHostType" in value && "displayName" in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !ignored.has(key))
      .map(([key, each]) => {
        const isId = key === "repoId" || key === "repositoryId" || (isInfo && key === "id");
        return [
          key,
          isId ? (names.get(each as RepositoryInfo["id"]) ?? `unknown ${each}`) : comparable(each, names),
        ];
      }),
  );
}

/** A revision that is indexed because somebody searched for it, whoever that was. */
const temporary = /^(?:HEAD~1|[0-9a-f]{9,40})$/;

function isTemporary(value: unknown): boolean {
  if (typeof value === "string") return temporary.test(value);
  if (typeof value !== "object" || value === null) return false;
  const isRevision = "name" in value && "commit" in value && !("fullName" in value);
  const label = isRevision ? value.name : "label" in value ? value.label : undefined;
  return typeof label === "string" && temporary.test(label);
}

/** Removes times and temporary revisions from a page or the text of a tool. */
function comparableText(text: string): string {
  return text
    .replace(/, (?:HEAD~1|[0-9a-f]{9,40})(?=[,;])/g, "")
    .replace(/\b\d+(?:\.\d+)? (?:ms|s|µs)\b/g, "TIME")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/<time[^>]*>[^<]*<\/time>/g, "TIME");
}
