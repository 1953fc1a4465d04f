/**
 * OpenAPI links: follow-up requests for a response, and which part of that response or of its request fills each of
 * their fields.
 */
import type * as z from "zod";
import type { OperationName, operations } from "./operations";

/** A constant value, or an OpenAPI runtime expression. */
type LinkValue = string | number | boolean | { readonly [field: string]: LinkValue };

type LinkFields<Name extends OperationName> = {
  readonly [Field in keyof z.input<(typeof operations)[Name]["request"]>]?: LinkValue;
};

type LinkTargets = { readonly [Name in OperationName]?: LinkFields<Name> };

const responseBody = (pointer: string) => `$response.body#/${pointer}`;
const requestQuery = (field: string) => `$request.query.${field}`;
const requestPath = (field: string) => `$request.path.${field}`;
const requestBody = (field: string) => `$request.body#/${field}`;

/** Returns links to requests about a file of a response. `repo` and `path` are expressions for its names there. */
function fileLinks(repo: LinkValue, path: LinkValue) {
  return {
    source: { repo, path },
    blame: { repo, path },
    commits: { repo, path },
    outline: { place: { repo, path } },
  } satisfies LinkTargets;
}

/** Returns links to requests about the symbol at a match. `file` and `range` are JSON pointers in the response. */
function symbolLinks(file: string, range: string) {
  const location = {
    repo: responseBody(`${file}/repository`),
    path: responseBody(`${file}/fileName`),
    lineNumber: responseBody(`${range}/start/lineNumber`),
    column: responseBody(`${range}/start/column`),
  };
  return { symbolAt: { place: location }, describeSymbol: { place: location } } satisfies LinkTargets;
}

const firstFile = fileLinks(responseBody("files/0/repository"), responseBody("files/0/fileName"));

export const links: { readonly [Name in OperationName]?: LinkTargets } = {
  count: { search: { query: requestBody("query") } },
  readQuery: { search: { query: requestBody("query") }, streamSearch: { query: requestBody("query") } },
  completeQuery: { readQuery: { query: requestBody("query") } },
  search: {
    ...fileLinks(responseBody("files/0/repository"), responseBody("files/0/fileName/text")),
    findDefinitions: { symbolName: responseBody("files/0/chunks/0/symbols/0/symbol") },
  },
  findDefinitions: {
    ...firstFile,
    ...symbolLinks("files/0", "files/0/matches/0/range"),
    findReferences: { symbolName: requestBody("symbolName") },
    callHierarchy: { symbolName: requestBody("symbolName") },
    streamReferences: { symbolName: requestBody("symbolName") },
  },
  findReferences: {
    ...firstFile,
    ...symbolLinks("files/0", "files/0/matches/0/range"),
    findDefinitions: { symbolName: requestBody("symbolName") },
  },
  callHierarchy: {
    ...fileLinks(responseBody("definitions/1/repository"), responseBody("definitions/1/fileName")),
    ...symbolLinks("definitions/1", "definitions/1/range"),
    callHierarchy: { symbolName: responseBody("definitions/1/symbol") },
  },
  findSymbols: {
    ...fileLinks(responseBody("symbols/0/repository"), responseBody("symbols/0/fileName")),
    ...symbolLinks("symbols/0", "symbols/0/range"),
    findDefinitions: { symbolName: responseBody("symbols/0/symbol") },
  },
  outline: { findReferences: { symbolName: responseBody("symbols/0/symbol") } },
  symbolAt: {
    findDefinitions: { symbolName: responseBody("symbol") },
    findReferences: { symbolName: responseBody("symbol") },
  },
  describeSymbol: fileLinks(
    responseBody("definition/found/repository"),
    responseBody("definition/found/fileName"),
  ),
  repos: {
    branches: { repo: responseBody("0/repoName") },
    tree: { repoName: responseBody("0/repoName") },
    commits: { repo: responseBody("0/repoName") },
    authors: { repo: responseBody("0/repoName") },
    skippedRepos: { repo: responseBody("0/repoName") },
    unparsedRepos: { repo: responseBody("0/repoName") },
  },
  codeHosts: {
    codeHostRepositories: { name: responseBody("0/name") },
    planCodeHost: { name: responseBody("0/name") },
    syncCodeHost: { name: responseBody("0/name") },
    confirmCodeHost: { name: responseBody("0/name") },
  },
  codeHostRepositories: { tree: { repoName: responseBody("0/repository") } },
  planCodeHost: { syncCodeHost: { name: requestPath("name") } },
  syncCodeHost: { codeHosts: {}, confirmCodeHost: { name: requestPath("name") } },
  confirmCodeHost: { syncCodeHost: { name: requestPath("name") } },
  skippedRepos: fileLinks(responseBody("0/repoName"), responseBody("0/path")),
  unparsedRepos: fileLinks(responseBody("0/repoName"), responseBody("0/path")),
  branches: {
    tree: { repoName: requestQuery("repo"), revisionName: responseBody("0/name") },
    commit: { repo: requestQuery("repo"), ref: responseBody("0/name") },
    commits: { repo: requestQuery("repo"), ref: responseBody("0/name") },
    authors: { repo: requestQuery("repo"), ref: responseBody("0/name") },
    diff: { repo: requestQuery("repo"), base: responseBody("1/name"), head: responseBody("0/name") },
  },
  tree: fileLinks(requestBody("repoName"), responseBody("tree/children/0/path")),
  source: {
    blame: { repo: responseBody("repo"), path: responseBody("path"), ref: responseBody("commit") },
    commits: { repo: responseBody("repo"), path: responseBody("path") },
    commit: { repo: responseBody("repo"), ref: responseBody("commit") },
    outline: {
      place: { repo: responseBody("repo"), path: responseBody("path"), ref: responseBody("commit") },
    },
  },
  diff: {
    source: { repo: requestQuery("repo"), ref: requestQuery("head"), path: responseBody("files/0/newPath") },
  },
  commit: {
    diff: { repo: requestQuery("repo"), base: responseBody("parents/0"), head: responseBody("hash") },
    tree: { repoName: requestQuery("repo"), revisionName: responseBody("hash") },
    commits: { repo: requestQuery("repo"), ref: responseBody("hash") },
  },
  commits: {
    commit: { repo: requestQuery("repo"), ref: responseBody("0/hash") },
    diff: { repo: requestQuery("repo"), base: responseBody("1/hash"), head: responseBody("0/hash") },
  },
  authors: { commits: { repo: requestQuery("repo"), author: responseBody("0/email") } },
  blame: { commit: { repo: requestQuery("repo"), ref: responseBody("ranges/0/hash") } },
  health: { version: {} },
  version: { repos: {} },
  sessions: { revokeSession: { sessionId: responseBody("0/id") } },
  users: { removeUser: { userId: responseBody("0/id") }, audit: {} },
};
