/** Finds the repositories and files that an agent means, and suggests the nearest names for those that do not exist. */
import { isServiceError, ServiceError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import { sanitize } from "#base/sanitize";
import type { TreeNode } from "#contract/history";
import type { RepositoryItem } from "#contract/repositories";
import type { RequestInput } from "#contract/service";
import { beginsWithEcosystem, parsePackageName } from "#query/packageName";
import { writeExpression } from "#query/parser/write";
import { mayMatchPath, nearestPaths } from "./nearestPaths";
import { commonFilters, fileFilter, repositoryFilter, revisionFilter } from "./queryText";
import type { Send } from "./tool";

const pageSize = 100;
/** Suggestions for names are found among as many pages. */
const maxPages = 20;
const maxRepositories = maxPages * pageSize;
const maxSuggestions = 5;

/** Returns the fields of a request for repositories whose names contain `part`. Packages are named by ecosystem first. */
export function namedRepositories(part: string | undefined): RequestInput<"repos"> {
  if (part === undefined) return {};
  return { query: part, dependencies: beginsWithEcosystem(part) ? "yes" : "no" };
}

/** Returns repositories whose names contain `part`, sorted by name; the first 2,000. */
export async function listRepositories(send: Send, part?: string): Promise<readonly RepositoryItem[]> {
  const found: RepositoryItem[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const request = { page, perPage: pageSize, ...namedRepositories(part) };
    const { items, total } = await send("repos", request);
    found.push(...items);
    if (items.length === 0 || found.length >= total) break;
  }
  return found;
}

/**
 * Runs `request` with the name of a repository. If there is none of that exact name, runs it with the one whose name
 * ends with it.
 *
 * Throws NOT_FOUND with the nearest names if the name matches no repository, or several.
 */
export async function withRepository<Result>(
  send: Send,
  name: string,
  request: (name: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await request(name);
  } catch (error) {
    if (!isServiceError(error, "NOT_FOUND")) throw error;
    const known = await findRepository(send, name);
    if (known === name) throw error;
    return await request(known);
  }
}

async function findRepository(send: Send, name: string): Promise<string> {
  const containing = (await listRepositories(send, name)).map(({ repoName }) => repoName);
  if (containing.includes(name)) return name;
  const ending = containing.filter((each) => each.toLowerCase().endsWith(`/${name.toLowerCase()}`));
  const [only] = ending.length === 0 ? containing : ending;
  if (only !== undefined && (ending.length === 1 || containing.length === 1)) return only;
  if (containing.length > 0) {
    throw new ServiceError(
      "NOT_FOUND",
      `"repo": several repositories contain ${JSON.stringify(name)}: ${listNames(containing)}. Use a full name.`,
    );
  }
  throw await unknownRepository(send, name);
}

async function unknownRepository(send: Send, name: string): Promise<ServiceError> {
  const hint = await suggestRepositories(send, name);
  return new ServiceError(
    "NOT_FOUND",
    `"repo": no repository ${JSON.stringify(name.slice(0, 200))}. ${hint}`,
  );
}

/** Returns a sentence with the nearest names or, if there are none, with the first of all names. */
export async function suggestRepositories(send: Send, name: string): Promise<string> {
  const all = (await listRepositories(send)).map(({ repoName }) => repoName);
  const depth = name.split("/").length;
  const lastParts = new Map(all.map((each) => [each.split("/").slice(-depth).join("/"), each]));
  const near = nearestNames(name.slice(0, 200), lastParts.keys()).map((part) => lastParts.get(part) ?? part);
  const packages = await nearestPackages(send, name);
  const isNamed = (each: string) => parsePackageName(each)?.name === name;
  const names = [...packages.filter(isNamed), ...near, ...packages.filter((each) => !isNamed(each))];
  if (names.length > 0) return `Did you mean ${listNames(names)}?`;
  if (all.length === 0) return nothingIndexed;
  const others = all.length > maxSuggestions ? ' The tool "repos" lists all.' : "";
  return `Indexed: ${listNames(all)}.${others}`;
}

/** Returns packages whose names contain `name` or, if it begins with an ecosystem, are similar. */
async function nearestPackages(send: Send, name: string): Promise<readonly string[]> {
  if (name === "") return [];
  if (!beginsWithEcosystem(name)) {
    const request = { query: name.slice(0, 200), perPage: pageSize, dependencies: "only" } as const;
    return (await send("repos", request)).items.map(({ repoName }) => repoName);
  }
  const full = name.slice(0, 200).replace("^", "");
  const ecosystem = full.slice(0, full.indexOf("/") + 1);
  const wanted = parsePackageName(full)?.name || full.slice(ecosystem.length);
  const known = (await listRepositories(send, ecosystem)).flatMap(({ repoName }) => {
    const parsed = repoName.startsWith(ecosystem) ? parsePackageName(repoName) : undefined;
    return parsed === undefined ? [] : [{ repoName, name: parsed.name }];
  });
  const near = nearestNames(wanted, new Set(known.map((each) => each.name)));
  return near.flatMap((each) => known.filter((one) => one.name === each).map(({ repoName }) => repoName));
}

/** Lists the first names on one line, and counts the others. */
export function listNames(names: readonly string[]): string {
  const rest = names.length - maxSuggestions;
  const listed = names.slice(0, maxSuggestions).map(sanitize).join(", ");
  return `${listed}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Returns a FILE_NOT_FOUND error with files of the same name, or with similar names in the same folder. */
export async function unknownFile(
  send: Send,
  repo: string,
  path: string,
  ref: string | undefined,
): Promise<ServiceError> {
  const where = `${repo}${ref === undefined ? "" : `@${ref}`}`;
  const own = trimSlashes(path);
  const entries = (await orNothing(listSiblings(send, repo, own, ref))) ?? [];
  const type = own === "" ? "tree" : entries.find((each) => each.path === own)?.type;
  if (type === "tree" || type === "commit") {
    const what =
      type === "tree"
        ? `a folder in ${where}. The tool "outline" lists it.`
        : `a submodule in ${where}. Its files are in another repository.`;
    return new ServiceError("FILE_NOT_FOUND", `"path": ${JSON.stringify(path)} is ${what}`);
  }
  const siblings = entries.map((each) => each.path);
  const near = [...(await sameName(send, repo, own, ref)), ...nearestNames(own, siblings)];
  const hint =
    near.length > 0
      ? `Did you mean ${listNames([...new Set(near)])}?`
      : 'The tool "find" finds files by part of their path.';
  return new ServiceError("FILE_NOT_FOUND", `"path": no file ${JSON.stringify(path)} in ${where}. ${hint}`);
}

async function sameName(
  send: Send,
  repo: string,
  path: string,
  ref: string | undefined,
): Promise<readonly string[]> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === "") return [];
  const filters = [repositoryFilter(repo, "exact"), fileFilter(`**/${name}`, "glob")];
  const query = [...filters, ...(ref === undefined ? [] : [revisionFilter(ref)])].join(" ");
  const found = await orNothing(send("search", { query, matches: maxSuggestions }));
  return (found?.files ?? []).map(({ fileName }) => fileName.text);
}

/** Throws FILE_NOT_FOUND, with the nearest paths, if a revision does not contain a file or folder. */
export async function requirePath(
  send: Send,
  repo: string,
  path: string,
  ref: string | undefined,
): Promise<void> {
  if ((await orNothing(pathExists(send, repo, path, ref))) === false)
    throw await unknownFile(send, repo, path, ref);
}

/** Whether a revision contains a file or folder. */
async function pathExists(send: Send, repo: string, path: string, ref: string | undefined): Promise<boolean> {
  const own = trimSlashes(path);
  const files = await listSiblings(send, repo, own, ref);
  return own === "" || files.some((file) => file.path === own);
}

function trimSlashes(path: string): string {
  return path.replace(/^\/|\/$/g, "");
}

/** Returns the entries of the folder that contains a path; none if there is no such folder. */
async function listSiblings(
  send: Send,
  repo: string,
  path: string,
  ref: string | undefined,
): Promise<readonly TreeNode[]> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const request = { repoName: repo, paths: [folder], ...(ref === undefined ? {} : { revisionName: ref }) };
  const { tree } = await send("tree", request);
  return findNode(tree, folder)?.children ?? [];
}

/** Returns the node of a folder that the tree contains. */
export function findNode(root: TreeNode, path: string): TreeNode | undefined {
  if (root.path === path) return root;
  const next = root.children.find((child) => child.path === path || path.startsWith(`${child.path}/`));
  return next === undefined ? undefined : findNode(next, path);
}

/** Suggestions are optional: a failure to find them must not replace the error that they belong to. */
async function orNothing<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found;
  } catch (error) {
    if (!isServiceError(error) || error.code === "CANCELLED") throw error;
    return undefined;
  }
}

const nothingIndexed = 'Nothing is indexed. The user can run "trawl index PATH" or "trawl serve PATH".';

/**
 * Says which repositories a search without results covered and, if it was exhaustive, whether all of them are indexed.
 */
export async function describeScope(
  send: Send,
  isExhaustive: boolean,
  repo?: string,
  rev?: string,
): Promise<string> {
  const all = await listRepositories(send, repo);
  const isComplete = all.length < maxRepositories;
  const what =
    all.length === 1
      ? listNames(all.map(({ repoName }) => repoName))
      : `${all.length}${isComplete ? "" : " or more"} repositories`;
  if (all.length === 0) {
    if (repo === undefined) return nothingIndexed;
    return `No repository contains ${JSON.stringify(repo)}. ${await suggestRepositories(send, repo)}`;
  }
  const unfinished = all.filter(({ state }) => !["ready", "stale"].includes(state));
  const searched = `Searched ${what} at ${rev ?? "the default revisions, with uncommitted changes"}.`;
  if (unfinished.length > 0) {
    const names = unfinished.map((each) => `${each.repoName} (${each.state})`);
    return `${searched} Not fully indexed: ${listNames(names)}.`;
  }
  return isExhaustive && isComplete ? `${searched} Everything is indexed, so there is no more.` : searched;
}

/** Explains why a search found nothing: likely mistakes in its filters or, if there are none, what it covered. */
export async function explainNothing(
  send: Send,
  { query, isRegexEnabled, isCaseSensitivityEnabled }: RequestInput<"readQuery">,
  isExhaustive: boolean,
  scope: {
    readonly repo?: string | undefined;
    readonly rev?: string | undefined;
    readonly path?: string | undefined;
  },
): Promise<readonly string[]> {
  const { repo, rev, path } = scope;
  const { problems } = await send("readQuery", { query, isRegexEnabled, isCaseSensitivityEnabled });
  const messages = problems.map(({ message }) => message);
  if (messages.length === 0) {
    const aboutPath = isExhaustive && path ? await explainPath(send, path, commonFilters({ repo, rev })) : [];
    return [...aboutPath, await describeScope(send, isExhaustive, repo, rev)];
  }
  if (repo === undefined) return messages;
  const { total } = await send("repos", { ...namedRepositories(repo), perPage: 1 });
  if (total > 0) return messages;
  // The suggestions of a query do not include packages.
  const others = messages.filter((each) => !each.includes(`"${writeExpression(repo)}"`));
  return [await describeScope(send, isExhaustive, repo, rev), ...others];
}

/** Says that no path matches, with the nearest ones; nothing if one matches, or may match. */
async function explainPath(send: Send, path: string, filters: readonly string[]): Promise<readonly string[]> {
  if ((await orNothing(mayMatchPath(send, path, filters))) !== false) return [];
  const near = (await orNothing(nearestPaths(send, path, filters))) ?? [];
  const hint = near.length > 0 ? ` Did you mean ${listNames(near)}?` : "";
  return [`No path matches ${JSON.stringify(path)}.${hint}`];
}
