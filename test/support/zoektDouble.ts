/**
 * A small server that speaks Zoekt's JSON interface, and finds documents by brute force. It parses only the queries that
 * the engine writes. `test/engine/zoektSearch.test.ts` compares it with the real one.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { RE2JS } from "re2js";
import { decodeBrute } from "./bruteForce";

export interface DoubleDocument {
  readonly path: string;
  readonly content: Uint8Array;
  readonly language: string;
  /** Indexes in the branches of the repository. */
  readonly branches: readonly number[];
}

export interface DoubleRepository {
  readonly id: number;
  readonly name: string;
  readonly branches: readonly { readonly name: string; readonly commit: string }[];
  readonly documents: readonly DoubleDocument[];
}

/** `respond` responds as if there were no handler. */
export type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
  respond: () => void,
) => void;

export interface ZoektDouble {
  readonly url: string;
  /** The bodies of all searches so far. */
  readonly searches: { Q: string; RepoIDs?: number[]; Opts: Record<string, unknown> }[];
  /** The field of each list so far: 0 for the full one, 2 for one of branches. */
  readonly lists: number[];
  /** Replaces its responses, as in a failure; undefined restores them. */
  handle: Handle | undefined;
  /** Stops listening and ends all connections. */
  stop(): Promise<void>;
}

export async function zoektDouble(repositories: readonly DoubleRepository[], port = 0): Promise<ZoektDouble> {
  const searches: ZoektDouble["searches"] = [];
  const lists: number[] = [];
  const double: { handle: Handle | undefined } = { handle: undefined };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      if (request.url === "/api/search") searches.push(JSON.parse(body));
      if (request.url === "/api/list") lists.push(JSON.parse(body).Opts?.Field ?? 0);
      const answer = () => respond(repositories, request.url ?? "", body, response);
      if (double.handle === undefined) answer();
      else double.handle(request, response, body, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    searches,
    lists,
    get handle() {
      return double.handle;
    },
    set handle(handle) {
      double.handle = handle;
    },
    stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function respond(
  repositories: readonly DoubleRepository[],
  path: string,
  body: string,
  response: ServerResponse,
): void {
  if (path === "/readyz") return void response.end();
  response.setHeader("content-type", "application/json");
  try {
    const reply =
      path === "/api/list"
        ? listReply(repositories, JSON.parse(body))
        : searchReply(repositories, JSON.parse(body));
    response.end(JSON.stringify(reply));
  } catch (error) {
    response.statusCode = 400;
    response.end(JSON.stringify({ Error: String(error) }));
  }
}

/** With the field 2, a list has only the branches, by id. */
function listReply(
  repositories: readonly DoubleRepository[],
  { Opts }: { readonly Opts?: { readonly Field?: number } },
): unknown {
  const branchesOf = ({ branches }: DoubleRepository) =>
    branches.map((branch) => ({ Name: branch.name, Version: branch.commit }));
  if (Opts?.Field === 2) {
    const entries = repositories.map((repository) => [repository.id, { Branches: branchesOf(repository) }]);
    return { List: { Repos: [], ReposMap: Object.fromEntries(entries), Crashes: 0 } };
  }
  return {
    List: {
      Repos: repositories.map((repository) => ({
        Repository: { ID: repository.id, Name: repository.name, Branches: branchesOf(repository) },
        Stats: {
          Documents: repository.documents.length,
          ContentBytes: repository.documents.reduce((sum, { content }) => sum + content.length, 0),
          IndexBytes: 0,
        },
      })),
      Crashes: 0,
    },
  };
}

/** `HEAD` is the first branch, and every other value a part of a name. */
function isBranch(value: string, at: number, { branches }: DoubleRepository): boolean {
  return value === "HEAD" ? at === 0 : branches[at]?.name.includes(value) === true;
}

function searchReply(
  repositories: readonly DoubleRepository[],
  { Q, RepoIDs, Opts = {} }: { Q: string; RepoIDs?: number[]; Opts?: Record<string, unknown> },
): unknown {
  const passes = parseZoektQuery(Q);
  const found = repositories
    .filter(({ id }) => RepoIDs === undefined || RepoIDs.includes(id))
    .flatMap((repository) => repository.documents.map((document) => ({ repository, document })))
    .filter(passes);
  const limit = Number(Opts["MaxDocDisplayCount"] ?? 0) || found.length;
  const queried = [...Q.matchAll(/branch:"([^"]*)"/g)].map(([, value = ""]) => value);
  const chunksOf =
    Opts["ChunkMatches"] === true ? chunkFinder(Q, Number(Opts["NumContextLines"] ?? 0)) : undefined;
  const files = found.slice(0, limit).map(({ repository, document }) => {
    const { id, name, branches } = repository;
    const covered = document.branches
      .filter((at) => queried.length === 0 || queried.some((value) => isBranch(value, at, repository)))
      .sort((left, right) => left - right);
    return {
      FileName: document.path,
      Repository: name,
      RepositoryID: id,
      Language: document.language,
      Branches: covered.map((at) => branches[at]?.name),
      Checksum: createHash("sha1").update(document.content).digest().subarray(0, 8).toString("base64"),
      Version: branches[Math.min(...document.branches)]?.commit,
      ...(Opts["Whole"] === true && document.content.length > 0
        ? { Content: Buffer.from(document.content).toString("base64") }
        : {}),
      ...(chunksOf && { ChunkMatches: chunksOf(document) }),
    };
  });
  return {
    Result: {
      Files: files.length === 0 ? null : files,
      FileCount: found.length,
      FilesSkipped: 0,
      ShardsSkipped: 0,
      Crashes: 0,
      FilesLoaded: 0,
      ContentBytesLoaded: 0,
      IndexBytesLoaded: 0,
    },
  };
}

/** Returns a function that finds the lines with matches of patterns of a query, with their context, in Zoekt's format. */
function chunkFinder(query: string, contextLines: number): (document: DoubleDocument) => unknown[] {
  const patterns: RE2JS[] = [];
  let folds = true;
  for (const token of tokensOf(query)) {
    if (token.startsWith("case:")) folds = token !== "case:yes";
    if (/^(?:content|regex):/.test(token)) patterns.push(compile(token, folds));
  }
  return ({ path, content }) => {
    const lines = linesOf(Buffer.from(content));
    const matching = lines.flatMap(({ text }, at) =>
      patterns.some((pattern) => has(pattern, text.subarray(0, text.at(-1) === 0x0a ? -1 : text.length)))
        ? [at]
        : [],
    );
    if (matching.length === 0) return [chunk(Buffer.from(path), true, 0, 1)];
    const runs: { from: number; to: number }[] = [];
    for (const at of matching) {
      const run = { from: Math.max(0, at - contextLines), to: Math.min(lines.length, at + contextLines + 1) };
      const previous = runs.at(-1);
      if (previous !== undefined && run.from < previous.to) previous.to = run.to;
      else runs.push(run);
    }
    // Zoekt's order is by score.
    return runs.reverse().map(({ from, to }) => {
      const text = Buffer.concat(lines.slice(from, to).map((line) => line.text));
      return chunk(text, false, lines[from]?.offset ?? 0, from + 1);
    });
  };
}

function chunk(content: Uint8Array, isInName: boolean, offset: number, line: number): unknown {
  return {
    DebugScore: "",
    Content: Buffer.from(content).toString("base64"),
    Ranges: [],
    SymbolInfo: null,
    FileName: isInName,
    ContentStart: { ByteOffset: offset, LineNumber: line, Column: 1 },
    Score: 501.5,
    BestLineMatch: line,
  };
}

function linesOf(content: Buffer): { readonly text: Buffer; readonly offset: number }[] {
  const lines: { readonly text: Buffer; readonly offset: number }[] = [];
  for (let offset = 0; offset < content.length; ) {
    const newline = content.indexOf(0x0a, offset);
    const end = newline < 0 ? content.length : newline + 1;
    lines.push({ text: content.subarray(offset, end), offset });
    offset = end;
  }
  return lines;
}

interface Candidate {
  readonly repository: DoubleRepository;
  readonly document: DoubleDocument;
}

type Test = (candidate: Candidate) => boolean;

/** Parses a query as `zoektQuery.ts` writes it. Throws for anything else. */
export function parseZoektQuery(text: string): Test {
  const tokens = tokensOf(text);
  let at = 0;
  const list = (): Test => {
    const alternatives: Test[][] = [[]];
    let folds = true;
    for (; at < tokens.length && tokens[at] !== ")"; ) {
      const token = tokens[at] ?? "";
      if (token === "or") {
        alternatives.push([]);
        at++;
      } else if (token.startsWith("case:")) {
        folds = token !== "case:yes";
        at++;
      } else if (token.startsWith("type:")) at++;
      else alternatives.at(-1)?.push(item(folds));
    }
    if (alternatives.length > 1 && alternatives.some((each) => each.length === 0))
      throw new Error("Empty operand");
    return (candidate) => alternatives.some((tests) => tests.every((test) => test(candidate)));
  };
  const item = (folds: boolean): Test => {
    const token = tokens[at++] ?? "";
    if (token === "-") {
      const negated = item(folds);
      return (candidate) => !negated(candidate);
    }
    if (token === "(") {
      const inner = list();
      if (tokens[at++] !== ")") throw new Error("Missing )");
      return inner;
    }
    return condition(token, folds);
  };
  const test = list();
  if (at < tokens.length) throw new Error("Extra )");
  return test;
}

function tokensOf(text: string): string[] {
  const tokens = text.match(/[a-z]+:"(?:[^"\\]|\\[\s\S])*"|[()-]|[a-z]+:[a-z]+|or\b/g) ?? [];
  if (
    tokens.join("").length !==
    text.replace(/"(?:[^"\\]|\\[\s\S])*"|( +)/g, (all, blank) => (blank ? "" : all)).length
  )
    throw new Error(`Cannot parse ${text}`);
  return tokens;
}

function condition(token: string, folds: boolean): Test {
  const field = token.slice(0, token.indexOf(":"));
  const value = textOf(token);
  if (field === "branch")
    return ({ repository, document }) => document.branches.some((at) => isBranch(value, at, repository));
  if (field === "lang") return ({ document }) => document.language === value;
  const pattern = compile(token, folds && field !== "repo");
  const inName: Test = ({ document }) => has(pattern, Buffer.from(document.path));
  const inContent: Test = ({ document }) => has(pattern, document.content);
  if (field === "repo") return ({ repository }) => has(pattern, Buffer.from(repository.name));
  if (field === "file") return inName;
  if (field === "content") return inContent;
  if (field === "regex") return (candidate) => inName(candidate) || inContent(candidate);
  throw new Error(`Unknown field ${field}`);
}

function textOf(token: string): string {
  return token.slice(token.indexOf(":") + 2, -1).replace(/\\([\s\S])/g, "$1");
}

function compile(token: string, folds: boolean): RE2JS {
  return RE2JS.compile(textOf(token), RE2JS.MULTILINE | (folds ? RE2JS.CASE_INSENSITIVE : 0));
}

function has(pattern: RE2JS, bytes: Uint8Array): boolean {
  return pattern.matcher(decodeBrute(bytes).text).find();
}
